import { spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { fieldAt, itemsAt, textAt } from '../../src/model/field.ts'
import { Dict, type Value } from '../../src/model/value.ts'
import { toPlain } from '../../src/codec/json/plain-value.ts'
import { refusals } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube } from '../../tools/servers/kube.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { lab, labCluster } from '../../tools/fleets/lab-fleet.ts'
import { type PublishedFleet, runGit, servePublishedFleet } from '../../tools/fleets/published-fleet.ts'
import { commitOf, type ForgeServer, forgeTokens, hold } from '../../tools/servers/forge-state.ts'
import { fixtureFiles, packChart, startChartRepository } from '../../tools/servers/chart-repository.ts'
import { startGitHubForge } from '../../tools/servers/github-forge.ts'
import { startGitLabForge } from '../../tools/servers/gitlab-forge.ts'
import { packageFolder } from '../cli/run-cli.ts'
import { builtProgram } from '../../tools/built-program.ts'
import { tempFolder, tempFolderForFile } from '../support/temp-folder.ts'

const read = (path: string): string => readFileSync(join(packageFolder, path), 'utf8')
const parsed = (path: string): Value => parseGoYaml(read(path))
const credentials = { username: 'x-access-token', password: 'hunter2_of_the_checkout' }
const head = 'stackmason/lab/main'
/** Where starts of the program leave their compiled code. */
const compiled = tempFolderForFile()

interface Place {
  readonly fleet: PublishedFleet
  readonly forge: ForgeServer
  /** What the checkout step leaves: one commit or all, detached, and credentials in the configuration of git. */
  readonly checkout: (
    ref: string,
    options?: { readonly name?: string; readonly depth?: 'one' | 'all' },
  ) => Promise<FleetFolder>
  /** Runs a script as a runner does. */
  readonly run: (script: string, cwd: string, variables: Readonly<Record<string, string>>) => Promise<Ended>
}

interface Ended {
  readonly status: number
  readonly output: string
}

async function place<Server extends ForgeServer>(
  start: () => Promise<Server>,
  kind: 'github' | 'gitlab',
): Promise<Place & { readonly forge: Server }> {
  const forge = await start()
  onTestFinished(() => forge.close())
  const root = await tempFolder()
  const fleet = await servePublishedFleet(root, {
    spec: [`publish: {forge: {kind: ${kind}, url: "${forge.url}", plainHttp: true}}`],
    path: 'acme/fleet.git',
    credentials,
  })
  onTestFinished(() => fleet.server.close())
  const bin = join(root, 'bin')
  mkdirSync(bin)
  let steps = 0
  const node = `'${process.execPath}' '${await builtProgram()}'`
  const npx = `#!/bin/sh\n[ "$1 $2" = '--yes stackmason@0.1.0' ] || { echo "npx $1 $2" >&2; exit 9; }\nshift 2\nexec ${node} "$@"\n`
  writeFileSync(join(bin, 'npx'), npx)
  writeFileSync(join(bin, 'stackmason'), `#!/bin/sh\nexec ${node} "$@"\n`)
  for (const name of ['npx', 'stackmason']) chmodSync(join(bin, name), 0o755)
  return {
    fleet,
    forge,
    checkout: async (ref, { name = 'checkout', depth = 'one' } = {}) => {
      const folder = join(root, name)
      mkdirSync(folder)
      const basic = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')
      for (const words of [
        ['init', '--quiet', '--initial-branch=main'],
        ['remote', 'add', 'origin', fleet.url],
        ['config', `http.${fleet.server.url}/.extraheader`, `AUTHORIZATION: basic ${basic}`],
        [
          'fetch',
          '--quiet',
          '--no-tags',
          ...(depth === 'one' ? ['--depth=1'] : []),
          'origin',
          `+${ref}:refs/remotes/checkout`,
        ],
        ['checkout', '--quiet', '--detach', 'refs/remotes/checkout'],
      ])
        await runGit(folder, words)
      return new FleetFolder(folder)
    },
    run: async (script, cwd, variables) => {
      const file = join(root, `step-${String(++steps)}.sh`)
      writeFileSync(file, script)
      const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', file], {
        cwd,
        env: {
          PATH: `${bin}:${process.env['PATH'] ?? ''}`,
          HOME: root,
          GIT_CONFIG_NOSYSTEM: '1',
          STACKMASON_CACHE: join(root, 'cache'),
          XDG_CACHE_HOME: compiled,
          ...variables,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text
        })
      const status = await new Promise<number>((resolve) => {
        child.once('close', (code) => resolve(code ?? -1))
      })
      return { status, output }
    },
  }
}

const mistake = labCluster(['variables: [{name: nope, value: 1}]'])

/** Makes a pull request that changes the cluster, and the ref of what it would be merged to. */
async function openPullRequest({ fleet, forge }: Place, cluster = mistake): Promise<string> {
  fleet.author.write(lab.cluster, cluster)
  const commit = await fleet.push('feature')
  const { git } = fleet.repository
  const merge = git(['commit-tree', `${commit}^{tree}`, '-p', 'main', '-p', commit, '-m', 'Merge'])
  git(['update-ref', 'refs/pull/1/merge', merge])
  forge.state.branches.set('feature', commit)
  hold(forge.state, { title: 'Mine', body: '', head: 'feature', base: 'main', isDraft: false })
  return commit
}

/** Lets the fleet publish to the root of another branch, where Flux reads it. */
async function publishElsewhere({ fleet: { author, push } }: Place): Promise<void> {
  const handoff = 'handoff: {flux: {path: ., source: {kind: GitRepository, name: fleet}}}'
  author.edit('stackmason.yaml', 'publish: {', `${handoff}\n  publish: {into: branch, branch: env/prod, path: ., `)
  await push()
}

/** The step of action.yml, as GitHub's runner runs it with these inputs. */
async function runAction(
  { run, forge, fleet }: Place,
  cwd: string,
  inputs: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
): Promise<Ended & { readonly outputs: Readonly<Record<string, string>>; readonly summary: string }> {
  const action = parsed('action.yml')
  const [step = null] = itemsAt(action, 'runs', 'steps')
  const fill = (text: string): string =>
    text.replaceAll(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => {
      if (name === 'github.token') return forgeTokens.write
      if (name === 'github.action_path') return packageFolder
      const input = name.replace(/^inputs\./, '')
      return inputs[input] ?? fill(textAt(action, 'inputs', input, 'default'))
    })
  const given = fieldAt(step, 'env')
  const env = Object.fromEntries(
    given instanceof Dict ? [...given.keys()].map((name) => [String(name), fill(textAt(given, String(name)))]) : [],
  )
  const file = (name: string): string => join(fleet.root, name)
  for (const name of ['output', 'summary']) writeFileSync(file(name), '')
  mkdirSync(file('temp'), { recursive: true })
  const script = textAt(step, 'run')
  expect(script).not.toContain('${{')
  const ended = await run(script, cwd, {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_SERVER_URL: forge.url,
    GITHUB_REPOSITORY: 'acme/fleet',
    GITHUB_RUN_ID: '12',
    GITHUB_OUTPUT: file('output'),
    GITHUB_STEP_SUMMARY: file('summary'),
    GITHUB_EVENT_PATH: file('event.json'),
    RUNNER_TEMP: file('temp'),
    ...env,
    ...variables,
  })
  const set = Object.fromEntries(
    readFileSync(file('output'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  const declared = fieldAt(action, 'outputs')
  const outputs = Object.fromEntries(
    declared instanceof Dict
      ? [...declared.keys()].map((name) => {
          const value = textAt(action, 'outputs', String(name), 'value')
          const [, from = ''] = /^\$\{\{ steps\.stackmason\.outputs\.([\w-]+) \}\}$/.exec(value) ?? []
          return [String(name), set[from] ?? '']
        })
      : [],
  )
  expect(ended.output).not.toMatch(/hunter2/)
  return { ...ended, outputs, summary: readFileSync(file('summary'), 'utf8') }
}

/** Writes the event of the pull request of the branch `feature` at a commit, and returns what GitHub sets for it. */
function notePullRequest(at: Place, commit: string): Readonly<Record<string, string>> {
  const side = (ref: string, sha: string): object => ({ ref, sha, repo: { full_name: 'acme/fleet' } })
  const event = { pull_request: { number: 1, head: side('feature', commit), base: side('main', '') } }
  writeFileSync(join(at.fleet.root, 'event.json'), JSON.stringify(event))
  return {
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_REF: 'refs/pull/1/merge',
    GITHUB_HEAD_REF: 'feature',
    GITHUB_BASE_REF: 'main',
  }
}

describe('action.yml', { timeout: 120_000 }, () => {
  it('checks a pull request from a checkout of one commit', async () => {
    const at = await place(startGitHubForge, 'github')
    const commit = await openPullRequest(at)
    const { folder } = await at.checkout('refs/pull/1/merge')
    const variables = notePullRequest(at, commit)
    const ended = await runAction(at, folder, { command: 'check' }, variables)
    expect(ended).toMatchObject({ status: 1, outputs: { changed: '', report: expect.stringMatching(/\.md$/) } })
    expect(ended.output).toContain('error CLASS_VARIABLE_UNKNOWN')
    expect(ended.summary).toContain(String.raw`CLASS\_VARIABLE\_UNKNOWN`)
    expect(at.forge.checkRuns).toMatchObject([{ name: 'stackmason/lab', commit, conclusion: 'failure' }])
    expect((await runAction(at, folder, { command: 'check', 'fail-on': 'never' }, variables)).status).toBe(0)
    expect(at.forge.problems).toEqual([])
  })

  it('checks a group of a merge queue against the commit that it is merged onto', async () => {
    const at = await place(startGitHubForge, 'github')
    await openPullRequest(at)
    const { git } = at.fleet.repository
    const ref = 'refs/heads/gh-readonly-queue/main/pr-1-0'
    git(['update-ref', ref, 'refs/pull/1/merge'])
    const { folder } = await at.checkout(ref)
    writeFileSync(join(at.fleet.root, 'event.json'), JSON.stringify({ merge_group: { head_ref: ref } }))
    const variables = { GITHUB_EVENT_NAME: 'merge_group', GITHUB_REF: ref, GITHUB_SHA: git(['rev-parse', ref]) }
    const checked = (base: string): Promise<Ended> =>
      runAction(at, folder, { command: 'check', 'github.event.merge_group.base_sha': base }, variables)
    const ended = await checked(git(['rev-parse', 'main']))
    expect(ended).toMatchObject({ status: 1, output: expect.stringContaining('error CLASS_VARIABLE_UNKNOWN') })
    expect((await checked('1'.repeat(40))).status).toBe(128)
  })

  it('compares a pull request with the branch that holds the tree', async () => {
    const at = await place(startGitHubForge, 'github')
    await publishElsewhere(at)
    const main = await at.checkout('refs/heads/main')
    const pushed = { GITHUB_EVENT_NAME: 'push', GITHUB_REF: 'refs/heads/main' }
    expect(await runAction(at, main.folder, { command: 'publish' }, pushed)).toMatchObject({ status: 0 })
    at.fleet.author.edit('stack/csctl.yaml', 'v1.34.7', 'v1.34.6')
    const commit = await openPullRequest(at, labCluster().replace('v1.34.7', 'v1.34.6'))
    const { folder } = await at.checkout('refs/pull/1/merge', { name: 'pull' })
    const variables = notePullRequest(at, commit)
    const codes = async (inputs: Readonly<Record<string, string>>): Promise<unknown> => {
      const { output } = await runAction(at, folder, { command: 'check', ...inputs }, variables)
      return output.match(/^(?:error|warning) \w+/gm)
    }
    expect(await codes({})).toEqual(['warning BASE_UNUSED'])
    expect(await codes({ base: 'env/prod' })).toEqual(['error UPGRADE_GOES_BACK'])
  })

  it('publishes from a checkout of one commit, and then has nothing to do', async () => {
    const at = await place(startGitHubForge, 'github')
    at.forge.state.branches.set(head, commitOf(head))
    const { folder } = await at.checkout('refs/heads/main')
    const variables = { GITHUB_EVENT_NAME: 'push', GITHUB_REF: 'refs/heads/main' }
    const ended = await runAction(at, folder, { command: 'publish' }, variables)
    const commit = at.fleet.repository.git(['rev-parse', head])
    expect(ended).toMatchObject({
      status: 0,
      outputs: {
        changed: 'true',
        commit,
        'pr-number': '1',
        'pr-url': expect.stringContaining('/acme/fleet/pull/1'),
        report: `${at.forge.url}/acme/fleet/actions/runs/12`,
      },
    })
    expect(at.forge.state.pullRequests).toHaveLength(1)
    const again = await runAction(at, folder, { command: 'publish' }, variables)
    expect(again).toMatchObject({ status: 0, outputs: { changed: 'false', commit: '', 'pr-number': '1' } })
    expect(at.fleet.repository.git(['rev-parse', head])).toBe(commit)
    await runAction(at, folder, { command: 'publish', update: 'true' }, variables)
    expect(at.fleet.repository.git(['ls-tree', '--name-only', head])).toContain('stackmason.lock')
    expect(at.forge.problems).toEqual([])
  })

  it('knows no other command', async () => {
    const at = await place(startGitHubForge, 'github')
    const { status, output } = await runAction(at, at.fleet.root, { command: 'check; id' }, {})
    expect({ status, output }).toEqual({ status: 2, output: '::error::the input command is check or publish\n' })
  })
})

describe('ci/gitlab.yml', { timeout: 120_000 }, () => {
  const file = parsed('ci/gitlab.yml')
  const script = (job: string): string => itemsAt(file, job, 'script').map(String).join('\n')
  const shared = (at: Place): Record<string, string> => ({
    CI: 'true',
    GITLAB_CI: 'true',
    CI_SERVER_URL: at.forge.url,
    CI_DEFAULT_BRANCH: 'main',
    CI_JOB_URL: `${at.forge.url}/acme/fleet/-/jobs/12`,
    STACKMASON_VERSION: textAt(file, 'variables', 'STACKMASON_VERSION'),
    STACKMASON_FOLDER: textAt(file, 'variables', 'STACKMASON_FOLDER'),
    STACKMASON_TREE_BRANCH: textAt(file, 'variables', 'STACKMASON_TREE_BRANCH'),
    GITLAB_TOKEN: forgeTokens.write,
  })

  const variables = (at: Place, commit: string): Record<string, string> => ({
    ...shared(at),
    CI_PIPELINE_SOURCE: 'merge_request_event',
    CI_MERGE_REQUEST_IID: '1',
    CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'feature',
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '1',
    CI_MERGE_REQUEST_PROJECT_ID: '1',
    CI_COMMIT_SHA: commit,
  })
  it('needs all of the history', () => {
    expect(fieldAt(file, 'stackmason-check', 'variables', 'GIT_DEPTH')).toBe(0)
  })

  it('checks a merge request', async () => {
    const at = await place(startGitLabForge, 'gitlab')
    const commit = await openPullRequest(at)
    const { folder } = await at.checkout('refs/heads/feature', { depth: 'all' })
    const { status, output } = await at.run(script('stackmason-check'), folder, variables(at, commit))
    expect({ status, has: output.includes('error CLASS_VARIABLE_UNKNOWN') }).toEqual({ status: 1, has: true })
    expect(at.forge.state.pullRequests[0]?.comments).toHaveLength(1)
    for (const [, name] of read('ci/gitlab.yml').matchAll(/(?:codequality|junit): (\S+)/g))
      expect(existsSync(join(folder, name ?? ''))).toBe(true)
  })

  it('compares a merge request with the branch that holds the tree', async () => {
    const at = await place(startGitLabForge, 'gitlab')
    await publishElsewhere(at)
    const main = await at.checkout('refs/heads/main', { name: 'main' })
    const pushed = { ...shared(at), CI_PIPELINE_SOURCE: 'push', CI_COMMIT_BRANCH: 'main' }
    expect(await at.run(script('stackmason-publish'), main.folder, pushed)).toMatchObject({ status: 0 })
    at.fleet.author.edit('stack/csctl.yaml', 'v1.34.7', 'v1.34.6')
    const commit = await openPullRequest(at, labCluster().replace('v1.34.7', 'v1.34.6'))
    const { folder } = await at.checkout('refs/heads/feature', { depth: 'all' })
    const codes = async (STACKMASON_TREE_BRANCH: string): Promise<unknown> => {
      const given = { ...variables(at, commit), STACKMASON_TREE_BRANCH }
      const { output } = await at.run(script('stackmason-check'), folder, given)
      return output.match(/^(?:error|warning) \w+/gm)
    }
    expect(await codes('')).toEqual(['warning BASE_UNUSED'])
    expect(await codes('env/prod')).toEqual(['error UPGRADE_GOES_BACK'])
  })

  it('publishes from the default branch', async () => {
    const at = await place(startGitLabForge, 'gitlab')
    at.forge.state.branches.set(head, commitOf(head))
    const checkout = await at.checkout('refs/heads/main')
    const variables = { ...shared(at), CI_PIPELINE_SOURCE: 'schedule', CI_COMMIT_BRANCH: 'main' }
    const { status } = await at.run(script('stackmason-publish'), checkout.folder, variables)
    expect(status).toBe(0)
    expect(checkout.read('stackmason.env')).toContain('STACKMASON_CHANGED=true\n')
    expect(at.forge.state.pullRequests).toHaveLength(1)
  })
})

describe('a fleet whose authors commit the tree', { timeout: 120_000 }, () => {
  const file = parsed('ci/github-committed.yml')
  const github = itemsAt(file, 'jobs', 'check', 'steps')
  const STACKMASON_FOLDER = textAt(file, 'env', 'STACKMASON_FOLDER')
  const own = github.find((one) => textAt(one, 'run') !== '') ?? null
  const gitlab = parsed('ci/gitlab-committed.yml')
  const queueBase = '${{ github.event.merge_group.base_sha }}'
  const jobs = {
    'ci/github-committed.yml': {
      script: textAt(own, 'run'),
      variables: {
        STACKMASON_FOLDER,
        BASE: textAt(own, 'env', 'BASE').replace('${{ github.base_ref }}', 'main'),
        QUEUE_BASE: textAt(own, 'env', 'QUEUE_BASE').replace(queueBase, ''),
      },
    },
    'ci/github-committed.yml in a merge queue': {
      script: textAt(own, 'run'),
      variables: {
        STACKMASON_FOLDER,
        BASE: textAt(own, 'env', 'BASE').replace('${{ github.base_ref }}', ''),
        QUEUE_BASE: textAt(own, 'env', 'QUEUE_BASE').replace(queueBase, 'refs/remotes/origin/main'),
      },
    },
    'ci/gitlab-committed.yml': {
      script: itemsAt(gitlab, 'stackmason-render', 'script').map(String).join('\n'),
      variables: {
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
        STACKMASON_VERSION: textAt(gitlab, 'variables', 'STACKMASON_VERSION'),
        STACKMASON_FOLDER: textAt(gitlab, 'variables', 'STACKMASON_FOLDER'),
      },
    },
  } as const

  it.each(Object.entries(jobs))('is judged by its history: %s', async (_, { script, variables }) => {
    const at = await place(startGitHubForge, 'github')
    const { author, push } = at.fleet
    const render = (): Promise<Ended> => at.run('stackmason render --quiet', author.folder, {})
    const judged = (): Promise<Ended> => at.run(script, author.folder, variables)
    await render()
    await push()
    author.git('fetch', '-q', 'origin')
    author.write(lab.values, 'message: two\n')
    await push('feature')
    expect(await judged()).toMatchObject({ status: 1, output: expect.stringContaining('RENDER_STALE') })
    await render()
    await push('feature')
    expect(await judged()).toMatchObject({ status: 0, output: expect.stringContaining('is current') })
  })

  it.each(Object.entries(jobs))('has its locked charts in an empty cache: %s', async (_, { script, variables }) => {
    const at = await place(startGitHubForge, 'github')
    const { author, push } = at.fleet
    const { url, close } = await startChartRepository([packChart('agent', '1.0.0', fixtureFiles('agent', '1.0.0'))])
    onTestFinished(close)
    author.edit('stackmason.yaml', 'spec:\n', `spec:\n  chartRepositories: [{url: "${url}", plainHttp: true}]\n`)
    author.write(
      lab.addons,
      `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  addons:\n    - name: watcher\n      namespace: default\n      chart: {repository: "${url}", name: agent, version: ^1.0.0}\n`,
    )
    const updated = await at.run('stackmason update && stackmason render --quiet', author.folder, {})
    expect(updated).toMatchObject({ status: 0 })
    await push()
    author.git('fetch', '-q', 'origin')
    const judged = await at.run(script, author.folder, { ...variables, STACKMASON_CACHE: join(at.fleet.root, 'empty') })
    expect(judged).toMatchObject({ status: 0, output: expect.stringContaining('is current') })
  })

  it('hears of the tree and of its inputs in one run: ci/gitlab-committed.yml', async () => {
    const at = await place(startGitHubForge, 'github')
    const { author, push } = at.fleet
    const { script, variables } = jobs['ci/gitlab-committed.yml']
    await at.run('stackmason render --quiet', author.folder, {})
    await push()
    author.git('fetch', '-q', 'origin')
    author.write(lab.values, 'message: two\n')
    await push('feature')
    const { status, output } = await at.run(script, author.folder, variables)
    expect(status).toBe(1)
    expect(output).toMatch(/^error RENDER_STALE [^]*^Checked 1 cluster, 7 objects in [\d.]+ s: nothing found\.$/m)
  })

  it('is not held to what others have merged since: ci/gitlab-committed.yml', async () => {
    const at = await place(startGitHubForge, 'github')
    const { author, push } = at.fleet
    const { script, variables } = jobs['ci/gitlab-committed.yml']
    const handoff = 'handoff: {flux: {source: {kind: GitRepository, name: fleet}}}'
    author.edit('stackmason.yaml', 'spec:\n', `spec:\n  ${handoff}\n`)
    const render = (): Promise<Ended> => at.run('stackmason render --quiet', author.folder, {})
    await render()
    const start = await push()
    for (const step of ['prepare', 'delete']) {
      author.write(
        'clusters/team/one/options.yaml',
        `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {decommission: {step: ${step}}}\n`,
      )
      await render()
      await push()
    }
    author.git('checkout', '-q', '-B', 'feature', start)
    author.write(lab.values, 'message: two\n')
    await render()
    await push('feature')
    expect(await at.run(script, author.folder, variables)).toMatchObject({ status: 0 })
    const named = await at.run('stackmason render --check --base origin/main', author.folder, {})
    expect(named.output).toMatch(
      /error DECOMMISSION_UNDER_WAY [^]*→ If this branch is only behind \(behind main, for example\), /,
    )
  })
})

/** Runs the jobs of a matrix, or the Pods of a Job, as processes at once. */
async function allAtOnce(
  { run }: Place,
  jobs: readonly { readonly script: string; readonly folder: string; readonly variables: Record<string, string> }[],
): Promise<readonly Ended[]> {
  return Promise.all(jobs.map(({ script, folder, variables }) => run(script, folder, variables)))
}

describe('ci/github-shards.yml', { timeout: 240_000 }, () => {
  const file = parsed('ci/github-shards.yml')
  const steps = (job: string): readonly Value[] => itemsAt(file, 'jobs', job, 'steps')
  const step = (job: string): Value => steps(job).find((one) => textAt(one, 'run') !== '') ?? null

  it('fetches the history that steps are judged by', () => {
    const checkouts = ['shard', 'join'].flatMap((job) =>
      steps(job).filter((one) => textAt(one, 'uses').startsWith('actions/checkout@')),
    )
    expect(checkouts.map((one) => fieldAt(one, 'with', 'fetch-depth'))).toEqual([0, 0])
  })

  it('checks a pull request by processes that know nothing of each other', async () => {
    const at = await place(startGitHubForge, 'github')
    const matrix = itemsAt(file, 'jobs', 'shard', 'strategy', 'matrix', 'index').map(String)
    expect(matrix).toEqual(['1', '2', '3', '4'])
    const temp = (index: string): string => join(at.fleet.root, `runner-${index}`)
    const fill = (text: string, index: string): string =>
      text
        .replaceAll('${{ matrix.index }}', index)
        .replaceAll('${{ strategy.job-total }}', String(matrix.length))
        .replaceAll('${{ runner.temp }}', temp(index))
    const variables = (job: string, index: string): Record<string, string> =>
      Object.fromEntries([
        ['STACKMASON_FOLDER', textAt(file, 'env', 'STACKMASON_FOLDER')],
        ...['SHARD', 'SHARDS'].map((name) => [name, fill(textAt(step(job), 'env', name), index)] as const),
      ])
    const { folder } = at.fleet.author
    const renderAll = (): Promise<readonly Ended[]> =>
      allAtOnce(
        at,
        matrix.map((index) => ({ script: textAt(step('shard'), 'run'), folder, variables: variables('shard', index) })),
      )
    const upload = steps('shard').at(-1) ?? null
    // what the steps between do: each artifact is brought into a folder of its name
    const join4 = async (): Promise<Ended> => {
      for (const index of matrix) {
        const given = fill(textAt(upload, 'with', 'path'), index)
        cpSync(given, join(temp('join'), 'shards', fill(textAt(upload, 'with', 'name'), index)), {
          recursive: true,
        })
      }
      return at.run(textAt(step('join'), 'run'), folder, variables('join', 'join'))
    }
    expect((await at.run('stackmason render --quiet', folder, {})).status).toBe(0)
    expect((await renderAll()).map(({ status }) => status)).toEqual([0, 0, 0, 0])
    expect(await join4()).toMatchObject({ status: 0, output: expect.stringContaining('is current') })
    at.fleet.author.write(lab.values, 'message: two\n')
    expect((await join4()).output).toContain('SHARD_MISMATCHED')
    await renderAll()
    expect(await join4()).toMatchObject({ status: 1, output: expect.stringContaining('RENDER_STALE') })
  })
})

describe('ci/kubernetes-shards.yaml', { timeout: 240_000 }, () => {
  const documents = read('ci/kubernetes-shards.yaml')
    .split('---\n')
    .map((text) => parseGoYaml(text))
  const [settings = null, , shards = null, joined = null] = documents
  const script = (job: Value): string => {
    const [container = null] = itemsAt(job, 'spec', 'template', 'spec', 'containers')
    expect(itemsAt(container, 'command')).toEqual(['sh', '-euc'])
    return itemsAt(container, 'args').map(String).join('\n')
  }

  it('renders a commit in Pods, and pushes the tree that one run writes', async () => {
    const at = await place(startGitHubForge, 'github')
    const { author } = at.fleet
    author.edit(
      'stackmason.yaml',
      'spec:\n',
      'spec:\n  handoff: {flux: {source: {kind: GitRepository, name: fleet}}}\n',
    )
    const commit = await at.fleet.push()
    const data = fieldAt(settings, 'data')
    const given =
      data instanceof Dict
        ? Object.fromEntries([...data.keys()].map((name) => [String(name), textAt(data, String(name))]))
        : {}
    const count = Number(given['SHARD_COUNT'])
    expect(fieldAt(shards, 'spec', 'completions')).toEqual(count)
    const bin = join(at.fleet.root, 'bin')
    writeFileSync(join(bin, 'node'), `#!/bin/sh\n[ "$1" = /app/dist/main.js ] || exit 9\nshift\nexec stackmason "$@"\n`)
    chmodSync(join(bin, 'node'), 0o755)
    const settled = {
      ...given,
      FLEET_URL: at.fleet.url,
      SHARDS: join(at.fleet.root, 'shards'),
      GIT_CONFIG_VALUE_0: `store --file=${join(at.fleet.root, 'credentials')}`,
    }
    writeFileSync(
      join(at.fleet.root, 'credentials'),
      `${at.fleet.url.replace('//', `//${credentials.username}:${credentials.password}@`)}\n`,
    )
    let pods = 0
    const pod = (): string => {
      const folder = join(at.fleet.root, `pod-${String(++pods)}`)
      mkdirSync(folder)
      return folder
    }
    const renderAll = async (FLEET_COMMIT: string): Promise<readonly unknown[]> => {
      const ended = await allAtOnce(
        at,
        Array.from({ length: count }, (_, index) => ({
          script: script(shards),
          folder: pod(),
          variables: { ...settled, FLEET_COMMIT, JOB_COMPLETION_INDEX: String(index) },
        })),
      )
      return ended.map(({ status, output }) => [status, output.includes('Rendered shard')])
    }
    const joinAll = (FLEET_COMMIT: string): Promise<Ended> =>
      at.run(script(joined), pod(), { ...settled, FLEET_COMMIT })
    const rendered = Array.from({ length: count }, () => [0, true])
    expect(await renderAll(commit)).toEqual(rendered)
    expect(await joinAll(commit)).toMatchObject({ status: 0 })
    expect((await at.run('stackmason render --quiet', author.folder, {})).status).toBe(0)
    const plain = author.filesBelow('rendered').filter((path) => !path.startsWith('.stackmason/'))
    const { git } = at.fleet.repository
    expect(git(['ls-tree', '-r', '--name-only', 'rendered:rendered']).split('\n').sort()).toEqual(plain)
    for (const path of plain)
      expect(git(['show', `rendered:rendered/${path}`])).toBe(author.read(`rendered/${path}`).trim())
    // a Pod that is started again finds nothing in its way
    expect(await joinAll(commit)).toMatchObject({ status: 0 })
    expect(git(['rev-parse', 'rendered^'])).toBe(commit)

    // an upgrade takes its steps one by one, from the tree that the branch has
    const state = (): unknown =>
      ['cluster/cluster-one.yaml', 'addons/01-web/configmap-web.yaml'].map((path) =>
        /(?<= {4}class: |message: ).*/.exec(git(['show', `rendered:rendered/clusters/team/one/${path}`]))?.at(0),
      )
    author.remove('rendered')
    author.edit('stackmason.yaml', 'version: v1', 'version: v2')
    author.edit('stacks/lab.yaml', '[v1]', '[v2]')
    author.edit(lab.cluster, 'docker-lab-1-34-v1', 'docker-lab-1-34-v2')
    author.write(lab.defaults, 'message: two\n')
    const next = await at.fleet.push()
    const seen: unknown[] = []
    for (const run of [1, 2, 3, 4]) {
      expect(await renderAll(next)).toEqual(rendered)
      for (const again of [1, 2]) expect([run, again, await joinAll(next)]).toMatchObject([run, again, { status: 0 }])
      seen.push([state(), git(['rev-list', '--count', '--first-parent', `${commit}..rendered`])])
    }
    const [before, after] = [
      ['docker-lab-1-34-v1', 'two'],
      ['docker-lab-1-34-v2', 'two'],
    ]
    // the old stack leaves the tree last, and then nothing is left to do
    expect(seen).toEqual([
      [before, '2'],
      [after, '3'],
      [after, '4'],
      [after, '4'],
    ])
    expect(git(['rev-parse', 'rendered^2'])).toBe(next)
  })

  it.runIf(hasKube())('is taken by a real API server', async () => {
    const kube = await startKube()
    onTestFinished(() => kube.close())
    const objects = documents.map((document) => JSON.parse(JSON.stringify(toPlain(document))))
    expect(refusals(await kube.apply(objects))).toEqual([])
  })
})

describe('.pre-commit-hooks.yaml', { timeout: 120_000 }, () => {
  it('holds back a commit with a mistake, and lets a good one pass', async () => {
    const at = await place(startGitHubForge, 'github')
    const { author } = at.fleet
    const hooks = parsed('.pre-commit-hooks.yaml')
    const entries = (Array.isArray(hooks) ? hooks : []).map((hook) => textAt(hook, 'entry'))
    expect(entries).toEqual(['stackmason render --quiet', 'stackmason check --quiet'])
    // a hook that changes files fails in pre-commit
    const script = entries.map((entry) => `${entry}\ngit diff --quiet\n`).join('')
    author.write('.git/hooks/pre-commit', `#!/bin/sh\nset -e\n${script}`)
    chmodSync(author.path('.git/hooks/pre-commit'), 0o755)
    author.write(lab.cluster, labCluster(['variables: [{name: nope, value: 1}]']))
    const commit = 'git add -A && git -c user.name=A -c user.email=a@example.org commit -q -m Change'
    const before = author.git('rev-parse', 'HEAD')
    const bad = await at.run(commit, author.folder, {})
    expect({ status: bad.status, has: bad.output.includes('CLASS_VARIABLE_UNKNOWN') }).toEqual({ status: 1, has: true })
    expect(author.git('rev-parse', 'HEAD')).toBe(before)
    author.write(lab.cluster, labCluster())
    author.write(lab.values, 'message: two\n')
    // rendering changes files: they are added, and the commit tried again
    expect((await at.run(commit, author.folder, {})).status).toBe(1)
    expect(await at.run(commit, author.folder, {})).toEqual({ status: 0, output: '' })
    expect(author.git('rev-parse', 'HEAD~1')).toBe(before)
  })
})

it.each(['ci/github.yml', 'ci/github-committed.yml', 'ci/github-shards.yml'])('%s serves merge queues', (path) => {
  expect(read(path)).toMatch(/^on:\n(?: .*\n)*? {2}merge_group:\n/m)
})

it.each([
  ['action.yml', ['fetch', 'check', 'fetch', 'publish']],
  ['ci/gitlab.yml', ['fetch', 'check', 'fetch', 'publish']],
  ['ci/forgejo.yml', ['fetch', 'check', 'fetch', 'publish']],
  ['ci/github-committed.yml', ['fetch', 'render']],
  ['ci/gitlab-committed.yml', ['fetch', 'render', 'check']],
  ['ci/github-shards.yml', ['fetch', 'render', 'fetch', 'render']],
  ['ci/kubernetes-shards.yaml', ['fetch', 'render', 'fetch', 'render']],
] as const)('%s fetches charts before it renders', (path, commands) => {
  const started = read(path).matchAll(/(?:npx --yes "?stackmason@\S+|node \/app\/dist\/main\.js) (\w+)/g)
  expect([...started].map(([, command]) => command)).toEqual(commands)
})

it.each([
  'ci/github.yml',
  'ci/gitlab.yml',
  'ci/forgejo.yml',
  'ci/github-committed.yml',
  'ci/gitlab-committed.yml',
  'ci/github-shards.yml',
  'ci/kubernetes-shards.yaml',
])('the page about CI shows %s', (path) => {
  const lines = read('docs/32-ci.md')
  expect(lines).toContain(`<!-- ${path} -->\n\n\`\`\`yaml\n${read(path)}\`\`\``)
  const { version } = JSON.parse(read('package.json'))
  expect(read(path)).toContain(version)
})

it('the page about CI lists inputs and outputs of the action', () => {
  const action = parsed('action.yml')
  const rows = read('docs/32-ci.md')
  for (const kind of ['inputs', 'outputs']) {
    const fields = fieldAt(action, kind)
    expect(fields instanceof Dict).toBe(true)
    for (const name of fields instanceof Dict ? fields.keys() : [])
      expect(rows).toMatch(new RegExp(`^\\| \`${String(name)}\` +\\|`, 'm'))
  }
})
