/**
 * What one pull request for each cluster costs, beside one for the fleet: seconds, memory, processes of git, requests to
 * the forge; when all clusters change, when nothing does, and when one does.
 *
 *   npx tsx bench/publish-groups.ts [CLUSTERS…]
 */
import childProcess from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { forgeAbilities } from '../src/model/forge.ts'
import { labCluster } from '../tools/fleets/lab-fleet.ts'
import { portsWith, publishFrom } from '../tools/fleets/published-fleet.ts'
import { openTrialPlace, type TrialForm } from '../tools/fleets/trial-place.ts'

/** Programs that this process starts; the git server's are not of them. */
let started = 0
const { spawn } = childProcess
childProcess.spawn = new Proxy(spawn, {
  apply: (target, self, words: Parameters<typeof spawn>) => {
    if (words[0] === 'git' && words[1][0] !== 'http-backend') started++
    return Reflect.apply(target, self, words)
  },
})
syncBuiltinESMExports()

for (const count of process.argv.length > 2 ? process.argv.slice(2).map(Number) : [30, 100, 300])
  for (const form of ['fleet', 'cluster'] as const) await trial(form, count)

async function trial(form: Exclude<TrialForm, 'branch'>, count: number): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'stackmason-groups-'))
  const place = await openTrialPlace(root, form)
  const { fleet, forge } = place
  const names = Array.from({ length: count }, (_, index) => `c${String(index).padStart(3, '0')}`)
  try {
    console.log(`${String(count)} clusters, grouping ${form}; load ${(loadavg()[0] ?? NaN).toFixed(1)}`)
    for (const name of names)
      fleet.author.write(`clusters/team/${name}/cluster.yaml`, labCluster().replace('name: one', `name: ${name}`))
    const clone = await fleet.clone('ci')
    const change = async (text: string, changed: readonly string[]): Promise<void> => {
      for (const name of changed) fleet.author.write(`clusters/team/${name}/values/web.yaml`, `message: ${text}\n`)
      await fleet.push()
    }
    const run = async (what: string): Promise<void> => {
      started = 0
      forge?.requests.splice(0)
      const [begun, cpu] = [performance.now(), process.cpuUsage()]
      const { status, proposals } = await publishFrom(clone, {}, portsWith(place.variables))
      const { user, system } = process.cpuUsage(cpu)
      const asked = forge?.requests ?? []
      const writes = asked.filter((request) => !request.startsWith('GET '))
      console.log(
        [
          `  ${what}: ${status}, ${String(proposals.length)} proposals`,
          `${((performance.now() - begun) / 1000).toFixed(1)} s`,
          `${((user + system) / 1e6).toFixed(1)} s CPU here`,
          `${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB at most so far`,
          `git ${String(started)} times`,
          `${String(asked.length - writes.length)} reads and ${String(writes.length)} writes of the API`,
        ].join(', '),
      )
    }
    await fleet.push()
    await run('first')
    tellBodies()
    place.mergeAll(() => 0)
    // by its path: the server is in this process
    fleet.author.git('pull', '--quiet', '--rebase', fleet.repository.path, 'main')
    await change('first', names)
    await run('all changed')
    tellBodies()
    await run('nothing')
    await change('second', names.slice(0, 1))
    await run('one changed')
  } finally {
    await place.close()
    rmSync(root, { recursive: true, force: true })
  }

  function tellBodies(): void {
    const open = (forge?.state.pullRequests ?? []).filter(({ state }) => state === 'open')
    const longest = Math.max(0, ...open.map(({ body }) => body.length))
    const limits = Object.values(forgeAbilities).map(({ kind, maxBody }) => `${kind} ${String(maxBody)}`)
    console.log(`    the longest body has ${String(longest)} characters; limits: ${limits.join(', ')}`)
  }
}
