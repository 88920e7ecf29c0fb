/**
 * Takes two fleets under one real Argo CD through what the tests of one cluster's life leave out, and says what was
 * seen: two fleets side by side; addons that move to units of their own and back without a deletion; an Application and
 * an AppProject that somebody deleted with all that they hold; and a release that nobody uses yet, whose class the API
 * server refuses, beside a cluster of the release before, with which it shares its node image. Needs the servers of
 * `tools/kube.ts` and `tools/argocd.ts`, and the shared data.
 *
 *   npx tsx bench/argocd-fleets.ts
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import {
  applicationReference,
  clusterSecret,
  defaultProject,
  isApplicationSynced,
  rootApplication,
  startArgocd,
} from '../tools/servers/argocd.ts'
import { makeRepository, startGitServer } from '../tools/servers/git-server.ts'
import { fieldOf, refusals, type KubeReference } from '../tools/servers/kube-client.ts'
import { watchKube } from '../tools/servers/kube-watch.ts'
import { sharedFolder } from '../tools/fleets/shared-folder.ts'
import { ServedFleet } from '../tools/fleets/served-fleet.ts'
import { startLifeClusters } from '../tools/servers/cluster-life.ts'

const shared = sharedFolder()
if (shared === undefined) throw new Error('needs the shared data')
const project = join(import.meta.dirname, '..')
const work = mkdtempSync(join(tmpdir(), 'stackmason-fleets-'))
const served = join(work, 'served')
mkdirSync(served)
for (const name of ['one.git', 'two.git']) makeRepository(join(served, name))

const wrong: string[] = []
function say(what: string, isRight: boolean): void {
  console.log(`${isRight ? 'right' : 'WRONG'}: ${what}`)
  if (!isRight) wrong.push(what)
}

async function until(what: string, done: () => Promise<boolean>, seconds = 120): Promise<boolean> {
  const start = performance.now()
  while (!(await done())) {
    if (performance.now() - start > seconds * 1000) {
      console.log(`not within ${String(seconds)} s: ${what}`)
      const all = await management.list('argoproj.io/v1alpha1', 'Application', 'argocd')
      for (const { metadata, ...rest } of all)
        console.log(
          `  ${JSON.stringify([metadata.name, fieldOf(rest, 'status.sync.status'), fieldOf(rest, 'status.sync.revision'), fieldOf(rest, 'status.conditions'), fieldOf(rest, 'status.operationState.message')])}`,
        )
      return false
    }
    await setTimeout(200)
  }
  console.log(`  ${what}: ${((performance.now() - start) / 1000).toFixed(1)} s`)
  return true
}

const areSynced = (head: string, names: readonly string[]) => async (): Promise<boolean> => {
  const found = await Promise.all(names.map((name) => management.get(applicationReference(name))))
  return found.every((application) => isApplicationSynced(application, head))
}

const git = await startGitServer(served)
const crds = [join(shared, 'crds/openstack'), join(project, 'templates/crds')]
const { management, workload, close } = await startLifeClusters(shared, { controllerManager: true, crds })

// the first fleet: a stack whose addons have no placeholders, and an own addon
const one = new ServedFleet(join(work, 'one'), join(served, 'one.git'))
cpSync(join(project, 'examples/fleet/providers/docker/demo'), one.path('stack'), { recursive: true })
one.write(
  'stackmason.yaml',
  `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: one}
spec:
  sources: [{name: demo, providerDirectory: {path: stack, version: v1}}]
  nodeImages: [{provider: docker, stack: demo, use: none}]
  handoff: {argocd: {repoURL: "${git.url}/one.git", targetRevision: main, path: rendered}}
`,
)
one.write(
  'stacks/demo.yaml',
  `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: demo-1-34, namespace: team-a}
spec: {provider: docker, name: demo, kubernetesVersion: "1.34", channel: stable, autoSubscribe: false, noProvider: true, versions: [v1]}
`,
)
one.write(
  'clusters/team-a/web/cluster.yaml',
  `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: web, namespace: team-a}
spec:
  controlPlaneEndpoint: {host: 192.0.2.7, port: 6443}
  clusterNetwork: {pods: {cidrBlocks: [10.244.0.0/16]}}
  topology:
    classRef: {name: docker-demo-1-34-v1}
    version: v1.34.7
    controlPlane: {replicas: 1}
    variables: [{name: registryMirror, value: "https://mirror.example.com"}]
`,
)
const addons = (units: string): string => `apiVersion: stackmason.dev/v1alpha1
kind: Addons
spec:
  units: ${units}
  addons: [{name: greeting, templates: {path: greeting}}]
`
one.write('clusters/team-a/web/addons.yaml', addons('perOwner'))
one.write('clusters/team-a/web/greeting/greeting.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: greeting}\n')

// the second one: openstack/scs in another repository, with a project of its own
const two = new ServedFleet(join(work, 'two'), join(served, 'two.git'))
const scs = join(shared, 'cluster-stacks/providers/openstack/scs')
cpSync(scs, two.path('v1'), { recursive: true })
const sources = (versions: readonly string[]): string =>
  versions.map((version) => `{name: ${version}, providerDirectory: {path: ${version}, version: ${version}}}`).join(', ')
const writeFleet = (versions: readonly string[]): void => {
  two.write(
    'stackmason.yaml',
    `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: two}
spec:
  sources: [${sources(versions)}]
  handoff: {argocd: {repoURL: "${git.url}/two.git", targetRevision: main, path: rendered, project: two}}
`,
  )
  two.write(
    'stacks/scs.yaml',
    `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: scs-1-32, namespace: team-b}
spec: {provider: openstack, name: scs, kubernetesVersion: "1.32", channel: stable, autoSubscribe: false, noProvider: true, versions: [${versions.join(', ')}]}
`,
  )
}
writeFleet(['v1'])
const clusterOfTwo = (replicas: number): string => `apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: edge, namespace: team-b}
spec:
  clusterNetwork: {pods: {cidrBlocks: [10.244.0.0/16]}}
  topology:
    class: openstack-scs-1-32-v1
    version: v1.32.5
    controlPlane: {replicas: ${String(replicas)}}
`
two.write('clusters/team-b/edge/cluster.yaml', clusterOfTwo(1))

const first = { one: await one.step(), two: await two.step() }
const argocd = await startArgocd(management, {
  settings: readFileSync(one.path('rendered/handoff/argocd.health/configmap-argocd-cm.yaml'), 'utf8'),
})
await management.apply([clusterSecret({ namespace: 'team-a', name: 'web' }, workload, {}), defaultProject])

/** What the workload API server said of the objects of addons, after they were there. */
const events: string[] = []
const uids = new Map<string, Set<string>>()
for (const path of [
  '/api/v1/namespaces/kube-system/configmaps',
  '/apps/v1/namespaces/kube-system/daemonsets',
  '/apps/v1/namespaces/kube-system/deployments',
].map((path) => (path.startsWith('/api/') ? path : `/apis${path}`)))
  watchKube(workload, path, ({ type, object }) => {
    const key = `${object.kind} ${object.metadata.name}`
    uids.set(key, (uids.get(key) ?? new Set()).add(String(object.metadata['uid'])))
    if (type === 'DELETED') events.push(`${key} deleted`)
  })

// two fleets side by side
const refused = refusals(
  await management.apply([rootApplication('one', `${git.url}/one.git`), rootApplication('two', `${git.url}/two.git`)]),
)
if (refused.length > 0) throw new Error(refused.join('\n'))
const unitsOfOne = ['one', 'team-a.handoff', 'team-a.web.handoff', 'team-a.web.cluster', 'team-a.web.addons']
const image: KubeReference = {
  apiVersion: 'openstack.k-orc.cloud/v1alpha1',
  kind: 'Image',
  metadata: { name: 'ubuntu-capi-image-v1.32.5', namespace: 'team-b' },
}
const edge: KubeReference = {
  apiVersion: 'cluster.x-k8s.io/v1beta1',
  kind: 'Cluster',
  metadata: { name: 'edge', namespace: 'team-b' },
}
say('the first fleet comes up', await until('one', areSynced(first.one.head, [...unitsOfOne, 'team-a.web.addons-own'])))
say('the image of the second is there', await until('image', async () => (await management.get(image)) !== undefined))
const found = await management.get(image)
await management.applyStatus({
  ...image,
  status: {
    id: '0000',
    conditions: ['Available', 'Progressing'].map((type) => ({
      type,
      status: type === 'Available' ? 'True' : 'False',
      reason: 'Success',
      message: '',
      lastTransitionTime: new Date().toISOString(),
      observedGeneration: fieldOf(found, 'metadata.generation'),
    })),
  },
})
say(
  'the second fleet comes up beside it',
  await until('two', areSynced(first.two.head, ['two', 'team-b.handoff', 'team-b.edge.cluster'])),
)
say('no fleet takes the project from the other', (await areSynced(first.one.head, unitsOfOne)()) === true)

// a move between units
async function move(units: string, names: readonly string[]): Promise<void> {
  one.write('clusters/team-a/web/addons.yaml', addons(units))
  for (let count = 1; ; count++) {
    await one.render()
    if (one.git('status', '--porcelain') === '') return
    const head = one.push()
    const isLast = (await one.render()).changes.length === 0
    const above = ['one', 'team-a.handoff', 'team-a.web.handoff']
    say(
      `${units}, commit ${String(count)}`,
      await until('synced', areSynced(head, isLast ? [...above, ...names] : above)),
    )
    // each Application looks at the commit by itself
    await setTimeout(10_000)
  }
}
await move('perAddon', [
  'team-a.web.addons.01-dns-cache',
  'team-a.web.addons.02-metrics',
  'team-a.web.addons-own.greeting',
])
await move('perOwner', ['team-a.web.addons', 'team-a.web.addons-own'])
say(`nothing was deleted in the workload cluster: ${JSON.stringify(events)}`, events.length === 0)
const recreated = [...uids].filter(([, found]) => found.size > 1).map(([key]) => key)
say(`nothing was made anew: ${JSON.stringify(recreated)}`, recreated.length === 0 && uids.size > 3)

// somebody deletes an Application with all that it holds, and the project
const web: KubeReference = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'web', namespace: 'team-a' },
}
const unit = '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/team-a.web.cluster'
const uid = fieldOf(await management.get(web), 'metadata.uid')
const unitUid = fieldOf(await management.get(applicationReference('team-a.web.cluster')), 'metadata.uid')
await management.request(
  'PATCH',
  unit,
  { metadata: { finalizers: ['resources-finalizer.argocd.argoproj.io'] } },
  'application/merge-patch+json',
)
await management.request('DELETE', unit)
await setTimeout(15_000)
say('the Cluster outlives its Application', fieldOf(await management.get(web), 'metadata.uid') === uid)
say('and is not being deleted', fieldOf(await management.get(web), 'metadata.deletionTimestamp') === undefined)
say(
  'the Application stays "deleting"',
  fieldOf(await management.get(applicationReference('team-a.web.cluster')), 'metadata.deletionTimestamp') !== undefined,
)
await management.request('PATCH', unit, [{ op: 'remove', path: '/metadata/finalizers' }], 'application/json-patch+json')
say(
  'without its finalizer it is made anew',
  await until('a new Application', async () => {
    const now = fieldOf(await management.get(applicationReference('team-a.web.cluster')), 'metadata.uid')
    return now !== undefined && now !== unitUid
  }),
)
say('with the same Cluster', fieldOf(await management.get(web), 'metadata.uid') === uid)
const ownProject = '/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects/team-a.management'
await management.request('DELETE', ownProject)
await setTimeout(3000)
await management.request(
  'PATCH',
  ownProject,
  [{ op: 'remove', path: '/metadata/finalizers' }],
  'application/json-patch+json',
)
say(
  'a deleted AppProject is made anew',
  await until('a new AppProject', async () => {
    const now = await management.get({ ...applicationReference('team-a.management'), kind: 'AppProject' })
    return now !== undefined && fieldOf(now, 'metadata.deletionTimestamp') === undefined
  }),
)

// a release that nobody uses, whose class the API server refuses, shares the image
cpSync(scs, two.path('v2'), { recursive: true })
two.edit(
  'v2/cluster-class/templates/cluster-class.yaml',
  '- class: default-worker',
  '- class: default-worker\n      minReadySeconds: soon',
)
writeFleet(['v1', 'v2'])
await two.step()
const newest = applicationReference('team-b.stack.openstack-scs-1-32-v2')
say(
  'the API server refuses the class of the release that nobody uses',
  await until('a refusal', async () =>
    String(fieldOf(await management.get(newest), 'status.operationState.message')).includes('minReadySeconds'),
  ),
)
two.write('clusters/team-b/edge/cluster.yaml', clusterOfTwo(3))
await two.step()
say(
  'the cluster of the release before is changed beside it',
  await until('replicas', async () => fieldOf(await management.get(edge), 'spec.topology.controlPlane.replicas') === 3),
)
const owner = JSON.stringify((await management.get(image))?.metadata['annotations'])
say(`the shared image is still of the release before: ${owner}`, owner.includes('"team-b.stack.openstack-scs-1-32-v1:'))

console.log(`${String(wrong.length)} wrong`)
await argocd.close()
await Promise.all([git.close(), close()])
rmSync(work, { recursive: true, force: true })
process.exitCode = wrong.length === 0 ? 0 : 1
