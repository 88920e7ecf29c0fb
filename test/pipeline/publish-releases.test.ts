import { expect, it, onTestFinished } from 'vitest'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { packagedChart, type FileMap } from '../../tools/fleets/stack-folder.ts'
import { portsWith, publishFrom, servePublishedFleet } from '../../tools/fleets/published-fleet.ts'
import { answerReleases, clusterYaml, fleetYaml, releaseFiles, stackYaml } from '../../tools/servers/release-server.ts'
import { startWebServer } from '../../tools/servers/web-server.ts'
import { setGitIdentity } from '../support/git-identity.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type FakeForge, fakeForge } from './fake-forge.ts'

setGitIdentity()

const main = 'stackmason/test/main'
const publishing = '  publish: {forge: {kind: gitea, plainHttp: true}}\n'
const tagOf = (version: string): string => `docker-demo-1-34-${version}`

/** A release that renders, and whose class names a template that is nowhere. */
function refusedFiles(version: string): FileMap {
  const name = 'docker-demo-1-34-cluster-class'
  const templates = {
    'templates/class.yaml': `apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata:
  name: {{ .Release.Name }}-{{ .Chart.Version }}
spec:
  controlPlane:
    templateRef:
      apiVersion: controlplane.cluster.x-k8s.io/v1beta2
      kind: KubeadmControlPlaneTemplate
      name: nowhere
`,
  }
  return releaseFiles(version, {
    change: { [`${name}-${version}.tgz`]: packagedChart(name, version, templates) },
  })
}

/** A release whose class says no. */
function brokenFiles(version: string): FileMap {
  const name = 'docker-demo-1-34-cluster-class'
  const templates = { 'templates/class.yaml': '{{ fail "not for this platform" }}\n' }
  return releaseFiles(version, {
    change: { [`${name}-${version}.tgz`]: packagedChart(name, version, templates) },
  })
}

interface Place {
  readonly author: FleetFolder
  readonly offered: Map<string, FileMap>
  readonly pullRequests: FakeForge['pullRequests']
  readonly writes: string[]
  readonly edit: FakeForge['edit']
  readonly push: () => Promise<string>
  /** What was done about each proposal. */
  readonly run: () => Promise<readonly string[]>
  /** Merges the pull request of a branch. */
  readonly merge: (head: string) => void
  readonly filesOf: (head: string) => readonly string[]
}

/** A fleet that subscribes to releases of a web server; v1 is on offer. */
async function place(): Promise<Place> {
  const offered = new Map<string, FileMap>([[tagOf('v1'), releaseFiles('v1')]])
  const server = await startWebServer(({ path }) => answerReleases(path, offered))
  onTestFinished(server.close)
  const root = await tempFolder()
  const fleet = await servePublishedFleet(root)
  onTestFinished(() => fleet.server.close())
  const { author } = fleet
  for (const path of ['stack', 'stacks', 'clusters', 'crds']) author.remove(path)
  author.change({
    'stackmason.yaml': fleetYaml(server.url, publishing),
    'stacks/demo.yaml': stackYaml('channel: stable, autoSubscribe: true'),
    'clusters/team-a/web/cluster.yaml': clusterYaml('v1'),
  })
  await fleet.push()
  const clone = await fleet.clone('ci')
  const { forge, pullRequests, writes, edit } = fakeForge((head) => fleet.repository.git(['rev-parse', head]))
  const ports = portsWith({ STACKMASON_CACHE: `${root}/cache`, HOME: root })
  const run = async (): Promise<readonly string[]> => {
    const { proposals } = await publishFrom(clone, { isUpdated: true, openForge: () => Promise.resolve(forge) }, ports)
    return proposals.map(({ group, status, held, pullRequest }) => `${group}: ${held ?? pullRequest?.action ?? status}`)
  }
  const merge = (head: string): void => {
    author.git('fetch', '-q', 'origin')
    author.git('checkout', '-q', '--detach', 'origin/main')
    author.git('merge', '-q', '--no-edit', `origin/${head}`)
    author.git('push', '-q', 'origin', 'HEAD:main', `:${head}`)
    const { number } = pullRequests.findLast((one) => one.head === head && one.state === 'open')!
    edit({ state: 'merged' }, number)
  }
  const filesOf = (head: string): readonly string[] =>
    fleet.repository.git(['diff', '--name-only', 'main', head]).split('\n')
  return { author, offered, pullRequests, writes, edit, push: fleet.push, run, merge, filesOf }
}

const release = `${main}--release.docker-demo-1-34`

it('proposes releases as they come: a good one, a broken one as a draft that changes nothing, a mended one', async () => {
  const { author, offered, pullRequests, writes, edit, push, run, merge, filesOf } = await place()
  // the first lock is no newer release
  expect(await run()).toEqual(['fleet: create'])
  merge(main)
  expect(await run()).toEqual(['fleet: current'])

  offered.set(tagOf('v2'), releaseFiles('v2'))
  expect(await run()).toEqual(['fleet: current', 'release/docker-demo-1-34: create'])
  expect(filesOf(release)).toEqual([
    'rendered/stacks/platform/docker-demo-1-34-v2/clusterclass-docker-demo-1-34-v2.yaml',
    'rendered/stacks/platform/docker-demo-1-34-v2/kustomization.yaml',
    'stackmason.lock',
  ])
  expect(pullRequests[1]).toMatchObject({ isDraft: false, title: 'test docker-demo-1-34: docker-demo 1.34 v2 is new' })
  writes.splice(0)
  expect(await run()).toEqual(['fleet: current', 'release/docker-demo-1-34: leave'])
  expect(writes).toEqual([])
  merge(release)
  expect(await run()).toEqual(['fleet: current'])
  expect(author.git('show', 'HEAD:stackmason.lock')).toContain('docker-demo-1-34-v2')

  // a broken newest release holds back neither the one before it nor what people change
  offered.set(tagOf('v3'), releaseFiles('v3'))
  offered.set(tagOf('v4'), brokenFiles('v4'))
  author.write('clusters/team-a/web/values/app.yaml', 'extra: 1\n')
  await push()
  expect(await run()).toEqual([
    'fleet: current',
    'release/docker-demo-1-34-v4: create',
    'release/docker-demo-1-34: create',
  ])
  const [draft, good] = pullRequests.slice(-2)
  expect(good).toMatchObject({ head: release, isDraft: false })
  expect(draft).toMatchObject({ head: `${release}-v4`, isDraft: true })
  expect(draft?.title).toMatch(/^test docker-demo-1-34-v4: release docker-demo-1-34-v4 cannot be/)
  expect(draft?.body).toContain('**Do not merge this: release docker-demo-1-34-v4 cannot be rendered')
  expect(draft?.body).toContain('not for this platform')
  expect(filesOf(`${release}-v4`)).toEqual([''])

  // merged by mistake it is not opened again, as long as it says the same
  edit({ state: 'merged' }, draft!.number)
  expect(await run()).toEqual([
    'fleet: current',
    'release/docker-demo-1-34-v4: leave',
    'release/docker-demo-1-34: leave',
  ])
  edit({ state: 'open' }, draft!.number)

  offered.set(tagOf('v5'), releaseFiles('v5'))
  expect(await run()).toEqual(['fleet: current', 'release/docker-demo-1-34: update', 'release: close'])
  expect(pullRequests[draft!.number - 1]).toMatchObject({ state: 'closed' })
  expect(filesOf(release)).toContain('rendered/stacks/platform/docker-demo-1-34-v5/kustomization.yaml')
  merge(release)
  expect(await run()).toEqual(['fleet: current'])
}, 300_000)

it('makes a draft of a release that renders and does not pass check, and holds back nothing else', async () => {
  const { offered, pullRequests, run, merge, filesOf } = await place()
  await run()
  merge(main)
  offered.set(tagOf('v2'), releaseFiles('v2'))
  offered.set(tagOf('v3'), refusedFiles('v3'))
  expect(await run()).toEqual([
    'fleet: current',
    'release/docker-demo-1-34-v3: create',
    'release/docker-demo-1-34: create',
  ])
  const [draft, good] = pullRequests.slice(-2)
  expect(good).toMatchObject({ head: release, isDraft: false })
  expect(draft).toMatchObject({ head: `${release}-v3`, isDraft: true })
  expect(draft?.title).toMatch(/^test docker-demo-1-34-v3: release docker-demo-1-34-v3 does not pass/)
  expect(draft?.body).toContain('**Do not merge this: release docker-demo-1-34-v3 does not pass check')
  expect(draft?.body).toContain('nowhere')
  // it holds its whole tree, and no other file
  expect(
    filesOf(`${release}-v3`).every((path) => path === 'stackmason.lock' || path.includes('docker-demo-1-34-v3')),
  ).toBe(true)
  expect(filesOf(release).filter((path) => path.includes('v3'))).toEqual([])
  // mended, the draft is closed and the good one goes on to it
  offered.set(tagOf('v4'), releaseFiles('v4'))
  expect(await run()).toEqual(['fleet: current', 'release/docker-demo-1-34: update', 'release: close'])
}, 300_000)
