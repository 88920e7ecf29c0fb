import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { lab, labCluster } from '../../tools/fleets/lab-fleet.ts'
import {
  portsWith,
  type PublishedFleet,
  publishFrom,
  runGit,
  servePublishedFleet,
} from '../../tools/fleets/published-fleet.ts'
import { setGitIdentity } from '../support/git-identity.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type FakeForge, fakeForge } from './fake-forge.ts'

setGitIdentity()

const main = 'stackmason/lab/main'

interface Place extends FakeForge {
  readonly fleet: PublishedFleet
  readonly run: (mode?: 'act' | 'plan') => ReturnType<typeof publishFrom>
  /** Groups and what was done about each, in order. */
  readonly ended: () => Promise<Readonly<Record<string, string>>>
  /** Merges pull requests as a forge does, and closes them. */
  readonly merge: (...heads: readonly string[]) => void
  readonly group: (grouping: string, from: string) => Promise<void>
}

const flux = 'flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}}'
const argocd = 'argocd: {repoURL: "https://git.example.com/fleet.git"}'

async function place(
  grouping: string,
  {
    handoff = flux,
    clusters = ['two', 'three'],
    kind = 'gitea',
  }: { readonly handoff?: string; readonly clusters?: readonly string[]; readonly kind?: string } = {},
): Promise<Place> {
  const spec = [
    `publish: {forge: {kind: ${kind}, plainHttp: true}, pullRequest: {grouping: ${grouping}}}`,
    `handoff: {${handoff}}`,
  ]
  const fleet = await servePublishedFleet(await tempFolder(), { spec })
  onTestFinished(() => fleet.server.close())
  for (const name of clusters) addCluster(fleet.author, name)
  await fleet.push()
  const clone = await fleet.clone('ci')
  const fake = fakeForge((head) => fleet.repository.git(['rev-parse', head]))
  const run: Place['run'] = (mode = 'act') => publishFrom(clone, { mode, openForge: () => Promise.resolve(fake.forge) })
  return {
    ...fake,
    fleet,
    run,
    ended: async () => {
      const { proposals } = await run()
      return Object.fromEntries(
        proposals.map(({ group, status, held, pullRequest }) => [group, held ?? pullRequest?.action ?? status]),
      )
    },
    merge: (...heads) => {
      mergeHere(fleet.author, heads)
      fleet.author.git('push', '-q', 'origin', 'HEAD:main')
      for (const head of heads) {
        const found = fake.pullRequests.find((one) => one.head === head && one.state === 'open')
        if (found === undefined) throw new Error(`no pull request of ${head} is open`)
        fake.edit({ state: 'merged' }, found.number)
        fleet.repository.git(['update-ref', '-d', `refs/heads/${head}`])
      }
    },
    group: async (to, from) => {
      fleet.author.edit('stackmason.yaml', `grouping: ${from}`, `grouping: ${to}`)
      await fleet.push()
      await runGit(clone.folder, ['pull', '-q', 'origin', 'main'])
    },
  }
}

function addCluster(author: FleetFolder, name: string, namespace = 'team'): void {
  const text = labCluster().replace('name: one', `name: ${name}`).replace('namespace: team', `namespace: ${namespace}`)
  author.write(`clusters/${namespace}/${name}/cluster.yaml`, text)
}

/** Offers the release of the lab to clusters of another namespace. */
function addNamespace(author: FleetFolder, namespace: string): void {
  const [file = ''] = author.filesBelow('stacks')
  author.write(
    `stacks/${namespace}.yaml`,
    author.read(`stacks/${file}`).replace('namespace: team', `namespace: ${namespace}`),
  )
}

/** Merges branches of the remote into what is checked out. */
function mergeHere(author: FleetFolder, heads: readonly string[]): void {
  author.git('fetch', '-q', 'origin')
  for (const head of heads) author.git('merge', '-q', '--no-edit', `origin/${head}`)
}

/** Names in lists of the tree that stand for nothing. */
function danglingNames(author: FleetFolder): readonly string[] {
  return author
    .filesBelow('rendered')
    .filter((path) => path.endsWith('/kustomization.yaml'))
    .flatMap((path) => {
      const resources = author.read(join('rendered', path)).split('resources:\n')[1] ?? ''
      const names = [...resources.matchAll(/^- (\S+)$/gm)].map(([, name = '']) => join(dirname(path), name))
      return names.filter((name) => !author.has(join('rendered', name)))
    })
}

function permutations<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length < 2) return [items]
  return items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]))
}

describe('pull requests of clusters', () => {
  it('make the same valid tree, whichever are merged, in whichever order', { timeout: 180_000 }, async () => {
    const { fleet, ended, merge } = await place('cluster')
    expect(await ended()).toEqual({ shared: 'create' })
    merge(`${main}--shared`)
    expect(await ended()).toEqual({})
    const { author } = fleet
    author.write('clusters/team/one/values/web.yaml', 'message: first\n')
    author.write('clusters/team/two/values/web.yaml', 'message: second\n')
    addCluster(author, 'four')
    await fleet.push()
    expect(await ended()).toEqual({ shared: 'create', 'cluster/team/one': 'create', 'cluster/team/two': 'create' })
    const clusters = new Map([
      [`${main}--shared`, 'team/four'],
      [`${main}--cluster.team.one`, 'team/one'],
      [`${main}--cluster.team.two`, 'team/two'],
    ])
    const trees = new Map<string, string>()
    for (const order of permutations([...clusters.keys()])) {
      author.git('checkout', '-q', '--detach', 'origin/main')
      for (const [index, head] of order.entries()) {
        mergeHere(author, [head])
        const merged = order.slice(0, index + 1).sort()
        const tree = author.git('rev-parse', 'HEAD^{tree}')
        expect(tree).toBe(trees.get(merged.join()) ?? tree)
        if (trees.has(merged.join())) continue
        trees.set(merged.join(), tree)
        expect(danglingNames(author)).toEqual([])
        const current = merged.map((one) => clusters.get(one) ?? '')
        expect((await author.render({ check: true, clusters: current })).changes).toEqual([])
      }
    }
    expect(trees.size).toBe(7)
    author.git('checkout', '-q', '--detach', [...clusters.keys()].map((head) => `origin/${head}`)[0] ?? '')
    mergeHere(author, [...clusters.keys()])
    expect((await author.render({ check: true })).changes).toEqual([])
  })

  it('are left alone while nothing of theirs changes, and closed when nothing is left or the grouping is another', async () => {
    const { fleet, ended, merge, group, pullRequests, writes } = await place('cluster')
    await ended()
    merge(`${main}--shared`)
    const { author } = fleet
    author.git('checkout', '-q', '-B', 'main', 'origin/main')
    author.write('clusters/team/one/values/web.yaml', 'message: first\n')
    author.write('clusters/team/two/values/web.yaml', 'message: second\n')
    await fleet.push()
    writes.splice(0)
    expect(await ended()).toEqual({ 'cluster/team/one': 'create', 'cluster/team/two': 'create' })
    expect(writes.splice(0)).toEqual([
      `create ${main}--cluster.team.one into main`,
      `create ${main}--cluster.team.two into main`,
    ])
    expect(pullRequests.slice(1).map(({ title }) => title)).toEqual([
      'lab team/one: changes addon web on team/one',
      'lab team/two: changes addon web on team/two',
    ])
    expect(pullRequests[1]?.body).toContain('render --check --cluster team/one')
    expect(pullRequests[1]?.body).not.toContain('team/two')
    expect(await ended()).toEqual({ 'cluster/team/one': 'leave', 'cluster/team/two': 'leave' })
    expect(writes).toEqual([])
    merge(`${main}--cluster.team.one`)
    expect(await ended()).toEqual({ 'cluster/team/two': 'leave' })
    author.git('checkout', '-q', '-B', 'main', 'origin/main')
    author.write('clusters/team/two/values/web.yaml', 'message: hello\n')
    await fleet.push()
    expect(await ended()).toEqual({ cluster: 'close' })
    author.write('clusters/team/two/values/web.yaml', 'message: third\n')
    await fleet.push()
    expect(await ended()).toEqual({ 'cluster/team/two': 'create' })
    await group('namespace', 'cluster')
    expect(await ended()).toEqual({ 'namespace/team': 'create', cluster: 'close' })
    await group('fleet', 'namespace')
    expect(await ended()).toEqual({ fleet: 'create', namespace: 'close' })
    const { git } = fleet.repository
    expect(git(['for-each-ref', '--format=%(refname:short)'])).toBe(`main\n${main}`)
    expect(writes.filter((write) => write.startsWith('close'))).toEqual(['close 3', 'close 4', 'close 5'])
  })

  it('leave out a cluster that is on hold, and say why', async () => {
    const { fleet, run, ended, merge } = await place('fleet')
    await ended()
    merge(main)
    const { author } = fleet
    author.git('checkout', '-q', '-B', 'main', 'origin/main')
    const hold = 'apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {hold: database until Friday}\n'
    author.write('clusters/team/one/options.yaml', hold)
    author.write(lab.defaults, 'message: all\n')
    await fleet.push()
    const { proposals } = await run()
    expect(proposals.map(({ group, status, held, clusters }) => ({ group, status, held, clusters }))).toEqual([
      { group: 'cluster/team/one', status: 'held', held: 'on hold: database until Friday', clusters: [] },
      { group: 'fleet', status: 'published', held: undefined, clusters: ['team/three', 'team/two'] },
    ])
    merge(main)
    expect(await ended()).toEqual({ 'cluster/team/one': 'on hold: database until Friday' })
    author.git('checkout', '-q', '-B', 'main', 'origin/main')
    author.remove('clusters/team/one/options.yaml')
    await fleet.push()
    expect((await run()).clusters).toEqual(['team/one'])
  })

  it('of a cluster that is put on hold are closed', async () => {
    const { fleet, ended, merge, writes, run } = await place('cluster')
    await ended()
    merge(`${main}--shared`)
    const { author } = fleet
    author.git('checkout', '-q', '-B', 'main', 'origin/main')
    author.write('clusters/team/one/values/web.yaml', 'message: a\n')
    await fleet.push()
    await ended()
    writes.splice(0)
    const hold = 'apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {hold: database until Friday}\n'
    author.write('clusters/team/one/options.yaml', hold)
    await fleet.push()
    const { proposals } = await run()
    const of = proposals.filter(({ head }) => head === `${main}--cluster.team.one`)
    expect(of.map(({ held, pullRequest }) => held ?? pullRequest?.action)).toEqual([
      'on hold: database until Friday',
      'close',
    ])
    expect(writes.filter((write) => write.startsWith('close'))).toHaveLength(1)
    const branches = fleet.repository.git(['for-each-ref', '--format=%(refname:short)']).split('\n')
    expect(branches).not.toContain(`${main}--cluster.team.one`)
  })

  it('are opened within the schedule and up to the limit, and say what waits', async () => {
    const { fleet, forge, merge, ended, writes } = await place('cluster')
    await ended()
    merge(`${main}--shared`)
    const { author } = fleet
    author.git('checkout', '-q', '-B', 'main', 'origin/main')
    const clone = await fleet.clone('limited')
    const publishWith = async (spec: string, now: string): Promise<Readonly<Record<string, string>>> => {
      author.write(
        'stackmason.yaml',
        author.read('stackmason.yaml').replace(/publish: \{.*(?=forge:)/, `publish: {${spec}`),
      )
      await fleet.push()
      await runGit(clone.folder, ['pull', '-q', 'origin', 'main'])
      const ports = portsWith()
      const clock = { ...ports.clock, now: () => Date.parse(now) }
      const { proposals } = await publishFrom(clone, { openForge: () => Promise.resolve(forge) }, { ...ports, clock })
      return Object.fromEntries(
        proposals.map(({ group, status, held, pullRequest }) => [group, held ?? pullRequest?.action ?? status]),
      )
    }
    for (const name of ['one', 'two', 'three']) author.write(`clusters/team/${name}/values/web.yaml`, 'message: a\n')
    writes.splice(0)
    const night = 'schedule: [{from: "22:00", to: "04:00", timezone: Europe/Berlin}], '
    const asleep = 'pull requests are opened daily 22:00 to 04:00 Europe/Berlin'
    expect(await publishWith(night, '2026-11-23T12:00:00Z')).toEqual({
      'cluster/team/one': asleep,
      'cluster/team/three': asleep,
      'cluster/team/two': asleep,
    })
    expect(writes).toEqual([])
    expect(fleet.repository.git(['for-each-ref', '--format=%(refname:short)'])).toBe('main')
    const limited = '2 pull requests are open, and spec.publish.limits allows 2'
    const limits = 'limits: {openPullRequests: 2}, '
    expect(await publishWith(limits, '2026-11-23T12:00:00Z')).toEqual({
      'cluster/team/one': 'create',
      'cluster/team/three': 'create',
      'cluster/team/two': limited,
    })
    author.write('clusters/team/one/values/web.yaml', 'message: b\n')
    expect(await publishWith(`${night}${limits}`, '2026-11-23T12:00:00Z')).toEqual({
      'cluster/team/one': 'update',
      'cluster/team/three': 'leave',
      'cluster/team/two': asleep,
    })
    author.write('clusters/team/one/values/web.yaml', 'message: hello\n')
    expect(await publishWith(`${night}${limits}`, '2026-11-23T23:00:00Z')).toEqual({
      'cluster/team/three': 'leave',
      'cluster/team/two': 'create',
      cluster: 'close',
    })
  })
})

describe('branches that are pushed together', { timeout: 180_000 }, () => {
  /** A fleet that is merged, and in which these clusters have just got another value. */
  async function changed(names: readonly string[], options: Parameters<typeof place>[1] = {}): Promise<Place> {
    const at = await place('cluster', options)
    await at.ended()
    at.merge(`${main}--shared`)
    at.fleet.author.git('checkout', '-q', '-B', 'main', 'origin/main')
    for (const name of names) at.fleet.author.write(`clusters/team/${name}/values/web.yaml`, 'message: a\n')
    await at.fleet.push()
    return at
  }

  const headOf = (name: string): string => `${main}--cluster.team.${name}`
  const headsOf = ({ fleet }: Place): readonly string[] =>
    fleet.repository.git(['for-each-ref', '--format=%(refname:short)', 'refs/heads/stackmason']).split('\n')

  function hook({ fleet }: Place, script: string): void {
    const folder = join(fleet.repository.path, 'hooks')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'pre-receive'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }

  it('hold back no other where the server, or the forge, refuses one', async () => {
    const at = await changed(['one', 'two', 'three'])
    const { createPullRequest } = at.forge
    const refusing = {
      ...at,
      run: async (name: string) => {
        const openForge = (): Promise<Place['forge']> =>
          Promise.resolve({
            ...at.forge,
            createPullRequest: (wanted) =>
              wanted.head === headOf('one')
                ? Promise.reject(
                    new StackmasonError({ code: 'PUBLISH_REFUSED', severity: 'error', message: 'no such base' }),
                  )
                : createPullRequest(wanted),
          })
        return publishFrom(await at.fleet.clone(name), { openForge })
      },
    }
    hook(at, `if grep -q ${headOf('three')}; then echo 'GH006: Protected branch' >&2; exit 1; fi`)
    const { status, proposals, findings, pullRequest } = await refusing.run('first')
    expect(findings.map(({ code, severity }) => [code, severity])).toEqual([
      ['PUBLISH_REFUSED', 'error'],
      ['PUBLISH_PROTECTED', 'error'],
    ])
    expect(status).toBe('published')
    expect(pullRequest?.action).toBe('create')
    expect(proposals.map((one) => [one.group, one.status, one.isPushed, one.pullRequest?.action])).toEqual([
      ['cluster/team/one', 'refused', true, undefined],
      ['cluster/team/three', 'refused', false, undefined],
      ['cluster/team/two', 'published', true, 'create'],
    ])
    expect(headsOf(at)).toEqual([headOf('one'), headOf('two')])
    expect(at.pullRequests.filter(({ state }) => state === 'open').map(({ head }) => head)).toEqual([headOf('two')])
    // with nothing else to do
    const again = await refusing.run('second')
    expect([again.status, again.proposals.map((one) => [one.status, one.pullRequest?.action])]).toEqual([
      'refused',
      [
        ['refused', undefined],
        ['refused', undefined],
        ['current', 'leave'],
      ],
    ])
    hook(at, 'exit 0')
    expect(await at.ended()).toEqual({
      'cluster/team/one': 'create',
      'cluster/team/three': 'create',
      'cluster/team/two': 'leave',
    })
    // nobody pushes what is there, also where something else was merged since
    const commits = (): readonly string[] => headsOf(at).map((head) => at.fleet.repository.git(['rev-parse', head]))
    const before = commits()
    expect(Object.values(await at.ended())).toEqual(['leave', 'leave', 'leave'])
    expect(commits()).toEqual(before)
    at.merge(headOf('one'))
    expect(await at.ended()).toEqual({ 'cluster/team/three': 'leave', 'cluster/team/two': 'leave' })
    expect(commits()).toEqual(before.slice(1))
    // an open one that cannot be moved stays, and is named
    at.fleet.author.write('clusters/team/three/values/web.yaml', 'message: c\n')
    await at.fleet.push()
    hook(at, `if grep -q ${headOf('three')}; then echo 'GH006: Protected branch' >&2; exit 1; fi`)
    const [three] = (await at.run()).proposals
    expect([three?.status, three?.isPushed, three?.pullRequest?.action]).toEqual(['refused', false, 'leave'])
    expect(three?.findings.map(({ code }) => code)).toEqual(['PUBLISH_PROTECTED'])
  })

  it('are told as they are where the forge refuses what belongs to a pull request, or to close one', async () => {
    const at = await changed(['one', 'two'])
    const { author } = at.fleet
    author.edit('stackmason.yaml', 'grouping: cluster', 'grouping: cluster, labels: [bot]')
    await at.fleet.push()
    const refuse = (): Promise<never> =>
      Promise.reject(new StackmasonError({ code: 'PUBLISH_REFUSED', severity: 'error', message: 'not so' }))
    const refusing = async (name: string, refused: Partial<Place['forge']>): ReturnType<typeof publishFrom> =>
      publishFrom(await at.fleet.clone(name), { openForge: () => Promise.resolve({ ...at.forge, ...refused }) })
    const ends = ({ proposals }: Awaited<ReturnType<typeof publishFrom>>): unknown =>
      proposals.map(({ group, status, pullRequest }) => [group, status, pullRequest?.action])
    const first = await refusing('labels', { addLabels: refuse })
    expect(ends(first)).toEqual([
      ['cluster/team/one', 'published', 'create'],
      ['cluster/team/two', 'published', 'create'],
    ])
    expect(first.findings.map(({ code, severity }) => [code, severity])).toEqual([['PUBLISH_REFUSED', 'error']])
    author.remove('clusters/team/one/values/web.yaml')
    author.write('clusters/team/two/values/web.yaml', 'message: b\n')
    await at.fleet.push()
    const second = await refusing('close', { closePullRequest: refuse })
    expect(ends(second)).toEqual([
      ['cluster/team/two', 'published', 'update'],
      ['cluster', 'refused', 'leave'],
    ])
    expect(second.findings.map(({ code }) => code)).toEqual(['PUBLISH_REFUSED'])
    expect(headsOf(at)).toEqual([headOf('one'), headOf('two')])
    expect(ends(await refusing('end', {}))).toEqual([
      ['cluster/team/two', 'current', 'leave'],
      ['cluster', 'published', 'close'],
    ])
    expect(headsOf(at)).toEqual([headOf('two')])
  })

  it('say which branch the server keeps that nothing is left on, and try again', async () => {
    const at = await changed(['one'])
    await at.ended()
    at.fleet.author.write('clusters/team/one/values/web.yaml', 'message: hello\n')
    await at.fleet.push()
    hook(at, `if grep -q ' 0000000'; then echo 'GH006: Protected branch' >&2; exit 1; fi`)
    const closed = await at.run()
    const told = closed.findings.map(({ code, severity, message }) => [code, severity, message])
    const message = `branch ${headOf('one')} is not deleted, although nothing is left to propose on it: branch ${headOf('one')} is protected`
    expect(told).toEqual([['PUBLISH_BRANCH_KEPT', 'warning', expect.stringContaining(message)]])
    expect(closed.proposals).toMatchObject([{ status: 'published', pullRequest: { action: 'close' } }])
    expect(closed.proposals[0]?.isBranchGone).toBeUndefined()
    expect((await at.run()).findings.map(({ code }) => code)).toEqual(['PUBLISH_BRANCH_KEPT'])
    hook(at, 'exit 0')
    const gone = await at.run()
    expect([gone.findings, gone.proposals.map(({ isBranchGone }) => isBranchGone)]).toEqual([[], [true]])
  })

  it('tell what they had done where an error ends the run, and the next run does the rest', async () => {
    const at = await changed(['one', 'two', 'three'])
    const { createPullRequest } = at.forge
    const lost = new StackmasonError({ code: 'FETCH_FAILED', severity: 'error', message: 'the network is gone' })
    const losing = {
      ...at.forge,
      createPullRequest: (wanted: Parameters<typeof createPullRequest>[0]) =>
        wanted.head === headOf('three') ? Promise.reject(lost) : createPullRequest(wanted),
    }
    const clone = await at.fleet.clone('losing')
    const error = await publishFrom(clone, { openForge: () => Promise.resolve(losing) }).catch(
      (caught: unknown) => caught,
    )
    if (!(error instanceof StackmasonError)) throw new Error('no error for users')
    const commitOf = (name: string): string => at.fleet.repository.git(['rev-parse', headOf(name)]).slice(0, 12)
    const [url] = at.pullRequests.filter(({ head }) => head === headOf('one')).map((one) => one.url)
    const number = url?.split('/').at(-1) ?? ''
    expect(error.message).toBe('the network is gone')
    expect(error.diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
      ['FETCH_FAILED', 'error'],
      ['PUBLISH_UNFINISHED', 'warning'],
    ])
    expect(error.diagnostics[1]?.message).toBe(
      `this run had done a part before it ended: ${['one', 'three', 'two'].map((name) => `branch ${headOf(name)} has commit ${commitOf(name)}; `).join('')}pull request ${number} is opened, ${url ?? ''}`,
    )
    expect(await at.ended()).toEqual({
      'cluster/team/one': 'leave',
      'cluster/team/three': 'create',
      'cluster/team/two': 'create',
    })
  })

  it('each have a lease: where somebody was faster with one, his commits stay', async () => {
    const at = await changed(['one', 'two', 'three'])
    await at.ended()
    const { git } = at.fleet.repository
    for (const name of ['one', 'two', 'three'])
      at.fleet.author.write(`clusters/team/${name}/values/web.yaml`, 'message: b\n')
    await at.fleet.push()
    const before = headsOf(at).map((head) => git(['rev-parse', head]))
    let mine: string | undefined
    const clone = await at.fleet.clone('slow')
    const { proposals } = await publishFrom(clone, {
      openForge: async () => {
        // between the fetch and the push
        mine ??= git(['commit-tree', `${headOf('two')}^{tree}`, '-p', headOf('two'), '-m', 'Mine'])
        git(['update-ref', `refs/heads/${headOf('two')}`, mine])
        return at.forge
      },
    })
    expect(proposals.map(({ group, left, pullRequest }) => [group, left ?? pullRequest?.action])).toEqual([
      ['cluster/team/one', 'update'],
      ['cluster/team/three', 'update'],
      ['cluster/team/two', 'foreign'],
    ])
    expect(git(['rev-parse', headOf('two')])).toBe(mine)
    for (const name of ['one', 'three']) {
      expect(before).not.toContain(git(['rev-parse', headOf(name)]))
      expect(git(['diff', 'main', headOf(name), '--', `rendered/clusters/team/${name}`])).toMatch(/^\+ +\w+: b$/m)
    }
    // each from where it is itself
    for (const name of ['one', 'three']) at.fleet.author.write(`clusters/team/${name}/values/web.yaml`, 'message: c\n')
    await at.fleet.push()
    const again = await at.run()
    expect([again.attempts, again.proposals.map(({ isPushed }) => isPushed)]).toEqual([1, [true, true, false]])
    // what nobody proposes any more goes, but not what is somebody's
    for (const name of ['one', 'two', 'three'])
      at.fleet.author.write(`clusters/team/${name}/values/web.yaml`, 'message: hello\n')
    await at.fleet.push()
    const last = await at.run()
    expect(last.proposals.map(({ head, isBranchGone }) => [head, isBranchGone])).toEqual([
      [headOf('one'), true],
      [headOf('three'), true],
      [headOf('two'), undefined],
    ])
    expect(headsOf(at)).toEqual([headOf('two')])
  })

  it('are as many branches as the forge takes of one push', async () => {
    const names = ['one', 'two', 'three', 'four', 'five']
    const at = await changed(names, { clusters: names.slice(1), kind: 'gitlab' })
    const counts = join(at.fleet.root, 'counts')
    hook(at, `wc -l | tr -d ' ' >> '${counts}'`)
    expect(Object.values(await at.ended())).toEqual(names.map(() => 'create'))
    expect(readFileSync(counts, 'utf8')).toBe('3\n2\n')
  })
})

describe('pull requests of namespaces', { timeout: 180_000 }, () => {
  it('carry what differs in theirs, and can be merged in any order', async () => {
    const { fleet, ended, merge } = await place('namespace', { clusters: ['two'] })
    const { author } = fleet
    for (const namespace of ['other', 'third']) {
      addNamespace(author, namespace)
      addCluster(author, 'web', namespace)
    }
    await fleet.push()
    expect(await ended()).toEqual({ shared: 'create' })
    merge(`${main}--shared`)
    author.git('checkout', '-q', '-B', 'main', 'origin/main')
    author.write('clusters/team/two/values/web.yaml', 'message: a\n')
    author.write('clusters/other/web/values/web.yaml', 'message: b\n')
    // who is new in a namespace comes with its list
    addCluster(author, 'new', 'other')
    await fleet.push()
    expect(await ended()).toEqual({ 'namespace/other': 'create', 'namespace/team': 'create' })
    const filesOf = (namespace: string): readonly string[] => [
      ...new Set(
        fleet.repository
          .git(['diff', '--name-only', 'main', `${main}--namespace.${namespace}`])
          .split('\n')
          .map((path) => path.split('/').slice(0, 4).join('/')),
      ),
    ]
    expect(filesOf('team')).toEqual(['rendered/clusters/team/two'])
    expect(filesOf('other').every((path) => path.split('/')[2] === 'other')).toBe(true)
    expect(filesOf('other')).toContain('rendered/clusters/other/new')
    merge(`${main}--namespace.team`)
    expect(await ended()).toEqual({ 'namespace/other': 'leave' })
    expect((await author.render({ check: true, clusters: ['team/two', 'team/one', 'third/web'] })).changes).toEqual([])
    merge(`${main}--namespace.other`)
    expect((await author.render({ check: true })).changes).toEqual([])
    expect(await ended()).toEqual({})
  })
})

it('pull requests of clusters make a valid tree for Argo CD, too, first or last', { timeout: 180_000 }, async () => {
  const { fleet, ended, merge } = await place('cluster', { handoff: argocd, clusters: ['two'] })
  const { author } = fleet
  await ended()
  merge(`${main}--shared`)
  author.git('checkout', '-q', '-B', 'main', 'origin/main')
  author.write('clusters/team/one/values/web.yaml', 'message: first\n')
  author.write('clusters/team/two/values/web.yaml', 'message: second\n')
  addCluster(author, 'four')
  await fleet.push()
  expect(await ended()).toEqual({ shared: 'create', 'cluster/team/one': 'create', 'cluster/team/two': 'create' })
  const heads = ['shared', 'cluster.team.one', 'cluster.team.two'].map((name) => `${main}--${name}`)
  const trees = new Set<string>()
  for (const order of [heads, heads.toReversed()]) {
    author.git('checkout', '-q', '--detach', 'origin/main')
    for (const head of order) {
      mergeHere(author, [head])
      expect(danglingNames(author)).toEqual([])
    }
    expect((await author.render({ check: true })).changes).toEqual([])
    trees.add(author.git('rev-parse', 'HEAD^{tree}'))
  }
  expect(trees.size).toBe(1)
})
