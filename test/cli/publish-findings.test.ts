import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { lab, labCluster, labFleet } from '../../tools/fleets/lab-fleet.ts'
import { portsWith } from '../../tools/fleets/published-fleet.ts'
import { commitOf, type ForgeServer, forgeTokens, hold } from '../../tools/servers/forge-state.ts'
import { startGitHubForge } from '../../tools/servers/github-forge.ts'
import { startGitLabForge } from '../../tools/servers/gitlab-forge.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type CliRun, runCli } from './run-cli.ts'

const head = 'feature'
const commit = commitOf(head)

interface Place<Server> {
  readonly forge: Server
  readonly clone: FleetFolder
  readonly check: (
    variables?: Readonly<Record<string, string>>,
    words?: readonly string[],
    environment?: Readonly<Record<string, string>>,
  ) => Promise<CliRun>
}

/** A checkout of somebody's branch, as a step of CI has it, and the forge that the step knows of. */
async function checkout<Server extends ForgeServer>(
  start: () => Promise<Server>,
  {
    publish = '}',
    variables,
  }: { readonly publish?: string; readonly variables: (url: string) => Record<string, string> },
): Promise<Place<Server>> {
  const forge = await start()
  onTestFinished(() => forge.close())
  forge.state.branches.set(head, commit)
  hold(forge.state, { title: 'Mine', body: '', head, base: 'main', isDraft: false })
  const root = await tempFolder()
  const clone = labFleet(join(root, 'fleet'), [`publish: {forge: {plainHttp: true${publish}}`])
  clone.write(lab.cluster, labCluster(['variables: [{name: nope, value: 1}]']))
  clone.write(lab.values, '"@ada, fixes #1": two\n')
  clone.git('init', '--quiet', '--initial-branch=main')
  clone.git('remote', 'add', 'origin', `${forge.url}/acme/fleet.git`)
  clone.commit('The fleet')
  const event = join(root, 'event.json')
  const side = (ref: string, sha: string): object => ({ ref, sha, repo: { full_name: 'acme/fleet' } })
  writeFileSync(
    event,
    JSON.stringify({ pull_request: { number: 1, head: side(head, commit), base: side('main', '') } }),
  )
  const ports = (more: Readonly<Record<string, string>>): ReturnType<typeof portsWith> =>
    portsWith({ ...variables(forge.url), GITHUB_EVENT_PATH: event, ...more })
  return {
    forge,
    clone,
    check: (more = {}, words = [], environment = {}) =>
      runCli(['check', '--quiet', '--publish-findings', ...words], {
        cwd: clone.folder,
        ports: ports(more),
        environment,
      }),
  }
}

const github = (url: string): Record<string, string> => ({
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  GITHUB_SERVER_URL: url,
  GITHUB_REPOSITORY: 'acme/fleet',
  GITHUB_RUN_ID: '12',
  GITHUB_EVENT_NAME: 'pull_request',
  GITHUB_REF: 'refs/pull/1/merge',
  // what it would be merged to, which nobody looks at
  GITHUB_SHA: commitOf('merged'),
  GITHUB_TOKEN: forgeTokens.write,
})
const gitlab = (url: string): Record<string, string> => ({
  GITLAB_CI: 'true',
  CI_SERVER_URL: url,
  CI_MERGE_REQUEST_IID: '1',
  CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: head,
  CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
  CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '1',
  CI_MERGE_REQUEST_PROJECT_ID: '1',
  CI_COMMIT_SHA: commit,
  GITLAB_TOKEN: forgeTokens.write,
})

/** What people see beside the pull request. */
function comments({ state }: ForgeServer): readonly string[] {
  return state.pullRequests.flatMap((one) => one.comments.map(({ body }) => body))
}

describe('check --publish-findings on GitHub', () => {
  it('writes a check run with the findings at their lines, once, and anew when they change', async () => {
    const { forge, clone, check } = await checkout(startGitHubForge, { variables: github })
    expect((await check()).status).toBe(1)
    expect(forge.checkRuns).toHaveLength(1)
    expect(forge.checkRuns[0]).toMatchObject({
      name: 'stackmason/lab',
      commit,
      conclusion: 'failure',
      title: '1 error, 1 warning',
      annotations: [
        {
          path: 'clusters/team/one/cluster.yaml',
          start_line: 8,
          end_line: 8,
          annotation_level: 'failure',
          title: 'CLASS_VARIABLE_UNKNOWN',
          message:
            'class docker-lab-1-34-v1 has no variable "nope" (cluster team/one)\nIts variables are: imageRepository, replicas, network.',
        },
        { path: 'clusters/team/one/values/web.yaml', start_line: 1, annotation_level: 'warning' },
      ],
    })
    expect(forge.checkRuns[0]?.summary).toContain(`/blob/${commit}/clusters/team/one/cluster.yaml#L8`)
    // another run of the same commit
    await check({ GITHUB_RUN_ID: '13' })
    expect(forge.checkRuns).toHaveLength(1)
    clone.write(lab.cluster, labCluster())
    clone.write(lab.values, 'message: two\n')
    expect((await check()).status).toBe(0)
    expect(forge.checkRuns.map((run) => run.conclusion)).toEqual(['failure', 'success'])
    expect(comments(forge)).toEqual([])
    expect(forge.problems).toEqual([])
  })

  it('writes no secret', async () => {
    const { forge, clone, check } = await checkout(startGitHubForge, { variables: github })
    clone.write(lab.cluster, labCluster([`variables: [{name: ${forgeTokens.write}, value: 1}]`]))
    const environment = { GITHUB_TOKEN: forgeTokens.write }
    expect((await check({}, [], environment)).stdout).toContain('CLASS_VARIABLE_UNKNOWN')
    expect(JSON.stringify(forge.checkRuns)).toContain('has no variable')
    expect(JSON.stringify(forge.checkRuns)).not.toContain(forgeTokens.write)
  })

  it('keeps one comment where the token may write no check run, and empties it', async () => {
    const { forge, clone, check } = await checkout(() => startGitHubForge({ isApp: false }), { variables: github })
    await check()
    const [comment = ''] = comments(forge)
    expect(comment).toMatch(/^<!-- stackmason:findings stackmason\/lab -->\n## ❌ stackmason check of lab: failed\n/)
    expect(comment).toContain(String.raw`CLASS\_VARIABLE\_UNKNOWN`)
    // nobody is told, and nothing closed
    expect(comment).not.toMatch(/@ada|#1\b/)
    await check()
    expect(comments(forge)).toEqual([comment])
    expect(forge.state.statuses).toHaveLength(1)
    clone.write(lab.cluster, labCluster())
    clone.write(lab.values, 'message: two\n')
    await check()
    expect(comments(forge)).toEqual([
      '<!-- stackmason:findings stackmason/lab -->\n## ✅ stackmason check of lab: passed\n\nNothing found.\n',
    ])
    expect(forge.state.statuses.map(({ state, text }) => `${state}: ${text}`)).toEqual([
      'failure: 1 error, 1 warning (no base)',
      'success: Nothing found (no base)',
    ])
  })

  it('comments where the fleet asks for it, and is silent where it asks for that', async () => {
    const spoken = await checkout(startGitHubForge, { variables: github, publish: '}, findings: comment' })
    await spoken.check()
    expect([spoken.forge.checkRuns.length, comments(spoken.forge).length]).toEqual([0, 1])
    const silent = await checkout(startGitHubForge, { variables: github, publish: '}, findings: none' })
    expect((await silent.check()).status).toBe(1)
    expect([silent.forge.checkRuns.length, comments(silent.forge).length]).toEqual([0, 0])
  })

  it('says why nothing was written, and ends as the check does', async () => {
    const { forge, clone, check } = await checkout(startGitHubForge, { variables: github })
    clone.write(lab.cluster, labCluster())
    const run = await check({ GITHUB_TOKEN: forgeTokens.read })
    expect(run.status).toBe(0)
    expect(run.stdout).toContain('warning PUBLISH_PERMISSION')
    expect(run.stdout + run.stderr).not.toContain(forgeTokens.read)
    expect(forge.state.statuses).toEqual([])
    clone.write(lab.values, 'message: two\n')
    const cwd = clone.folder
    const away = await runCli(['check', '--publish-findings', '--fail-on=warning'], { cwd, ports: portsWith() })
    expect(away.status).toBe(0)
    expect(away.stdout).toContain('warning PUBLISH_NO_FORGE this is no run of CI')
    const offline = ['check', '--offline', '--publish-findings']
    expect((await runCli(offline, { cwd, ports: portsWith() })).status).toBe(2)
  })
})

describe('check --publish-findings of what is not the whole fleet', () => {
  it('has a name of its own for a part, which leaves that of the fleet as it is', async () => {
    const { forge, check } = await checkout(startGitHubForge, { variables: github })
    await check()
    await check({}, ['--cluster', 'team/one', '--fail-on', 'never'])
    await check({}, ['--stack', 'team/lab', '--fail-on', 'never'])
    expect(forge.checkRuns.map(({ name, conclusion }) => `${name} ${conclusion ?? ''}`)).toEqual([
      'stackmason/lab failure',
      'stackmason/lab/team/one success',
      'stackmason/lab/stack:team/lab success',
    ])
  })

  it.each([
    { name: 'a cluster', words: ['--cluster', 'team/one'], part: 'team/one' },
    { name: 'a cluster without its namespace', words: ['--cluster', 'one'], part: 'team/one' },
    {
      name: 'a cluster twice',
      words: ['--cluster', 'one', '--cluster=team/one', '--cluster', 'one'],
      part: 'team/one',
    },
    { name: 'clusters', words: ['--cluster', 'two', '--cluster', 'one'], part: 'a/two+b/two+team/one' },
    {
      name: 'the same in another order',
      words: ['--cluster=one', '--cluster=b/two', '--cluster=a/two'],
      part: 'a/two+b/two+team/one',
    },
    { name: 'a stack', words: ['--stack', 'lab'], part: 'stack:team/lab' },
    { name: 'a stack twice', words: ['--stack', 'team/lab', '--stack', 'lab'], part: 'stack:team/lab' },
    { name: 'both', words: ['--stack', 'lab', '--cluster', 'one'], part: 'stack:team/lab+team/one' },
  ])('has one name for a part, however it is asked for: $name', async ({ words, part }) => {
    const { forge, clone, check } = await checkout(startGitHubForge, { variables: github })
    for (const namespace of ['a', 'b']) {
      const other = labCluster().replace('name: one', 'name: two').replace('namespace: team', `namespace: ${namespace}`)
      clone.write(`clusters/${namespace}/two/cluster.yaml`, other)
    }
    await check({}, words)
    // where nothing can be judged, too
    clone.write(lab.values, 'message: [\n')
    clone.write('stackmason.yaml', clone.read('stackmason.yaml').replace('spec:', 'spec:\n  nope: 1'))
    await check({}, words)
    expect(forge.checkRuns.map(({ name, title }) => `${name} ${/^Incomplete/.exec(title)?.[0] ?? ''}`)).toEqual([
      expect.stringMatching(new RegExp(`^stackmason/lab/${part.replaceAll('+', '\\+')} `)),
      `stackmason/lab/${part} Incomplete`,
    ])
  })

  it('leaves what a check against a base has said, where it has none, and replaces its own', async () => {
    for (const isApp of [true, false]) {
      const { forge, clone, check } = await checkout(() => startGitHubForge({ isApp }), { variables: github })
      clone.write(lab.cluster, labCluster())
      clone.write(lab.values, 'message: two\n')
      await runCli(['render'], { cwd: clone.folder, ports: portsWith() })
      clone.commit('Render it')
      clone.git('rm', '-r', '--quiet', 'clusters', 'rendered/clusters')
      clone.commit('Remove it')
      const verdicts = (): readonly string[] =>
        isApp
          ? forge.checkRuns.map(({ conclusion }) => conclusion ?? '')
          : forge.state.statuses.map(({ state, text }) => `${state} ${text}`)
      const statuses: number[] = []
      for (const words of [[], ['--base', 'HEAD~1'], [], ['--base', 'HEAD'], ['--fail-on', 'never']])
        statuses.push((await check({}, words)).status)
      expect(statuses).toEqual([0, 1, 0, 0, 0])
      const last = isApp ? 'failure' : 'failure 1 error'
      expect(verdicts()).toEqual([isApp ? 'success' : 'success Nothing found (no base)', last])
      clone.write(lab.cluster, labCluster(['variables: [{name: nope, value: 1}]']))
      await check({}, ['--base', 'HEAD'])
      expect(verdicts().at(-1)).toBe(last)
      await runCli(['render'], { cwd: clone.folder, ports: portsWith() })
      clone.write(lab.cluster, labCluster())
      await check({}, ['--base', 'HEAD~1'])
      // what passes against a base is made worse by whatever fails
      expect(verdicts().at(-1)).toBe(isApp ? 'success' : 'success Nothing found')
      clone.write(lab.cluster, labCluster(['variables: [{name: nope, value: 1}]']))
      await check()
      expect(verdicts().at(-1)).toBe(isApp ? 'failure' : 'failure 1 error (no base)')
    }
  })

  it('keeps what a stricter run has failed on the same commit', async () => {
    for (const isApp of [true, false]) {
      const { forge, clone, check } = await checkout(() => startGitHubForge({ isApp }), { variables: github })
      const verdicts = (): readonly string[] =>
        isApp
          ? forge.checkRuns.map(({ conclusion }) => conclusion ?? '')
          : forge.state.statuses.map(({ state, text }) => `${state} ${text}`)
      clone.write(lab.cluster, labCluster())
      await check({}, ['--fail-on', 'never'])
      await check({}, ['--fail-on', 'warning'])
      await check()
      await check({}, ['--fail-on', 'never'])
      const red = isApp ? 'failure' : 'failure 1 warning (no base, fails on warnings)'
      expect(verdicts()).toEqual([isApp ? 'success' : 'success 1 warning (no base, fails on nothing)', red])
      clone.write(lab.values, 'message: two\n')
      await check()
      expect(verdicts().at(-1)).toBe(red)
      await check({}, ['--fail-on=warning'])
      expect(verdicts().at(-1)).toBe(isApp ? 'success' : 'success Nothing found (no base, fails on warnings)')
    }
  })

  it('has a name for each folder of a repository: fleets may have one name', async () => {
    const { forge, clone, check } = await checkout(() => startGitHubForge({ isApp: false }), { variables: github })
    clone.write('fleets/a/README.md', '')
    clone.git(
      'mv',
      ...new Set(
        clone
          .git('ls-files')
          .split('\n')
          .map((path) => path.split('/')[0] ?? ''),
      ),
      'fleets/a',
    )
    await check({}, ['--fleet', 'fleets/a'])
    await check({}, ['--fleet', 'fleets/a', '--cluster', 'one'])
    expect(forge.state.statuses.map(({ context }) => context)).toEqual([
      'stackmason/lab@fleets/a',
      'stackmason/lab/team/one@fleets/a',
    ])
    expect(comments(forge).map((text) => text.split('\n')[0])).toEqual([
      '<!-- stackmason:findings stackmason/lab@fleets/a -->',
      '<!-- stackmason:findings stackmason/lab/team/one@fleets/a -->',
    ])
  })

  it('is named by the prefix of its branches, which tells fleets of one name apart', async () => {
    const { forge, check } = await checkout(() => startGitHubForge({ isApp: false }), {
      variables: github,
      publish: '}, branchPrefix: b-',
    })
    await check()
    expect(forge.state.statuses.map(({ context }) => context)).toEqual(['b-lab'])
    expect(comments(forge)[0]).toMatch(/^<!-- stackmason:findings b-lab -->\n/)
  })

  it.each([
    { name: 'settings that cannot be read', path: 'stackmason.yaml', from: 'spec:', to: 'spec:\n  nope: 1' },
    { name: 'settings that are no YAML', path: 'stackmason.yaml', from: 'spec:', to: 'spec: [' },
    {
      name: 'another version of the program',
      path: 'stackmason.yaml',
      from: 'spec:',
      to: 'spec:\n  requiredVersion: ~99.9.0',
    },
    { name: 'a lock that is none', path: 'stackmason.lock', from: '', to: 'kind: Lock\n' },
  ])('says that nothing could be judged: $name', async ({ path, from, to }) => {
    const { forge, clone, check } = await checkout(startGitHubForge, {
      variables: github,
      publish: '}, findings: comment',
    })
    await check()
    forge.state.statuses.length = 0
    clone.write(path, (from === '' ? '' : clone.read(path)).replace(from, to) || to)
    clone.commit('Break it')
    const run = await check({}, ['--base', 'HEAD~1'])
    expect(run.status).toBe(1)
    expect(forge.state.statuses.map(({ context, state }) => `${context} ${state}`)).toEqual(['stackmason/lab failure'])
    expect(comments(forge)).toEqual([
      expect.stringMatching(/^<!-- stackmason:findings stackmason\/lab -->\n## ❌ stackmason check of lab: /),
    ])
    // each is said once
    const lines = run.stdout.split('\n').filter((line) => /^(?:error|warning) /.test(line))
    expect(lines).toEqual([...new Set(lines)].filter((line) => line.startsWith('error')))
  })
})

it('check --publish-findings on GitLab keeps a status and one note', async () => {
  const { forge, check } = await checkout(startGitLabForge, {
    variables: gitlab,
    publish: ', kind: gitlab}',
  })
  await check()
  await check()
  expect(comments(forge)).toHaveLength(1)
  expect(forge.state.statuses.map(({ context, state }) => `${context} ${state}`)).toEqual(['stackmason/lab failed'])
  expect(forge.problems).toEqual([])
})
