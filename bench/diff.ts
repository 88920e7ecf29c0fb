/**
 * `stackmason diff` against `git diff --stat` of the same trees, in one go; see bench/README.md.
 *   tsx bench/diff.ts [CLUSTERS] [--runs=N]        (default 200, 3 runs)
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FleetFolder } from '../tools/fleets/fleet-folder.ts'
import { sharedFolder } from '../tools/fleets/shared-folder.ts'
import { makeFleet } from './support/make-fleet.ts'
import { machineLoad, measure, median, type Run } from './support/measure.ts'
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
const { objects } = await fleet.render()
fleet.commit('all')
fleet.write('clusters/values/cni.yaml', cni('v1.18.0'))
await fleet.render()
fleet.commit('the CNI of all')
fleet.edit('clusters/fleet/cluster-001/cluster.yaml', 'md-0, replicas: 3', 'md-0, replicas: 4')
await fleet.render()
fleet.commit('one cluster')

process.stdout.write(
  `${String(clusters)} clusters, ${String(objects)} objects (${machineLoad()}); median of ${String(runs)} runs in turn\n`,
)
const cases = [
  { what: 'the CNI of all clusters', from: 'HEAD~2', to: 'HEAD~1' },
  { what: 'one cluster', from: 'HEAD~1', to: 'HEAD' },
  { what: 'files on disk, one cluster', from: 'HEAD~1', to: undefined },
] as const
for (const { what, from, to } of cases) {
  const ours: Run[] = []
  const gits: Run[] = []
  for (let run = 0; run < runs; run++) {
    ours.push(
      await measure(process.execPath, [program, 'diff', from, ...(to === undefined ? [] : [to]), '--fleet', folder]),
    )
    gits.push(await measure('git', ['-C', folder, 'diff', '--stat', from, ...(to === undefined ? [] : [to])]))
  }
  const [own, git] = [ours, gits].map((all) => median(all.map(({ seconds }) => seconds)))
  const cpu = median(ours.map((run) => run.cpu))
  const peak = Math.max(...ours.map(({ peakMemory }) => peakMemory))
  process.stdout.write(
    `  ${what.padEnd(28)} diff ${(own ?? 0).toFixed(2)} s, CPU ${cpu.toFixed(2)} s, peak ${peak.toFixed(0)} MiB; git diff --stat ${(git ?? 0).toFixed(2)} s; ratio ${((own ?? 0) / (git ?? 1)).toFixed(1)}\n`,
  )
}
rmSync(work, { recursive: true, force: true })
