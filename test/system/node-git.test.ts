import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { GitError, type GitRemote } from '../../src/model/git.ts'
import { Secret } from '../../src/model/secret.ts'
import { createNodeGit } from '../../src/system/node-git.ts'
import { createRunGit } from '../../src/system/node-git-run.ts'
import {
  gitTestEnvironment,
  makeRepository,
  startGitServer,
  type GitServer,
  type GitServerOptions,
} from '../../tools/servers/git-server.ts'
import { bundled } from '../../tools/bundled.ts'
import { tempFolder } from '../support/temp-folder.ts'

const git = createNodeGit()
const saved = { ...process.env }

// the machine's own configuration of git must not decide what these tests see
beforeEach(() => {
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
})
afterEach(() => {
  process.env = { ...saved }
})

function remoteOf(url: string, more: Partial<GitRemote> = {}): GitRemote {
  return { url, timeout: 30_000, ...more }
}

async function errorOf(action: Promise<unknown>): Promise<string> {
  return action.then(
    () => 'nothing thrown',
    (error: unknown) =>
      error instanceof GitError ? `${error.reason}: ${error.message}` : `not ours: ${String(error)}`,
  )
}

async function serverOf(root: string, options: GitServerOptions = {}): Promise<GitServer> {
  const server = await startGitServer(root, options)
  onTestFinished(() => server.close())
  return server
}

async function contentOf(folder: string, commit: string): Promise<Readonly<Record<string, string>>> {
  const files = await git.listFiles(folder, commit, '')
  const blobs = await git.readFiles(
    folder,
    files.filter(({ mode }) => mode !== 'submodule').map(({ object }) => object),
  )
  return Object.fromEntries(files.map(({ path, object }) => [path, new TextDecoder().decode(blobs.get(object))]))
}

describe('a remote', () => {
  it.each(['file', 'http', 'http of an old protocol'])('offers refs and commits (%s)', async (transport) => {
    const root = await tempFolder()
    const repository = makeRepository(join(root, 'r.git'))
    const first = repository.commit({ 'a/b.txt': 'one' })
    repository.git(['tag', '-a', 'v1', '-m', 'v1', first])
    repository.git(['tag', 'light', first])
    const second = repository.commit({ 'a/b.txt': 'two', 'c.txt': 'c' })
    const server = await serverOf(root, { protocol: transport === 'http' ? 2 : 0 })
    const remote = remoteOf(transport === 'file' ? repository.path : `${server.url}/r.git`)
    expect(await git.listRefs(remote)).toEqual([
      { name: 'HEAD', commit: second },
      { name: 'refs/heads/main', commit: second },
      { name: 'refs/tags/light', commit: first },
      { name: 'refs/tags/v1', commit: first },
    ])
    const folder = join(root, 'cache', 'repository')
    expect(await git.hasCommit(folder, first)).toBe(false)
    for (const ref of ['refs/tags/v1', 'refs/tags/light', 'v1', first]) {
      expect(await git.fetch(remote, ref, folder)).toBe(first)
    }
    expect(await git.hasCommit(folder, first)).toBe(true)
    expect(await git.hasCommit(folder, second)).toBe(false)
    for (const ref of ['HEAD', 'main', 'refs/heads/main', second]) {
      expect(await git.fetch(remote, ref, folder)).toBe(second)
    }
    expect(await contentOf(folder, first)).toEqual({ 'a/b.txt': 'one' })
    expect(await contentOf(folder, second)).toEqual({ 'a/b.txt': 'two', 'c.txt': 'c' })
    expect(await git.listFiles(folder, second, 'a')).toEqual([
      { path: 'a/b.txt', mode: 'file', size: 3, object: expect.stringMatching(/^[0-9a-f]{40}$/) },
    ])
    expect(await readdir(join(root, 'cache'))).toEqual(['repository'])
  })

  it('gives a commit below its branches also where the server gives none that no ref points at', async () => {
    const root = await tempFolder()
    const repository = makeRepository(join(root, 'r.git'))
    const first = repository.commit({ a: '1' })
    repository.commit({ a: '2' })
    const server = await serverOf(root, { protocol: 0 })
    const folder = join(root, 'cache')
    expect(await git.fetch(remoteOf(`${server.url}/r.git`), first, folder)).toBe(first)
    expect(await contentOf(folder, first)).toEqual({ a: '1' })
  })

  it('may name its objects by SHA-256', async () => {
    const root = await tempFolder()
    const repository = makeRepository(join(root, 'r.git'), 'sha256')
    const commit = repository.commit({ a: '1' })
    expect(commit).toHaveLength(64)
    for (const ref of ['main', commit]) {
      const folder = join(root, ref)
      expect(await git.fetch(remoteOf(repository.path), ref, folder)).toBe(commit)
      expect(await contentOf(folder, commit)).toEqual({ a: '1' })
    }
  })

  const absent = '1234567890123456789012345678901234567890'
  it('is told apart by why it fails', async () => {
    const root = await tempFolder()
    const repository = makeRepository(join(root, 'r.git'))
    repository.commit({ a: '1' })
    const server = await serverOf(root)
    const folder = join(root, 'cache')
    const failing = await serverOf(root, {
      intercept: (_request, response) => {
        response.writeHead(503).end()
        return true
      },
    })
    const silent = await serverOf(root, { intercept: () => true })
    const remote = remoteOf(`${server.url}/r.git`)
    const closed = await startGitServer(root)
    await closed.close()
    const got = {
      ref: await errorOf(git.fetch(remote, 'refs/heads/none', folder)),
      commit: await errorOf(git.fetch(remote, absent, folder)),
      repository: await errorOf(git.fetch(remoteOf(`${server.url}/none.git`), 'main', folder)),
      path: await errorOf(git.listRefs(remoteOf(join(root, 'none')))),
      server: await errorOf(git.listRefs(remoteOf(`${failing.url}/r.git`))),
      refused: await errorOf(git.listRefs(remoteOf(`${closed.url}/r.git`))),
      silent: await errorOf(git.listRefs(remoteOf(`${silent.url}/r.git`, { timeout: 300 }))),
      name: await errorOf(git.listRefs(remoteOf('https://host.invalid/r.git'))),
      tls: await errorOf(git.listRefs(remoteOf(`https://127.0.0.1:${server.port}/r.git`))),
    }
    expect(got).toEqual({
      ref: "no-such-ref: fatal: couldn't find remote ref refs/heads/none",
      commit: `no-such-ref: no branch and no tag leads to the commit ${absent}`,
      repository: `not-found: fatal: repository '${server.url}/none.git/' not found`,
      path: `not-found: fatal: '${join(root, 'none')}' does not appear to be a git repository; fatal: Could not read from remote repository.`,
      server: `unreachable: fatal: unable to access '${failing.url}/r.git/': The requested URL returned error: 503`,
      refused: expect.stringMatching(/^unreachable: fatal: unable to access .* Failed to connect/),
      silent: 'timeout: git did not end within 1 s',
      name: expect.stringMatching(/^unreachable: fatal: unable to access .* Could not resolve host/),
      tls: expect.stringMatching(/^tls: fatal: unable to access/),
    })
    expect((await readdir(root)).sort()).toEqual(['r.git'])
  })

  it.each([
    '--upload-pack=touch x',
    '-x',
    'ext::sh -c touch',
    'ext::sh',
    'relative/path',
    './relative',
    'ssh://-oProxyCommand=x/r',
    'git@host:-x',
    'https://user:password@host/r.git',
    'http://host/r.git\nx',
    '',
  ])('is refused by its URL: %j', async (url) => {
    const folder = join(await tempFolder(), 'cache')
    const want = url.includes('password')
      ? 'other: the URL holds credentials'
      : 'other: the URL is not one of https, http, ssh, git, file, user@host:path or an absolute path'
    expect(await errorOf(git.listRefs(remoteOf(url)))).toBe(want)
    expect(await errorOf(git.fetch(remoteOf(url), 'main', folder))).toBe(want)
  })

  it.each(['-x', '--upload-pack=x', '+main', 'a:b', 'a b', 'a..b', 'a^{}', 'x.lock', '', 'a\0b', 'main@{1}', 'a*'])(
    'is asked for no ref like %j',
    async (ref) => {
      const root = await tempFolder()
      expect(await errorOf(git.fetch(remoteOf(root), ref, join(root, 'cache')))).toBe(
        `no-such-ref: ${JSON.stringify(ref)} cannot be the name of a ref`,
      )
    },
  )
})

describe('what a user has set up', () => {
  it('reaches servers: rewritten URLs, credential helpers', async () => {
    const root = await tempFolder()
    const commit = makeRepository(join(root, 'r.git')).commit({ a: '1' })
    const server = await serverOf(root, { credentials: { username: 'me', password: 'stored-secret' } })
    const config = join(root, 'config')
    await writeFile(
      config,
      `[url "${server.url}/"]\n\tinsteadOf = http://git.example/\n[credential]\n\thelper = "!f() { echo username=me; echo password=stored-secret; }; f"\n`,
    )
    process.env['GIT_CONFIG_GLOBAL'] = config
    expect(await git.fetch(remoteOf('http://git.example/r.git'), 'main', join(root, 'cache'))).toBe(commit)
  })

  it('reaches servers over ssh, which asks nobody', async () => {
    const root = await tempFolder()
    const repository = makeRepository(join(root, 'r.git'))
    const commit = repository.commit({ a: '1' })
    const script = join(root, 'ssh')
    const log = join(root, 'log')
    await writeFile(
      script,
      `#!/bin/sh\necho "$SSH_ASKPASS_REQUIRE $SSH_ASKPASS $*" >> ${log}\nfor last; do :; done\nexec sh -c "$last"\n`,
    )
    await chmod(script, 0o755)
    process.env['GIT_SSH_COMMAND'] = script
    process.env['GIT_SSH_VARIANT'] = 'simple'
    process.env['SSH_ASKPASS'] = '/usr/bin/ask-somebody'
    for (const url of [`git@git.example:${repository.path}`, `ssh://git@git.example${repository.path}`]) {
      expect(await git.fetch(remoteOf(url), 'main', join(root, 'cache', 'repository'))).toBe(commit)
    }
    const upload = `git-upload-pack '${repository.path}'`
    expect(new Set((await readFile(log, 'utf8')).trimEnd().split('\n'))).toEqual(
      new Set([`force false git@git.example ${upload}`]),
    )
    await writeFile(script, '#!/bin/sh\necho "git@git.example: Permission denied (publickey)." >&2\nexit 255\n')
    expect(await errorOf(git.listRefs(remoteOf(`git@git.example:${repository.path}`)))).toBe(
      'not-permitted: git@git.example: Permission denied (publickey).; fatal: Could not read from remote repository.',
    )
  })

  it('runs nothing: hooks, the file system monitor, templates, a variable that asks', async () => {
    const root = await tempFolder()
    makeRepository(join(root, 'r.git')).commit({ a: '1' })
    const server = await serverOf(root, { credentials: { username: 'me', password: 'x' } })
    const ran = join(root, 'ran')
    const script = join(root, 'hooks', 'reference-transaction')
    await mkdir(join(root, 'hooks'))
    await writeFile(script, `#!/bin/sh\necho hook >> ${ran}\n`)
    await chmod(script, 0o755)
    const config = join(root, 'config')
    await writeFile(
      config,
      `[core]\n\thooksPath = ${join(root, 'hooks')}\n\tfsmonitor = ${script}\n\taskPass = ${script}\n[init]\n\ttemplateDir = ${root}\n`,
    )
    process.env['GIT_CONFIG_GLOBAL'] = config
    process.env['GIT_ASKPASS'] = script
    process.env['SSH_ASKPASS'] = script
    process.env['GIT_DIR'] = join(root, 'elsewhere')
    process.env['GIT_TRACE'] = join(root, 'trace')
    await git.fetch(remoteOf(join(root, 'r.git')), 'main', join(root, 'cache'))
    expect(await errorOf(git.listRefs(remoteOf(`${server.url}/r.git`)))).toBe(
      `not-permitted: fatal: could not read Username for '${server.url}': terminal prompts disabled`,
    )
    expect((await readdir(root)).sort()).toEqual(['cache', 'config', 'hooks', 'r.git'])
  })

  it('does not let another transport in', async () => {
    const root = await tempFolder()
    const config = join(root, 'config')
    await writeFile(
      config,
      `[protocol]\n\tallow = always\n[url "ext::sh -c touch% ${join(root, 'ran')}"]\n\tinsteadOf = https://git.example/\n`,
    )
    process.env['GIT_CONFIG_GLOBAL'] = config
    expect(await errorOf(git.listRefs(remoteOf('https://git.example/')))).toBe(
      "other: fatal: transport 'ext' not allowed",
    )
    expect(await readdir(root)).toEqual(['config'])
  })
})

describe('credentials', () => {
  const token = 'hunter2-very-secret'
  const basic = Buffer.from(`me:${token}`).toString('base64')
  const authorization = new Secret(`Basic ${basic}`)

  it('reach the server, and neither arguments nor files', async () => {
    const root = await tempFolder()
    const commit = makeRepository(join(root, 'r.git')).commit({ a: '1' })
    const commands = new Set<string>()
    const server = await serverOf(root, {
      credentials: { username: 'me', password: token },
      intercept: () => {
        for (const line of commandLines()) commands.add(line)
        return false
      },
    })
    const folder = join(root, 'cache')
    const remote = remoteOf(`${server.url}/r.git`, { authorization })
    expect((await git.listRefs(remote))[0]).toEqual({ name: 'HEAD', commit })
    expect(await git.fetch(remote, 'main', folder)).toBe(commit)
    expect([...commands].filter((line) => line.includes('r.git')).length).toBeGreaterThan(1)
    for (const secret of [token, basic]) {
      expect([...commands].join('\n')).not.toContain(secret)
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue
        expect((await readFile(join(entry.parentPath, entry.name))).includes(secret)).toBe(false)
      }
    }
  })

  it('that are wrong are in no message', async () => {
    const root = await tempFolder()
    makeRepository(join(root, 'r.git')).commit({ a: '1' })
    const server = await serverOf(root, { credentials: { username: 'me', password: 'other' } })
    const remote = remoteOf(`${server.url}/r.git`, { authorization })
    expect(await errorOf(git.listRefs(remote))).toBe(
      `not-permitted: fatal: could not read Username for '${server.url}': terminal prompts disabled`,
    )
    const chatty = await serverOf(root, {
      intercept: (request, response) => {
        response.writeHead(500, { 'content-type': 'text/plain' }).end(`you sent ${request.headers.authorization ?? ''}`)
        return true
      },
    })
    const error = await errorOf(git.listRefs(remoteOf(`${chatty.url}/r.git`, { authorization })))
    expect(error).toMatch(/^unreachable: /)
    expect(error).not.toMatch(new RegExp(`${token}|${basic}`))
  })

  it('do not follow a redirect to another server', async () => {
    const root = await tempFolder()
    makeRepository(join(root, 'r.git')).commit({ a: '1' })
    const other = await serverOf(root)
    const server = await serverOf(root, {
      intercept: (request, response) => {
        response.writeHead(302, { location: `${other.url}${request.url ?? ''}` }).end()
        return true
      },
    })
    const error = await errorOf(git.listRefs(remoteOf(`${server.url}/r.git`, { authorization })))
    expect(error).toBe(`other: fatal: unable to access '${server.url}/r.git/': The requested URL returned error: 302`)
    expect(other.requests).toEqual([])
  })
})

const sources = join(import.meta.dirname, '../../src')

/** Fetches each ref of a url into a folder, one after the other, and prints the commits. */
const program = `import { Secret } from '${sources}/model/secret.ts'
import { createNodeGit } from '${sources}/system/node-git.ts'
const [url, folder, ...refs] = process.argv.slice(2)
const value = process.env.TEST_AUTHORIZATION
delete process.env.TEST_AUTHORIZATION
if (process.env.TEST_READY) process.stdout.write('ready\\n')
for (const ref of refs) {
  const remote = { url, timeout: 60_000, ...(value && { authorization: new Secret(value) }) }
  process.stdout.write(await createNodeGit().fetch(remote, ref, folder) + '\\n')
}
`

/** Another process that fetches. */
async function fetchInProcess(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<ChildProcess> {
  const env = { ...process.env, ...more }
  return spawn(process.execPath, [await bundled({ text: program }), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function outputOf(child: ChildProcess): Promise<{ readonly out: string; readonly err: string }> {
  const printed = { out: '', err: '' }
  child.stdout?.on('data', (part: Buffer) => (printed.out += part.toString()))
  child.stderr?.on('data', (part: Buffer) => (printed.err += part.toString()))
  await once(child, 'close')
  return printed
}

describe('a cache folder', () => {
  it('takes fetches of four processes at once', async () => {
    const root = await tempFolder()
    const repository = makeRepository(join(root, 'r.git'))
    const commits = Array.from({ length: 4 }, (_, index) => repository.commit({ a: String(index), b: 'same' }))
    const server = await serverOf(root)
    const folder = join(root, 'cache', 'repository')
    const url = `${server.url}/r.git`
    const children = await Promise.all(commits.map((commit) => fetchInProcess([url, folder, commit, 'main', commit])))
    const printed = await Promise.all(children.map(outputOf))
    expect(printed).toEqual(commits.map((commit) => ({ out: `${commit}\n${commits[3]}\n${commit}\n`, err: '' })))
    for (const [index, commit] of commits.entries()) {
      expect(await contentOf(folder, commit)).toEqual({ a: String(index), b: 'same' })
    }
    expect(await readdir(join(root, 'cache'))).toEqual(['repository'])
  })

  it('is good after every kill of a fetching process', { timeout: 180_000 }, async () => {
    const root = await tempFolder()
    const repository = makeRepository(join(root, 'r.git'))
    const noise = (index: number): Uint8Array => randomBytes(200_000 + index)
    const commits = Array.from({ length: 10 }, (_, index) => repository.commit({ a: String(index), b: noise(index) }))
    const server = await serverOf(root)
    const folder = join(root, 'cache', 'repository')
    const remote = remoteOf(`${server.url}/r.git`)
    let killed = 0
    for (const [index, commit] of commits.entries()) {
      const child = await fetchInProcess([remote.url, folder, commit, ...commits], { TEST_READY: '1' })
      if (child.stdout !== null) await once(child.stdout, 'data')
      await sleep(index * 37)
      child.kill('SIGKILL')
      const [, signal] = await once(child, 'exit')
      if (signal === 'SIGKILL') killed++
      const kept = (await git.hasCommit(folder, commit)) ? (await contentOf(folder, commit))['a'] : undefined
      expect([undefined, String(index)]).toContain(kept)
      expect(await git.fetch(remote, commit, folder)).toBe(commit)
      expect((await contentOf(folder, commit))['a']).toBe(String(index))
    }
    expect(killed).toBeGreaterThan(5)
    for (const commit of commits) expect(await git.hasCommit(folder, commit)).toBe(true)
  })

  it('loses what killed processes left there, once it is old', async () => {
    const root = await tempFolder()
    const repository = makeRepository(join(root, 'r.git'))
    const commit = repository.commit({ a: '1' })
    const folder = join(root, 'cache', 'repository')
    const [old, young, foreign] = ['repository.new-1', 'repository.new-2', 'other']
    for (const name of [old, young, foreign]) await mkdir(join(root, 'cache', name), { recursive: true })
    const dayAgo = new Date(Date.now() - 86_400_000)
    for (const name of [old, foreign]) await utimes(join(root, 'cache', name), dayAgo, dayAgo)
    expect(await git.fetch(remoteOf(repository.path), 'main', folder)).toBe(commit)
    expect((await readdir(join(root, 'cache'))).sort()).toEqual(['other', 'repository', 'repository.new-2'])
  })

  it('that is no repository is replaced: half of one, an empty folder, a file', async () => {
    const root = await tempFolder()
    const repository = makeRepository(join(root, 'r.git'))
    const commit = repository.commit({ a: '1' })
    const half = join(root, 'half')
    await mkdir(join(half, 'objects', 'pack'), { recursive: true })
    await writeFile(join(half, 'HEAD'), '')
    await mkdir(join(root, 'empty'))
    await writeFile(join(root, 'file'), 'x')
    for (const name of ['half', 'empty', 'file']) {
      const folder = join(root, name)
      expect(await git.hasCommit(folder, commit)).toBe(false)
      expect(await git.fetch(remoteOf(repository.path), 'main', folder)).toBe(commit)
      expect(await contentOf(folder, commit)).toEqual({ a: '1' })
    }
    expect((await readdir(root)).sort()).toEqual(['empty', 'file', 'half', 'r.git'])
  })

  it.each([
    { name: 'a pipe as its configuration', at: 'config', make: 'mkfifo "$0"' },
    { name: 'a pipe as its HEAD', at: 'HEAD', make: 'mkfifo "$0"' },
    { name: 'a pipe beside its packs', at: 'objects/pack/pack-00.idx', make: 'mkfifo "$0"' },
    { name: 'a link to the configuration of somebody', at: 'config', make: 'ln -s "$1/mine" "$0"' },
    { name: 'a link in the place of its packs', at: 'objects/pack', make: 'ln -s "$1" "$0"' },
    { name: 'a link in its place', at: '', make: 'ln -s "$1" "$0"' },
  ])('is made anew, and git is not asked, with $name', async ({ at, make }) => {
    const root = await tempFolder()
    const repository = makeRepository(join(root, 'r.git'))
    const commit = repository.commit({ a: '1' })
    const folder = join(root, 'cache', 'repository')
    const own = join(root, 'own')
    await mkdir(own)
    await writeFile(join(own, 'mine'), '[core]\n')
    const [file] = await git
      .fetch(remoteOf(repository.path), 'main', folder)
      .then(() => git.listFiles(folder, commit, ''))
    await rm(join(folder, at), { recursive: true, force: true })
    execFileSync('sh', ['-c', make, join(folder, at), own])
    expect(await git.hasCommit(folder, commit)).toBe(false)
    const refused = `other: ${join(folder, at)} is no plain file`
    expect(await errorOf(git.readFiles(folder, [file?.object ?? '']))).toBe(refused)
    expect(await errorOf(git.dateOf(folder, commit))).toBe(refused)
    expect(await git.fetch(remoteOf(repository.path), 'main', folder)).toBe(commit)
    expect(await contentOf(folder, commit)).toEqual({ a: '1' })
    expect(await readdir(own)).toEqual(['mine'])
    expect(await readdir(join(root, 'cache'))).toEqual(['repository'])
  })

  it('behind a link is neither filled nor made anew', async () => {
    const root = await tempFolder()
    const repository = makeRepository(join(root, 'r.git'))
    repository.commit({ a: '1' })
    await mkdir(join(root, 'own', 'repository'), { recursive: true })
    await writeFile(join(root, 'own', 'repository', 'mine'), 'precious')
    await symlink(join(root, 'own'), join(root, 'cache'))
    expect(await errorOf(git.fetch(remoteOf(repository.path), 'main', join(root, 'cache', 'repository')))).toBe(
      `not-kept: the repository cannot be kept: ${join(root, 'cache')} is a link; remove it`,
    )
    expect(await readdir(join(root, 'own', 'repository'))).toEqual(['mine'])
  })

  it('takes no more than allowed', async () => {
    const root = await tempFolder()
    const repository = makeRepository(join(root, 'r.git'))
    repository.commit({ a: randomBytes(100_000) })
    const bounded = createNodeGit({ maxFetchBytes: 50_000 })
    expect(await errorOf(bounded.fetch(remoteOf(repository.path), 'main', join(root, 'cache')))).toBe(
      'too-large: the commit has more than 50000 bytes',
    )
    expect(await readdir(root)).toEqual(['r.git'])
  })

  it('that cannot be written is told', async () => {
    const root = await tempFolder()
    const repository = makeRepository(join(root, 'r.git'))
    repository.commit({ a: '1' })
    await writeFile(join(root, 'file'), 'x')
    expect(await errorOf(git.fetch(remoteOf(repository.path), 'main', join(root, 'file', 'repository')))).toMatch(
      /^not-kept: the repository cannot be kept: E(EXIST|NOTDIR)/,
    )
  })

  it('gives objects by their ids only', async () => {
    const root = await tempFolder()
    const repository = makeRepository(join(root, 'r.git'))
    const commit = repository.commit({ a: '1', b: '1', empty: '' })
    const id = repository.git(['rev-parse', 'main:a'])
    const empty = repository.git(['rev-parse', 'main:empty'])
    const absent = '1'.repeat(40)
    expect(await git.readFiles(repository.path, [])).toEqual(new Map())
    expect(await git.readFiles(repository.path, [id, empty, id])).toEqual(
      new Map([
        [id, new TextEncoder().encode('1')],
        [empty, new Uint8Array()],
      ]),
    )
    expect(await git.dateOf(repository.path, commit)).toBe('2026-01-02T03:04:05Z')
    expect(await errorOf(git.dateOf(repository.path, id))).toBe(`other: the object ${id} is no commit`)
    expect(await errorOf(git.readFiles(repository.path, [absent]))).toBe(
      `other: the object ${absent} cannot be read: ${absent} missing`,
    )
    expect(await errorOf(git.readFiles(repository.path, [commit]))).toBe(
      `other: the object ${commit} cannot be read: it is a commit`,
    )
    expect(await errorOf(git.readFiles(repository.path, ['HEAD:a']))).toBe('other: "HEAD:a" is not the id of an object')
    expect(await errorOf(git.listFiles(repository.path, '--help', ''))).toBe(
      'other: "--help" is not the id of an object',
    )
  })
})

describe('a log that a user turns on', () => {
  it('shows no credentials', async () => {
    const root = await tempFolder()
    makeRepository(join(root, 'r.git')).commit({ a: '1' })
    const server = await serverOf(root, { credentials: { username: 'me', password: 'hunter2-very-secret' } })
    const basic = Buffer.from('me:hunter2-very-secret').toString('base64')
    const child = await fetchInProcess([`${server.url}/r.git`, join(root, 'cache'), 'main'], {
      DEBUG: '*',
      GIT_TRACE: '1',
      GIT_TRACE_CURL: '1',
      GIT_CURL_VERBOSE: '1',
      TEST_AUTHORIZATION: `Basic ${basic}`,
    })
    const { out, err } = await outputOf(child)
    expect(out).toMatch(/^[0-9a-f]{40}\n$/)
    expect(err).toContain('simple-git')
    expect(err).not.toContain('hunter2')
    // the environment of the child itself, which the test set, is not simple-git's doing
    expect(err).not.toContain(basic)
  })
})

describe('the git program', () => {
  it('that is not there is told', async () => {
    const folder = await tempFolder()
    process.env['PATH'] = folder
    expect(await errorOf(createNodeGit().listRefs(remoteOf(folder)))).toBe(
      'not-installed: git is not installed, or not on PATH',
    )
  })

  it('that is too old to be kept from running things is refused', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'git'), '#!/bin/sh\necho git version 2.30.9\n')
    await chmod(join(folder, 'git'), 0o755)
    process.env['PATH'] = `${folder}:${process.env['PATH'] ?? ''}`
    expect(await errorOf(createNodeGit().listRefs(remoteOf(folder)))).toBe(
      'other: git 2.31 or newer is needed, this is git version 2.30.9',
    )
  })

  it('that fails without a word is told', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'git'), '#!/bin/sh\nexit 1\n')
    await chmod(join(folder, 'git'), 0o755)
    process.env['PATH'] = `${folder}:${process.env['PATH'] ?? ''}`
    expect(await errorOf(createNodeGit().listRefs(remoteOf(folder)))).toBe('other: git version ended with status 1')
  })

  it('that is killed has not succeeded', async () => {
    const folder = await tempFolder()
    await writeFile(
      join(folder, 'git'),
      '#!/bin/sh\n[ "$1" = version ] && { echo git version 2.40.0; exit; }\nkill -9 $$\n',
    )
    await chmod(join(folder, 'git'), 0o755)
    process.env['PATH'] = `${folder}:${process.env['PATH'] ?? ''}`
    expect(await errorOf(createNodeGit().listRefs(remoteOf(folder)))).toMatch(
      /^other: .*git ls-remote ended with status/,
    )
  })
})

describe('files of the work tree', () => {
  const texts = (files: ReadonlyMap<string, Uint8Array>): Readonly<Record<string, string>> =>
    Object.fromEntries([...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString('latin1')]))
  const all = (): boolean => true

  it('are given as the last commit has them', async () => {
    const folder = await tempFolder()
    const run = (...args: readonly string[]): string =>
      execFileSync('git', args, { cwd: folder, env: gitTestEnvironment, encoding: 'utf8' })
    run('init', '--quiet')
    const file = join(folder, 'a', 'b.txt')
    await mkdir(join(folder, 'a'))
    await writeFile(file, Buffer.from('committed\0\xff', 'latin1'))
    await writeFile(join(folder, 'a', 'same'), Buffer.from('committed\0\xff', 'latin1'))
    await writeFile(join(folder, 'ümläut "q".txt'), 'odd')
    expect(await git.readCommitted(folder, all)).toEqual(new Map())
    run('add', '.')
    run('commit', '--quiet', '-m', 'one')
    await writeFile(file, 'changed')
    await writeFile(join(folder, 'a', 'new'), 'new')
    // as in a hook of git
    process.env['GIT_DIR'] = '/nonexistent'
    process.env['GIT_INDEX_FILE'] = '/nonexistent'
    const committed = { 'b.txt': 'committed\0\xff', same: 'committed\0\xff' }
    expect(texts(await git.readCommitted(join(folder, 'a'), all))).toEqual(committed)
    expect(texts(await git.readCommitted(folder, (path) => path.endsWith('.txt')))).toEqual({
      'a/b.txt': 'committed\0\xff',
      'ümläut "q".txt': 'odd',
    })
    expect(await git.readCommitted(join(folder, 'none', 'deep'), all)).toEqual(new Map())
    await rm(join(folder, 'a'), { recursive: true })
    expect(texts(await git.readCommitted(join(folder, 'a'), all))).toEqual(committed)
  })

  it('are listed with submodules, which have no content', async () => {
    const folder = await tempFolder()
    const run = (...args: readonly string[]): string =>
      execFileSync('git', args, { cwd: folder, env: gitTestEnvironment, encoding: 'utf8' }).trim()
    await mkdir(join(folder, 'a'))
    await writeFile(join(folder, 'a', 'b'), 'one')
    run('init', '--quiet', '--initial-branch=main')
    run('add', '.')
    run('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},a/sub`)
    run('commit', '--quiet', '-m', 'one')
    const listed = await git.listCommitted(join(folder, 'a'), 'HEAD')
    expect(listed).toEqual(
      new Map([
        ['b', run('rev-parse', 'HEAD:a/b')],
        ['sub/', '1'.repeat(40)],
      ]),
    )
    expect(texts(await git.readCommitted(join(folder, 'a'), all))).toEqual({ b: 'one' })
  })

  it('are listed below some folders alone', async () => {
    const folder = await tempFolder()
    const run = (...args: readonly string[]): string =>
      execFileSync('git', args, { cwd: folder, env: gitTestEnvironment, encoding: 'utf8' }).trim()
    for (const path of ['out/a/b/x', 'out/a/bb/x', 'out/a/x', 'out/c/x', 'a/b/x']) {
      await mkdir(join(folder, path, '..'), { recursive: true })
      await writeFile(join(folder, path), path)
    }
    run('init', '--quiet', '--initial-branch=main')
    run('add', '.')
    run('commit', '--quiet', '-m', 'one')
    const listed = async (...within: readonly string[]): Promise<readonly string[]> => [
      ...(await git.listCommitted(join(folder, 'out'), undefined, within)).keys(),
    ]
    expect(await listed('a/b', 'c', 'none')).toEqual(['a/b/x', 'c/x'])
    expect(await listed('a')).toEqual(['a/b/x', 'a/bb/x', 'a/x'])
    expect(await listed()).toEqual([])
    await rm(join(folder, 'out'), { recursive: true })
    expect(await git.listCommitted(join(folder, 'out'), 'HEAD', ['a/b'])).toEqual(
      new Map([['a/b/x', run('rev-parse', 'HEAD:out/a/b/x')]]),
    )
  })

  it('are given as any other commit has them', async () => {
    const folder = await tempFolder()
    const run = (...args: readonly string[]): string =>
      execFileSync('git', args, { cwd: folder, env: gitTestEnvironment, encoding: 'utf8' }).trim()
    const commit = async (text: string): Promise<string> => {
      await mkdir(join(folder, 'a'), { recursive: true })
      await writeFile(join(folder, 'a', 'b'), text)
      run('add', '.')
      run('commit', '--quiet', '-m', text)
      return run('rev-parse', 'HEAD')
    }
    run('init', '--quiet', '--initial-branch=main')
    const first = await commit('one')
    run('tag', '-a', 'v1', '-m', 'v1')
    run('checkout', '--quiet', '-b', 'topic/x')
    await commit('two')
    const below = join(folder, 'a', 'none', '..')
    for (const revision of ['main', 'v1', first, first.slice(0, 8), 'HEAD~1', 'refs/heads/main'])
      expect([revision, texts(await git.readCommitted(join(folder, 'a'), all, revision))]).toEqual([
        revision,
        { b: 'one' },
      ])
    expect(texts(await git.readCommitted(below, all, 'topic/x'))).toEqual({ b: 'two' })
    expect(await git.readCommitted(join(folder, 'other'), all, 'main')).toEqual(new Map())
    const listed = await git.listCommitted(join(folder, 'a'), 'HEAD~1')
    expect(listed).toEqual(new Map([['b', run('rev-parse', 'HEAD~1:a/b')]]))
    expect(texts(await git.readBlobs(folder, [...listed.values()]))).toEqual({ [listed.get('b') ?? '']: 'one' })
    expect(await git.listCommitted(join(folder, 'other'))).toEqual(new Map())
    expect(await git.readBlobs(folder, [])).toEqual(new Map())
    expect(await errorOf(git.readBlobs(folder, ['HEAD']))).toBe('other: "HEAD" is not the id of an object')
    for (const revision of [
      '',
      'none',
      '--help',
      '-q',
      'HEAD:a',
      ':/one',
      'main topic/x',
      'main..topic/x',
      'HEAD^{tree}',
    ])
      expect(await errorOf(git.readCommitted(folder, all, revision))).toBe(
        `no-such-ref: ${JSON.stringify(revision)} is not a commit of the repository`,
      )
  })

  it('are not given for a name that stands for several commits', async () => {
    const folder = await tempFolder()
    const run = (...args: readonly string[]): string =>
      execFileSync('git', args, { cwd: folder, env: gitTestEnvironment, encoding: 'utf8', stdio: 'pipe' }).trim()
    const commit = async (text: string): Promise<string> => {
      await writeFile(join(folder, 'a'), text)
      run('add', '.')
      run('commit', '--quiet', '-m', text)
      return run('rev-parse', 'HEAD')
    }
    const found = async (revision: string): Promise<string> => {
      const state = await git.stateOf(folder, revision)
      const isKnown = state !== (await git.stateOf(folder, 'none'))
      try {
        const { a } = texts(await git.readCommitted(folder, all, revision))
        return isKnown ? (a ?? '') : 'without a state'
      } catch (error) {
        return isKnown ? 'with a state' : errorOf(Promise.reject(error as Error))
      }
    }
    const ambiguous = (name: string, ...refs: readonly string[]): string =>
      `ambiguous: "${name}" is ambiguous, as these are different commits: ${refs.join(' and ')}`
    run('init', '--quiet', '--initial-branch=main')
    const one = await commit('one')
    const two = await commit('two')
    for (const name of ['origin/main', 'upstream/HEAD', 'other/main@1']) run('update-ref', `refs/remotes/${name}`, two)
    // one commit by two names, an object of its own for the tag
    run('tag', '-a', 'origin/main', '-m', 'a tag', two)
    expect(await found('origin/main')).toBe('two')
    for (const name of ['origin/main', 'upstream', 'other/main@1', 'HEAD', 'main', two.slice(0, 7), two])
      run('update-ref', `refs/tags/${name}`, one)
    const [tag, branch] = ['refs/tags/origin/main', 'refs/remotes/origin/main']
    for (const behind of ['', '~0', '^0', '^{commit}', '~0^{}'])
      expect([behind, await found(`origin/main${behind}`)]).toEqual([behind, ambiguous('origin/main', tag, branch)])
    expect(await found('upstream')).toBe(ambiguous('upstream', 'refs/tags/upstream', 'refs/remotes/upstream/HEAD'))
    expect(await found('main~0')).toBe(ambiguous('main', 'refs/tags/main', 'refs/heads/main'))
    expect(await found('other/main@1')).toBe(
      ambiguous('other/main@1', 'refs/tags/other/main@1', 'refs/remotes/other/main@1'),
    )
    expect(await found(two.slice(0, 7))).toBe(ambiguous(two.slice(0, 7), `refs/tags/${two.slice(0, 7)}`, two))
    run('branch', 'remotes/origin/main', one)
    expect(await found('remotes/origin/main')).toBe(
      ambiguous('remotes/origin/main', branch, 'refs/heads/remotes/origin/main'),
    )
    for (const revision of [branch, 'HEAD', '@', '@{0}', two, two.slice(0, 8), 'refs/heads/main', 'tags/origin/main'])
      expect([revision, await found(revision)]).toEqual([revision, revision.startsWith('tags/') ? 'one' : 'two'])
    expect(await found(`${branch}~1`)).toBe('one')
  })

  it('are given as earlier commits of the first-parent line had them, newest first', async () => {
    const folder = await tempFolder()
    const run = (...args: readonly string[]): string =>
      execFileSync('git', args, { cwd: folder, env: gitTestEnvironment, encoding: 'utf8' }).trim()
    const commit = async (files: Readonly<Record<string, string | null>>): Promise<string> => {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true })
        if (text === null) await rm(join(folder, path))
        else await writeFile(join(folder, path), text)
      }
      run('add', '-A')
      run('commit', '--quiet', '--allow-empty', '-m', 'a commit')
      return run('rev-parse', 'HEAD')
    }
    const earlier = async (path: string, commits = 100): Promise<unknown> =>
      Object.fromEntries(
        [...(await git.readEarlier(join(folder, path), all, { commits }))].map(([name, files]) => [
          name,
          files.map(({ commit: id, bytes }) => [id, bytes === undefined ? undefined : Buffer.from(bytes).toString()]),
        ]),
      )
    run('init', '--quiet', '--initial-branch=main')
    expect(await earlier('a')).toEqual({})
    // what a user has set must not matter
    for (const [key, value] of [
      ['diff.noprefix', 'true'],
      ['diff.renames', 'copies'],
      ['diff.relative', 'false'],
      ['log.showRoot', 'false'],
      ['core.quotePath', 'true'],
    ] as const)
      run('config', key, value)
    const one = await commit({ 'a/ü b': 'one', other: 'one' })
    const two = await commit({ 'a/ü b': 'two', 'a/new': 'new' })
    run('checkout', '--quiet', '-b', 'topic')
    await commit({ 'a/ü b': 'only on the branch' })
    await commit({ 'a/ü b': 'three' })
    run('checkout', '--quiet', 'main')
    const beside = await commit({ other: 'two' })
    run('merge', '--quiet', '--no-ff', '-m', 'merge', 'topic')
    const merged = run('rev-parse', 'HEAD')
    await commit({ 'a/new': null })
    const wanted = {
      'ü b': [
        [beside, 'two'],
        [one, 'one'],
        ['', undefined],
      ],
      new: [
        [merged, 'new'],
        [one, undefined],
      ],
    }
    expect(two).not.toBe(one)
    expect(await earlier('a')).toEqual(wanted)
    const before = await git.readEarlier(join(folder, 'a'), all, { commits: 100 })
    expect(before.get('ü b')?.map(({ age }) => age)).toEqual([2, 4, 5])
    expect(await earlier('a', 2)).toEqual({ new: [[merged, 'new']], 'ü b': [[beside, 'two']] })
    expect(await earlier('a', 1)).toEqual({ new: [[merged, 'new']] })
    expect(await earlier('none/deep')).toEqual({})
    const among = async (path: string, ...patterns: readonly string[]): Promise<readonly string[]> => [
      ...(await git.readEarlier(join(folder, path), all, { commits: 100, among: patterns })).keys(),
    ]
    expect(await among('a', 'n*')).toEqual(['new'])
    expect(await among('', '*/ü*')).toEqual(['a/ü b'])
    expect(await among('', '*')).toEqual(['other'])
    await rm(join(folder, 'a'), { recursive: true })
    expect(await earlier('a')).toEqual(wanted)
    // the folder is gone, and git runs above it
    expect(await among('a', 'n*')).toEqual(['new'])
    // of a clone without history nothing is known before its commit
    const clone = join(folder, 'clone')
    run('clone', '--quiet', '--depth=1', `file://${folder}`, clone)
    expect(await earlier('clone/a')).toEqual({ 'ü b': [['', undefined]] })
    expect([await git.history(folder), await git.history(clone)]).toEqual(['whole', 'shallow'])
    const line = async (commits: number): Promise<string> => git.history(clone, { revision: 'HEAD', commits })
    expect([await line(1), await line(2)]).toEqual(['whole', 'shallow'])
    run('-C', clone, 'fetch', '--quiet', '--depth=2')
    expect([await line(2), await line(3)]).toEqual(['whole', 'shallow'])
    run('-C', clone, 'fetch', '--quiet', '--depth=3')
    const part = { revision: 'HEAD^', commits: 2 }
    expect([await git.history(clone, part), await git.history(clone, { ...part, commits: 3 })]).toEqual([
      'whole',
      'shallow',
    ])
    expect(await errorOf(git.history(clone, { ...part, revision: 'none' }))).toBe(
      'no-such-ref: "none" is not a commit of the repository',
    )
    run('-C', clone, 'checkout', '-q', '--orphan', 'young')
    run('-C', clone, 'commit', '-qm', 'first')
    expect(await line(2)).toBe('whole')
  })

  /** A commit of `out/deep/a`, in which another repository lies as plain files in `out`. */
  async function embedded(script: string): Promise<{ readonly folder: string; readonly out: string }> {
    const folder = await tempFolder()
    const out = join(folder, 'out')
    await mkdir(join(out, 'deep'), { recursive: true })
    await writeFile(join(out, 'deep', 'a'), 'a')
    const words = 'git init -q -b main; git add .; git commit -q -m one; cp -r .git/objects .git/refs .git/HEAD out'
    execFileSync('sh', ['-ec', `${words}; cd out; ${script}`], { cwd: folder, env: gitTestEnvironment })
    return { folder, out }
  }

  it.each([
    ['as git makes one', 'true'],
    ['with its own work tree', "printf '[core]\\n\\tbare = false\\n\\tworktree = .\\n' > config"],
    ['whose parts lie elsewhere', 'mkdir x; mv objects refs x; echo x > commondir'],
    ['whose HEAD is a link', 'ln -sf refs/heads/none HEAD'],
    ['whose parts are files', 'rm -r refs; touch refs; chmod +x refs'],
  ])('are not looked for in a repository of plain files: %s', async (_, script) => {
    const { folder, out } = await embedded(script)
    const problem = `embedded: ${out} is a git directory (HEAD, objects, refs) in the repository ${folder}`
    for (const place of [out, join(out, 'deep'), join(out, 'none')]) {
      const asked = [
        () => git.readCommitted(place, all),
        () => git.listCommitted(place, 'HEAD', ['a']),
        () => git.readBlobs(place, []),
        () => git.readEarlier(place, all, { commits: 1 }),
        () => git.stateOf(place),
        () => git.history(place),
        () => git.isInRepository(place),
        () => git.findUncommitted(place, new Map([['a', new Uint8Array()]])),
      ]
      for (const one of asked) expect(await errorOf(one())).toBe(problem)
      expect(await git.listUnchanged(place)).toEqual(new Map())
    }
    expect(await errorOf(git.findUntracked(out, 'new'))).toBe(problem)
    expect([...(await git.listCommitted(folder)).keys()]).toEqual(['out/deep/a'])
  })

  it('are read around folders that only resemble a repository', async () => {
    const { out } = await embedded('rm -r refs')
    expect(texts(await git.readCommitted(out, all))).toEqual({ 'deep/a': 'a' })
  })

  it('are read in work trees and submodules, whose repository lies elsewhere', async () => {
    const { folder, out } = await embedded('rm -r HEAD objects refs')
    const added = join(await tempFolder(), 'added')
    const outer = await tempFolder()
    const run = (cwd: string, ...args: readonly string[]): string =>
      execFileSync('git', args, { cwd, env: gitTestEnvironment, encoding: 'utf8' })
    run(folder, 'worktree', 'add', '--quiet', added)
    run(outer, 'init', '--quiet')
    run(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', folder, 'sub')
    const bare = join(outer, 'bare.git')
    run(outer, 'clone', '--quiet', '--bare', folder, bare)
    run(bare, 'worktree', 'add', '--quiet', '--detach', join(bare, 'inside'))
    for (const place of [out, join(added, 'out'), join(outer, 'sub', 'out'), join(bare, 'inside', 'out')]) {
      expect(texts(await git.readCommitted(place, all))).toEqual({ 'deep/a': 'a' })
      expect(texts(await git.readCommitted(place, all, 'main'))).toEqual({ 'deep/a': 'a' })
    }
  })

  it('are none that git itself finds in plain files, whatever the user has set', async ({ skip }) => {
    const { out } = await embedded('true')
    const [, minor = 0] = (/\d+\.(\d+)/.exec(execFileSync('git', ['version'], { encoding: 'utf8' })) ?? []).map(Number)
    skip(minor < 38, 'git does not know the setting')
    process.env['GIT_CONFIG_COUNT'] = '1'
    process.env['GIT_CONFIG_KEY_0'] = 'safe.bareRepository'
    process.env['GIT_CONFIG_VALUE_0'] = 'all'
    const asked = createRunGit()({ args: ['rev-parse', 'HEAD'], repository: 'discover', cwd: out })
    expect(await errorOf(asked)).toMatch(/^other: fatal: cannot use bare repository/)
  })

  it('are none outside of any repository', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'x'), 'x')
    expect(await git.readCommitted(folder, all)).toEqual(new Map())
    expect(await git.readEarlier(folder, all, { commits: 10 })).toEqual(new Map())
    expect(await git.history(folder)).toBe('none')
    expect(await errorOf(git.readCommitted(folder, all, 'main'))).toBe(
      'no-such-ref: "main" is not a commit of the repository',
    )
  })
})

function commandLines(): readonly string[] {
  return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n')
}
