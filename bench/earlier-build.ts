/**
 * The program beside an earlier build of itself, in one run: the same fleets and charts, in turn; see bench/README.md.
 *   tsx bench/earlier-build.ts CHECKOUT [CLUSTERS…] [--runs=N]        (default 1 50 200, 5 runs)
 * CHECKOUT is one of the earlier commit, built.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FleetFolder } from '../tools/fleets/fleet-folder.ts'
import { sharedFolder } from '../tools/fleets/shared-folder.ts'
import { bundledProgram } from './support/bundled-program.ts'
import { makeFleet } from './support/make-fleet.ts'
import { machineLoad, measure, medianRun, type Run } from './support/measure.ts'

const shared = sharedFolder()
const words = process.argv.slice(2)
const [checkout, ...sizes] = words.filter((word) => !word.startsWith('--'))
if (shared === undefined || checkout === undefined) throw new Error('needs the shared data, and an earlier checkout')
const runs = Number(words.find((word) => word.startsWith('--runs='))?.slice('--runs='.length) ?? 5)
const work = mkdtempSync(join(tmpdir(), 'stackmason-bench-'))

/** A build, with a cache and fleets of its own. */
interface Side {
  readonly program: string
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
}

const sides: readonly Side[] = [join(checkout, 'dist/main.js'), bundledProgram()].map((program, index) => {
  if (!existsSync(program)) throw new Error(`needs a build: ${program} is not there; npm run build`)
  const folder = join(work, String(index))
  return { program, folder, env: { ...process.env, XDG_CACHE_HOME: join(folder, 'cache') } }
})

/** Runs both in turn; `before` makes each ready. */
async function compare(
  what: string,
  argsOf: (side: Side) => readonly string[],
  before: (side: Side, run: number) => Promise<void> | void = () => undefined,
): Promise<void> {
  const all = sides.map((): Run[] => [])
  // what is compiled, and kept, by the first run of a build is there in the others
  for (let run = -1; run < runs; run++)
    for (const [index, side] of sides.entries()) {
      await before(side, run)
      const measured = await measure(process.execPath, [side.program, ...argsOf(side)], { env: side.env })
      if (run >= 0) all[index]?.push(measured)
    }
  const [earlier, now] = all.map(medianRun)
  if (earlier === undefined || now === undefined) throw new Error('there are two builds')
  const figures = ({ seconds, cpu, peakMemory }: Run): string =>
    `${seconds.toFixed(2)} s, CPU ${cpu.toFixed(2)} s, peak ${peakMemory.toFixed(0)} MiB`
  process.stdout.write(
    `  ${what}\n    earlier: ${figures(earlier)}\n    now:     ${figures(now)}; ${(earlier.seconds / now.seconds).toFixed(2)}x as fast, ` +
      `CPU ${(earlier.cpu / now.cpu).toFixed(2)}x, memory ${(now.peakMemory / earlier.peakMemory).toFixed(2)} of it\n`,
  )
}

process.stdout.write(`${machineLoad()}, Node ${process.version}, median of ${String(runs)} in turn\n`)
for (const [name, chart] of [
  ['metrics-server', 'metrics-server'],
  ['cilium (addon of openstack/scs)', 'scs--openstack-scs-addon-cni'],
  ['kube-prometheus-stack', 'prometheus-community--kube-prometheus-stack'],
] as const)
  await compare(`template ${name}`, () => ['template', 'bench', join(shared, 'charts', chart)])

for (const clusters of sizes.length === 0 ? [1, 50, 200] : sizes.map(Number)) {
  const fleetOf = ({ folder }: Side): FleetFolder => new FleetFolder(join(folder, `fleet-${String(clusters)}`))
  for (const side of sides) {
    makeFleet(fleetOf(side).folder, {
      providerDirectory: join(shared, 'cluster-stacks/providers/openstack/scs'),
      provider: 'openstack',
      stack: 'scs',
      kubernetesVersion: 'v1.32.5',
      clusters,
      values: new Map([['cni', 'cilium: {hubble: {tls: {enabled: false}}}\n']]),
    })
    await measure(process.execPath, [side.program, 'update', '--fleet', fleetOf(side).folder], { env: side.env })
  }
  process.stdout.write(`${String(clusters)} clusters\n`)
  const render = (side: Side): readonly string[] => ['render', '--fleet', fleetOf(side).folder]
  const nothing = (side: Side): void => {
    rmSync(fleetOf(side).path('rendered'), { recursive: true, force: true })
    // what earlier runs came to; code that is compiled stays
    rmSync(join(side.folder, 'cache/stackmason/v1/runs'), { recursive: true, force: true })
  }
  await compare('render, from nothing', render, nothing)
  const [earlier, now] = sides.map((side) => fleetOf(side).filesBelow('rendered').length)
  process.stdout.write(`    files: ${String(earlier)} and ${String(now)}\n`)
  await compare('render, nothing changed', render)
  await compare('render, one cluster changed', render, (side, run) => {
    const path = 'clusters/fleet/cluster-001/cluster.yaml'
    const fleet = fleetOf(side)
    fleet.write(path, fleet.read(path).replace(/10\.\d+\.0\.0/, `10.${String(run + 20)}.0.0`))
  })
  await compare('render --check', (side) => [...render(side), '--check'])
  await compare('render --cluster', (side) => [...render(side), '--cluster', 'cluster-001'])
}
rmSync(work, { recursive: true, force: true })
