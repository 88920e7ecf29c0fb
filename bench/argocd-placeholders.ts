/**
 * Takes clusters under a real Argo CD through a first placeholder, a further one, placeholders that move, values that
 * are missing, and back to none, round by round, and watches every state that the workload API server stores: each must
 * be exactly what one commit says. Needs the servers of `tools/kube.ts` and `tools/argocd.ts`.
 *
 *   npx tsx bench/argocd-placeholders.ts [clusters] [rounds] [checkout of an earlier release, whose tree with a placeholder is there first]
 */
import { execFileSync } from 'node:child_process'
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
import { fieldOf, refusals } from '../tools/servers/kube-client.ts'
import { watchKube } from '../tools/servers/kube-watch.ts'
import { sharedFolder } from '../tools/fleets/shared-folder.ts'
import { ServedFleet, type Pushed } from '../tools/fleets/served-fleet.ts'
import { startLifeClusters } from '../tools/servers/cluster-life.ts'
import { forwardPort } from './support/forward-port.ts'

const project = join(import.meta.dirname, '..')
const clusters = Array.from({ length: Number(process.argv[2] ?? 6) }, (_, index) => `c${String(index + 1)}`)
const rounds = Number(process.argv[3] ?? 10)
const earlier = process.argv[4]
let isBefore = earlier !== undefined
const work = mkdtempSync(join(tmpdir(), 'stackmason-holes-'))
const served = join(work, 'served')
mkdirSync(served)
const fleet = new ServedFleet(join(work, 'fleet'), join(served, 'fleet.git'))

/** What one commit says of the addon; `host` and `phase` stand for placeholders. */
interface State {
  readonly env: readonly (readonly [string, string])[]
  readonly args: readonly string[]
  readonly host: string
}

const fixed: State = {
  env: [
    ['HOST', 'fixed'],
    ['PRIVILEGED', 'false'],
    ['DRY_RUN', 'true'],
  ],
  args: ['--master=fixed', '--dry-run=false'],
  host: 'fixed',
}
const [, privileged, dryRun] = fixed.env as readonly [
  readonly [string, string],
  ...(readonly (readonly [string, string])[]),
]
const first: State = { ...fixed, env: [['HOST', '<host>'], ...fixed.env.slice(1)] }
const further: State = { ...first, host: '<host>', args: ['--master=<host>', '--dry-run=false'] }
const moved: State = {
  env: [privileged ?? ['', ''], dryRun ?? ['', ''], ['HOST', '<host>']],
  args: ['--dry-run=false', '--master=<host>'],
  host: '<host>',
}
const missing: State = { ...moved, env: [['PHASE', '<phase>'], ...moved.env] }
const sequence = { first, further, moved, missing, none: fixed }

const hostOf = (cluster: string): string => `192.0.2.${cluster.slice(1)}`
const PHASE = 'Provisioned'

function filled(text: string, cluster: string): string {
  return text.replace('<host>', hostOf(cluster)).replace('<phase>', PHASE)
}

/** The objects' variable part as it must be stored. */
function expected(state: State, cluster: string): string {
  return JSON.stringify({
    env: state.env.map(([name, value]) => [name, filled(value, cluster)]),
    args: state.args.map((arg) => filled(arg, cluster)),
    host: filled(state.host, cluster),
  })
}

const stack = 'providers/docker/demo'
const addon = `${stack}/cluster-addon/agent`

function writeStack(version: string): void {
  fleet.write(
    'stackmason.yaml',
    `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: placeholders}
spec:
  sources: [{name: demo, providerDirectory: {path: ${stack}, version: ${version}}}]
  nodeImages: [{provider: docker, stack: demo, use: none}]
  handoff: {argocd: {repoURL: "${server.url}/fleet.git", targetRevision: main, path: rendered}}
`,
  )
  fleet.write(
    'stacks/demo.yaml',
    `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: demo-1-34, namespace: team-a}
spec: {provider: docker, name: demo, kubernetesVersion: "1.34", channel: stable, autoSubscribe: false, noProvider: true, versions: [${version}]}
`,
  )
  for (const name of clusters)
    fleet.write(
      `clusters/team-a/${name}/cluster.yaml`,
      `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: ${name}, namespace: team-a}
spec:
  topology:
    classRef: {name: docker-demo-1-34-${version}}
    version: v1.34.7
    controlPlane: {replicas: 1}
    variables: [{name: registryMirror, value: "https://mirror.example.com"}]
`,
    )
}

function writeAddon(mark: string, state: State): void {
  const late = (text: string): string =>
    text
      .replace('<host>', '{{ .Cluster.spec.controlPlaneEndpoint.host }}')
      .replace('<phase>', '{{ .Cluster.status.phase }}')
  const values = [
    'name: {{ .Cluster.metadata.name }}',
    `mark: "${mark}"`,
    `host: "${late(state.host)}"`,
    'env:',
    ...state.env.map(([name, value]) => `  - {name: ${name}, value: "${late(value)}"}`),
    'args:',
    ...state.args.map((arg) => `  - "${late(arg)}"`),
  ]
  fleet.write(`${addon}/overwrite.yaml`, `values: |\n${values.map((line) => `  ${line}\n`).join('')}`)
}

function prepareFleet(): void {
  cpSync(join(project, 'examples/fleet', stack), fleet.path(stack), { recursive: true })
  for (const name of ['dns-cache', 'metrics'])
    rmSync(fleet.path(join(stack, 'cluster-addon', name)), { recursive: true })
  fleet.write(
    `${stack}/clusteraddon.yaml`,
    readFileSync(fleet.path(`${stack}/clusteraddon.yaml`), 'utf8').replaceAll(
      /- name: dns-cache\n {6}action: apply\n {4}- name: metrics/g,
      '- name: agent',
    ),
  )
  fleet.write(`${addon}/Chart.yaml`, 'apiVersion: v2\nname: agent\nversion: 1.0.0\n')
  fleet.write(
    `${addon}/templates/agent.yaml`,
    `apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: {{ .Values.name }}
  labels: {mark: "m{{ .Values.mark }}"}
  annotations: {host: {{ .Values.host | quote }}}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      containers:
        - name: agent
          image: example.com/agent:1
          env: {{- toYaml .Values.env | nindent 12 }}
          args: {{- toYaml .Values.args | nindent 12 }}
`,
  )
}

async function commit(): Promise<Pushed> {
  if (!isBefore) return fleet.step()
  execFileSync(
    process.execPath,
    ['--import', join(project, 'node_modules/tsx/dist/esm/index.mjs'), join(earlier ?? '', 'src/main.ts'), 'render'],
    { cwd: fleet.path('.'), stdio: 'ignore' },
  )
  return { head: fleet.push(), steps: [] }
}

const server = await startGitServer(served)
const { management, workload, close } = await startLifeClusters(sharedFolder() ?? '', {
  controllerManager: true,
  crds: [join(project, 'templates/crds')],
})
makeRepository(join(served, 'fleet.git'))
prepareFleet()
writeStack('v1')
const start = earlier === undefined ? fixed : first
writeAddon('0', start)
const addresses = new Map<string, string>()
for (const name of clusters)
  addresses.set(name, `https://127.0.0.1:${String(await forwardPort(Number(new URL(workload.url).port)))}`)

async function register(name: string, values: Readonly<Record<string, string>>): Promise<void> {
  const secret = clusterSecret({ namespace: 'team-a', name }, { ...workload, url: addresses.get(name) ?? '' }, values)
  const refused = refusals(await management.apply([secret]))
  if (refused.length > 0) throw new Error(refused.join('\n'))
}
const hostValue = (name: string): Readonly<Record<string, string>> => ({
  CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST: hostOf(name),
})

const wanted = new Map<string, State>([['m0', start]])
const wrong: string[] = []
const seen = new Map<string, number>()
const now = new Map<string, string>()
watchKube(workload, '/apis/apps/v1/namespaces/kube-system/daemonsets', ({ type, object }) => {
  if (type === 'ERROR') throw new Error(JSON.stringify(object))
  const { name } = object.metadata
  const mark = String(fieldOf(object, 'metadata.labels.mark'))
  const [container = {}] = fieldOf(object, 'spec.template.spec.containers') as readonly Record<string, unknown>[]
  const stored = JSON.stringify({
    env: (container['env'] as readonly Record<string, string>[]).map(({ name: key, value }) => [key, value]),
    args: container['args'],
    host: (object.metadata['annotations'] as Record<string, string>)['host'],
  })
  const state = wanted.get(mark)
  seen.set(mark, (seen.get(mark) ?? 0) + 1)
  now.set(name, type === 'DELETED' ? 'deleted' : mark)
  if (type === 'DELETED' || state === undefined || stored !== expected(state, name))
    wrong.push(`${type} ${name} ${mark}: ${stored}`)
})

/** Ends when every Application has this commit, and every workload has the state of it. */
async function untilApplied(head: string, mark: string): Promise<number> {
  const start = performance.now()
  for (;;) {
    const units = clusters.flatMap((name) => ['handoff', 'cluster', 'addons'].map((unit) => `team-a.${name}.${unit}`))
    const found = await Promise.all(
      ['fleet', 'team-a.handoff', ...units].map((name) => management.get(applicationReference(name))),
    )
    const all = found.every((application) => isApplicationSynced(application, head))
    if (all && clusters.every((name) => now.get(name) === mark)) return performance.now() - start
    if (performance.now() - start > 120_000) {
      const late = found.filter((application) => !isApplicationSynced(application, head))
      throw new Error(
        `not in time: ${mark}, ${JSON.stringify([...now])}\n${late.map((item) => JSON.stringify([item?.metadata.name, fieldOf(item, 'status.sync'), fieldOf(item, 'status.conditions'), fieldOf(item, 'status.resources'), fieldOf(item, 'status.operationState.message')])).join('\n')}`,
      )
    }
    await setTimeout(200)
  }
}

const { head } = await commit()
const argocd = await startArgocd(management, {
  settings: readFileSync(fleet.path('rendered/handoff/argocd.health/configmap-argocd-cm.yaml'), 'utf8'),
})
for (const name of clusters) await register(name, hostValue(name))
await management.apply([defaultProject, rootApplication('fleet', `${server.url}/fleet.git`)])
console.log(`${String(clusters.length)} clusters: there after ${(await untilApplied(head, 'm0')).toFixed(0)} ms`)
if (isBefore) {
  isBefore = false
  const { head: next } = await commit()
  console.log(`the tree of this release in its place: ${(await untilApplied(next, 'm0')).toFixed(0)} ms`)
}

let count = 0
const times = new Map<string, number[]>()
for (let round = 1; round <= rounds; round++) {
  for (const [name, state] of Object.entries(sequence)) {
    const mark = `m${String(++count)}`
    wanted.set(mark, state)
    writeAddon(String(count), state)
    // a first placeholder comes with an upgrade of the stack, in its two steps
    if (name === 'first') writeStack(`v${String(round + 1)}`)
    let made = await commit()
    if (name === 'missing') {
      await setTimeout(8000)
      const before = `m${String(count - 1)}`
      const early: readonly string[] = clusters.filter((cluster) => now.get(cluster) !== before)
      if (early.length > 0) wrong.push(`${early.join(', ')} changed without values`)
      console.log('  values missing: nothing applied in 8 s')
      for (const cluster of clusters) await register(cluster, { ...hostValue(cluster), CLUSTER_STATUS_PHASE: PHASE })
    }
    const time = await untilApplied(made.head, mark)
    times.set(name, [...(times.get(name) ?? []), time])
    if (name === 'missing') for (const cluster of clusters) await register(cluster, hostValue(cluster))
    while (made.steps.length > 0) made = await commit()
    console.log(`round ${String(round)}, ${name}: ${time.toFixed(0)} ms, ${String(wrong.length)} wrong states`)
  }
}
for (const [name, list] of times)
  console.log(`${name}: ${list.map((time) => (time / 1000).toFixed(1)).join(' ')} s from commit to applied`)
console.log(
  `${String([...seen.values()].reduce((sum, each) => sum + each, 0))} states stored, ${String(wrong.length)} wrong`,
)
for (const line of wrong.slice(0, 20)) console.log(`WRONG ${line}`)
await argocd.close()
await Promise.all([server.close(), close()])
rmSync(work, { recursive: true, force: true })
process.exitCode = wrong.length === 0 ? 0 : 1
