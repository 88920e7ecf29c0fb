import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fetchLock } from '../../src/pipeline/commands/fetch-lock.ts'
import { listFleet } from '../../src/pipeline/commands/list-releases.ts'
import { exampleFleet } from '../../tools/fleets/example-fleet.ts'
import { type FileMap, writeFiles } from '../../tools/fleets/stack-folder.ts'
import { fixtureChart, startChartRepository } from '../../tools/servers/chart-repository.ts'
import { makeRepository, startGitServer } from '../../tools/servers/git-server.ts'
import { clusterYaml, fleetYaml, releaseFiles, stackYaml } from '../../tools/servers/release-server.ts'
import { runCli } from '../cli/run-cli.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { problemsOf, remoteFleet, told } from './remote-fleet.ts'

const v1 = 'docker-demo-1-34-v1'
const v2 = 'docker-demo-1-34-v2'
const v3 = 'docker-demo-1-34-v3'

function lockOf(folder: string): Promise<string> {
  return readFile(join(folder, 'stackmason.lock'), 'utf8')
}

/** A ClusterStack of the next minor, which subscribes. */
function nextYaml(name = 'demo-1-35', namespace = 'platform'): string {
  return stackYaml('autoSubscribe: true', name, namespace).replace('"1.34"', '"1.35"')
}

describe('update', () => {
  test('locks what the fleet wants, and writes nothing when nothing changed', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    const first = await fleet.update()
    expect(first.changes).toEqual([
      { kind: 'release', change: 'added', name: v1, detail: 'v1.34.7 from web for platform/demo-1-34' },
    ])
    expect(first).toMatchObject({
      mode: 'write',
      status: 'changed',
      releases: 1,
      dependencies: 0,
      notTaken: [],
      unused: [],
    })
    const text = await lockOf(fleet.folder)
    expect(text).toContain(`  - name: ${v1}\n`)
    expect([...text.matchAll(/^ +(\S+): sha256:[0-9a-f]{64}$/gm)].map(([, name]) => name)).toEqual([
      'clusteraddon.yaml',
      'docker-demo-1-34-cluster-addon-v1.tgz',
      'docker-demo-1-34-cluster-class-v1.tgz',
      'metadata.yaml',
      'digest',
    ])
    const before = await stat(join(fleet.folder, 'stackmason.lock'))
    expect(await fleet.update()).toMatchObject({ status: 'unchanged', changes: [], notTaken: [] })
    expect((await stat(join(fleet.folder, 'stackmason.lock'))).mtimeMs).toBe(before.mtimeMs)
  })

  test('only says what would change with dryRun', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    expect(await fleet.update({ dryRun: true })).toMatchObject({ mode: 'dry-run', status: 'changed', releases: 1 })
    expect(await readdir(fleet.folder)).toEqual(['clusters', 'stackmason.yaml', 'stacks'])
  })

  test('takes the newest stable release by number where a ClusterStack subscribes, and keeps what clusters use', async () => {
    const fleet = await remoteFleet()
    for (const version of ['v1', 'v2', 'v10']) {
      fleet.offered.set(`docker-demo-1-34-${version}`, releaseFiles(version))
    }
    const result = await fleet.update()
    expect(result.changes.map(({ name }) => name)).toEqual([v1, 'docker-demo-1-34-v10'])
    expect(result.notTaken).toEqual([])
  })

  test.each([
    {
      name: 'a newer one than the versions that are pinned',
      rule: 'autoSubscribe: false, versions: [v1]',
      offered: ['v1', 'v2'],
      want: [{ release: v2, reason: 'the ClusterStack pins its versions: add this one to spec.versions' }],
    },
    {
      name: 'an older one: silently',
      rule: 'autoSubscribe: false, versions: [v2]',
      offered: ['v1', 'v2'],
      want: [],
    },
    {
      name: 'content hashes: they have no order',
      rule: 'autoSubscribe: false, channel: custom, versions: [v1, v0-sha.aaaaaaa]',
      offered: ['v1', 'v0-sha.aaaaaaa', 'v0-sha.bbbbbbb'],
      want: [
        {
          release: 'docker-demo-1-34-v0-sha-bbbbbbb',
          reason: 'versions off the stable channel have no order: pin it in spec.versions to use it',
        },
      ],
    },
  ])('says why it was not taken: $name', async ({ rule, offered, want }) => {
    const fleet = await remoteFleet()
    fleet.change({ 'stacks/demo.yaml': stackYaml(rule) })
    for (const version of offered) {
      fleet.offered.set(`docker-demo-1-34-${version.replace('.', '-')}`, releaseFiles(version))
    }
    const { notTaken } = await fleet.update()
    expect(notTaken).toEqual(want.map((entry) => ({ stack: 'platform/demo-1-34', ...entry })))
  })

  test('passes a release over that cannot be used, and says why', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    fleet.offered.set(v2, releaseFiles('v2', { change: { 'docker-demo-1-34-cluster-class-v2.tgz': undefined } }))
    const result = await fleet.update()
    expect(result.changes.map(({ name }) => name)).toEqual([v1])
    expect(result.notTaken).toEqual([
      {
        stack: 'platform/demo-1-34',
        release: v2,
        reason: expect.stringMatching(/^it cannot be used: .*docker-demo-1-34-cluster-class-v2\.tgz/),
      },
    ])
  })

  test('takes no older release when the server fails, and leaves the lock as it was', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    await fleet.update()
    const before = await lockOf(fleet.folder)
    fleet.offered.set(v2, releaseFiles('v2'))
    fleet.overrides.set(`/${v2}/metadata.yaml`, { status: 401 })
    const problems = await problemsOf(fleet.update(), fleet.folder)
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual(['FETCH_UNAUTHORIZED'])
    expect(await lockOf(fleet.folder)).toBe(before)
  })

  test.each([
    { ref: 'refs/tags/stable', moves: false },
    { ref: 'stable', moves: false },
    { ref: 'main', moves: true },
  ])('keeps what is locked where a tag of git was moved, and follows a branch: $ref', async ({ ref, moves }) => {
    const fleet = await remoteFleet()
    const root = await tempFolder()
    const repository = makeRepository(join(root, 'stacks.git'))
    const server = await startGitServer(root)
    onTestFinished(() => server.close())
    const release = (mark: string): Record<string, string | Uint8Array> =>
      Object.fromEntries(
        Object.entries(releaseFiles('v1', { mark })).flatMap(([name, content]) =>
          content === undefined ? [] : [[`releases/${v1}/${name}`, content]],
        ),
      )
    const publish = (mark: string): void => {
      repository.commit(release(mark))
      repository.git(['tag', '-f', 'stable', 'main'])
    }
    publish('one')
    const source = `git: {url: "${server.url}/stacks.git", ref: ${ref}, path: releases, plainHttp: true}`
    fleet.change({ 'stackmason.yaml': fleetYaml('').replace(/http: .*(?=\}\n)/, source) })
    await fleet.update()
    const before = await lockOf(fleet.folder)
    publish('two')
    const { findings } = await fleet.update()
    expect(findings.map(({ code }) => code)).toEqual(moves ? [] : ['LOCK_MISMATCH'])
    expect((await lockOf(fleet.folder)) === before).toBe(!moves)
    await fleet.update({ releases: [v1] })
    expect(await lockOf(fleet.folder)).not.toBe(before)
  })

  /** A fleet whose release comes from the tag `stable` of a repository, locked. */
  async function taggedFleet(ref: string) {
    const fleet = await remoteFleet()
    const root = await tempFolder()
    const repository = makeRepository(join(root, 'stacks.git'))
    const server = await startGitServer(root)
    onTestFinished(() => server.close())
    const publish = (mark: string): void => {
      const files = Object.entries(releaseFiles('v1', { mark }))
      repository.commit(
        Object.fromEntries(files.map(([file, content]) => [`releases/${v1}/${file}`, content ?? ''] as const)),
      )
    }
    const name = (wanted: string): void => {
      const source = `git: {url: "${server.url}/stacks.git", ref: ${wanted}, path: releases, plainHttp: true}`
      fleet.change({ 'stackmason.yaml': fleetYaml('').replace(/http: .*(?=\}\n)/, source) })
    }
    publish('one')
    repository.git(['tag', 'stable', 'main'])
    name(ref)
    await fleet.update()
    return { fleet, repository, publish, name, before: await lockOf(fleet.folder) }
  }

  test.each([
    { name: 'at once', stages: [] },
    { name: 'after it stood at the same commit', stages: ['main'] },
  ])('keeps what is locked where a branch took the name of a tag of git: $name', async ({ stages }) => {
    const { fleet, repository, publish, before } = await taggedFleet('stable')
    expect(before).toMatch(/^ {4}revision: [0-9a-f]{40}\n {4}ref: refs\/tags\/stable\n/m)
    repository.git(['tag', '-d', 'stable'])
    for (const stage of stages) {
      repository.git(['branch', 'stable', stage])
      expect(await fleet.update()).toMatchObject({ status: 'unchanged', changes: [], findings: [] })
    }
    publish('two')
    repository.git(['branch', '-f', 'stable', 'main'])
    const { findings } = await fleet.update()
    expect(findings.map((finding) => told(finding, fleet.folder))).toEqual([
      `LOCK_MISMATCH stackmason.lock:7:11 source "web" now has other content under tag ${v1}; the locked content was kept: it has <digest 1>, the lock says <digest 2>; its ref "stable" was a tag, and is a branch now | Find out who replaced it and why; \`stackmason update --release ${v1}\` accepts it.`,
    ])
    expect(await lockOf(fleet.folder)).toBe(before)
    await fleet.update({ releases: [v1] })
    expect(await lockOf(fleet.folder)).not.toContain('    ref: ')
    publish('three')
    repository.git(['branch', '-f', 'stable', 'main'])
    expect(await fleet.update()).toMatchObject({ status: 'changed', findings: [] })
  })

  test('takes no branch for a tag of git that is named in full', async () => {
    const { fleet, repository, publish, before } = await taggedFleet('refs/tags/stable')
    repository.git(['tag', '-d', 'stable'])
    publish('two')
    repository.git(['branch', 'stable', 'main'])
    expect((await problemsOf(fleet.update(), fleet.folder)).map((text) => text.split(' ')[0])).toEqual(['GIT_FAILED'])
    expect(await lockOf(fleet.folder)).toBe(before)
  })

  test('notes the tag of git in a lock that does not have it yet', async () => {
    const { fleet, before } = await taggedFleet('stable')
    fleet.change({ 'stackmason.lock': before.replace(/^ {4}ref: .*\n/m, '') })
    expect((await fleet.update()).changes).toEqual([
      { kind: 'release', change: 'changed', name: v1, detail: 'tag none -> refs/tags/stable' },
    ])
    expect(await lockOf(fleet.folder)).toBe(before)
  })

  test('follows a branch that the fleet names in place of a tag of git', async () => {
    const { fleet, publish, name } = await taggedFleet('stable')
    publish('two')
    name('main')
    expect(await fleet.update()).toMatchObject({ status: 'changed', findings: [] })
    expect(await lockOf(fleet.folder)).not.toContain('    ref: ')
  })

  test('keeps the locked content of a tag that was replaced, until it is named', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    await fleet.update()
    const before = await lockOf(fleet.folder)
    fleet.offered.set(v1, releaseFiles('v1', { mark: 'replaced' }))
    const kept = await fleet.update()
    expect(kept.findings.map((finding) => told(finding, fleet.folder))).toEqual([
      `LOCK_MISMATCH stackmason.lock:7:11 source "web" now has other content under tag ${v1}; the locked content was kept: it has <digest 1>, the lock says <digest 2> | Find out who replaced it and why; \`stackmason update --release ${v1}\` accepts it.`,
    ])
    expect(await lockOf(fleet.folder)).toBe(before)
    const accepted = await fleet.update({ releases: [v1] })
    expect(accepted.changes).toEqual([
      {
        kind: 'release',
        change: 'changed',
        name: v1,
        detail: 'content changed; other bytes in docker-demo-1-34-cluster-addon-v1.tgz',
      },
    ])
    expect(accepted.findings).toEqual([])
  })

  test('keeps the locked content of a tag that has another release now, and goes on', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    fleet.change({ 'stacks/other.yaml': stackYaml('autoSubscribe: true', 'other', 'lab') })
    fleet.change({ 'stacks/demo.yaml': stackYaml('autoSubscribe: false, versions: [v1]') })
    await fleet.update()
    fleet.offered.set(v1, releaseFiles('v2'))
    fleet.offered.set(v3, releaseFiles('v3'))
    const { changes, findings } = await fleet.update()
    expect(changes).toEqual([{ kind: 'release', change: 'added', name: v3, detail: 'v1.34.7 from web for lab/other' }])
    expect(findings.map((finding) => `${finding.severity} ${told(finding, fleet.folder)}`)).toEqual([
      `warning LOCK_MISMATCH stackmason.lock:7:11 source "web" now has other content under tag ${v1}; the locked content was kept: metadata.yaml says version v2, but the release is ${v1} | Find out who replaced it and why. \`stackmason update --release ${v1}\` says all that is wrong with it.`,
    ])
    const problems = await problemsOf(fleet.update({ releases: [v1] }), fleet.folder)
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual(['RELEASE_MISMATCH', 'RELEASE_MISMATCH'])
  })

  test('moves one ClusterStack, or one release, and nothing else', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    fleet.change({ 'stacks/other.yaml': stackYaml('autoSubscribe: true', 'other', 'lab') })
    await fleet.update()
    fleet.offered.set(v2, releaseFiles('v2'))
    fleet.offered.set(v3, releaseFiles('v3'))
    expect((await fleet.update({ stacks: ['lab/other'] })).changes).toEqual([
      { kind: 'release', change: 'added', name: v3, detail: 'v1.34.7 from web for lab/other' },
    ])
    expect((await fleet.update({ releases: [v2] })).changes).toEqual([
      { kind: 'release', change: 'added', name: v2, detail: 'v1.34.7 from web for lab/other, platform/demo-1-34' },
    ])
  })

  test.each([
    {
      releases: ['docker-demo-1-35-v1'],
      want: 'USAGE - no ClusterStack of the fleet is about release docker-demo-1-35-v1',
    },
    { releases: ['v1'], want: 'USAGE - v1 is not a release tag: ' },
    { stacks: ['nobody'], want: 'USAGE - the fleet has no stack "nobody"' },
  ])('refuses names that mean nothing: $want', async ({ want, ...options }) => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    const [problem = ''] = await problemsOf(fleet.update(options), fleet.folder)
    expect(problem.slice(0, want.length)).toBe(want)
  })

  test('tells which releases nobody uses, and prunes them once no rendered and no committed cluster does', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    await fleet.update()
    await fleet.render()
    fleet.git('init', '-q')
    fleet.git('add', '.')
    fleet.git('commit', '-qm', 'v1')
    fleet.offered.set(v2, releaseFiles('v2'))
    await fleet.update()
    fleet.change({ 'clusters/team-a/web/cluster.yaml': clusterYaml('v2') })

    const folders = [`stacks/platform/${v1}`]
    const unrendered = await fleet.update({ prune: true })
    expect(unrendered.changes).toEqual([])
    expect(unrendered.unused).toEqual([
      {
        name: v1,
        stacks: ['platform/demo-1-34'],
        folders,
        usedBy: 'team-a/web in the rendered tree (run `stackmason render`)',
      },
    ])
    expect(unrendered.findings.map(({ code }) => code)).toEqual(['RELEASE_IN_USE'])

    await fleet.render()
    const uncommitted = await fleet.update({ prune: true })
    expect(uncommitted.unused.map(({ usedBy }) => usedBy)).toEqual([
      'team-a/web in the last commit (commit its move first)',
    ])

    fleet.change({ 'clusters/team-a': null })
    await fleet.render({ allowEmpty: true })
    expect((await fleet.update({ prune: true })).unused.map(({ usedBy }) => usedBy)).toContain(
      'team-a/web in the last commit (commit its move first)',
    )
    fleet.git('checkout', '-q', 'clusters', 'rendered')
    fleet.change({ 'clusters/team-a/web/cluster.yaml': clusterYaml('v2') })
    await fleet.render()

    fleet.git('add', '.')
    fleet.git('commit', '-qm', 'v2')
    const planned = await fleet.update({ prune: true, dryRun: true })
    const pruned = await fleet.update({ prune: true })
    for (const result of [planned, pruned]) {
      expect(result.changes).toEqual([
        { kind: 'release', change: 'removed', name: v1, detail: 'v1.34.7 from web for platform/demo-1-34' },
      ])
      expect(result.unused).toEqual([{ name: v1, stacks: ['platform/demo-1-34'], folders }])
      expect(result.findings).toEqual([])
    }
    expect(fleet.entries('rendered/stacks/platform')).toEqual([v1, v2])
    const rendered = await fleet.render()
    expect(rendered.files.pruned).toBeGreaterThan(0)
    expect(fleet.entries('rendered/stacks/platform')).toEqual([v2])
  })

  test('names a release that no source has, and what they have', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v2, releaseFiles('v2'))
    expect(await problemsOf(fleet.update(), fleet.folder)).toEqual([
      `RELEASE_NOT_FOUND clusters/team-a/web/cluster.yaml:7:22 release ${v1} is not in source web | They offer: ${v2}.`,
    ])
  })

  test('finds releases of a server that has no index', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    fleet.overrides.set('/index.json', { status: 404 })
    fleet.change({ 'stacks/demo.yaml': stackYaml('autoSubscribe: false, versions: [v1]') })
    expect((await fleet.update()).changes.map(({ name }) => name)).toEqual([v1])
    fleet.forget()
    expect((await fleet.render()).clusters).toBe(1)
  })
})

describe('render with a lock', () => {
  test('takes what the lock pins, whatever the source offers now, from the cache alone', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    await fleet.update()
    fleet.offered.set(v1, releaseFiles('v1', { mark: 'replaced' }))
    fleet.offered.set(v2, releaseFiles('v2'))
    const asked = fleet.server.requests.length
    await fleet.render({ network: 'offline' })
    await fleet.render()
    expect(fleet.server.requests.length).toBe(asked)
    expect(fleet.entries('rendered/stacks/platform')).toEqual([v1])
    const config = join(fleet.folder, 'rendered/clusters/team-a/web/addons/01-app/configmap-app.yaml')
    expect(await readFile(config, 'utf8')).toContain('mark: v1\n')
  })

  test('fetches pinned files that the cache lacks, and refuses others in their place', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    await fleet.update()
    fleet.forget()
    expect((await fleet.render()).objects).toBe(3)
    fleet.forget()
    fleet.offered.set(v1, releaseFiles('v1', { mark: 'replaced' }))
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
      `LOCK_MISMATCH stackmason.lock:7:11 docker-demo-1-34-cluster-addon-v1.tgz of release ${v1} in source "web" is not what stackmason.lock says: it has <digest 1>, the lock says <digest 2> | Find out who changed it at ${fleet.server.url}/${v1}; \`stackmason update --release ${v1}\` accepts it.`,
    ])
    fleet.offered.delete(v1)
    expect((await problemsOf(fleet.render(), fleet.folder)).map((problem) => problem.split(' ')[0])).toEqual([
      'RELEASE_NOT_FOUND',
    ])
  })

  test('throws a damaged cache entry away and fetches it again', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    await fleet.update()
    const blobs = join(fleet.folder, '../cache/v1/blobs/sha256')
    for (const prefix of await readdir(blobs)) {
      for (const blob of await readdir(join(blobs, prefix))) await writeFile(join(blobs, prefix, blob), 'damaged')
    }
    expect((await problemsOf(fleet.render({ network: 'offline' }), fleet.folder))[0]).toMatch(/^FETCH_OFFLINE /)
    expect((await fleet.render()).objects).toBe(3)
    expect((await fleet.render({ network: 'offline' })).files.written).toBe(0)
  })

  test.each([
    {
      name: 'no lock',
      change: { 'stackmason.lock': null },
      want: [
        'LOCK_MISSING stackmason.yaml:6:14 source "web" is not on this machine, and there is no stackmason.lock that says which releases of it to use | Run `stackmason update`, review its output, and commit stackmason.lock.',
      ],
    },
    {
      name: 'a version that is not locked',
      change: { 'stacks/demo.yaml': stackYaml('autoSubscribe: false, versions: [v1, v2]') },
      want: [
        `LOCK_MISSING stacks/demo.yaml:4:120 release ${v2} is not in stackmason.lock | Run \`stackmason update --stack platform/demo-1-34\` and commit stackmason.lock.`,
      ],
    },
    {
      name: 'a class that is not locked',
      change: { 'clusters/team-a/web/cluster.yaml': clusterYaml('v2') },
      want: [
        `LOCK_MISSING clusters/team-a/web/cluster.yaml:7:22 release ${v2} is not in stackmason.lock | Run \`stackmason update --stack platform/demo-1-34\` and commit stackmason.lock.`,
      ],
    },
    {
      name: 'a ClusterStack that the lock does not know',
      change: { 'stacks/lab.yaml': stackYaml('autoSubscribe: false, versions: [v1]', 'lab', 'lab') },
      want: [
        `LOCK_MISSING stacks/lab.yaml:4:116 stackmason.lock has release ${v1} for platform/demo-1-34, but not for ClusterStack lab/lab | Run \`stackmason update --stack lab/lab\` and commit stackmason.lock.`,
      ],
    },
    {
      name: 'a ClusterStack that subscribes to what the lock has nothing of',
      change: { 'stacks/next.yaml': nextYaml() },
      want: [
        'LOCK_MISSING stacks/next.yaml:3:18 stackmason.lock has no stable release of docker-demo-1-35 for ClusterStack platform/demo-1-35, which subscribes | Run `stackmason update --stack platform/demo-1-35` and commit stackmason.lock.',
      ],
    },
    {
      name: 'another source',
      change: { 'stackmason.yaml': fleetYaml('https://web.example').replace('name: web', 'name: new') },
      want: [
        `LOCK_MISMATCH stackmason.lock:7:11 stackmason.lock takes release ${v1} from source "web", which the fleet does not use for it | Put the source back, or run \`stackmason update --release ${v1}\`.`,
      ],
    },
  ])('refuses what does not match: $name', async ({ change, want }) => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    await fleet.update()
    fleet.change(change)
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual(want)
  })

  test.each([
    {
      name: 'the Kubernetes version',
      edit: (lock: string) => lock.replace('kubernetesVersion: v1.34.7', 'kubernetesVersion: v1.34.8'),
      want: 'Kubernetes v1.34.8, but it is for v1.34.7',
    },
    {
      name: 'the version of an addon',
      edit: (lock: string) => lock.replace(/addons: \{app: .*\}/, 'addons: {app: 9.9.9}'),
      want: expect.stringMatching(/^addon app 9\.9\.9, but it has app /),
    },
    {
      name: 'an addon',
      edit: (lock: string) => lock.replace('addons: {', 'addons: {zoo: 1.0.0, '),
      want: 'addon zoo 1.0.0, but it has no such addon',
    },
    {
      name: 'no addon',
      edit: (lock: string) => lock.replace(/addons: \{.*\}/, 'addons: {}'),
      want: expect.stringMatching(/^no addon app, but it has app /),
    },
  ])('refuses a lock that was edited to say something else than the digest pins: $name', async ({ edit, want }) => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    await fleet.update()
    const lock = await lockOf(fleet.folder)
    const edited = edit(lock)
    expect(edited).not.toBe(lock)
    fleet.change({ 'stackmason.lock': edited })
    const [problem = '', ...others] = await problemsOf(fleet.render(), fleet.folder)
    const [, message, hint] =
      /^LOCK_MISMATCH stackmason\.lock:7:11 stackmason\.lock says of release docker-demo-1-34-v1: (.*) \| (.*)$/.exec(
        problem,
      ) ?? []
    expect({ message, hint, others }).toEqual({
      message: want,
      hint: `Find out who edited the lock; \`stackmason update --release ${v1}\` corrects it.`,
      others: [],
    })
    await fleet.update({ releases: [v1] })
    expect(await lockOf(fleet.folder)).toBe(lock)
  })

  test('says that a source offers nothing to a ClusterStack when it was asked, and moves others without it', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    fleet.change({ 'stacks/next.yaml': nextYaml() })
    const nothing =
      'CONFIG_CONFLICT stacks/next.yaml:3:18 ClusterStack platform/demo-1-35 subscribes, but its source offers no stable release of docker-demo-1-35 | List the releases you want under spec.versions; content hashes and other custom versions always need a pin.'
    expect(await problemsOf(fleet.update(), fleet.folder)).toEqual([nothing])
    expect(await problemsOf(fleet.update({ stacks: ['demo-1-35'] }), fleet.folder)).toEqual([nothing])
    fleet.change({ 'stacks/lab.yaml': nextYaml('lab', 'lab') })
    expect(await fleet.update({ stacks: ['demo-1-34'] })).toMatchObject({ releases: 1 })
    expect((await fleet.update({ releases: [v1] })).status).toBe('unchanged')
  })

  test('says of a locked release that it is for no ClusterStack', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    await fleet.update()
    fleet.change({
      'stacks/demo.yaml': stackYaml('autoSubscribe: false, versions: [v1]'),
      'stackmason.lock': (await lockOf(fleet.folder)).replace(/stacks: .*/, 'stacks: []'),
    })
    expect(await problemsOf(fleet.render(), fleet.folder)).toContainEqual(
      expect.stringContaining(
        `stackmason.lock has release ${v1} for no ClusterStack, but not for ClusterStack platform/demo-1-34`,
      ),
    )
  })

  test('offline says what is missing', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    await fleet.update()
    fleet.forget()
    expect(await problemsOf(fleet.render({ network: 'offline' }), fleet.folder)).toEqual([
      `FETCH_OFFLINE stackmason.lock:7:11 release ${v1} is not in the cache: clusteraddon.yaml, docker-demo-1-34-cluster-addon-v1.tgz, docker-demo-1-34-cluster-class-v1.tgz, metadata.yaml | Run \`stackmason fetch\` where the network can be reached, with this lock.`,
    ])
  })

  test('offline nothing is locked that is not yet, and no fetch would help', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    expect(await problemsOf(fleet.update({ network: 'offline' }), fleet.folder)).toEqual([
      `FETCH_OFFLINE stackmason.yaml:6:14 cannot get index.json of ${fleet.server.url} from ${new URL(fleet.server.url).host}: the network may not be used (--offline) | Run \`stackmason update\` without --offline: it asks the sources for what stackmason.lock does not have yet.`,
    ])
  })

  test('holds releases of this machine to it, too', async () => {
    const fleet = await remoteFleet()
    const text = fleetYaml('').replace(/http: \{.*?\}/, 'directory: {path: releases}')
    fleet.change({ 'stackmason.yaml': text })
    await writeFiles(join(fleet.folder, 'releases', v1), releaseFiles('v1'))
    expect((await fleet.render()).objects).toBe(3)
    await fleet.update()
    expect((await fleet.render()).files.written).toBe(0)
    await writeFiles(join(fleet.folder, 'releases', v1), releaseFiles('v1', { mark: 'edited' }))
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
      `LOCK_MISMATCH stackmason.lock:7:11 release ${v1} of source "web" is not what stackmason.lock says: it has <digest 1>, the lock says <digest 2> | Find out what has changed in releases/${v1}; \`stackmason update\` accepts it: files on this machine may change.`,
    ])
    expect((await fleet.update()).changes.map(({ change }) => change)).toEqual(['changed'])
    expect((await fleet.render()).files.written).toBe(1)
  })
})

describe('chart dependencies', () => {
  const dependencies = (url: string): string => `dependencies:\n  - {name: agent, version: 1.x, repository: "${url}"}\n`
  const repositories = (url: string): string => `  chartRepositories:\n    - {url: "${url}", plainHttp: true}\n`

  async function dependentFleet(): Promise<
    Awaited<ReturnType<typeof remoteFleet>> & { readonly charts: Awaited<ReturnType<typeof startChartRepository>> }
  > {
    const charts = await startChartRepository([fixtureChart('agent', '1.0.0'), fixtureChart('agent', '1.2.0')])
    onTestFinished(charts.close)
    const fleet = await remoteFleet()
    fleet.change({ 'stackmason.yaml': fleetYaml(fleet.server.url, repositories(charts.url)) })
    fleet.offered.set(v1, releaseFiles('v1', { dependencies: dependencies(charts.url) }))
    return Object.assign(fleet, { charts })
  }

  test('are locked and fetched by update, and never asked for by render', async () => {
    const fleet = await dependentFleet()
    const { changes } = await fleet.update()
    expect(changes.at(-1)).toEqual({
      kind: 'dependency',
      change: 'added',
      name: 'agent',
      detail: `1.2.0 from ${fleet.charts.url}`,
    })
    const asked = fleet.charts.requests.length
    await fleet.render({ network: 'offline' })
    const config = join(fleet.folder, 'rendered/clusters/team-a/web/addons/01-app')
    expect((await readdir(config)).length).toBeGreaterThan(2)

    fleet.forget()
    const [problem] = await problemsOf(fleet.render(), fleet.folder)
    expect(problem).toMatch(
      /^CHART_DEPENDENCY_MISSING stackmason\.lock:\d+:\d+ chart agent 1\.2\.0 of http\S+ is locked, but not in the cache \| Run `stackmason fetch`/,
    )
    expect(fleet.charts.requests.length).toBe(asked)
  })

  test('are brought by fetch into an empty cache, by digest', async () => {
    const fleet = await dependentFleet()
    await fleet.update()
    fleet.forget()
    const options = { start: fleet.folder }
    const fetched = await fetchLock(options, fleet.ports, () => undefined)
    expect(fetched).toMatchObject({ releases: 1, dependencies: 1, fetched: { files: 5 } })
    expect(await fetchLock({ ...options, network: 'offline' }, fleet.ports, () => undefined)).toMatchObject({
      fetched: { files: 0, bytes: 0 },
    })
    expect((await fleet.render({ network: 'offline' })).clusters).toBe(1)
    fleet.forget()
    const problems = await problemsOf(
      fetchLock({ ...options, network: 'offline' }, fleet.ports, () => undefined),
      fleet.folder,
    )
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual(['FETCH_OFFLINE', 'FETCH_OFFLINE'])
  })

  test('that are not locked are named by render, with the command that locks them', async () => {
    const fleet = await dependentFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    await fleet.update()
    fleet.offered.set(v1, releaseFiles('v1', { dependencies: dependencies(fleet.charts.url) }))
    const lock = await lockOf(fleet.folder)
    await fleet.update({ releases: [v1] })
    const text = await lockOf(fleet.folder)
    expect(text).not.toBe(lock)
    fleet.change({ 'stackmason.lock': text.slice(0, text.indexOf('# Charts that')) })
    const [problem] = await problemsOf(fleet.render(), fleet.folder)
    expect(problem).toMatch(/^CHART_DEPENDENCY_MISSING .*agent/)
  })

  test('of an exact version stay as they are, those of a range move', async () => {
    const fleet = await dependentFleet()
    await fleet.update()
    const newer = await startChartRepository([fixtureChart('agent', '1.3.0')])
    onTestFinished(newer.close)
    fleet.change({
      'stackmason.yaml': fleetYaml(
        fleet.server.url,
        repositories(fleet.charts.url).replace('}', `, mirror: "${newer.url}"}`),
      ),
    })
    expect((await fleet.update()).changes).toEqual([
      expect.objectContaining({ kind: 'dependency', change: 'changed', name: 'agent' }),
    ])
  })
})

describe('fetch', () => {
  test('needs a lock', async () => {
    const fleet = await remoteFleet()
    expect(
      await problemsOf(
        fetchLock({ start: fleet.folder }, fleet.ports, () => undefined),
        fleet.folder,
      ),
    ).toEqual([
      'LOCK_MISSING stackmason.lock there is no stackmason.lock that says what to fetch | Run `stackmason update`, review its output, and commit stackmason.lock.',
    ])
  })

  test('has nothing to do without a lock where none is needed', async () => {
    const fleet = exampleFleet(await tempFolder(), { clusters: ['team-b/batch'] })
    await fleet.render()
    for (const words of [['fetch'], ['fetch', '--offline']])
      expect(await runCli(words, { cwd: fleet.folder })).toEqual({
        status: 0,
        stdout: 'Nothing to fetch: the fleet is rendered from folders of this machine.\n',
        stderr: '',
      })
    expect(await runCli(['render', '--offline', '--check'], { cwd: fleet.folder })).toMatchObject({ status: 0 })
    const addons = 'clusters/team-b/batch/addons.yaml'
    const chart = '{name: far, repository: "https://charts.example.com", version: 1.0.0}'
    const entry = `    - {name: far, chart: ${chart}, namespace: far}\n`
    fleet.write(addons, fleet.read(addons).replace('  addons:\n', `  addons:\n${entry}`))
    expect(
      await problemsOf(
        fetchLock({ start: fleet.folder }, fleet.ports, () => undefined),
        fleet.folder,
      ),
    ).toEqual([
      'LOCK_MISSING stackmason.lock there is no stackmason.lock that says what to fetch | Run `stackmason update`, review its output, and commit stackmason.lock.',
    ])
  })

  test.each<{ name: string; now: FileMap | undefined; want: readonly string[] }>([
    { name: 'of the content in the lock', now: releaseFiles('v1'), want: [] },
    {
      name: 'of other content',
      now: releaseFiles('v1', { mark: 'edited' }),
      want: [
        `LOCK_MISMATCH stackmason.lock:7:11 release ${v1} of source "web" is not what stackmason.lock says: it has <digest 1>, the lock says <digest 2> | Find out what has changed in releases/${v1}; \`stackmason update\` accepts it: files on this machine may change.`,
      ],
    },
    {
      name: 'that cannot be read',
      now: { ...releaseFiles('v1'), 'metadata.yaml': 'a: [' },
      want: [
        `RELEASE_METADATA_INVALID releases/${v1}/metadata.yaml:1:4 the list in brackets is not closed, or a comma is missing in it`,
      ],
    },
    { name: 'that is gone: rendering says whether it is needed', now: undefined, want: [] },
  ])('compares a release of this machine with the lock: $name', async ({ now, want }) => {
    const fleet = await remoteFleet()
    fleet.change({ 'stackmason.yaml': fleetYaml('').replace(/http: \{.*?\}/, 'directory: {path: releases}') })
    await writeFiles(join(fleet.folder, 'releases', v1), releaseFiles('v1'))
    await fleet.update()
    await rm(join(fleet.folder, 'releases', v1), { recursive: true })
    if (now !== undefined) await writeFiles(join(fleet.folder, 'releases', v1), now)
    const fetching = fetchLock({ start: fleet.folder }, fleet.ports, () => undefined)
    expect(await problemsOf(fetching, fleet.folder)).toEqual(want)
  })
})

describe('list', () => {
  test('tells what is on offer, what is locked and who uses it', async () => {
    const fleet = await remoteFleet()
    for (const version of ['v1', 'v2', 'v10']) {
      fleet.offered.set(`docker-demo-1-34-${version}`, releaseFiles(version))
    }
    fleet.offered.set('docker-other-1-34-v1', releaseFiles('v1'))
    fleet.offered.set('latest', releaseFiles('v1'))
    await fleet.update()
    const listed = await listFleet({ start: fleet.folder, stacks: [], sources: [] }, fleet.ports, () => undefined)
    const common = { source: 'web', kubernetesVersion: 'v1.34.7', published: '2026-05-04T10:00:00Z' }
    expect(listed.releases).toMatchObject([
      { name: v1, ...common, isLocked: true, usedBy: ['team-a/web'] },
      { name: v2, ...common, isLocked: false, usedBy: [] },
      { name: 'docker-demo-1-34-v10', ...common, isLocked: true, usedBy: [] },
      { name: 'docker-other-1-34-v1', ...common, isLocked: false, usedBy: [] },
    ])
    expect(listed.charts).toEqual([])
    expect(listed.findings.map(({ code }) => code)).toEqual(['RELEASE_TAG_SKIPPED'])
    const narrowed = await listFleet(
      { start: fleet.folder, stacks: ['demo-1-34'], sources: ['web'] },
      fleet.ports,
      () => undefined,
    )
    expect(narrowed.releases.map(({ name }) => name)).toEqual([v1, v2, 'docker-demo-1-34-v10'])
  })

  test('shows the other sources when one cannot be listed', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(v1, releaseFiles('v1'))
    fleet.change({
      'stackmason.yaml': fleetYaml(
        fleet.server.url,
        `    - {name: closed, http: {url: "${fleet.server.url}/closed", plainHttp: true}}\n`,
      ),
    })
    fleet.overrides.set('/closed/index.json', { status: 403 })
    const listed = await listFleet({ start: fleet.folder, stacks: [], sources: [] }, fleet.ports, () => undefined)
    expect(listed.releases.map(({ name }) => name)).toEqual([v1])
    expect(listed.findings.map(({ code, severity }) => `${severity} ${code}`)).toEqual(['error FETCH_UNAUTHORIZED'])
  })

  test.each([
    { name: 'has no release', status: 200, stdout: 'The sources offer no release.\n' },
    { name: 'cannot be asked', status: 403, stdout: '' },
  ])('says that there is no release only of sources that were asked: one $name', async ({ status, stdout }) => {
    const fleet = await remoteFleet()
    if (status !== 200) fleet.overrides.set('/index.json', { status })
    const run = await runCli(['list'], { cwd: fleet.folder, ports: fleet.ports })
    expect(run.stdout).toBe(stdout)
  })

  test('refuses a source that the fleet does not have', async () => {
    const fleet = await remoteFleet()
    expect(
      await problemsOf(
        listFleet({ start: fleet.folder, stacks: [], sources: ['no'] }, fleet.ports, () => undefined),
        fleet.folder,
      ),
    ).toEqual(['USAGE - the fleet has no source "no" | It has: web.'])
  })
})
