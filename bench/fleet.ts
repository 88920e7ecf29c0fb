/**
 * A fleet of openstack/scs against the real helm binary run once for each chart, in one go; see bench/README.md.
 *   tsx bench/fleet.ts [CLUSTERS…] [--runs=N] [--certificates]        (default 1 50 500, 3 runs)
 */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { helmBinary } from '../tools/helm.ts'
import { sharedFolder } from '../tools/fleets/shared-folder.ts'
import { makeFleet } from './support/make-fleet.ts'
import { machineLoad, measure, median, medianRun, type Run } from './support/measure.ts'

const shared = sharedFolder()
const helm = helmBinary()
if (shared === undefined || helm === undefined) throw new Error('needs the shared data and the helm binary')
const provider = join(shared, 'cluster-stacks/providers/openstack/scs')
const dist = join(import.meta.dirname, '../dist')
const words = process.argv.slice(2)
const sizes = words.filter((word) => !word.startsWith('--')).map(Number)
const runs = Number(words.find((word) => word.startsWith('--runs='))?.slice('--runs='.length) ?? 3)
const hasCertificates = words.includes('--certificates')

/**
 * Helm makes a CA and a certificate for cilium in each run, which takes longer than all else of the chart; we never do.
 */
const cniValues = hasCertificates ? '' : 'cilium: {hubble: {tls: {enabled: false}}}\n'
/** More is run only once, and helm only in parallel: sequential is then extrapolated. */
const many = 100

const work = mkdtempSync(join(tmpdir(), 'stackmason-bench-'))
process.stdout.write(
  `${cpus().length} CPUs, Node ${process.version}; CNI certificates ${hasCertificates ? 'on: helm generates them, stackmason defers them' : 'off on both sides'}; ` +
    `median of ${runs} runs in turn (${many} clusters and more: one run)\n`,
)
let perCluster = NaN
let moved = 0
for (const clusters of sizes.length === 0 ? [1, 50, 500] : sizes) {
  process.stdout.write(`\n${clusters} cluster${clusters === 1 ? '' : 's'} (${machineLoad()})\n`)
  const folder = join(work, `fleet-${clusters}`)
  makeFleet(folder, {
    providerDirectory: provider,
    provider: 'openstack',
    stack: 'scs',
    kubernetesVersion: 'v1.32.5',
    clusters,
    values: new Map(cniValues === '' ? [] : [['cni', cniValues]]),
  })
  const jobs = join(work, `jobs-${clusters}`)
  writeFileSync(jobs, helmJobs(clusters).join('\n'))
  const ours = new Map<string, Run[]>()
  const helms = new Map<string, Run[]>()
  const count = clusters >= many ? 1 : runs
  // the first run leaves compiled code beside the program
  await renderOnce(folder, { reuse: 'on', writes: 'on' })
  for (let run = 0; run < count; run++) {
    for (const reuse of ['on', 'off'] as const) {
      for (const writes of ['on', 'off'] as const) {
        const key = `reuse ${reuse}, files ${writes === 'on' ? 'written' : 'compared only'}`
        noteRun(ours, key, await renderOnce(folder, { reuse, writes }))
      }
    }
    if (clusters < many) noteRun(helms, 'helm sequential', await helmOnce(jobs, 1))
    noteRun(helms, 'helm xargs -P2', await helmOnce(jobs, 2))
  }
  await renderOnce(folder, { reuse: 'on', writes: 'on' })
  noteRun(ours, 'nothing to change', await measure(process.execPath, [join(dist, 'main.js'), ...renderWords(folder)]))
  for (const [name, all] of helms) process.stdout.write(`  ${name.padEnd(40)} ${figuresOf(medianRun(all))}\n`)
  const sequential = seconds(helms, 'helm sequential')
  const estimate = Number.isNaN(sequential) ? perCluster * clusters : sequential
  if (Number.isNaN(sequential) && !Number.isNaN(perCluster)) {
    process.stdout.write(
      `  ${'helm sequential'.padEnd(40)} ${estimate.toFixed(2)} s, extrapolated from the size before\n`,
    )
  }
  perCluster = estimate / clusters
  const parallel = seconds(helms, 'helm xargs -P2')
  for (const [name, all] of ours) {
    const run = medianRun(all)
    const ratio = (other: number): string => (Number.isNaN(other) ? '?' : `${(other / run.seconds).toFixed(1)}x`)
    process.stdout.write(
      `  ${name.padEnd(40)} ${figuresOf(run)}; helm sequential ${ratio(estimate)}, -P2 ${ratio(parallel)}\n`,
    )
  }
}
rmSync(work, { recursive: true, force: true })

function seconds(all: ReadonlyMap<string, readonly Run[]>, name: string): number {
  return median((all.get(name) ?? []).map((run) => run.seconds))
}

function figuresOf({ seconds: wall, cpu, peakMemory }: Run): string {
  return `${wall.toFixed(2).padStart(7)} s, CPU ${cpu.toFixed(2).padStart(6)} s, peak ${peakMemory.toFixed(0).padStart(4)} MiB`
}

function noteRun(all: Map<string, Run[]>, name: string, run: Run): void {
  all.set(name, [...(all.get(name) ?? []), run])
}

function renderWords(folder: string): readonly string[] {
  return ['render', '--fleet', folder, '-o', 'json', '-q']
}

/** What was rendered before is moved away, not removed: right after that, ext4 is slow at making files. */
async function renderOnce(
  folder: string,
  { reuse, writes }: { readonly reuse: 'on' | 'off'; readonly writes: 'on' | 'off' },
): Promise<Run> {
  if (readdirSync(folder).includes('rendered')) renameSync(join(folder, 'rendered'), join(work, `moved-${moved++}`))
  // with nothing there every file differs: exit 1
  if (reuse === 'on') {
    const check = writes === 'off' ? ['--check'] : []
    return measure(process.execPath, [join(dist, 'main.js'), ...renderWords(folder), ...check], { accept: [1] })
  }
  // no switch of the program: the library, from modules that are not bundled, under the flag that the program sets
  const options = {
    start: folder,
    fleet: folder,
    clusters: [],
    stacks: [],
    check: writes === 'off',
    allowEmpty: false,
    overwriteEdited: false,
    reuse,
  }
  const script = `import { createNodePorts, render } from ${JSON.stringify(pathToFileURL(join(dist, 'index.js')).href)}
await render(${JSON.stringify(options)}, createNodePorts(), () => {})`
  const flags = process.versions.v8.startsWith('11.') ? ['--interrupt-budget=400000'] : []
  return measure(process.execPath, [...flags, '--input-type=module', '-e', script])
}

async function helmOnce(jobs: string, parallel: number): Promise<Run> {
  const home = { HELM_CACHE_HOME: work, HELM_CONFIG_HOME: work, HELM_DATA_HOME: work, KUBECONFIG: '/nonexistent' }
  const script = `xargs -d '\\n' -P${parallel} -I{} sh -c '{} >/dev/null' < ${jobs}`
  return measure('sh', ['-c', script], { env: { ...process.env, ...home } })
}

/** One helm command for each chart of each cluster, and one for the class. */
function helmJobs(clusters: number): readonly string[] {
  const values = join(work, `values-${clusters}`)
  mkdirSync(values)
  const jobs = [`${helm} template openstack-scs-1-32 ${provider}/cluster-class --namespace fleet`]
  for (let index = 1; index <= clusters; index++) {
    const name = `cluster-${String(index).padStart(3, '0')}`
    const texts: Readonly<Record<string, string>> = {
      cni: cniValues,
      'metrics-server': `metrics-server:\n  commonLabels:\n    domain: "${name}.clusters.example.com"\n`,
      csi: `openstack-cinder-csi:\n  clusterID: "${name}"\n`,
      ccm: `openstack-cloud-controller-manager:\n  cluster:\n    name: ${name}\n`,
    }
    for (const addon of readdirSync(join(provider, 'cluster-addon'))) {
      const file = join(values, `${name}-${addon}.yaml`)
      writeFileSync(file, texts[addon] ?? '')
      jobs.push(
        `${helm} template --include-crds --kube-version v1.32.5 cluster-addon ${provider}/cluster-addon/${addon} --namespace kube-system -f ${file}`,
      )
    }
  }
  return jobs
}
