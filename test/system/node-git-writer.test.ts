import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { GitError } from '../../src/model/git.ts'
import {
  type BranchPush,
  GitWriteError,
  type NewCommit,
  type PlannedTree,
  type PushResult,
  type RemoteAccess,
  type TreeChange,
} from '../../src/model/git-writer.ts'
import { Secret } from '../../src/model/secret.ts'
import { createNodeGitWriter } from '../../src/system/node-git-writer.ts'
import { createNodeProcess } from '../../src/system/node-process.ts'
import {
  gitTestEnvironment,
  makeRepository,
  startGitServer,
  type GitServer,
  type GitServerOptions,
  type TestRepository,
} from '../../tools/servers/git-server.ts'
import { setGitIdentity } from '../support/git-identity.ts'
import { tempFolder } from '../support/temp-folder.ts'

const writer = createNodeGitWriter(createNodeProcess())

async function planTree(repository: string, change: TreeChange): Promise<PlannedTree> {
  const [planned] = await writer.planTrees(repository, [change])
  if (planned === undefined) throw new Error('nothing was planned')
  return planned
}

/** A tree that is there. */
function treeWithId(id: string): PlannedTree {
  return { id, blobs: new Map(), folders: new Map() }
}

async function makeCommit(repository: string, wanted: NewCommit): Promise<string> {
  const [made = ''] = await writer.commit(repository, [wanted])
  return made
}

async function pushOne(access: RemoteAccess, wanted: BranchPush): Promise<PushResult> {
  const [result] = await writer.push(access, [wanted])
  if (result === undefined) throw new Error('nothing was pushed')
  return result
}

setGitIdentity()

interface Place {
  readonly repository: TestRepository
  readonly server: GitServer
  readonly clone: string
  readonly access: RemoteAccess
  readonly inClone: (...args: readonly string[]) => string
}

/** A repository on a server, and somebody's clone of it. */
async function place(
  files: Parameters<TestRepository['commit']>[0],
  { clone = [], ...options }: GitServerOptions & { readonly clone?: readonly string[] } = {},
): Promise<Place> {
  const root = await tempFolder()
  const repository = makeRepository(join(root, 'r.git'))
  repository.git(['config', 'uploadpack.allowFilter', 'true'])
  repository.commit(files)
  const server = await startGitServer(root, { acceptsPushes: true, ...options })
  onTestFinished(() => server.close())
  const url = `${server.url}/r.git`
  const folder = join(root, 'clone')
  // asynchronous: the server is in this process
  await git(root, ['clone', '--quiet', ...clone, clone.includes('--filter=blob:none') ? url : repository.path, folder])
  await git(folder, ['remote', 'set-url', 'origin', url])
  return {
    repository,
    server,
    clone: folder,
    access: { repository: folder, remote: 'origin', url, timeout: 30_000 },
    inClone: (...args) =>
      execFileSync('git', args, { cwd: folder, env: gitTestEnvironment, encoding: 'utf8', stdio: 'pipe' }).trimEnd(),
  }
}

async function git(cwd: string, args: readonly string[]): Promise<void> {
  const { spawn } = await import('node:child_process')
  const child = spawn('git', args, { cwd, env: gitTestEnvironment, stdio: ['ignore', 'ignore', 'inherit'] })
  const status = await new Promise((resolve) => child.once('close', resolve))
  expect(status).toBe(0)
}

/** A git, before that on PATH, that writes the refs of where it runs into a file when a push has ended; that file. */
async function gitThatTellsRefs(): Promise<string> {
  const folder = await tempFolder()
  const file = join(folder, 'refs')
  const script = `#!/bin/sh
PATH="\${PATH#*:}"
git "$@"
status=$?
[ "$1" = push ] && git for-each-ref --format='%(objectname) %(refname)' > '${file}'
exit $status
`
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 })
  const path = process.env['PATH'] ?? ''
  process.env['PATH'] = `${folder}:${path}`
  onTestFinished(() => {
    process.env['PATH'] = path
  })
  return file
}

/** A git, before that on PATH, that notes what it is asked to parse; what it was asked since the last question. */
async function gitThatNotesRevisions(): Promise<() => readonly string[]> {
  const folder = await tempFolder()
  const file = join(folder, 'asked')
  const script = `#!/bin/sh
PATH="\${PATH#*:}"
[ "$1" = rev-parse ] && for last; do :; done && echo "$last" >> '${file}'
exec git "$@"
`
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 })
  vi.stubEnv('PATH', `${folder}:${process.env['PATH'] ?? ''}`)
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  return () => {
    const asked = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
    rmSync(file, { force: true })
    return asked
  }
}

/** All that belongs to the user: HEAD, refs, index, stash, files, and what git says of them. */
function stateOf({ clone, inClone }: Place): object {
  const files = readdirSync(clone, { recursive: true, encoding: 'utf8' }).filter((name) => !name.startsWith('.git'))
  return {
    head: readFileSync(join(clone, '.git/HEAD'), 'utf8'),
    index: readFileSync(join(clone, '.git/index')).toString('base64'),
    refs: inClone('for-each-ref'),
    worktrees: inClone('worktree', 'list', '--porcelain'),
    fetched: existsSync(join(clone, '.git/FETCH_HEAD')),
    config: readFileSync(join(clone, '.git/config'), 'utf8'),
    files: files.sort(),
    status: inClone('status', '--porcelain'),
  }
}

async function fetchMain({ access }: Place, history = 5): Promise<string> {
  const found = await writer.fetch(access, ['refs/heads/main'], history)
  return found.get('refs/heads/main') ?? 'nothing'
}

async function errorOf(action: Promise<unknown>): Promise<string> {
  return action.then(
    () => 'nothing thrown',
    (error: unknown) =>
      error instanceof GitError || error instanceof GitWriteError
        ? `${error.reason}: ${error.message}`
        : `not ours: ${String(error)}`,
  )
}

/** Commits one more file on top of a commit. */
async function commitOn(
  { clone }: Place,
  parent: string,
  files: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const folder = await tempFolder()
  const list = Object.entries(files).map(([path, text], index) => {
    const from = join(folder, String(index))
    if (text !== undefined) writeFileSync(from, text)
    return { path, from: text === undefined ? undefined : from }
  })
  const tree = await planTree(clone, { base: parent, files: list })
  return makeCommit(clone, { tree, parents: [parent], message: 'One more\n\nStackmason-Tree: x\n' })
}

describe('a checkout', () => {
  it('is described, whatever folder of it is named', async () => {
    const at = await place({ 'a/b.txt': 'one' })
    expect(await writer.describe(join(at.clone, 'a'))).toEqual({
      root: at.clone,
      commit: at.inClone('rev-parse', 'HEAD'),
      branch: 'main',
      remotes: new Map([['origin', at.access.url]]),
    })
    at.inClone('checkout', '--quiet', '--detach')
    at.inClone('remote', 'set-url', 'origin', 'https://bot:glpat-1@git.example/r.git')
    expect(await writer.describe(at.clone)).toMatchObject({
      branch: undefined,
      remotes: new Map([['origin', 'https://git.example/r.git']]),
    })
    expect(await writer.describe(dirname(at.clone))).toBeUndefined()
  })

  it('stays as it is while a branch of its remote is fetched, changed and pushed', async () => {
    const at = await place({ 'a.txt': 'one', 'b.txt': 'b' })
    writeFileSync(join(at.clone, 'a.txt'), 'my work')
    writeFileSync(join(at.clone, 'new.txt'), 'new')
    at.inClone('add', 'new.txt')
    at.inClone('status')
    const newer = at.repository.commit({ 'a.txt': 'two', 'b.txt': 'b' })
    const before = stateOf(at)
    const refs = await writer.listRemote(at.access)
    expect(refs).toEqual({ defaultBranch: 'main', refs: new Map([['refs/heads/main', newer]]) })
    expect(await fetchMain(at)).toBe(newer)
    const tree = await writer.addTree(at.clone, newer)
    expect(readFileSync(join(tree.folder, 'a.txt'), 'utf8')).toBe('two')
    const commit = await commitOn(at, newer, { 'c/d.txt': 'c', 'b.txt': undefined })
    expect(await pushOne(at.access, { branch: 'main', commit, expected: newer, mode: 'fast-forward' })).toEqual({
      status: 'pushed',
    })
    await tree.remove()
    await writer.release(at.clone)
    expect(existsSync(tree.folder)).toBe(false)
    expect(stateOf(at)).toEqual(before)
    expect(at.repository.git(['ls-tree', '-r', '--name-only', 'main'])).toBe('a.txt\nc/d.txt')
    expect(at.repository.git(['log', '-1', '--format=%an <%ae> %cn %s', 'main'])).toBe(
      'Bot <bot@example.org> Bot One more',
    )
  })

  it.each(['--depth=1', '--filter=blob:none'])('may be a clone with %s', async (option) => {
    const at = await place({ 'a.txt': 'one' }, { clone: [option, '--no-checkout', '--no-local'] })
    if (option === '--depth=1') {
      rmSync(at.clone, { recursive: true })
      await git(dirname(at.clone), ['clone', '--quiet', option, `${at.server.url}/r.git`, at.clone])
    }
    const old = at.repository.git(['rev-parse', 'main'])
    for (const text of ['two', 'three', 'four']) at.repository.commit({ 'a.txt': text, [`${text}.txt`]: text })
    const commit = await fetchMain(at, 3)
    await writer.complete(at.access, commit, { folder: '', history: 3 })
    const asked = at.server.requests.length
    const tree = await writer.addTree(at.clone, commit)
    expect(readFileSync(join(tree.folder, 'four.txt'), 'utf8')).toBe('four')
    expect(at.inClone('rev-list', '--count', commit)).toBe('4')
    expect(await writer.mergeBase(at.clone, old, commit)).toBe(old)
    const next = await commitOn(at, commit, { 'b.txt': 'b' })
    expect(at.server.requests.length).toBe(asked)
    expect(await pushOne(at.access, { branch: 'main', commit: next, expected: commit, mode: 'fast-forward' })).toEqual({
      status: 'pushed',
    })
    await tree.remove()
  })
})

describe('a work tree apart', () => {
  it('holds the bytes of the commit, whatever attributes, filters and hooks say', async () => {
    const at = await place({
      '.gitattributes': '*.txt text eol=crlf\n*.bin filter=evil\n*.id ident\n',
      'a.txt': 'one\ntwo\n',
      'b.bin': 'binary',
      'c.id': '$Id$',
    })
    const trace = join(at.clone, '../trace')
    at.inClone('config', 'filter.evil.smudge', `touch ${trace}`)
    at.inClone('config', 'filter.evil.clean', `touch ${trace}`)
    at.inClone('config', 'core.autocrlf', 'true')
    at.inClone('config', 'core.hooksPath', join(at.clone, 'hooks'))
    const hooks = join(at.clone, 'hooks')
    execFileSync('mkdir', [hooks])
    for (const hook of ['post-checkout', 'pre-push', 'pre-commit', 'reference-transaction'])
      writeFileSync(join(hooks, hook), `#!/bin/sh\ntouch ${trace}\n`, { mode: 0o755 })
    const commit = await fetchMain(at)
    const tree = await writer.addTree(at.clone, commit)
    expect(readFileSync(join(tree.folder, 'a.txt'), 'utf8')).toBe('one\ntwo\n')
    expect(readFileSync(join(tree.folder, 'c.id'), 'utf8')).toBe('$Id$')
    const next = await commitOn(at, commit, { 'd.txt': 'lf\n', 'e.bin': 'bytes', 'f.txt': 'crlf\r\n' })
    await pushOne(at.access, { branch: 'main', commit: next, expected: commit, mode: 'fast-forward' })
    await tree.remove()
    expect(at.repository.git(['cat-file', '-p', 'main:d.txt'])).toBe('lf')
    expect(at.repository.git(['cat-file', '-s', 'main:f.txt'])).toBe('6')
    expect(at.repository.git(['cat-file', '-p', 'main:e.bin'])).toBe('bytes')
    expect(existsSync(trace)).toBe(false)
  })

  it('has links as links, made last, and no submodule', async () => {
    const at = await place({ 'z/real.txt': 'x', a: { link: '/etc' } })
    const { git: bare } = at.repository
    const main = bare(['rev-parse', 'main'])
    const tree = bare(['mktree'], `${bare(['ls-tree', 'main'])}\n160000 commit ${main}\tsub\n`)
    bare(['update-ref', 'refs/heads/main', bare(['commit-tree', tree, '-p', main, '-m', 'x'])])
    const apart = await writer.addTree(at.clone, await fetchMain(at))
    expect(readlinkSync(join(apart.folder, 'a'))).toBe('/etc')
    expect(lstatSync(join(apart.folder, 'z/real.txt')).isFile()).toBe(true)
    expect(existsSync(join(apart.folder, 'sub'))).toBe(false)
    await apart.remove()
  })

  it('writes through no link that a tree made by hand has beside the folder', async () => {
    const at = await place({ 'x.txt': 'x' })
    const outside = await tempFolder()
    const { git: bare } = at.repository
    const hash = (text: string): string => bare(['hash-object', '-w', '--stdin'], text)
    const inner = bare(['mktree'], `100644 blob ${hash('evil')}\tfile\n`)
    const entry = (mode: string, name: string, id: string): Buffer =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')])
    const raw = Buffer.concat([entry('120000', 'd', hash(outside)), entry('40000', 'd', inner)])
    const tree = bare(['hash-object', '-w', '-t', 'tree', '--stdin', '--literally'], raw)
    bare(['update-ref', 'refs/heads/main', bare(['commit-tree', tree, '-m', 'x'])])
    expect(await errorOf(writer.addTree(at.clone, await fetchMain(at)))).toMatch(/^clash: /)
    expect(readdirSync(outside)).toEqual([])
  })

  it.each(['.git', '.GIT', '..', 'git~1', '.g\u200cit'])('refuses a file below %s', async (name) => {
    const at = await place({ 'x.txt': 'x' })
    const { git: bare } = at.repository
    const blob = bare(['hash-object', '-w', '--stdin'], 'evil')
    const entry = (mode: string, part: string, id: string): Buffer =>
      Buffer.concat([Buffer.from(`${mode} ${part}\0`), Buffer.from(id, 'hex')])
    const inner = bare(['hash-object', '-w', '-t', 'tree', '--stdin', '--literally'], entry('100644', 'config', blob))
    const tree = bare(['hash-object', '-w', '-t', 'tree', '--stdin', '--literally'], entry('40000', name, inner))
    bare(['update-ref', 'refs/heads/main', bare(['commit-tree', tree, '-m', 'x'])])
    const before = stateOf(at)
    expect(await errorOf(writer.addTree(at.clone, await fetchMain(at)))).toMatch(/^unsafe-path: /)
    await writer.release(at.clone)
    expect(stateOf(at)).toEqual(before)
  })

  it('of a run that was killed goes with the next; that of one that lives stays', async () => {
    const at = await place({ 'x.txt': 'x' })
    const commit = await fetchMain(at)
    const living = await writer.addTree(at.clone, commit)
    const gone = createNodeProcess()
    const identity = { ...gone.identity(), process: 4_194_303, started: '1' }
    const killed = createNodeGitWriter({ ...gone, identity: () => identity })
    await killed.fetch(at.access, ['refs/heads/main'], 1)
    const left = await killed.addTree(at.clone, commit)
    for (const ref of at.inClone('for-each-ref', '--format=%(refname)', 'refs/stackmason/').split('\n'))
      if (ref.includes('-4194303-1-')) writeFileSync(join(at.clone, '.git', `${ref}.lock`), '')
    expect(at.inClone('worktree', 'list').split('\n')).toHaveLength(3)
    await writer.clear(at.clone)
    expect(existsSync(left.folder)).toBe(false)
    expect(existsSync(living.folder)).toBe(true)
    expect(at.inClone('worktree', 'list').split('\n')).toHaveLength(2)
    await living.remove()
    await writer.release(at.clone)
    expect(at.inClone('for-each-ref', 'refs/stackmason/')).toBe('')
  })

  it('of which only a part was made goes, too, and the user may fetch meanwhile', async () => {
    const at = await place({ 'x.txt': 'x' })
    const commit = await fetchMain(at)
    const before = stateOf(at)
    const gone = createNodeProcess()
    const identity = { ...gone.identity(), process: 4_194_303, started: '1' }
    const killed = createNodeGitWriter({ ...gone, identity: () => identity })
    const worktrees = join(at.clone, '.git/worktrees')
    const fetches = (): boolean => spawnSync('git', ['fetch', at.repository.path], { cwd: at.clone }).status === 0
    // in the order in which it is made
    for (const left of [[], ['HEAD'], ['HEAD', 'commondir']]) {
      const { folder } = await killed.addTree(at.clone, commit)
      const entry = join(worktrees, basename(folder))
      expect(readFileSync(join(entry, 'HEAD'), 'utf8')).toBe(`${commit}\n`)
      for (const file of readdirSync(entry)) if (!left.includes(file)) rmSync(join(entry, file))
      rmSync(dirname(folder), { recursive: true })
      expect(fetches()).toBe(true)
      await writer.clear(at.clone)
      expect(existsSync(worktrees)).toBe(false)
    }
    // as git leaves one that it was killed at
    const { folder } = await killed.addTree(at.clone, commit)
    const entry = join(worktrees, basename(folder))
    writeFileSync(join(entry, 'HEAD'), `${'0'.repeat(40)}\n`)
    writeFileSync(join(entry, 'locked'), 'initializing\n')
    expect(fetches()).toBe(false)
    // whose name only looks like one of ours
    const mine = join(dirname(at.clone), 'stackmason-1-2-0123456789ab-0123456789ab-abcdef')
    at.inClone('worktree', 'add', '--quiet', '--detach', mine)
    at.inClone('worktree', 'lock', mine)
    rmSync(mine, { recursive: true })
    await writer.clear(at.clone)
    expect(fetches()).toBe(true)
    expect([existsSync(folder), readdirSync(worktrees)]).toEqual([false, [basename(mine)]])
    at.inClone('worktree', 'remove', '--force', '--force', mine)
    rmSync(join(at.clone, '.git/FETCH_HEAD'))
    expect(stateOf(at)).toEqual(before)
  })
})

describe('a commit', () => {
  it('is asked once for what it has, and each time for what it lacks or where it has no whole id', async () => {
    const at = await place({ 'a/b.txt': 'one' })
    const own = createNodeGitWriter(createNodeProcess())
    const commit = at.inClone('rev-parse', 'HEAD')
    const [folder, file] = ['HEAD:a', 'HEAD:a/b.txt'].map((name) => at.inClone('rev-parse', name))
    const asked = await gitThatNotesRevisions()
    const wanted = [
      ['a', folder],
      ['a/b.txt', file],
    ] as const
    for (const isFirst of [true, false]) {
      for (const [path, id] of wanted) expect(await own.treeOf(at.clone, commit, path)).toBe(id)
      expect(asked()).toEqual(isFirst ? wanted.map(([path]) => `${commit}:${path}`) : [])
      expect(await own.treeOf(at.clone, commit, 'none')).toBeUndefined()
      expect(await own.treeOf(at.clone, 'main', 'a')).toBe(folder)
      expect(asked()).toEqual([`${commit}:none`, 'main:a'])
    }
    await own.release(at.clone)
    expect(await own.treeOf(at.clone, commit, 'a')).toBe(folder)
    expect(asked()).toContain(`${commit}:a`)
  })

  it('needs somebody who makes it', async () => {
    for (const name of ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'])
      Reflect.deleteProperty(process.env, name)
    const at = await place({ 'x.txt': 'x' })
    const commit = await fetchMain(at)
    const made = { tree: treeWithId(`${commit}^{tree}`), parents: [commit], message: 'm\n' }
    expect(await errorOf(makeCommit(at.clone, made))).toMatch(/^no-identity: /)
    const fallback = { name: 'Fallback', email: 'fallback@example.org' }
    const by = await makeCommit(at.clone, { ...made, fallback })
    expect(at.inClone('log', '-1', '--format=%an %ce', by)).toBe('Fallback fallback@example.org')
    at.inClone('config', 'user.name', 'Ada')
    at.inClone('config', 'user.email', 'ada@example.org')
    const own = await makeCommit(at.clone, { ...made, fallback })
    expect(at.inClone('log', '-1', '--format=%an %ce', own)).toBe('Ada ada@example.org')
  })

  it('is signed as git is configured, and an error where that fails', async () => {
    const at = await place({ 'x.txt': 'x' })
    const commit = await fetchMain(at)
    const key = join(at.clone, '../key')
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
    at.inClone('config', 'gpg.format', 'ssh')
    at.inClone('config', 'user.signingKey', key)
    at.inClone('config', 'commit.gpgSign', 'true')
    // what git is configured to is asked for once in a run
    await writer.release(at.clone)
    const made = { tree: treeWithId(`${commit}^{tree}`), parents: [commit], message: 'm\n' }
    const signed = await makeCommit(at.clone, made)
    const signers = `${key}.signers`
    writeFileSync(signers, `test@example.org ${readFileSync(`${key}.pub`, 'utf8')}`)
    expect(at.inClone('-c', `gpg.ssh.allowedSignersFile=${signers}`, 'log', '-1', '--format=%G? %GS', signed)).toBe(
      'G test@example.org',
    )
    at.inClone('config', 'user.signingKey', `${key}.gone`)
    expect(await errorOf(makeCommit(at.clone, made))).toMatch(/^not-signed: /)
  })

  // with gpg of the machine
  it.skipIf(spawnSync('gpg', ['--version']).status !== 0)('is signed with a key of GPG', async () => {
    const at = await place({ 'x.txt': 'x' })
    const commit = await fetchMain(at)
    // the path of a socket of its agent may not be long
    const home = mkdtempSync('/tmp/gnupg-')
    onTestFinished(() => {
      spawnSync('gpgconf', ['--homedir', home, '--kill', 'all'])
      rmSync(home, { recursive: true, force: true })
    })
    const gpg = join(home, 'gpg')
    writeFileSync(gpg, `#!/bin/sh\nexec gpg --homedir '${home}' --batch --no-tty --pinentry-mode loopback "$@"\n`, {
      mode: 0o755,
    })
    const make = ['--passphrase', '', '--quick-generate-key', 'Bot <bot@example.org>', 'ed25519', 'sign', 'never']
    execFileSync(gpg, make, { stdio: 'pipe' })
    at.inClone('config', 'gpg.program', gpg)
    at.inClone('config', 'user.signingKey', 'bot@example.org')
    at.inClone('config', 'commit.gpgSign', 'true')
    // what git is configured to is asked for once in a run
    await writer.release(at.clone)
    const made = { tree: treeWithId(`${commit}^{tree}`), parents: [commit], message: 'm\n' }
    const signed = await makeCommit(at.clone, made)
    expect(at.inClone('log', '-1', '--format=%G? %GS', signed)).toBe('G Bot <bot@example.org>')
    at.inClone('config', 'user.signingKey', 'nobody@example.org')
    expect(await errorOf(makeCommit(at.clone, made))).toMatch(/^not-signed: /)
  })

  it('may take a folder of its tree from another', async () => {
    const at = await place({ 'out/old.txt': 'old', 'in.txt': 'in' })
    const other = at.repository.commit({ 'tree/new.txt': 'new' }, 'rendered')
    const found = await writer.fetch(at.access, ['refs/heads/main', 'refs/heads/rendered', 'refs/heads/gone'], 5)
    expect([...found.keys()]).toEqual(['refs/heads/main', 'refs/heads/rendered'])
    const main = found.get('refs/heads/main') ?? ''
    const tree = await writer.treeOf(at.clone, other, 'tree')
    const made = await planTree(at.clone, { base: main, graft: { folder: 'out', tree }, files: [] })
    const message = 'm\n'
    const grafted = await makeCommit(at.clone, { tree: made, parents: [], message })
    expect(at.inClone('ls-tree', '-r', '--name-only', grafted)).toBe('in.txt\nout/new.txt')
    const without = await planTree(at.clone, {
      base: main,
      graft: { folder: 'out', tree: undefined },
      files: [],
    })
    const cut = await makeCommit(at.clone, { tree: without, parents: [], message })
    expect(at.inClone('ls-tree', '-r', '--name-only', cut)).toBe('in.txt')
    expect(await writer.treeOf(at.clone, main, 'nothing')).toBeUndefined()
    expect(await planTree(at.clone, { base: undefined, files: [] })).toMatchObject({
      id: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    })
  })

  it('is told with its message, its tree and its author', async () => {
    const at = await place({ 'x.txt': 'x' })
    const base = await fetchMain(at)
    const first = await commitOn(at, base, { 'a.txt': 'a' })
    const second = await commitOn(at, first, { 'b.txt': 'b' })
    const commits = await writer.commitsBetween(at.clone, { from: base, to: second, limit: 10 })
    expect(commits.map(({ commit, parents }) => [commit, ...parents])).toEqual([
      [second, first],
      [first, base],
    ])
    expect(commits[0]).toMatchObject({
      tree: at.inClone('rev-parse', `${second}^{tree}`),
      author: 'Bot <bot@example.org>',
      message: 'One more\n\nStackmason-Tree: x\n',
    })
    expect(await writer.commitsBetween(at.clone, { from: base, to: second, limit: 1 })).toHaveLength(1)
  })

  it('is told of several branches at once as of each alone', async () => {
    const at = await place({ 'x.txt': 'x' })
    const base = await fetchMain(at)
    const line = [base]
    for (const name of ['a', 'b', 'c']) line.push(await commitOn(at, line.at(-1) ?? '', { [name]: name }))
    const [, first = '', second = '', third = ''] = line
    const other = await commitOn(at, base, { other: 'other' })
    const merged = at.inClone('commit-tree', `${third}^{tree}`, '-p', third, '-p', other, '-m', 'Merge')
    // one leads to another, and which git sees first is chance: they are of the same second
    const to = [other, first, base, second, other, third]
    for (const from of [base, second, undefined])
      for (const limit of [1, 2, 100])
        expect(await writer.commitsOfBranches(at.clone, { from, to, limit })).toEqual(
          await Promise.all(to.map((tip) => writer.commitsBetween(at.clone, { from, to: tip, limit }))),
        )
    const [all = []] = await writer.commitsOfBranches(at.clone, { from: base, to: [merged, third], limit: 100 })
    expect(all[0]?.commit).toBe(merged)
    expect(all.map(({ commit }) => commit).sort()).toEqual([merged, first, second, third, other].sort())
    expect(await writer.commitsOfBranches(at.clone, { from: base, to: [], limit: 1 })).toEqual([])
  })

  it('is merged with several others, each alone', async () => {
    const at = await place({ 'x.txt': 'x', 'y.txt': 'y' })
    const base = await fetchMain(at)
    const into = await commitOn(at, base, { 'x.txt': 'mine' })
    const clean = await commitOn(at, base, { 'y.txt': 'theirs' })
    const conflicting = await commitOn(at, base, { 'x.txt': 'theirs', 'y.txt': 'theirs' })
    const both = at.inClone('rev-parse', `${await commitOn(at, into, { 'y.txt': 'theirs' })}^{tree}`)
    const own = at.inClone('rev-parse', `${into}^{tree}`)
    expect(await writer.mergedTrees(at.clone, into, [clean, conflicting, base, clean])).toEqual([
      both,
      undefined,
      own,
      both,
    ])
    expect(await writer.mergedTrees(at.clone, into, [clean, '1'.repeat(40)])).toEqual([both, undefined])
    expect(await writer.mergedTrees(at.clone, into, [])).toEqual([])
  })
})

describe('a fetch', () => {
  it('brings those of many that are there, and says which', async () => {
    const at = await place({ 'x.txt': 'x' })
    const main = at.repository.git(['rev-parse', 'main'])
    const there = ['a', 'c', 'd', 'g'].map((name) => [
      `refs/heads/${name}`,
      at.repository.commit({ [name]: name }, name),
    ])
    at.repository.git(['tag', '-a', '-m', 'One', 'v1', 'main'])
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `refs/heads/${name}`)
    const found = await writer.fetch(at.access, ['refs/tags/v1', ...names], 5)
    expect([...found]).toEqual([['refs/tags/v1', main], ...there])
    expect(at.inClone('for-each-ref', '--format=%(refname)', 'refs/tags', 'refs/heads')).toBe('refs/heads/main')
  })

  it('asks the server as often for many as for two', async () => {
    const at = await place({ 'x.txt': 'x' })
    for (const name of ['a', 'b', 'c', 'd']) at.repository.commit({ [name]: name }, name)
    const asked = async (names: readonly string[]): Promise<number> => {
      const before = at.server.requests.length
      await writer.fetch(
        at.access,
        names.map((name) => `refs/heads/${name}`),
        5,
      )
      return at.server.requests.length - before
    }
    expect(await asked(['a', 'b'])).toBe(await asked(['main', 'c', 'd']))
  })

  it('gives a shallow clone the past of each branch that is read', async () => {
    const at = await place({ 'x.txt': '0' })
    for (let index = 1; index < 6; index++) at.repository.commit({ 'x.txt': String(index) })
    at.repository.git(['update-ref', 'refs/heads/old', 'main~2'])
    rmSync(at.clone, { recursive: true })
    await git(dirname(at.clone), ['clone', '--quiet', '--depth=1', `${at.server.url}/r.git`, at.clone])
    const found = await writer.fetch(at.access, ['refs/heads/main', 'refs/heads/old'], 3)
    const lengths = Array.from(found.values(), (commit) => at.inClone('rev-list', '--count', '--max-count=3', commit))
    expect(lengths).toEqual(['3', '3'])
  })
})

describe('a push', () => {
  it('is outdated where somebody was faster, with and without a lease', async () => {
    const at = await place({ 'x.txt': 'x' })
    const base = await fetchMain(at)
    const commit = await commitOn(at, base, { 'a.txt': 'a' })
    const faster = at.repository.commit({ 'y.txt': 'y' })
    for (const mode of ['fast-forward', 'lease'] as const) {
      const result = await pushOne(at.access, { branch: 'main', commit, expected: base, mode })
      expect(result.status).toBe('outdated')
    }
    expect(at.repository.git(['rev-parse', 'main'])).toBe(faster)
    expect((await pushOne(at.access, { branch: 'bot', commit, expected: undefined, mode: 'lease' })).status).toBe(
      'pushed',
    )
    const again = await commitOn(at, base, { 'b.txt': 'b' })
    for (const [expected, status] of [
      [undefined, 'outdated'],
      [base, 'outdated'],
      [commit, 'pushed'],
    ] as const) {
      const result = await pushOne(at.access, { branch: 'bot', commit: again, expected, mode: 'lease' })
      expect(result.status).toBe(status)
    }
    const gone = { branch: 'bot', commit: undefined, mode: 'lease' } as const
    expect((await pushOne(at.access, { ...gone, expected: commit })).status).toBe('outdated')
    expect((await pushOne(at.access, { ...gone, expected: again })).status).toBe('pushed')
    expect(at.repository.git(['for-each-ref', 'refs/heads/bot'])).toBe('')
  })

  it('moves each of several branches for itself', async () => {
    const at = await place({ 'x.txt': 'x' })
    const base = await fetchMain(at)
    const commits: string[] = []
    for (const name of ['a', 'b', 'c', 'd']) commits.push(await commitOn(at, base, { [name]: name }))
    const [a, b, c, d] = commits
    for (const branch of ['moved', 'gone'])
      await pushOne(at.access, { branch: `bot/${branch}`, commit: d, expected: undefined, mode: 'lease' })
    at.inClone('update-ref', 'refs/remotes/origin/bot/moved', base)
    const before = stateOf(at)
    const push = (branch: string, commit: string | undefined, expected: string | undefined): BranchPush => ({
      branch: `bot/${branch}`,
      commit,
      expected,
      mode: 'lease',
    })
    const results = await writer.push(at.access, [
      push('new', a, undefined),
      // somebody was faster, whatever the clone knows of it
      push('moved', b, base),
      push('other', c, undefined),
      push('gone', undefined, d),
      push('never', undefined, d),
    ])
    expect(results.map(({ status }) => status)).toEqual(['pushed', 'outdated', 'pushed', 'pushed', 'outdated'])
    expect(at.repository.git(['for-each-ref', '--format=%(refname:lstrip=3) %(objectname)', 'refs/heads/bot'])).toBe(
      [`moved ${String(d)}`, `new ${String(a)}`, `other ${String(c)}`].join('\n'),
    )
    expect(stateOf(at)).toEqual(before)
    expect(await writer.push(at.access, [])).toEqual([])
  })

  it('leaves nothing in the clone that a kill right after it could leave there', async () => {
    const at = await place({ 'x.txt': 'x' })
    const base = await fetchMain(at)
    const [a, b] = [await commitOn(at, base, { a: 'a' }), await commitOn(at, base, { b: 'b' })]
    const file = await gitThatTellsRefs()
    const refs = (): string => at.inClone('for-each-ref', '--format=%(objectname) %(refname)')
    const leased = (branch: string, commit: string | undefined, expected?: string): BranchPush => ({
      branch,
      commit,
      expected,
      mode: 'lease',
    })
    for (const pushes of [
      [leased('bot/a', a), leased('bot/b', b)],
      // a fetch by the user has brought them
      [leased('bot/a', undefined, a), leased('bot/b', a, b)],
      [{ branch: 'main', commit: b, expected: base, mode: 'fast-forward' as const }],
    ]) {
      const before = refs()
      const results = await writer.push(at.access, pushes)
      expect(results.map(({ status }) => status)).toEqual(pushes.map(() => 'pushed'))
      expect(readFileSync(file, 'utf8').trimEnd()).toBe(before)
      await git(at.clone, ['fetch', '--quiet'])
    }
  })

  it('goes where the configuration of its remote says, with what that says', async () => {
    const at = await place({ 'x.txt': 'x' }, { credentials: { username: 'bot', password: 'hunter2-token' } })
    const base = at.repository.git(['rev-parse', 'main'])
    const commit = await commitOn(at, base, { 'a.txt': 'a' })
    const secret = at.access.url.replace('http://', 'http://bot:hunter2-token@')
    for (const [name, ...config] of [
      ['user', ['remote.origin.url', secret]],
      ['push-url', ['remote.origin.url', 'https://nowhere.invalid/r.git'], ['remote.origin.pushurl', secret]],
      ['instead', ['remote.origin.url', 'http://short/r.git'], [`url.${dirname(secret)}/.insteadOf`, 'http://short/']],
      [
        'push-instead',
        ['remote.origin.url', 'http://read/r.git'],
        [`url.${dirname(secret)}/.pushInsteadOf`, 'http://read/'],
      ],
    ] as const) {
      const saved = readFileSync(join(at.clone, '.git/config'), 'utf8')
      for (const [key, value] of config) at.inClone('config', key, value)
      await writer.release(at.clone)
      const pushed = await pushOne(at.access, { branch: `bot/${name}`, commit, expected: undefined, mode: 'lease' })
      expect([name, pushed]).toEqual([name, { status: 'pushed' }])
      writeFileSync(join(at.clone, '.git/config'), saved)
    }
    expect(at.repository.git(['for-each-ref', '--format=%(refname:lstrip=3)', 'refs/heads/bot'])).toBe(
      ['instead', 'push-instead', 'push-url', 'user'].join('\n'),
    )
  })

  it.each([
    { there: 'env', branch: 'env/prod' },
    { there: 'env/prod', branch: 'env' },
  ])('of $branch is refused beside $there, of which nobody else makes it', async ({ there, branch }) => {
    const at = await place({ 'x.txt': 'x' })
    const base = await fetchMain(at)
    const commit = await commitOn(at, base, { 'a.txt': 'a' })
    at.repository.git(['branch', there, 'main'])
    expect(await pushOne(at.access, { branch, commit, expected: undefined, mode: 'fast-forward' })).toEqual({
      status: 'refused',
      message: expect.stringContaining(`'refs/heads/${there}' exists; cannot create 'refs/heads/${branch}'`),
    })
  })

  it('is refused by what protects a branch', async () => {
    const at = await place({ 'x.txt': 'x' })
    const base = await fetchMain(at)
    const commit = await commitOn(at, base, { 'a.txt': 'a' })
    const hook = join(at.repository.path, 'hooks/pre-receive')
    execFileSync('mkdir', ['-p', dirname(hook)])
    writeFileSync(hook, '#!/bin/sh\necho "error: GH006: Protected branch update failed" >&2\nexit 1\n', { mode: 0o755 })
    const result = await pushOne(at.access, { branch: 'main', commit, expected: base, mode: 'fast-forward' })
    expect(result.status).toBe('protected')
    expect('message' in result ? result.message : '').toContain('GH006: Protected branch update failed')
  })

  it('shows a credential only where git has none that is taken, and nowhere else', async () => {
    const at = await place({ 'x.txt': 'x' }, { credentials: { username: 'bot', password: 'hunter2-token' } })
    const base = at.repository.git(['rev-parse', 'main'])
    const commit = await commitOn(at, base, { 'a.txt': 'a' })
    const push = { branch: 'main', commit, expected: base, mode: 'fast-forward' } as const
    expect(await pushOne(at.access, push)).toMatchObject({ status: 'not-permitted' })
    const authorization = new Secret(`Basic ${Buffer.from('bot:hunter2-token').toString('base64')}`)
    const wrong = new Secret(`Basic ${Buffer.from('bot:other-token').toString('base64')}`)
    const refused = await pushOne({ ...at.access, authorization: wrong }, push)
    expect(refused.status).toBe('not-permitted')
    expect(JSON.stringify(refused)).not.toContain('other-token')
    expect(await pushOne({ ...at.access, authorization }, push)).toEqual({ status: 'pushed' })
    expect(readFileSync(join(at.clone, '.git/config'), 'utf8')).not.toContain('hunter2')
  })

  it('to a server that is not there says so', async () => {
    const at = await place({ 'x.txt': 'x' })
    await at.server.close()
    expect(await errorOf(writer.listRemote(at.access))).toMatch(/^unreachable: /)
  })
})

describe('programs that configuration names', () => {
  /** A clone, and a program that leaves a trace and then fails. */
  async function marked(): Promise<Place & { readonly program: string; readonly hasRun: () => boolean }> {
    const at = await place({ 'x.txt': 'x' })
    const trace = join(dirname(at.clone), 'trace')
    const program = join(dirname(at.clone), 'program')
    writeFileSync(program, `#!/bin/sh\ntouch '${trace}'\nexit 1\n`, { mode: 0o755 })
    return { ...at, program, hasRun: () => existsSync(trace) }
  }

  const reasonOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'nothing',
      (error: unknown) => (error instanceof GitError ? `${error.reason}: ${error.message}` : String(error)),
    )

  const GIT_URL = 'git://127.0.0.1:9/r.git'

  it.each([
    { name: 'remote.origin.uploadpack', url: undefined },
    { name: 'remote.origin.receivepack', url: undefined },
    { name: 'core.gitproxy', url: GIT_URL },
    { name: 'core.alternaterefscommand', url: undefined },
  ])('are not run for a remote: $name', async ({ name, url }) => {
    for (const how of ['set', 'included']) {
      const at = await marked()
      const access = { ...at.access, url: url ?? at.repository.path }
      at.inClone('remote', 'set-url', 'origin', access.url)
      if (how === 'set') at.inClone('config', name, at.program)
      else {
        execFileSync('git', ['config', '--file', join(at.clone, 'more'), name, at.program])
        at.inClone('config', 'include.path', '../more')
      }
      const commit = at.inClone('rev-parse', 'HEAD')
      const push: BranchPush = { branch: 'new', commit, expected: undefined, mode: 'lease' }
      const want = `program: ${name} in the configuration of git names a program`
      for (const work of [
        () => writer.listRemote(access),
        () => writer.fetch(access, ['refs/heads/main'], 1),
        () => writer.push(access, [push]),
      ])
        expect(await reasonOf(work())).toBe(want)
      expect(at.hasRun()).toBe(false)
    }
  })

  it('are run where the user means them: ssh, and a proxy of his own', async () => {
    const at = await marked()
    const url = 'ssh://nobody@127.0.0.1/r.git'
    at.inClone('remote', 'set-url', 'origin', url)
    at.inClone('config', 'core.sshCommand', at.program)
    expect(await reasonOf(writer.listRemote({ ...at.access, url }))).toMatch(/^not-found: /)
    expect(at.hasRun()).toBe(true)
    const other = await marked()
    const config = join(dirname(other.clone), 'config')
    execFileSync('git', ['config', '--file', config, 'core.gitProxy', other.program])
    other.inClone('remote', 'set-url', 'origin', GIT_URL)
    vi.stubEnv('GIT_CONFIG_GLOBAL', config)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await reasonOf(writer.listRemote({ ...other.access, url: GIT_URL }))).not.toMatch(/^program: /)
    expect(other.hasRun()).toBe(true)
  })

  it('have to answer in time', async () => {
    const at = await marked()
    const url = 'ssh://nobody@127.0.0.1/r.git'
    at.inClone('remote', 'set-url', 'origin', url)
    at.inClone('config', 'core.sshCommand', 'sleep 30 #')
    const access = { ...at.access, url, timeout: 300 }
    const commit = at.inClone('rev-parse', 'HEAD')
    const push: BranchPush = { branch: 'new', commit, expected: undefined, mode: 'lease' }
    for (const work of [
      () => writer.listRemote(access),
      () => writer.fetch(access, ['refs/heads/main'], 1),
      () => writer.push(access, [push]),
    ])
      expect(await reasonOf(work())).toBe('timeout: git did not end within 1 s')
  })
})
