/**
 * What artifacts of a large fleet cost on a real registry: requests, writes and seconds of the first run, of one where
 * nothing differs, and of one where a single cluster changes.
 *
 *   npx tsx bench/oci-artifacts.ts [clusters]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ports } from '../src/model/ports.ts'
import { lab, labCluster } from '../tools/fleets/lab-fleet.ts'
import { portsWith, publishFrom, servePublishedFleet } from '../tools/fleets/published-fleet.ts'
import { startRegistry } from '../tools/servers/registry.ts'

const clusters = Number(process.argv[2] ?? 300)
const flux = 'handoff: {flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}, path: ./rendered}}'

process.env['GIT_AUTHOR_NAME'] = process.env['GIT_COMMITTER_NAME'] = 'Bench'
process.env['GIT_AUTHOR_EMAIL'] = process.env['GIT_COMMITTER_EMAIL'] = 'bench@example.org'

/** Ports that count requests to the registry, and time what lies between the first and the last. */
function counting(): { readonly ports: Ports; readonly told: () => string } {
  const ports = portsWith()
  const requests = { all: 0, writes: 0, atOnce: 0, most: 0, first: 0, last: 0 }
  return {
    ports: {
      ...ports,
      http: {
        exchange: async (request) => {
          requests.all++
          if (request.method !== 'GET' && request.method !== 'HEAD') requests.writes++
          requests.most = Math.max(requests.most, ++requests.atOnce)
          requests.first ||= performance.now()
          try {
            return await ports.http.exchange(request)
          } finally {
            requests.atOnce--
            requests.last = performance.now()
          }
        },
      },
    },
    told: () => {
      const seconds = ((requests.last - requests.first) / 1000).toFixed(1)
      return `${String(requests.all)} requests, ${String(requests.writes)} of them writes, at most ${String(requests.most)} at once; ${seconds} s from the first to the last`
    },
  }
}

const root = mkdtempSync(join(tmpdir(), 'stackmason-oci-'))
const registry = await startRegistry()
for (const artifacts of ['units', 'fleet']) {
  const oci = `oci: {repository: "${registry.host}/${artifacts}", plainHttp: true, artifacts: ${artifacts}}`
  const fleet = await servePublishedFleet(join(root, artifacts), { spec: [`publish: {into: branch, ${oci}}`, flux] })
  for (let at = 1; at < clusters; at++)
    fleet.author.write(
      lab.cluster.replace('one', `c${String(at)}`),
      labCluster().replace('name: one', `name: c${String(at)}`),
    )
  await fleet.push()
  const clone = await fleet.clone('ci')
  const run = async (what: string): Promise<void> => {
    const { ports, told } = counting()
    const begun = performance.now()
    const result = await publishFrom(clone, {}, ports)
    const counts = new Map<string, number>()
    for (const { action } of result.artifacts) counts.set(action, (counts.get(action) ?? 0) + 1)
    const made = Array.from(counts, ([action, count]) => `${String(count)} ${action}`).join(', ')
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    console.log(`${artifacts}, ${what}: ${seconds} s with rendering; ${made}; ${told()}`)
  }
  await run(`${String(clusters)} clusters anew`)
  await run('nothing differs')
  fleet.author.git('pull', '--quiet', '--no-edit', 'origin', 'main')
  fleet.author.write(lab.values, 'message: two\n')
  await fleet.push()
  await run('one cluster differs')
  await fleet.server.close()
}
await registry.close()
rmSync(root, { recursive: true, force: true })
