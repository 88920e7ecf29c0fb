import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import type { PublishResult } from '../../src/pipeline/commands/publish-run.ts'
import { lab, labCluster } from '../../tools/fleets/lab-fleet.ts'
import {
  portsWith,
  type PublishedFleet,
  publishFrom,
  runGit,
  servePublishedFleet,
  stateOfClone,
} from '../../tools/fleets/published-fleet.ts'
import { type GitServer, makeRepository, startGitServer } from '../../tools/servers/git-server.ts'
import { setGitIdentity } from '../support/git-identity.ts'
import { tempFolder } from '../support/temp-folder.ts'

setGitIdentity()

async function served(options: Parameters<typeof servePublishedFleet>[1] = {}): Promise<PublishedFleet> {
  const fleet = await servePublishedFleet(await tempFolder(), options)
  onTestFinished(() => fleet.server.close())
  return fleet
}

async function problemsOf(action: Promise<unknown>): Promise<readonly string[]> {
  return action.then(
    () => ['nothing thrown'],
    (error: unknown) => {
      if (error instanceof StackmasonError) return error.diagnostics.map(({ code, message }) => `${code}: ${message}`)
      throw error
    },
  )
}

const intoBranch = ['publish: {into: branch}']

/** The files of a branch on the server. */
function filesOf({ repository }: PublishedFleet, branch = 'main', folder = '.'): readonly string[] {
  return repository.git(['ls-tree', '-r', '--name-only', branch, '--', folder]).split('\n')
}

function subjects({ repository }: PublishedFleet, range: string): readonly string[] {
  return repository.git(['log', '--format=%s', range]).split('\n')
}

describe('publish into the branch of the fleet', () => {
  it('leaves what is not rendered where it is, and warns', async () => {
    const fleet = await served({ spec: intoBranch })
    const clone = await fleet.clone('ci')
    await publishFrom(clone)
    await runGit(clone.folder, ['pull', '-q', 'origin', 'main'])
    clone.write('rendered/handoff/.argocd-source.yaml', 'directory: {recurse: true}\n')
    clone.git('add', '-A')
    clone.git('commit', '-qm', 'more')
    await runGit(clone.folder, ['push', '-q', 'origin', 'HEAD:main'])
    const { status, findings } = await publishFrom(clone)
    const told = findings.filter(({ code }) => code === 'OUTPUT_FOREIGN')
    expect({ status, told: told.map(({ severity, file }) => [severity, file]) }).toEqual({
      status: 'unchanged',
      told: [['warning', clone.path('rendered/handoff/.argocd-source.yaml')]],
    })
    expect(filesOf(fleet, 'main', 'rendered/handoff')).toContain('rendered/handoff/.argocd-source.yaml')
  })

  it('moves the lock first where it is asked to, in the same commit', async () => {
    const fleet = await served({ spec: intoBranch })
    const clone = await fleet.clone('ci')
    const first = fleet.repository.git(['rev-parse', 'main'])
    const result = await publishFrom(clone, { isUpdated: true })
    expect(result).toMatchObject({ status: 'published', source: { commit: first } })
    const changed = fleet.repository.git(['diff', '--name-status', first, 'main', '--', 'stackmason.lock', lab.cluster])
    expect(changed).toMatch(/^[AM]\tstackmason\.lock$/)
    expect(fleet.repository.git(['show', 'main:stackmason.lock'])).toContain('name: docker-lab-1-34-v1')
    expect(fleet.repository.git(['rev-parse', 'main~1'])).toBe(first)
    expect(clone.git('status', '--porcelain')).toBe('')
    expect(await publishFrom(clone, { isUpdated: true })).toMatchObject({ status: 'unchanged', files: [] })
  })

  it('commits what render would write, and leaves the checkout as it is', async () => {
    const fleet = await served({ spec: intoBranch })
    const clone = await fleet.clone('ci')
    clone.write('notes.txt', 'my own work')
    clone.git('stash', '--include-untracked', '--quiet')
    clone.write('more.txt', 'more')
    clone.git('add', 'more.txt')
    clone.git('status')
    const before = stateOfClone(clone)
    const source = fleet.repository.git(['rev-parse', 'main'])
    const result = await publishFrom(clone)
    expect(stateOfClone(clone)).toEqual(before)
    expect(result).toMatchObject({
      status: 'published',
      attempts: 1,
      source: { ref: 'refs/heads/main', commit: source },
      target: { kind: 'branch', branch: 'main', path: 'rendered' },
      clusters: ['team/one'],
      findings: [],
    })
    await fleet.author.render()
    const rendered = fleet.author.filesBelow('rendered').filter((path) => !path.startsWith('.stackmason/'))
    expect(filesOf(fleet, 'main', 'rendered')).toEqual(rendered.map((path) => `rendered/${path}`))
    for (const path of rendered)
      expect(fleet.repository.git(['cat-file', '-p', `main:rendered/${path}`])).toBe(
        fleet.author.read(`rendered/${path}`).trimEnd(),
      )
    const tree = fleet.repository.git(['rev-parse', 'main^{tree}'])
    expect(fleet.repository.git(['log', '-1', '--format=%an|%P', 'main'])).toBe(`Bot|${source}`)
    const message = fleet.repository.git(['log', '-1', '--format=%B', 'main'])
    expect(message).toMatch(/^lab: \S.{5,66}\n\n/)
    expect(message.split('\n\n').at(-1)?.split('\n')).toEqual([
      `Stackmason-Source: ${source}`,
      'Stackmason-Fleet: stackmason.yaml',
      expect.stringMatching(/^Stackmason-Message: [0-9a-f]{16}$/),
      `Stackmason-Tree: ${tree}`,
    ])
    const left = readdirSync(tmpdir()).filter((name) => name.startsWith('stackmason-publish-'))
    const mine = left.flatMap((name) => (existsSync(join(tmpdir(), name)) ? readdirSync(join(tmpdir(), name)) : []))
    expect(mine.filter((name) => name.startsWith(`stackmason-${String(process.pid)}-`))).toEqual([])
  })

  it('does nothing where nothing differs', async () => {
    const fleet = await served({ spec: intoBranch })
    const clone = await fleet.clone('ci')
    const { commit } = await publishFrom(clone)
    const asked = fleet.server.requests.length
    expect(await publishFrom(clone)).toMatchObject({ status: 'unchanged', files: [], findings: [] })
    expect(fleet.repository.git(['rev-parse', 'main'])).toBe(commit)
    expect(fleet.server.requests.slice(asked).filter(({ line }) => line.includes('receive-pack'))).toEqual([])
  })

  it('renders what somebody else pushed meanwhile, and keeps it', async () => {
    const fleet = await served({ spec: intoBranch })
    const clone = await fleet.clone('ci')
    let isFirst = true
    const ports = portsWith()
    const { gitWriter } = ports
    const result = await publishFrom(
      clone,
      {},
      {
        ...ports,
        gitWriter: {
          ...gitWriter,
          push: async (access, push) => {
            if (isFirst) {
              isFirst = false
              fleet.author.write('README.md', 'a change of somebody')
              await fleet.push()
            }
            return gitWriter.push(access, push)
          },
        },
        clock: { ...ports.clock, sleep: () => Promise.resolve() },
      },
    )
    expect(result).toMatchObject({ status: 'published', attempts: 2 })
    expect(subjects(fleet, 'main')).toEqual([expect.stringMatching(/^lab: /), 'Change the fleet', 'Change the fleet'])
    expect(filesOf(fleet)).toContain('README.md')
  })

  it.each([
    [['--depth=1']],
    [['--filter=blob:none', '--no-checkout']],
    [['--filter=blob:none', '--depth=2']],
    [['--filter=tree:0']],
    [['--filter=tree:0', '--depth=1']],
  ])('works from a clone with %s', async (options) => {
    const fleet = await served({ spec: intoBranch })
    await publishFrom(await fleet.clone('first'))
    fleet.author.git('pull', '--quiet', 'origin', 'main')
    fleet.author.write(lab.values, 'message: two\n')
    await fleet.push()
    fleet.author.write('README.md', 'one more')
    await fleet.push()
    const clone = await fleet.clone('ci', options)
    // what is missing is fetched from this process
    if (options.includes('--no-checkout'))
      await runGit(clone.folder, ['checkout', '--quiet', 'HEAD', '--', 'stackmason.yaml', 'stack'])
    const result = await publishFrom(clone, { mode: 'act', fleet: clone.path('stackmason.yaml') })
    expect(result).toMatchObject({ status: 'published', clusters: ['team/one'] })
    expect(subjects(fleet, 'main').slice(0, 3)).toEqual([
      expect.stringMatching(/^lab: /),
      'Change the fleet',
      'Change the fleet',
    ])
  })

  it('shows what it would do, also where that is not pushed', async () => {
    const fleet = await served({ spec: intoBranch })
    const clone = await fleet.clone('mine')
    clone.write('README.md', 'not pushed')
    clone.commit('Not pushed')
    const before = fleet.repository.git(['rev-parse', 'main'])
    expect(await problemsOf(publishFrom(clone))).toEqual([
      expect.stringMatching(/^PUBLISH_NOT_PUSHED: .* does not have the commit that is checked out/),
    ])
    const plan = await publishFrom(clone, { mode: 'plan' })
    expect(plan).toMatchObject({ status: 'planned', mode: 'plan' })
    expect(plan.findings.map(({ code, severity }) => `${severity} ${code}`)).toEqual(['warning PUBLISH_NOT_PUSHED'])
    expect(fleet.repository.git(['rev-parse', 'main'])).toBe(before)
    expect(fleet.repository.git(['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/main')
  })

  it('says how a commit that is not pushed gets there, and which branch is rendered', async () => {
    const fleet = await served({ spec: intoBranch })
    const clone = await fleet.clone('mine')
    clone.write('README.md', 'not pushed')
    clone.commit('Not pushed')
    const said = async (options: Parameters<typeof publishFrom>[1] = {}): Promise<readonly string[]> => {
      const { findings } = await publishFrom(clone, { mode: 'plan', ...options })
      return findings.map(({ message, hint = '' }) => `${message.replace(/[0-9a-f]{12}/, 'COMMIT')} | ${hint}`)
    }
    const lacks = `${fleet.url} does not have the commit that is checked out (COMMIT): what it has of branch main is published`
    const shown = '`--dry-run` shows what would be published without it.'
    expect(await said()).toEqual([`${lacks} | \`git push\`, and publish again. ${shown}`])
    clone.git('switch', '-qc', 'feature')
    clone.git('branch', '-qD', 'main')
    expect(await said()).toEqual([
      `${lacks} | \`git push -u origin feature\`, and let the branch be merged into branch main; or render that branch itself, after the push: \`stackmason publish --branch feature\`. ${shown}`,
    ])
    clone.git('checkout', '-q', '--detach')
    expect(await said()).toEqual([`${lacks} | Bring it into branch main and push that. ${shown}`])
    await expect(publishFrom(clone, { branch: 'feature' })).rejects.toMatchObject({
      diagnostics: [
        {
          message: `${fleet.url} has no branch feature`,
          hint: 'Push the branch first, or name another one with --branch.',
        },
      ],
    })
  })

  it('fails where the text of its commit cannot be written, also in a plan', async () => {
    const fleet = await served({ spec: intoBranch })
    fleet.author.write('templates/publish/commit.hbs', '{{nope}}\n')
    await fleet.push()
    const clone = await fleet.clone('ci')
    for (const mode of ['plan', 'act'] as const)
      expect(await problemsOf(publishFrom(clone, { mode }))).toEqual([expect.stringMatching(/^PUBLISH_TEMPLATE: /)])
  })

  it('takes its settings from the commit that is checked out, and says where the file differs', async () => {
    const fleet = await served({ spec: intoBranch })
    const clone = await fleet.clone('mine')
    clone.edit('stackmason.yaml', 'into: branch', 'into: branch, branch: env/local')
    const result = await publishFrom(clone)
    expect(result).toMatchObject({ status: 'published', target: { branch: 'main' } })
    expect(result.findings).toEqual([
      {
        code: 'PUBLISH_NOT_PUSHED',
        severity: 'warning',
        message: 'this file differs from the last commit, whose settings count',
        file: clone.path('stackmason.yaml'),
        hint: 'If the change is meant, commit it, push and publish again; if not, `git restore` takes it back.',
      },
    ])
    expect(fleet.repository.git(['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/main')
  })

  it('says which changes of the fleet are not part of what is published', async () => {
    const fleet = await served({ spec: intoBranch })
    const clone = await fleet.clone('mine')
    const told = async (): Promise<readonly string[]> =>
      (await publishFrom(clone)).findings.map(
        ({ code, severity, message, file }) =>
          `${severity} ${code} ${file?.replace(`${clone.folder}/`, '') ?? ''} ${message}`,
      )
    expect(await told()).toEqual([])
    clone.edit(lab.cluster, 'v1.34.7', 'v1.34.8')
    clone.write('clusters/team/two/cluster.yaml', '')
    clone.write('notes.txt', 'nothing reads it')
    const wanted = [
      `warning PUBLISH_NOT_PUSHED clusters/team/one/cluster.yaml changes of the fleet that are not committed are not published: clusters/team/one/cluster.yaml, clusters/team/two/cluster.yaml`,
    ]
    expect(await told()).toEqual(wanted)
    clone.edit(lab.cluster, 'v1.34.8', 'v1.34.7')
    clone.remove('clusters/team/two')
    expect(await told()).toEqual([])
  })

  it('plans on a terminal and acts in CI, as long as nobody says otherwise', async () => {
    const fleet = await served({ spec: intoBranch })
    const clone = await fleet.clone('ci')
    expect(await publishFrom(clone, { mode: 'auto' })).toMatchObject({ status: 'planned' })
    expect(await publishFrom(clone, { mode: 'auto' }, portsWith({ CI: 'true' }))).toMatchObject({ status: 'published' })
  })

  it('tells of problems by the files that people look at', async () => {
    const fleet = await served({ spec: intoBranch })
    fleet.author.edit(lab.cluster, 'v1.34.7', '1.34')
    await fleet.push()
    const clone = await fleet.clone('ci')
    const error = await publishFrom(clone).catch((thrown: unknown) => thrown)
    if (!(error instanceof StackmasonError)) throw error
    expect(
      JSON.stringify(
        error.diagnostics.map(({ file, at, message, hint }) => [file, at?.source.name, at?.source.path, message, hint]),
      ),
    ).not.toContain('stackmason-publish-')
    expect(subjects(fleet, 'main')).toEqual(['Change the fleet', 'Change the fleet'])
  })

  it.each(['a path', 'a file URL', 'a relative path'])('reaches a remote on this machine: %s', async (form) => {
    const fleet = await served({ spec: intoBranch })
    const clone = await fleet.clone('ci')
    const { path } = fleet.repository
    const urls = { 'a path': path, 'a file URL': `file://${path}`, 'a relative path': relative(clone.folder, path) }
    clone.git('remote', 'set-url', 'origin', urls[form as keyof typeof urls])
    expect(await publishFrom(clone)).toMatchObject({ status: 'published' })
    expect(await publishFrom(clone)).toMatchObject({ status: 'unchanged' })
  })

  it('says which remotes are reached where git would take another', async () => {
    const fleet = await served({ spec: intoBranch })
    const clone = await fleet.clone('ci')
    clone.git('remote', 'set-url', 'origin', 'ext::sh -c true')
    const error = await publishFrom(clone).catch((thrown: unknown) => thrown)
    if (!(error instanceof StackmasonError)) throw error
    expect(error.diagnostics.map(({ code, hint }) => [code, hint])).toEqual([
      [
        'GIT_FAILED',
        'Remotes are reached only by https, by ssh, and by the scheme of the url itself: check `git remote -v`, and url.<base>.insteadOf in the configuration of git.',
      ],
    ])
  })

  it.each(['uploadpack', 'receivepack'])('runs no program that the checkout names as %s, also not dry', async (key) => {
    const fleet = await served({ spec: intoBranch })
    const clone = await fleet.clone('ci')
    const trace = join(fleet.root, 'trace')
    clone.git('remote', 'set-url', 'origin', fleet.repository.path)
    clone.git('config', `remote.origin.${key}`, `touch '${trace}' #`)
    for (const mode of ['plan', 'act'] as const) {
      const error = await publishFrom(clone, { mode }).catch((thrown: unknown) => thrown)
      if (!(error instanceof StackmasonError)) throw error
      expect(error.diagnostics).toEqual([
        {
          code: 'GIT_FAILED',
          severity: 'error',
          message: `git does not ask ${fleet.repository.path}: remote.origin.${key} in the configuration of git names a program`,
          hint: 'Remove the setting: `git config --show-origin --list` says in which file it stands. A command for ssh goes into GIT_SSH_COMMAND.',
        },
      ])
    }
    expect(existsSync(trace)).toBe(false)
  })

  it('shows nothing of a file outside to which stackmason.yaml is a link', async () => {
    const fleet = await served({ spec: intoBranch })
    const clone = await fleet.clone('ci')
    writeFileSync(join(fleet.root, 'shadow'), 'root:$6$TOPSECRET: [unclosed\n')
    rmSync(join(clone.folder, 'stackmason.yaml'))
    symlinkSync(join(fleet.root, 'shadow'), join(clone.folder, 'stackmason.yaml'))
    const error = await publishFrom(clone).catch((thrown: unknown) => thrown)
    if (!(error instanceof StackmasonError)) throw error
    expect(error.diagnostics).toEqual([
      {
        code: 'FILE_OUTSIDE',
        severity: 'error',
        message: 'stackmason.yaml leads out of the fleet repository',
        file: join(clone.folder, 'stackmason.yaml'),
        hint: 'Put a copy of what it leads to in its place.',
      },
    ])
  })

  it('needs a remote, and a fleet on it', async () => {
    const fleet = await served({ spec: intoBranch })
    const clone = await fleet.clone('ci')
    clone.git('remote', 'rename', 'origin', 'upstream')
    const lacking = 'the repository of the fleet has no remote "origin"'
    expect(await problemsOf(publishFrom(clone))).toEqual([
      `PUBLISH_NO_REMOTE: ${lacking}, whose branches are published; its remotes are upstream`,
    ])
    clone.git('remote', 'add', 'fork', 'https://git.example.com/fork.git')
    expect(await problemsOf(publishFrom(clone))).toEqual([
      `PUBLISH_NO_REMOTE: ${lacking}, whose branches are published; its remotes are fork, upstream`,
    ])
    clone.git('remote', 'rename', 'upstream', 'origin')
    expect(await problemsOf(publishFrom(clone, { branch: 'gone' }))).toEqual([
      expect.stringMatching(/^PUBLISH_BRANCH_MISSING: .* has no branch gone$/),
    ])
  })

  it.each([
    {
      name: 'a branch first where the remote has none',
      branches: [],
      want: 'has no branch yet | Push the branch first.',
    },
    {
      name: 'the name of one where the remote has no default',
      branches: ['other'],
      want: 'has no default branch | Name the branch in spec.publish.base of stackmason.yaml.',
    },
  ])('needs $name', async ({ branches, want }) => {
    const fleet = await served({ spec: intoBranch })
    const clone = await fleet.clone('ci')
    const { git } = fleet.repository
    for (const name of branches) git(['branch', name, 'main'])
    git(['update-ref', '-d', 'refs/heads/main'])
    const error = await publishFrom(clone).catch((thrown: unknown) => thrown)
    if (!(error instanceof StackmasonError)) throw error
    expect(error.diagnostics.map(({ code, message, hint }) => [code, `${message} | ${hint ?? ''}`])).toEqual([
      ['PUBLISH_BRANCH_MISSING', expect.stringContaining(want)],
    ])
  })

  it.each([
    { there: 'env', branch: 'env/prod' },
    { there: 'env/prod/eu', branch: 'env/prod' },
  ])('is refused where git cannot make $branch beside $there, also in a plan', async ({ there, branch }) => {
    const fleet = await served({ spec: [`publish: {into: branch, branch: ${branch}}`] })
    const clone = await fleet.clone('ci')
    fleet.repository.git(['branch', there, 'main'])
    for (const mode of ['act', 'plan'] as const) {
      const error = await publishFrom(clone, { mode }).catch((thrown: unknown) => thrown)
      if (!(error instanceof StackmasonError)) throw error
      expect(error.diagnostics.map(({ code, message, hint }) => [code, message, hint])).toEqual([
        [
          'PUBLISH_REFUSED',
          `branch ${branch} cannot be made: there is a branch ${there}, and git cannot have both`,
          `Choose another name (spec.publish.branch; of pull requests spec.publish.branchPrefix), or rename or delete branch ${there}.`,
        ],
      ])
    }
  })

  it('is refused by a branch that the server protects', async () => {
    const fleet = await served({ spec: intoBranch })
    const hook = join(fleet.repository.path, 'hooks/pre-receive')
    writeFileSync(hook, '#!/bin/sh\necho "error: GH006: Protected branch update failed" >&2\nexit 1\n', { mode: 0o755 })
    expect(await problemsOf(publishFrom(await fleet.clone('ci')))).toEqual([
      expect.stringMatching(/^PUBLISH_PROTECTED: branch main is protected: .*GH006/),
    ])
  })
})

describe('publish in a run on a pull request', () => {
  const event = (variables: Readonly<Record<string, string>>, isFork = false): Readonly<Record<string, string>> => ({
    GITLAB_CI: 'true',
    CI: 'true',
    CI_SERVER_URL: 'http://127.0.0.1',
    CI_MERGE_REQUEST_IID: '7',
    CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'feature',
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: isFork ? '2' : '1',
    CI_MERGE_REQUEST_PROJECT_ID: '1',
    ...variables,
  })

  it("adds a commit to the author's branch, and no more than three in a row", async () => {
    const fleet = await served({ spec: ['publish: {findings: none}'] })
    fleet.author.write(lab.values, 'message: two\n')
    await fleet.push('feature')
    const clone = await fleet.clone('ci')
    clone.git('checkout', '--quiet', '--detach')
    const ports = portsWith(event({}))
    expect(await publishFrom(clone, { mode: 'auto' }, ports)).toMatchObject({
      status: 'published',
      target: { kind: 'author', branch: 'feature' },
    })
    expect(await publishFrom(clone, { mode: 'auto' }, ports)).toMatchObject({ status: 'unchanged' })
    const { git } = fleet.repository
    expect(subjects(fleet, 'main..feature')).toEqual([expect.stringMatching(/^lab: /), 'Change the fleet'])
    // two versions that take turns
    const mapOf = (branch: string): string => git(['rev-parse', `${branch}:rendered`])
    const rendered = mapOf('feature')
    for (let round = 0; round < 2; round++) {
      const parent = git(['rev-parse', 'feature'])
      const tree = git(['mktree'], `${git(['ls-tree', 'feature']).replace(/^.*\trendered$\n?/m, '')}\n`)
      const message = `Other\n\nStackmason-Tree: ${tree}\n`
      git(['update-ref', 'refs/heads/feature', git(['commit-tree', tree, '-p', parent, '-m', message])])
    }
    expect(rendered).toMatch(/^[0-9a-f]{40}$/)
    const looping = await publishFrom(clone, { mode: 'auto' }, ports)
    expect(looping.status).toBe('refused')
    expect(looping.findings.map(({ code }) => code)).toEqual(['PUBLISH_LOOPS'])
  })

  it("says that a cluster on hold is in an author's branch, where it changes there", async () => {
    const fleet = await served({ spec: ['publish: {findings: none}'] })
    const hold = 'apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {hold: until Friday}\n'
    fleet.author.write('clusters/team/one/options.yaml', hold)
    fleet.author.write(lab.values, 'message: two\n')
    await fleet.push('feature')
    const clone = await fleet.clone('ci')
    const told = async (): Promise<readonly object[]> => {
      const { status, findings } = await publishFrom(clone, { mode: 'auto' }, portsWith(event({})))
      return [{ status }, ...findings.map(({ code, about }) => ({ code, about }))]
    }
    expect(await told()).toEqual([
      { status: 'published' },
      { code: 'PUBLISH_HOLD_UNUSED', about: { cluster: 'team/one' } },
    ])
    expect(await told()).toEqual([{ status: 'unchanged' }])
  })

  it.each([
    { name: "the fleet's base", head: 'main', base: 'stable', kept: 'base' },
    { name: 'a proposal of publish', head: 'stackmason/lab/main--cluster.team.one', base: 'main', kept: 'proposal' },
    { name: 'a proposal of another fleet', head: 'b-lab/main', base: 'main', kept: 'proposal' },
  ])('pushes nothing into $name', async ({ head, base, kept }) => {
    const fleet = await served({ spec: ['publish: {findings: none}'] })
    const { git } = fleet.repository
    git(['branch', 'stable', 'main'])
    const [parent, tree] = [git(['rev-parse', 'main']), git(['rev-parse', 'main^{tree}'])]
    const message = `Proposed\n\nStackmason-Tree: ${tree}\n`
    const proposed = git(['commit-tree', tree, '-p', parent, '-m', message])
    if (head !== 'main') git(['update-ref', `refs/heads/${head}`, proposed])
    const before = git(['rev-parse', head])
    const run = event({ CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: head, CI_MERGE_REQUEST_TARGET_BRANCH_NAME: base })
    const result = await publishFrom(await fleet.clone('ci'), { mode: 'auto' }, portsWith(run))
    expect(result).toMatchObject({ status: 'unchanged', files: [], findings: [], target: { branch: head, kept } })
    expect(git(['rev-parse', head])).toBe(before)
  })

  describe('on a branch of publish', () => {
    const head = 'stackmason/lab/main--cluster.team.one'

    /** A branch with the tree of the fleet as it is on main, as a proposal brings it. */
    async function proposed(): Promise<{ readonly fleet: PublishedFleet; readonly run: () => Promise<PublishResult> }> {
      const fleet = await served({ spec: ['publish: {findings: none, into: branch, branch: tree}'] })
      const { git } = fleet.repository
      await publishFrom(await fleet.clone('tree'))
      const tree = git(['mktree'], `${git(['ls-tree', 'main'])}\n${git(['ls-tree', 'tree', 'rendered'])}\n`)
      const message = `Proposed\n\nStackmason-Tree: ${tree}\n`
      git([
        'update-ref',
        `refs/heads/${head}`,
        git(['commit-tree', tree, '-p', git(['rev-parse', 'main']), '-m', message]),
      ])
      let count = 0
      const run = async (): Promise<PublishResult> => {
        const variables = event({ CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: head })
        const before = git(['rev-parse', head])
        const result = await publishFrom(await fleet.clone(`ci${++count}`), { mode: 'auto' }, portsWith(variables))
        expect(git(['rev-parse', head])).toBe(before)
        return result
      }
      return { fleet, run }
    }

    it('is complete as publish has made it, and fails where somebody has changed inputs there', async () => {
      const { fleet, run } = await proposed()
      expect(await run()).toMatchObject({ status: 'unchanged', files: [], findings: [], target: { kept: 'proposal' } })
      fleet.author.git('fetch', '--quiet', 'origin')
      fleet.author.git('checkout', '--quiet', '-B', 'mine', `origin/${head}`)
      fleet.author.write('README.md', 'nothing that is rendered')
      await fleet.push(head)
      expect(await run()).toMatchObject({ status: 'unchanged', files: [], findings: [], target: { kept: 'proposal' } })
      fleet.author.write(lab.values, 'message: two\n')
      const commit = await fleet.push(head)
      const refused = await run()
      expect(refused).toMatchObject({
        status: 'refused',
        clusters: ['team/one'],
        target: { kept: 'proposal' },
        findings: [
          {
            code: 'PUBLISH_BRANCH_CHANGED',
            severity: 'error',
            message: expect.stringContaining(`since commit ${commit.slice(0, 12)} by`) as string,
          },
        ],
      })
      expect(refused.files.map(({ path }) => path)).toEqual([
        expect.stringMatching(/^rendered\/clusters\/team\/one\/addons\//),
      ])
    })

    it('fails where it has an older tree than the inputs that were merged into it, and not by what it leaves out', async () => {
      const { fleet, run } = await proposed()
      // of another cluster, which the proposal is not about, and which main has no tree of
      fleet.author.write('clusters/team/two/cluster.yaml', labCluster().replace('name: one', 'name: two'))
      await fleet.push('main')
      fleet.author.git('fetch', '--quiet', 'origin')
      fleet.author.git('merge', '--quiet', '--no-edit', `origin/${head}`)
      await fleet.push(head)
      expect(await run()).toMatchObject({ status: 'unchanged', findings: [] })
      fleet.author.git('checkout', '--quiet', '-B', 'base', 'origin/main')
      fleet.author.write(lab.values, 'message: two\n')
      await fleet.push('main')
      fleet.author.git('fetch', '--quiet', 'origin')
      fleet.author.git('merge', '--quiet', '--no-edit', `origin/${head}`)
      await fleet.push(head)
      expect(await run()).toMatchObject({
        status: 'refused',
        clusters: ['team/one'],
        findings: [{ code: 'PUBLISH_BRANCH_CHANGED', severity: 'error' }],
      })
    })
  })

  it('pushes nothing for a fork, and says what its author does', async () => {
    const fleet = await served({ spec: ['publish: {findings: none}'] })
    fleet.author.write(lab.values, 'message: two\n')
    await fleet.push('other')
    const { git } = fleet.repository
    git(['update-ref', 'refs/merge-requests/7/head', 'refs/heads/other'])
    git(['update-ref', '-d', 'refs/heads/other'])
    const result = await publishFrom(await fleet.clone('ci'), { mode: 'auto' }, portsWith(event({}, true)))
    expect(result.status).toBe('refused')
    expect(result.findings.map(({ code }) => code)).toEqual(['PUBLISH_FORK'])
    expect(git(['for-each-ref', '--format=%(refname)', 'refs/heads'])).toBe('refs/heads/main')
  })

  const actions = {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_REF: 'refs/pull/7/merge',
  }

  it.each([
    { name: 'GitHub without the file', variables: { ...actions, GITHUB_EVENT_PATH: '/none/event.json' } },
    { name: 'GitHub without its name', variables: actions },
    {
      name: 'GitLab without a project',
      variables: event({ CI_MERGE_REQUEST_PROJECT_ID: '', CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '' }),
    },
  ])('pushes nothing into a namesake where nobody knows of a fork: $name', async ({ variables }) => {
    const fleet = await served({ spec: ['publish: {findings: none}'] })
    const { git } = fleet.repository
    git(['branch', 'feature', 'main'])
    fleet.author.write(lab.values, 'message: two\n')
    await fleet.push('theirs')
    for (const ref of ['pull', 'merge-requests']) git(['update-ref', `refs/${ref}/7/head`, 'refs/heads/theirs'])
    git(['update-ref', '-d', 'refs/heads/theirs'])
    const before = git(['for-each-ref', 'refs/heads'])
    const run = portsWith({ GITHUB_HEAD_REF: 'feature', GITHUB_BASE_REF: 'main', ...variables })
    const result = await publishFrom(await fleet.clone('ci'), { mode: 'auto' }, run)
    expect(result).toMatchObject({
      status: 'refused',
      findings: [{ code: 'PUBLISH_FORK', message: expect.stringContaining('nothing tells whether') as string }],
    })
    expect(result.files.map(({ path }) => path)).not.toEqual([])
    expect(git(['for-each-ref', 'refs/heads'])).toBe(before)
  })

  it('takes for no fault of a fork that its branch has a name which the repository has no room for', async () => {
    const fleet = await served({ spec: ['publish: {findings: none}'] })
    const { git } = fleet.repository
    git(['update-ref', 'refs/merge-requests/7/head', 'refs/heads/main'])
    const run = event({ CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'main/mine' }, true)
    expect(await publishFrom(await fleet.clone('ci'), { mode: 'auto' }, portsWith(run))).toMatchObject({
      status: 'refused',
      findings: [{ code: 'PUBLISH_FORK' }],
    })
  })
})

describe('publish into a branch for a pull request', () => {
  const head = 'stackmason/lab/main'

  it('keeps one commit on top of the base, and pushes only where merging would make another tree', async () => {
    const fleet = await served()
    const { git } = fleet.repository
    const clone = await fleet.clone('ci')
    const base = git(['rev-parse', 'main'])
    expect(await publishFrom(clone)).toMatchObject({
      status: 'published',
      target: { kind: 'pullRequest', branch: 'main', head },
    })
    const first = git(['rev-parse', head])
    expect(git(['rev-parse', 'main', `${head}^`]).split('\n')).toEqual([base, base])
    expect(await publishFrom(clone)).toMatchObject({ status: 'unchanged' })
    fleet.author.write('README.md', 'nothing that is rendered')
    await fleet.push()
    expect(await publishFrom(clone)).toMatchObject({ status: 'unchanged' })
    expect(git(['rev-parse', head])).toBe(first)
    fleet.author.write(lab.values, 'message: two\n')
    const source = await fleet.push()
    expect(await publishFrom(clone)).toMatchObject({ status: 'published', commit: git(['rev-parse', head]) })
    expect(git(['rev-parse', `${head}^`])).toBe(source)
    git(['update-ref', 'refs/heads/main', head])
    expect(await publishFrom(clone)).toMatchObject({ status: 'unchanged', files: [] })
  })

  it('leaves it as it is when somebody has put a commit there, or changed ours', async () => {
    const fleet = await served()
    const { git } = fleet.repository
    const clone = await fleet.clone('ci')
    await publishFrom(clone)
    const tree = git(['rev-parse', 'main^{tree}'])
    const amended = git(['commit-tree', tree, '-p', 'main', '-m', git(['log', '-1', '--format=%B', head])])
    const onTop = git(['commit-tree', tree, '-p', head, '-m', 'Mine'])
    fleet.author.write(lab.values, 'message: two\n')
    await fleet.push()
    for (const commit of [amended, onTop]) {
      git(['update-ref', `refs/heads/${head}`, commit])
      const result = await publishFrom(clone)
      expect(result.findings.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
        'warning PUBLISH_NO_FORGE',
        'warning PUBLISH_BRANCH_CHANGED',
      ])
      expect(git(['rev-parse', head])).toBe(commit)
    }
  })
})

describe('two fleets of one name in a repository', () => {
  const places: readonly { name: string; spec: readonly string[]; branch: string }[] = [
    { name: 'a pull request', spec: [], branch: 'stackmason/lab/main' },
    { name: 'another branch', spec: ['publish: {into: branch, branch: deploy, path: .}'], branch: 'deploy' },
  ]

  it.each(places)('do not overwrite each other in $name', async ({ spec, branch }) => {
    const fleet = await served({ spec })
    for (const path of ['stackmason.yaml', 'stack', 'stacks', 'clusters'])
      if (existsSync(fleet.author.path(path))) fleet.author.copy(fleet.author.path(path), `b/${path}`)
    fleet.author.write(`b/${lab.values}`, 'message: b\n')
    await fleet.push()
    const clone = await fleet.clone('ci')
    const { git } = fleet.repository
    expect(await publishFrom(clone)).toMatchObject({ status: 'published' })
    const before = git(['rev-parse', branch])
    const second = { fleet: clone.path('b/stackmason.yaml') }
    for (const mode of ['plan', 'act'] as const)
      expect(await problemsOf(publishFrom(clone, { ...second, mode }))).toEqual([
        `WRITE_OTHER_FLEET: branch ${branch} holds what stackmason.yaml publishes, a fleet of the same name; this is b/stackmason.yaml`,
      ])
    expect(git(['rev-parse', branch])).toBe(before)
    // a fleet that has moved goes on
    for (const path of ['stackmason.yaml', 'stack', 'stacks', 'clusters']) fleet.author.remove(path)
    await fleet.push()
    clone.git('pull', '--quiet', fleet.repository.path, 'main')
    expect(await publishFrom(clone, second)).toMatchObject({ status: 'published' })
  })
})

describe('publish into another branch', () => {
  it('makes the branch, keeps the files of people, and goes on from its tree', async () => {
    const fleet = await served({ spec: ['publish: {into: branch, branch: env/prod, path: .}'] })
    const clone = await fleet.clone('ci')
    expect(await publishFrom(clone)).toMatchObject({
      status: 'published',
      target: { kind: 'branch', branch: 'env/prod', path: '' },
    })
    const files = filesOf(fleet, 'env/prod')
    expect(files).toContain('.stackmason-tree')
    expect(files.some((path) => path.startsWith('clusters/team/one/'))).toBe(true)
    expect(files.some((path) => path.startsWith('rendered/') || path === 'stackmason.yaml')).toBe(false)
    expect(fleet.repository.git(['log', '--format=%P', 'env/prod'])).toBe('')
    const { git } = fleet.repository
    const readme = git(['hash-object', '-w', '--stdin'], 'people wrote this')
    const tree = git(['mktree'], `${git(['ls-tree', 'env/prod'])}\n100644 blob ${readme}\tREADME.md\n`)
    git(['update-ref', 'refs/heads/env/prod', git(['commit-tree', tree, '-p', 'env/prod', '-m', 'Readme'])])
    expect(await publishFrom(clone)).toMatchObject({ status: 'unchanged' })
    fleet.author.write(lab.values, 'message: two\n')
    await fleet.push()
    expect(await publishFrom(clone)).toMatchObject({ status: 'published', clusters: ['team/one'] })
    expect(filesOf(fleet, 'env/prod')).toEqual([...files, 'README.md'].sort())
    expect(git(['rev-list', '--count', 'env/prod'])).toBe('3')
    expect(filesOf(fleet).some((path) => path.startsWith('rendered/'))).toBe(false)
  })

  it('may be in another repository', async () => {
    const root = await tempFolder()
    const other = makeRepository(join(root, 'other.git'))
    other.commit({ 'README.md': 'rendered manifests' })
    const fleet = await served({ spec: [`publish: {into: branch, repository: "${other.path}"}`] })
    const clone = await fleet.clone('ci')
    const before = stateOfClone(clone)
    expect(await publishFrom(clone)).toMatchObject({
      status: 'published',
      target: { branch: 'main', path: 'rendered', repository: other.path },
    })
    const after = stateOfClone(clone)
    expect({ ...after, refs: after['refs']?.replace(/\n\S+ refs\/stackmason\/kept\/.*/g, '') }).toEqual(before)
    expect(other.git(['ls-tree', '--name-only', 'main'])).toBe('README.md\nrendered')
    expect(await publishFrom(clone)).toMatchObject({ status: 'unchanged' })
    expect(filesOf(fleet).some((path) => path.startsWith('rendered/'))).toBe(false)
  })

  it('may go to the root beside files that are there first, and that it does not touch', async () => {
    const root = await tempFolder()
    const other = makeRepository(join(root, 'other.git'))
    other.commit({ 'README.md': 'as forges make it', 'docs/about.md': 'of people' })
    const fleet = await served({ spec: [`publish: {into: branch, repository: "${other.path}", path: .}`] })
    const clone = await fleet.clone('ci')
    expect(await publishFrom(clone)).toMatchObject({ status: 'published', target: { branch: 'main', path: '' } })
    expect(other.git(['ls-tree', '--name-only', 'main']).split('\n')).toEqual(
      expect.arrayContaining(['.stackmason-tree', 'README.md', 'clusters', 'docs']),
    )
    expect(other.git(['show', 'main:README.md'])).toBe('as forges make it')
    fleet.author.write(lab.values, 'message: two\n')
    await fleet.push()
    expect(await publishFrom(clone)).toMatchObject({ status: 'published', clusters: ['team/one'] })
    expect(other.git(['ls-tree', '-r', '--name-only', 'main'])).toContain('docs/about.md')
  })

  it.each([
    ['.', 'clusters', '"."'],
    ['tree', 'README.md', '"tree"'],
  ])('is refused where somebody else has something in its way: path %s', async (path, name, told) => {
    const root = await tempFolder()
    const other = makeRepository(join(root, 'other.git'))
    other.commit({ [`${path}/${name}${name === 'clusters' ? '/mine' : ''}`]: 'of people' })
    const fleet = await served({ spec: [`publish: {into: branch, repository: "${other.path}", path: ${path}}`] })
    const problem: unknown = await publishFrom(await fleet.clone('ci')).catch((error: unknown) => error)
    if (!(problem instanceof StackmasonError)) throw problem
    expect(problem.diagnostics.map(({ code, message, hint }) => [code, message, hint])).toEqual([
      [
        'WRITE_NOT_OWNED',
        `${told} of the branch that takes the tree holds things that stackmason did not write, e.g. ${name}, and no .stackmason-tree`,
        'Name a folder of its own in spec.publish.path, or bring back .stackmason-tree with git.',
      ],
    ])
  })

  it('refuses the tree of another fleet until that says to whom it belongs', async () => {
    const root = await tempFolder()
    const other = makeRepository(join(root, 'other.git'))
    other.commit({ 'README.md': 'rendered manifests' })
    const spec = [`publish: {into: branch, repository: "${other.path}", branch: deploy, path: .}`]
    const first = await served({ spec })
    await publishFrom(await first.clone('ci'))
    const before = other.git(['rev-parse', 'deploy'])
    const second = await served({ spec })
    second.author.edit('stackmason.yaml', 'name: lab', 'name: lab-2')
    second.author.write(lab.values, 'message: two\n')
    await second.push()
    const clone = await second.clone('ci')
    for (const mode of ['plan', 'act'] as const)
      expect(await problemsOf(publishFrom(clone, { mode }))).toEqual([
        'WRITE_OTHER_FLEET: branch deploy holds the tree of fleet "lab" (.stackmason-tree); this is fleet "lab-2"',
      ])
    expect(other.git(['rev-parse', 'deploy'])).toBe(before)
    // as its hint says
    const blob = other.git(['hash-object', '-w', '--stdin'], 'fleet: lab-2\nfile: ../stackmason.yaml\n')
    const listed = other
      .git(['ls-tree', 'deploy'])
      .replace(/blob \S+\t\.stackmason-tree/, `blob ${blob}\t.stackmason-tree`)
    const given = other.git(['commit-tree', other.git(['mktree'], `${listed}\n`), '-p', 'deploy', '-m', 'Rename'])
    other.git(['update-ref', 'refs/heads/deploy', given])
    expect(await publishFrom(clone)).toMatchObject({ status: 'published' })
    expect(await problemsOf(publishFrom(await first.clone('late')))).toEqual([
      expect.stringMatching(/^WRITE_OTHER_FLEET: .*tree of fleet "lab-2"/),
    ])
  })

  const flux = (path: string): string => `handoff: {flux: {source: {kind: GitRepository, name: fleet}, path: ${path}}}`
  const first = 'publish: {into: branch, branch: env/prod, path: .}'
  const beside = (tree: string, where: string): string =>
    `OUTPUT_MOVED: ${where} holds no tree, but this fleet's tree is in ${tree}: written anew, every cluster counts as new, and Flux goes on with the old tree`

  const gone = (branch: string): string =>
    ` If branch ${branch} had the tree before and is gone, push its last commit again, and if it is misspelt, correct spec.publish: what is here is older.`

  it.each([
    {
      name: 'another branch',
      spec: 'publish: {into: branch, branch: env/x, path: .}',
      want: beside('the root of branch env/prod', 'the root of branch env/x'),
      hint: `Bring the tree there first: \`git fetch origin && git push origin "$(git commit-tree -p origin/env/prod -m 'Move the tree' 'origin/env/prod^{tree}')":refs/heads/env/x\`. If`,
    },
    {
      name: 'another folder of the branch',
      spec: 'publish: {into: branch, branch: env/prod, path: sub}',
      want: beside('the root of branch env/prod', '"sub" of branch env/prod'),
      hint: 'Move all of the tree first, .stackmason-tree included, in a commit of its own on env/prod. If',
    },
    {
      name: 'a folder of another branch',
      spec: 'publish: {into: branch, branch: env/x, path: sub}',
      want: beside('the root of branch env/prod', '"sub" of branch env/x'),
      hint: 'Bring the tree there first: copy it as it is, .stackmason-tree included, commit and push it. If',
    },
    {
      name: 'the branch of the fleet',
      spec: 'publish: {into: branch}',
      want: beside('the root of branch env/prod', '"rendered" of branch main'),
      hint: 'Bring the tree there first: copy it as it is, .stackmason-tree included, commit and push it. If',
    },
    {
      name: 'pull requests',
      spec: '',
      want: beside('the root of branch env/prod', '"rendered" of branch main'),
      hint: 'Bring the tree there first: copy it as it is, .stackmason-tree included, commit and push it. If',
    },
  ])('does not begin anew in $name', async ({ spec, want, hint }) => {
    const fleet = await served({ spec: [first, flux('.')] })
    await publishFrom(await fleet.clone('ci'))
    fleet.author.edit('stackmason.yaml', first, spec)
    fleet.author.write(lab.values, 'message: two\n')
    await fleet.push()
    const clone = await fleet.clone('later', ['--filter=blob:none', '--depth=1'])
    for (const mode of ['plan', 'act'] as const) {
      const problem = await publishFrom(clone, { mode }).catch((error: unknown) => error)
      if (!(problem instanceof StackmasonError)) throw problem
      expect(problem.diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([want])
      expect(problem.diagnostics[0]?.hint).toBe(
        `${hint} nothing runs that it describes, remove .stackmason-tree there instead.${spec.includes('env/x') ? gone('env/x') : ''} docs/29-publish.md, "Moving the tree", has all steps.`,
      )
    }
    // a tree that nothing runs of
    const { git } = fleet.repository
    const left = git(['ls-tree', 'env/prod']).replace(/^.*\t\.stackmason-tree\n/m, '')
    const commit = git(['commit-tree', git(['mktree'], `${left}\n`), '-p', 'env/prod', '-m', 'Give it up'])
    git(['update-ref', 'refs/heads/env/prod', commit])
    expect(await publishFrom(clone, { mode: 'plan' })).toMatchObject({ status: 'planned' })
  })

  it('does not go on from an older tree where a switch to another branch is taken back', async () => {
    const fleet = await served({ spec: [first, flux('.')] })
    const clone = await fleet.clone('ci')
    await publishFrom(clone)
    const { git } = fleet.repository
    const pull = async (): Promise<void> => runGit(clone.folder, ['pull', '-q', 'origin', 'main'])
    const live = first.replace('env/prod', 'env/live')
    git(['update-ref', 'refs/heads/env/live', git(['commit-tree', 'env/prod^{tree}', '-m', 'Move the tree'])])
    fleet.author.edit('stackmason.yaml', first, live)
    fleet.author.write(lab.values, 'message: two\n')
    await fleet.push()
    await pull()
    expect(await publishFrom(clone)).toMatchObject({ status: 'published', target: { branch: 'env/live' } })
    fleet.author.edit('stackmason.yaml', live, first)
    await fleet.push()
    await pull()
    expect(await problemsOf(publishFrom(clone))).toEqual([
      "OUTPUT_MOVED: the root of branch env/prod holds an older tree, but this fleet's tree is in the root of branch env/live: clusters would go back to what the older one has of them",
    ])
    // as the pages say
    git(['branch', '-D', 'env/prod'])
    git(['update-ref', 'refs/heads/env/prod', git(['commit-tree', 'env/live^{tree}', '-m', 'Move the tree'])])
    expect(await publishFrom(clone)).toMatchObject({ status: 'unchanged' })
    fleet.author.write(lab.values, 'message: three\n')
    await fleet.push()
    await pull()
    expect(await publishFrom(clone)).toMatchObject({ status: 'published', target: { branch: 'env/prod' } })
  })

  const later = first.replace('env/prod', 'env/live')
  const removals: readonly {
    readonly name: string
    readonly remove: (fleet: PublishedFleet) => Promise<void> | void
    readonly removed: string
  }[] = [
    {
      name: 'in the commit of the switch',
      remove: ({ author }) => {
        author.remove('rendered')
      },
      removed: 'main',
    },
    {
      name: 'in the commit before',
      remove: async ({ author, push }) => {
        author.remove('rendered')
        await push()
      },
      removed: 'main~1',
    },
  ]

  it.each(removals)('does not begin anew where the tree beside the inputs is removed $name', async (way) => {
    const fleet = await served({ spec: ['publish: {into: branch}', flux('rendered')] })
    await publishFrom(await fleet.clone('ci'))
    const { git } = fleet.repository
    await runGit(fleet.author.folder, ['pull', '-q', 'origin', 'main'])
    await way.remove(fleet)
    fleet.author.edit('stackmason.yaml', 'publish: {into: branch}', later)
    fleet.author.edit('stackmason.yaml', 'path: rendered', 'path: .')
    fleet.author.write(lab.values, 'message: two\n')
    await fleet.push()
    const removed = git(['rev-parse', way.removed])
    const clone = await fleet.clone('later', ['--filter=blob:none', '--depth=1'])
    const problem: unknown = await publishFrom(clone).catch((error: unknown) => error)
    if (!(problem instanceof StackmasonError)) throw problem
    const [diagnostic] = problem.diagnostics
    expect(diagnostic?.message).toBe(
      `the root of branch env/live holds no tree, but this fleet's tree was in "rendered" of branch main until ${removed.slice(0, 12)} removed it: written anew, every cluster counts as new`,
    )
    // given up, as the hint says
    const start = git(['rev-parse', 'main'])
    fleet.author.git('checkout', '-q', `${removed}~1`, '--', 'rendered')
    await fleet.push()
    fleet.author.remove('rendered/.stackmason-tree')
    await fleet.push()
    fleet.author.remove('rendered')
    await fleet.push()
    expect(await publishFrom(clone, { mode: 'plan' })).toMatchObject({ status: 'planned' })
    // or brought there
    git(['update-ref', 'refs/heads/main', start])
    const [, command = ''] = /`(.*?)`/.exec(diagnostic?.hint ?? '') ?? []
    await runGit(clone.folder, ['-c', `alias.advised=!${command}`, 'advised'])
    expect(await publishFrom(clone)).toMatchObject({ status: 'published', clusters: ['team/one'] })
    expect(await publishFrom(clone)).toMatchObject({ status: 'unchanged' })
  })

  it.each([
    {
      name: 'is lost',
      before: [],
      want: /^CLUSTER_ORPHANED: the tree has Cluster team\/one again, which it lost after commit/,
    },
    {
      name: 'is lost while it is deleted',
      before: ['decommission: {}', 'decommission: {step: delete}'],
      want: /^DECOMMISSION_UNDER_WAY: the tree has Cluster team\/one again, but commit \w+ has it taken out/,
    },
  ])('goes by what its branch had of a cluster that $name', async ({ before, want }) => {
    const fleet = await served({ spec: [first, flux('.')] })
    const clone = await fleet.clone('ci')
    await publishFrom(clone)
    const cluster = fleet.author.read(lab.cluster)
    const options = 'clusters/team/one/options.yaml'
    for (const spec of before) {
      fleet.author.write(options, `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {${spec}}\n`)
      await fleet.push()
      await publishFrom(clone)
    }
    fleet.author.remove('clusters/team/one')
    await fleet.push()
    await publishFrom(clone, { allowEmpty: true })
    const gone = fleet.repository.git(['rev-parse', 'env/prod'])
    fleet.author.write(lab.cluster, cluster.replace('v1.34.7', 'v1.34.5'))
    await fleet.push()
    const later = await fleet.clone('later', ['--depth=1'])
    // it is of another version than its release, too
    expect(await problemsOf(publishFrom(later))).toContainEqual(expect.stringMatching(want))
    expect(fleet.repository.git(['rev-parse', 'env/prod'])).toBe(gone)
  })

  it('does not begin anew where its branch was renamed, or the default branch is another one', async () => {
    const fleet = await served({ spec: [first, flux('.')] })
    await publishFrom(await fleet.clone('ci'))
    const { git } = fleet.repository
    git(['branch', '-m', 'env/prod', 'prod'])
    // a branch with the inputs, and the tree of another fleet of the name
    git(['branch', 'other', 'main'])
    const clone = await fleet.clone('later')
    expect(await problemsOf(publishFrom(clone))).toEqual([
      beside('the root of branch prod', 'the root of branch env/prod'),
    ])
    // and with another name for it, which is misspelt
    fleet.author.edit('stackmason.yaml', first, first.replace('env/prod', 'prd'))
    await fleet.push()
    expect(await problemsOf(publishFrom(await fleet.clone('misspelt')))).toEqual([
      beside('the root of branch prod', 'the root of branch prd'),
    ])
    fleet.author.edit('stackmason.yaml', 'branch: prd', 'branch: env/prod')
    await fleet.push()
    git(['branch', '-m', 'prod', 'env/prod'])
    expect(await publishFrom(await fleet.clone('again'))).toMatchObject({ status: 'unchanged' })

    const trees = makeRepository(join(await tempFolder(), 'trees.git'))
    trees.commit({ 'README.md': 'trees' })
    fleet.author.edit('stackmason.yaml', first, `publish: {into: branch, repository: "${trees.path}", path: tree}`)
    await fleet.push()
    trees.git(['branch', 'develop'])
    git(['update-ref', '-d', 'refs/heads/env/prod'])
    expect(await publishFrom(await fleet.clone('first'))).toMatchObject({ status: 'published' })
    trees.git(['symbolic-ref', 'HEAD', 'refs/heads/develop'])
    expect(await problemsOf(publishFrom(await fleet.clone('second')))).toEqual([
      beside(`"tree" of branch main of ${trees.path}`, `"tree" of branch develop of ${trees.path}`),
    ])
  })

  it('does not begin anew where the fleet moves to another folder in the commit of the switch', async () => {
    const fleet = await served({ spec: [first, flux('.')] })
    await publishFrom(await fleet.clone('ci'))
    fleet.author.write('moved/README.md', 'fleets\n')
    for (const name of fleet.author.git('ls-tree', '--name-only', 'HEAD').split('\n'))
      fleet.author.git('mv', name, `moved/${name}`)
    fleet.author.edit('moved/stackmason.yaml', first, later)
    await fleet.push()
    const clone = await fleet.clone('later', ['--filter=blob:none', '--depth=1'])
    expect(await problemsOf(publishFrom(clone, { start: join(clone.folder, 'moved') }))).toEqual([
      beside('the root of branch env/prod', 'the root of branch env/live'),
    ])
  })

  it('is a base for those who look at a change in their checkout, where no tree is', async () => {
    const fleet = await served({ spec: [first, flux('.')] })
    // who looks at it commits nothing of it
    fleet.author.write('.gitignore', '/rendered/\n')
    await fleet.push()
    const clone = await fleet.clone('ci')
    expect(await publishFrom(clone)).toMatchObject({ status: 'published', findings: [] })
    await runGit(clone.folder, ['fetch', '-q', 'origin'])
    const base = 'origin/env/prod'
    const { changes, findings } = await clone.render({ base })
    expect({ changes: [...new Set(changes.map(({ change }) => change))], findings }).toEqual({
      changes: ['added'],
      findings: [],
    })
    expect(await clone.render({ base, check: true })).toMatchObject({ changes: [], findings: [] })
    const { findings: missed } = await clone.render({ base: 'origin/main', check: true })
    expect(missed.map(({ code, message, hint }) => [code, message, hint])).toEqual([
      [
        'BASE_UNUSED',
        'origin/main has no tree of this fleet, which spec.publish puts into branch "env/prod": compared with it every cluster is new, and no step is missed',
        'Name that branch, once the first `publish` has made it: `git fetch origin +refs/heads/env/prod:refs/remotes/origin/env/prod`, and `--base origin/env/prod`.',
      ],
    ])
    clone.edit('stackmason.yaml', 'path: .}', 'path: sub}')
    expect(await problemsOf(clone.render({ base, check: true }))).toEqual([expect.stringMatching(/^OUTPUT_MOVED: /)])
  })

  it('goes on from the tree that the advice has brought there', async () => {
    const fleet = await served({ spec: [flux('.')] })
    await fleet.author.render()
    await fleet.push()
    const spec = 'publish: {into: branch, branch: env/x, path: .}'
    fleet.author.edit('stackmason.yaml', 'handoff:', `${spec}\n  handoff:`)
    await fleet.push()
    const clone = await fleet.clone('ci')
    const problem: unknown = await publishFrom(clone).catch((error: unknown) => error)
    if (!(problem instanceof StackmasonError)) throw problem
    const [diagnostic] = problem.diagnostics
    expect(diagnostic?.message).toBe(beside('"rendered" of branch main', 'the root of branch env/x').slice(14))
    const [, command = ''] = /`(.*?)`/.exec(diagnostic?.hint ?? '') ?? []
    expect(command).toBe(
      `git fetch origin && git push origin "$(git commit-tree -p origin/main -m 'Move the tree' origin/main:rendered)":refs/heads/env/x`,
    )
    await runGit(clone.folder, ['-c', `alias.advised=!${command}`, 'advised'])
    expect(filesOf(fleet, 'env/x').map((path) => `rendered/${path}`)).toEqual(filesOf(fleet, 'main', 'rendered'))
    expect(await publishFrom(clone)).toMatchObject({ status: 'unchanged', files: [] })
  })

  it('does not begin anew in another repository, as far as the old one can be seen', async () => {
    const root = await tempFolder()
    const [old, other] = ['old.git', 'other.git'].map((name) => makeRepository(join(root, name)))
    if (old === undefined || other === undefined) throw new Error('two were made')
    for (const repository of [old, other]) repository.commit({ 'README.md': 'rendered manifests' })
    const fleet = await served({ spec: [`publish: {into: branch, repository: "${old.path}"}`, flux('rendered')] })
    await publishFrom(await fleet.clone('ci'))
    fleet.author.edit('stackmason.yaml', old.path, other.path)
    await fleet.push()
    const clone = await fleet.clone('later')
    expect(await problemsOf(publishFrom(clone))).toEqual([
      beside(`"rendered" of branch main of ${old.path}`, `"rendered" of branch main of ${other.path}`),
    ])
    rmSync(old.path, { recursive: true })
    const { status, findings } = await publishFrom(clone)
    expect({ status, findings: findings.map(({ code, severity, message }) => [code, severity, message]) }).toEqual({
      status: 'published',
      findings: [
        [
          'OUTPUT_MOVED',
          'warning',
          expect.stringMatching(
            /^an earlier stackmason\.yaml names "rendered" of the default branch of \S+old\.git; whether this fleet's tree is there is not known: there is no git repository at /,
          ),
        ],
      ],
    })
    expect(await publishFrom(clone)).toMatchObject({ status: 'unchanged', findings: [] })
  })

  it('refuses the tree of a fleet of the same name in another repository', async () => {
    const root = await tempFolder()
    const other = makeRepository(join(root, 'other.git'))
    other.commit({ 'README.md': 'rendered manifests' })
    const spec = [`publish: {into: branch, repository: "${other.path}", branch: deploy, path: .}`]
    const first = await served({ spec })
    first.author.write(lab.values, 'message: one\n')
    await first.push()
    const clone = await first.clone('ci')
    await publishFrom(clone)
    const source = first.repository.git(['rev-parse', 'main'])
    const second = await served({ spec })
    second.author.write(lab.values, 'message: two\n')
    await second.push()
    const late = await second.clone('ci')
    const url = second.url
    for (const [mode, from] of [
      ['plan', late],
      ['act', late],
      ['act', await second.clone('few', ['--depth=1'])],
    ] as const)
      expect(await problemsOf(publishFrom(from, { mode }))).toEqual([
        `WRITE_OTHER_FLEET: branch deploy holds the tree of a fleet of this name (.stackmason-tree), published from commit ${source.slice(0, 12)}, which ${url} does not have`,
      ])
    // what people write beside the tree takes nothing over
    const readme = other.git(['hash-object', '-w', '--stdin'], 'people wrote this')
    const beside = other.git(['mktree'], `${other.git(['ls-tree', 'deploy'])}\n100644 blob ${readme}\tREADME.md\n`)
    other.git(['update-ref', 'refs/heads/deploy', other.git(['commit-tree', beside, '-p', 'deploy', '-m', 'Readme'])])
    expect(await problemsOf(publishFrom(late))).toEqual([expect.stringMatching(/^WRITE_OTHER_FLEET: /)])
    // the first goes on, also from a clone without the branch that it was published from
    await first.push('old')
    first.author.write(lab.values, 'message: three\n')
    const again = await first.push()
    expect(await publishFrom(clone)).toMatchObject({ status: 'published', source: { commit: again } })
    first.author.git('reset', '-q', '--hard', 'HEAD~1')
    first.author.write(lab.values, 'message: four\n')
    first.author.commit('Rewrite the history')
    await runGit(first.author.folder, ['push', '-qf', 'origin', 'HEAD:main'])
    const fresh = await first.clone('fresh', ['--single-branch'])
    expect(await problemsOf(publishFrom(fresh))).toEqual([
      expect.stringContaining(`published from commit ${again.slice(0, 12)}, which ${first.url} does not have`),
    ])
    first.repository.git(['update-ref', 'refs/heads/kept', again])
    expect(await publishFrom(fresh, { mode: 'plan' })).toMatchObject({ status: 'planned' })
    first.repository.git(['update-ref', '-d', 'refs/heads/kept'])
    // as the hint says
    const text = `# taken over\n${other.git(['show', 'deploy:.stackmason-tree'])}\n`
    const blob = other.git(['hash-object', '-w', '--stdin'], text)
    const listed = other
      .git(['ls-tree', 'deploy'])
      .replace(/blob \S+\t\.stackmason-tree/, `blob ${blob}\t.stackmason-tree`)
    const taken = other.git(['commit-tree', other.git(['mktree'], `${listed}\n`), '-p', 'deploy', '-m', 'Take it over'])
    other.git(['update-ref', 'refs/heads/deploy', taken])
    const last = await first.clone('last')
    expect(await publishFrom(last)).toMatchObject({ status: 'published', clusters: ['team/one'] })
    expect(await publishFrom(last)).toMatchObject({ status: 'unchanged' })
  })

  it('does not move the lock of the fleet', async () => {
    const fleet = await served({ spec: ['publish: {into: branch, branch: env/prod}'] })
    expect(await problemsOf(publishFrom(await fleet.clone('ci'), { isUpdated: true }))).toEqual([
      expect.stringMatching(/^USAGE: --update changes stackmason.lock/),
    ])
  })
})

it('tells nobody a credential', async () => {
  const password = 'hunter2-of-the-forge'
  const fleet = await served({
    spec: ['publish: {into: branch, forge: {plainHttp: true, credentialsFrom: {username: U, password: P}}}'],
  })
  const clone = await fleet.clone('ci')
  const { server } = await closedServer(fleet, password)
  clone.git('remote', 'set-url', 'origin', `${server.url}/platform/fleet.git`)
  const seen: string[] = []
  const spy = watchProcesses(seen)
  const wrong = await problemsOf(publishFrom(clone, {}, portsWith({ U: 'bot', P: `${password}-wrong` })))
  expect(wrong).toEqual([expect.stringMatching(/^FETCH_UNAUTHORIZED: .*the credentials of U and P are refused: /)])
  const result = await publishFrom(clone, {}, portsWith({ U: 'bot', P: password }))
  spy.stop()
  expect(result.status).toBe('published')
  const told = [
    JSON.stringify([wrong, result]),
    ...seen,
    clone.read('.git/config'),
    fleet.repository.git(['log', '--format=%B%an%ae', 'main']),
  ].join('\n')
  const forms = [password, Buffer.from(`bot:${password}`).toString('base64')]
  expect(forms.filter((form) => told.includes(form))).toEqual([])
  expect(seen.some((line) => line.includes('receive-pack') || line.includes('push'))).toBe(true)
})

/** The same repositories behind a password. */
async function closedServer(fleet: PublishedFleet, password: string): Promise<{ readonly server: GitServer }> {
  const server = await startGitServer(fleet.root, { acceptsPushes: true, credentials: { username: 'bot', password } })
  onTestFinished(() => server.close())
  return { server }
}

/** Notes the arguments of all programs of this machine for a time, as `ps` shows them. */
function watchProcesses(seen: string[]): { readonly stop: () => void } {
  const timer = setInterval(() => {
    for (const id of readdirSync('/proc')) {
      if (!/^\d+$/.test(id)) continue
      try {
        const line = readFileSync(`/proc/${id}/cmdline`, 'utf8')
        if (line.startsWith('git')) seen.push(line.replaceAll('\0', ' '))
      } catch {
        // it has ended
        continue
      }
    }
  }, 5)
  return {
    stop: () => {
      clearInterval(timer)
    },
  }
}
