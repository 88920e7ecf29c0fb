/**
 * `stackmason check` beside `render --check` of the same fleet, in one go: what is left is the judging; see
 * bench/README.md.
 *   tsx bench/check.ts [CLUSTERS] [--runs=N] [--policies]        (default 200, 3 runs)
 * With --policies only what five policies cost that are asked of every object.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FleetFolder } from '../tools/fleets/fleet-folder.ts'
import { sharedFolder } from '../tools/fleets/shared-folder.ts'
import { makeFleet } from './support/make-fleet.ts'
import { machineLoad, measure, medianRun, type Run } from './support/measure.ts'
import { bundledProgram } from './support/bundled-program.ts'

const shared = sharedFolder()
if (shared === undefined) throw new Error('needs the shared data')
const words = process.argv.slice(2)
const clusters = Number(words.find((word) => !word.startsWith('--')) ?? 200)
const runs = Number(words.find((word) => word.startsWith('--runs='))?.slice('--runs='.length) ?? 3)
const program = bundledProgram()

const work = mkdtempSync(join(tmpdir(), 'stackmason-bench-'))
const folder = join(work, 'fleet')
const cni = (image: string): string =>
  `cilium: {image: {tag: ${image}, useDigest: false}, hubble: {tls: {enabled: false}}}\n`
makeFleet(folder, {
  providerDirectory: join(shared, 'cluster-stacks/providers/openstack/scs'),
  provider: 'openstack',
  stack: 'scs',
  kubernetesVersion: 'v1.32.5',
  clusters,
  values: new Map([['cni', cni('v1.17.0')]]),
})
const fleet = new FleetFolder(folder)
fleet.edit(
  'stackmason.yaml',
  'sources:',
  'handoff: {flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}, path: ./rendered}}\n  sources:',
)
const { objects } = await fleet.render()
fleet.commit('all')

/** Policies that are asked of every object, and are content with most. */
const policies = [
  '!has(object.metadata.labels) || object.metadata.labels.all(k, object.metadata.labels[k].size() < 64)',
  "request.name == object.metadata.name && (!has(request.namespace) || request.namespace != 'default')",
  "!has(object.spec) || !has(object.spec.template) || !has(object.spec.template.spec) || !has(object.spec.template.spec.containers) || object.spec.template.spec.containers.all(c, !c.image.endsWith(':latest') && c.?resources.?requests.?cpu.orValue('1') != '100')",
  "!has(object.rules) || object.rules.all(r, !has(r.verbs) || r.verbs.all(v, v.matches('^([a-z]+|[*])$')))",
  "variables.name.size() < 254 && !variables.name.startsWith('-')",
].map(
  (expression, index) => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p${String(index)}}
spec:
  matchConstraints: {resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE, UPDATE], resources: ["*"]}]}
  variables: [{name: name, expression: object.metadata.name}]
  validations: [{expression: ${JSON.stringify(expression)}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p${String(index)}}
spec: {policyName: p${String(index)}, validationActions: [Audit]}
`,
)

/** Of each case: the render alone, then with judging. */
async function compare(what: string, base: readonly string[]): Promise<void> {
  const [renders, checks]: [Run[], Run[]] = [[], []]
  for (let run = 0; run < runs; run++) {
    renders.push(await measure(process.execPath, [program, 'render', '--check', '--fleet', folder], { accept: [1] }))
    checks.push(await measure(process.execPath, [program, 'check', '--fleet', folder, ...base], { accept: [1] }))
  }
  const [render, check] = [medianRun(renders), medianRun(checks)]
  const figures = (run: Run): string =>
    `${run.seconds.toFixed(1)} s, CPU ${run.cpu.toFixed(1)} s, peak ${run.peakMemory.toFixed(0)} MiB`
  process.stdout.write(
    `  ${what}\n    render --check: ${figures(render)}\n    check: ${figures(check)}\n` +
      `    judging alone: ${(check.seconds - render.seconds).toFixed(1)} s, CPU ${(check.cpu - render.cpu).toFixed(1)} s; ratio of CPU ${(check.cpu / render.cpu).toFixed(2)}\n`,
  )
}

process.stdout.write(
  `${String(clusters)} clusters, ${String(objects)} objects (${machineLoad()}); median of ${String(runs)} runs in turn\n`,
)
await compare('nothing changed, no base', [])
if (words.includes('--policies')) {
  fleet.write('policies/five.yaml', policies.join('---\n'))
  await compare('the same with five policies', [])
} else {
  await compare('nothing changed, with a base', ['--base', 'HEAD'])
  fleet.edit('clusters/fleet/cluster-001/cluster.yaml', 'md-0, replicas: 3', 'md-0, replicas: 4')
  await compare('one cluster changed, with a base', ['--base', 'HEAD'])
  fleet.write('clusters/values/cni.yaml', cni('v1.18.0'))
  await compare('the CNI of all changed, with a base', ['--base', 'HEAD'])
}
rmSync(work, { recursive: true, force: true })
