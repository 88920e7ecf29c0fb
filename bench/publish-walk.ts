/**
 * Walks a packed and installed program through the life of pull requests on a GitHub that is played: what it says, what it
 * asks of the API, the body; then through faults of the API, after each of which the next run has to find all in order.
 *
 *   npx tsx bench/publish-walk.ts [PROGRAM]
 *
 * PROGRAM: the `stackmason` of an installation; without it the project is packed and installed.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gitTestEnvironment } from '../tools/servers/git-server.ts'
import { startWebServer, type WebAnswer } from '../tools/servers/web-server.ts'
import { openTrialPlace } from '../tools/fleets/trial-place.ts'

/** What goes wrong with one request. */
interface Fault {
  readonly name: string
  /** Method and path, below the repository. */
  readonly on: RegExp
  readonly answer: WebAnswer
  /** True if it has taken effect all the same. */
  readonly isDone?: true
}

const json = { 'content-type': 'application/json' }
const invalid = { message: 'Validation Failed', errors: [{ resource: 'PullRequest', field: 'base', code: 'invalid' }] }
const opening = /^POST \/pulls$/
const updating = /^PATCH \/pulls\/\d+$/
const faults: readonly Fault[] = [
  { name: 'a gateway is gone while pull requests are listed', on: /^GET \/pulls/, answer: { status: 502 } },
  { name: 'a gateway is gone while one is opened', on: opening, answer: { status: 502 } },
  { name: 'one is opened, and the gateway says it is gone', on: opening, answer: { status: 502 }, isDone: true },
  { name: 'one is opened, and the answer is lost', on: opening, answer: { fault: { type: 'reset' } }, isDone: true },
  { name: 'one is refused', on: opening, answer: { status: 422, headers: json, body: invalid } },
  {
    name: 'there were too many writes',
    on: opening,
    answer: {
      status: 403,
      headers: { ...json, 'retry-after': '2' },
      body: { message: 'You have exceeded a secondary rate limit.' },
    },
  },
  { name: 'a gateway is gone while one is updated', on: updating, answer: { status: 502 } },
  { name: 'one is updated, and the answer is lost', on: updating, answer: { fault: { type: 'reset' } }, isDone: true },
  { name: 'an update is refused', on: updating, answer: { status: 422, headers: json, body: invalid } },
]

const root = mkdtempSync(join(tmpdir(), 'stackmason-walk-'))
const program = process.argv[2] ?? install()
let fault: Fault | undefined
let fronts: { readonly close: () => Promise<void> } | undefined
const place = await openTrialPlace(join(root, 'place'), 'fleet', async (url) => {
  const front = await startWebServer(async ({ method, path, headers, body }) => {
    const isHit =
      fault?.on.test(`${method} ${path.replace(/^.*\/repos\/acme\/fleet/, '').replace(/\?.*/, '')}`) === true
    const hit = isHit ? fault : undefined
    if (hit !== undefined) fault = undefined
    if (hit !== undefined && hit.isDone !== true) return hit.answer
    const sent = ['GET', 'HEAD'].includes(method) ? {} : { body: Buffer.from(body) }
    const known = ['authorization', 'content-type', 'accept'].flatMap((name): [string, string][] => {
      const value = headers.get(name)
      return value === undefined ? [] : [[name, value]]
    })
    const answer = await fetch(url + path, { method, headers: known, ...sent })
    const link = answer.headers.get('link')
    const told = { ...json, ...(link !== null && { link }) }
    return hit?.answer ?? { status: answer.status, headers: told, body: new Uint8Array(await answer.arrayBuffer()) }
  })
  fronts = front
  return front.url
})
const { fleet, forge } = place
if (forge === undefined) throw new Error('there is no forge')
const clone = await fleet.clone('ci')
const problems: string[] = []

try {
  const { author } = fleet
  const set = async (text: string): Promise<void> => {
    author.git('pull', '--quiet', '--rebase', fleet.repository.path, 'main')
    author.write('clusters/team/one/values/web.yaml', `message: ${text}\n`)
    await fleet.push()
  }
  const mergeAll = (): void => {
    place.mergeAll(() => 0)
  }
  await walk('a new fleet', 0)
  mergeAll()
  await walk('merged', 0)
  await set('first')
  await walk('a value has changed', 0)
  const [held] = forge.state.pullRequests.filter(({ state }) => state === 'open')
  console.log(`\n${held?.title ?? ''}\n\n${held?.body ?? ''}\n(${String(held?.body.length)} characters)\n`)
  await walk('nothing has changed', 0)
  await set('second')
  await walk('the value has changed again', 0)
  await set('hello')
  await walk('the value is what it was', 0)
  await set('third')
  await walk('a value has changed', 0)
  mergeAll()
  await walk('merged', 0)
  for (const [index, one] of faults.entries()) {
    if (one.on === updating) {
      await set(`before-${String(index)}`)
      await publish()
    }
    await set(`fault-${String(index)}`)
    fault = one
    const isRefusal = one.answer.status === 422
    await walk(one.name, isRefusal ? 1 : 0)
    if (fault !== undefined) problems.push(`${one.name}: nobody asked`)
    fault = undefined
    if (isRefusal) await walk('the next run', 0)
    const open = forge.state.pullRequests.filter(({ state }) => state === 'open')
    if (open.length !== 1) problems.push(`${one.name}: ${String(open.length)} pull requests are open`)
    for (const what of place.faults()) problems.push(`${one.name}: ${what}`)
    const before = forge.requests.length
    await publish()
    const writes = forge.requests.slice(before).filter((asked) => !asked.startsWith('GET '))
    if (writes.length > 0) problems.push(`${one.name}: a later run writes: ${writes.join(', ')}`)
    mergeAll()
  }
} finally {
  await place.close()
  await fronts?.close()
  rmSync(root, { recursive: true, force: true })
}
console.log(`${String(problems.length)} problems`)
for (const problem of problems) console.log(`  ${problem}`)
process.exitCode = problems.length === 0 ? 0 : 1

/** Publishes, and prints what that was. */
async function walk(what: string, wanted: number): Promise<void> {
  const before = forge?.requests.length ?? 0
  const { status, text } = await publish()
  if (status !== wanted) problems.push(`${what}: status ${String(status)}`)
  console.log(`== ${what}: status ${String(status)}`)
  for (const line of text.trimEnd().split('\n')) console.log(`   ${line}`)
  for (const asked of forge?.requests.slice(before) ?? []) console.log(`   > ${asked}`)
}

async function publish(): Promise<{ readonly status: number | null; readonly text: string }> {
  const env = { ...gitTestEnvironment, ...place.variables, STACKMASON_CACHE: join(tmpdir(), 'stackmason-test-cache') }
  const child = spawn(program, ['publish', '--yes'], { cwd: clone.folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return { status, text }
}

/** Packs the project, and installs it as people do. */
function install(): string {
  const run = (cwd: string, words: readonly string[]): void => {
    execFileSync('npm', words, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  run(join(import.meta.dirname, '..'), ['pack', '--silent', '--pack-destination', root])
  const [archive = ''] = readdirSync(root).filter((name) => name.endsWith('.tgz'))
  const folder = join(root, 'installed')
  run(root, ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, join(root, archive)])
  return join(folder, 'node_modules/.bin/stackmason')
}
