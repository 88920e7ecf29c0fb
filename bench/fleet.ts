/**
 * A fleet of openstack/scs against the real helm binary run once for each chart, in one go.
 *   tsx bench/fleet.ts [CLUSTERS…]        (default 1 50; 500 takes minutes on the helm side)
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { helmBinary } from '../tools/helm.ts'
import { sharedFolder } from '../test/support/shared.ts'
import { makeFleet } from './support/make-fleet.ts'
import { measure } from './support/measure.ts'

const shared = sharedFolder()
const helm = helmBinary()
if (shared === undefined || helm === undefined) throw new Error('needs the shared data and the helm binary')
const provider = join(shared, 'cluster-stacks/providers/openstack/scs')
const cli = join(import.meta.dirname, '../dist/main.js')
const sizes = process.argv.slice(2).map(Number)

for (const clusters of sizes.length === 0 ? [1, 50] : sizes) {
  const folder = mkdtempSync(join(tmpdir(), 'stackmason-bench-'))
  makeFleet(folder, {
    providerDirectory: provider,
    provider: 'openstack',
    stack: 'scs',
    kubernetesVersion: 'v1.32.5',
    clusters,
  })
  const render = ['render', '--fleet', folder, '-o', 'json']
  const first = await measure(process.execPath, [cli, ...render])
  const again = await measure(process.execPath, [cli, ...render])

  const jobs = join(folder, 'jobs')
  writeFileSync(jobs, helmJobs(clusters, folder).join('\n'))
  const home = { HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder, KUBECONFIG: '/nonexistent' }
  const helmRuns: number[] = []
  for (const parallel of [1, 2]) {
    const script = `xargs -d '\\n' -P${parallel} -I{} sh -c '{} >/dev/null' < ${jobs}`
    helmRuns.push((await measure('sh', ['-c', script], { ...process.env, ...home })).seconds)
  }
  const [sequential = NaN, parallel = NaN] = helmRuns
  process.stdout.write(
    `${clusters} clusters: stackmason ${first.seconds.toFixed(2)} s (files written; peak ${first.peakMemory.toFixed(0)} MiB), again ${again.seconds.toFixed(2)} s; ` +
      `helm sequential ${sequential.toFixed(2)} s = ${(sequential / first.seconds).toFixed(1)}x, xargs -P2 ${parallel.toFixed(2)} s = ${(parallel / first.seconds).toFixed(1)}x\n`,
  )
  rmSync(folder, { recursive: true, force: true })
}

/** One helm command for each chart of each cluster, and one for the class. */
function helmJobs(clusters: number, folder: string): readonly string[] {
  const jobs = [`${helm} template openstack-scs-1-32 ${provider}/cluster-class --namespace fleet`]
  for (let index = 1; index <= clusters; index++) {
    const name = `cluster-${String(index).padStart(3, '0')}`
    const values: Readonly<Record<string, string>> = {
      'metrics-server': `metrics-server:\n  commonLabels:\n    domain: "${name}.clusters.example.com"\n`,
      csi: `openstack-cinder-csi:\n  clusterID: "${name}"\n`,
      ccm: `openstack-cloud-controller-manager:\n  cluster:\n    name: ${name}\n`,
    }
    for (const addon of readdirSync(join(provider, 'cluster-addon'))) {
      const file = join(folder, `${name}-${addon}.yaml`)
      writeFileSync(file, values[addon] ?? '')
      jobs.push(
        `${helm} template --include-crds --kube-version v1.32.5 cluster-addon ${provider}/cluster-addon/${addon} --namespace kube-system -f ${file}`,
      )
    }
  }
  return jobs
}
