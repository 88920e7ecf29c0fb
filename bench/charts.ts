/**
 * Charts in a warm process and from a cold start, against the real helm binary in one run; see bench/README.md.
 *   tsx bench/charts.ts [RUNS]        (default 20)
 */
import { join } from 'node:path'
import { Dict } from '../src/model/value.ts'
import { createTokenTable } from '../src/model/token.ts'
import { formatHelmOutput } from '../src/render/chart/format-helm-output.ts'
import { renderChart } from '../src/render/chart/render-chart.ts'
import { readChart } from '../src/sources/chart/read-chart.ts'
import { createNodePorts } from '../src/system/node-ports.ts'
import { helmBinary } from '../tools/helm.ts'
import { sharedFolder } from '../tools/fleets/shared-folder.ts'
import { machineLoad, measure, median, medianRun, type Run } from './support/measure.ts'
import { bundledProgram } from './support/bundled-program.ts'

const shared = sharedFolder()
const helm = helmBinary()
if (shared === undefined || helm === undefined) throw new Error('needs the shared data and the helm binary')
const charts = join(shared, 'charts')
const runs = Number(process.argv[2] ?? 20)
const ports = createNodePorts()
const cli = bundledProgram()

const cases: readonly { readonly name: string; readonly folder: string; readonly crds: boolean }[] = [
  { name: 'metrics-server', folder: 'metrics-server', crds: false },
  { name: 'cilium (addon of openstack/scs)', folder: 'scs--openstack-scs-addon-cni', crds: false },
  { name: 'kube-prometheus-stack with CRDs', folder: 'prometheus-community--kube-prometheus-stack', crds: true },
]

// the first run leaves compiled code beside the program
for (const { folder } of cases) await measure(process.execPath, [cli, 'template', 'bench', join(charts, folder)])
const bare: number[] = []
for (let run = 0; run < runs; run++) bare.push((await measure(process.execPath, ['-e', '0'])).seconds)
process.stdout.write(
  `bare node start: ${(median(bare) * 1000).toFixed(0)} ms (${machineLoad()}, Node ${process.version}, median of ${runs})\n`,
)
for (const { name, folder, crds } of cases) {
  const chart = await readChart(join(charts, folder), ports)
  const warm: number[] = []
  for (let run = 0; run < runs * 2; run++) {
    const started = performance.now()
    const rendered = renderChart(chart, {
      release: { name: 'bench', namespace: 'default', isUpgrade: false, revision: 1 },
      values: new Dict(),
      helmVersion: 4,
      includeCrds: crds,
      hooks: 'all',
      skipTests: false,
      skipSchemaValidation: false,
      generate: 'seeded',
      crypto: ports.crypto,
      tokens: createTokenTable(),
      onFinding: () => undefined,
    })
    formatHelmOutput(rendered)
    warm.push(performance.now() - started)
  }
  const cold: Run[] = []
  const helmRuns: Run[] = []
  const args = ['template', 'bench', join(charts, folder), ...(crds ? ['--include-crds'] : [])]
  for (let run = 0; run < runs; run++) {
    cold.push(await measure(process.execPath, [cli, ...args]))
    helmRuns.push(await measure(helm, args))
  }
  const ours = medianRun(cold)
  const theirs = medianRun(helmRuns)
  process.stdout.write(
    `${name}: warm ${median(warm.slice(runs)).toFixed(1)} ms (first ${(warm[0] ?? 0).toFixed(0)} ms); cold ${(ours.seconds * 1000).toFixed(0)} ms ` +
      `(bare node + ${((ours.seconds - median(bare)) * 1000).toFixed(0)} ms), peak ${ours.peakMemory.toFixed(0)} MiB; ` +
      `helm ${(theirs.seconds * 1000).toFixed(0)} ms, peak ${theirs.peakMemory.toFixed(0)} MiB: ${(theirs.seconds / ours.seconds).toFixed(1)}x\n`,
  )
}
