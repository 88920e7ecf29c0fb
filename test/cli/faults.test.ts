import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Ports } from '../../src/model/ports.ts'
import { remoteFleet } from '../pipeline/remote-fleet.ts'
import { fleetYaml, releaseFiles } from '../support/release-server.ts'
import { requireBasic, startWebServer, type WebAnswer } from '../support/web-server.ts'
import { runCli } from './run-cli.ts'

const tag = 'docker-demo-1-34-v1'
const archive = `docker-demo-1-34-cluster-class-v1.tgz`
const whole = releaseFiles('v1')

interface Fault {
  /** What the server answers for one file of the release, every time. */
  readonly answer: WebAnswer
  readonly words?: readonly string[]
}

/** A file of the release, as it should be. */
const body = Buffer.from(whole[archive] ?? '')

const faults: Readonly<Record<string, Fault>> = {
  'a connection that is reset in the middle': { answer: { body, fault: { type: 'reset', after: 20 } } },
  'a body that ends early': { answer: { body, fault: { type: 'truncate', after: 20 } } },
  'other bytes than the index says': { answer: { body: Buffer.from(body).fill(7, 100, 110) } },
  'a body that comes too slowly': { answer: { body, fault: { type: 'stall', after: 20 } } },
  'a server that is overloaded': { answer: { status: 503, headers: { 'retry-after': '1' } } },
  'too many requests': { answer: { status: 429, headers: { 'retry-after': '7200' } } },
  'a file that is not there': { answer: { status: 404 } },
  'a file that nobody may read': { answer: { status: 401, headers: { 'www-authenticate': 'Basic realm="releases"' } } },
  'an answer without end': { answer: { body: Buffer.alloc(body.length + 1000) } },
  'a redirect that goes round': { answer: { status: 302, headers: { location: `/${tag}/${archive}` } } },
  'a cache that has nothing, offline': { answer: { body }, words: ['update', '--offline'] },
}

/** The machine's ports with short limits, so that a server which says nothing is given up soon. */
function impatient(ports: Ports): Ports {
  return {
    ...ports,
    clock: { ...ports.clock, now: () => Date.UTC(2026, 0, 2, 3, 4, 5) },
    http: { exchange: (request) => ports.http.exchange({ ...request, idleTimeout: 150 }) },
  }
}

/** Texts in test/golden/faults, `vitest -u` writes them anew: read the difference as a user would. */
describe('what a user sees of', () => {
  test.each(Object.entries(faults))('%s', async (name, { answer, words = ['update'] }) => {
    const fleet = await remoteFleet()
    fleet.offered.set(tag, whole)
    fleet.overrides.set(`/${tag}/${archive}`, answer)
    const { status, stdout, stderr } = await runCli([...words, '--no-color'], {
      cwd: fleet.folder,
      ports: impatient(fleet.ports),
    })
    const text = `$ stackmason ${words.join(' ')}\n${stdout}${stderr}exit status ${status}\n`
    const stable = text.replaceAll(fleet.server.host, 'releases.example').replaceAll(/in \d+(?:\.\d+)? m?s/g, 'in 1 s')
    await expect(stable).toMatchFileSnapshot(`../golden/faults/${name.replaceAll(' ', '-').replaceAll(',', '')}.txt`)
    expect(await readFile(join(fleet.folder, 'stackmason.lock'), 'utf8').catch(() => 'none')).toBe('none')
  })
})

describe('what passes', () => {
  test.each([
    { name: 'a reset', fault: { body, fault: { type: 'reset', after: 20 } } },
    { name: 'a truncated body', fault: { body, fault: { type: 'truncate', after: 20 } } },
    { name: 'wrong bytes', fault: { body: Buffer.from(body).fill(7, 100, 110) } },
    { name: '429', fault: { status: 429, headers: { 'retry-after': '1' } } },
    { name: '503', fault: { status: 503 } },
  ] as const)('$name once, when the next try is right', async ({ fault }) => {
    const fleet = await remoteFleet()
    fleet.offered.set(tag, whole)
    let isFirst = true
    const flaky = await startWebServer(async ({ path }) => {
      const response = await fetch(`${fleet.server.url}${path}`)
      if (!response.ok) return { status: response.status }
      const answer = { body: Buffer.from(await response.arrayBuffer()) }
      if (!path.endsWith('.tgz') || !isFirst) return answer
      isFirst = false
      return path.endsWith(archive) ? fault : answer
    })
    onTestFinished(flaky.close)
    await fleet.write({ 'stackmason.yaml': fleetYaml(flaky.url) })
    const { status, stderr } = await runCli(['update'], { cwd: fleet.folder, ports: fleet.ports })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  test('a redirect to another host, to which no credentials follow', async () => {
    const fleet = await remoteFleet()
    fleet.offered.set(tag, whole)
    const login = { username: 'mason', password: 'hunter2-hunter2' }
    const front = await startWebServer(
      requireBasic(login.username, login.password, ({ path }) => ({
        status: 302,
        headers: { location: `${fleet.server.otherUrl}${path}` },
      })),
    )
    onTestFinished(front.close)
    const yaml = fleetYaml(front.url).replace(
      'plainHttp: true',
      'plainHttp: true, credentialsFrom: {username: U, password: P}',
    )
    await fleet.write({ 'stackmason.yaml': yaml })
    const environment = {
      get: (name: string) => ({ U: login.username, P: login.password })[name] ?? fleet.ports.environment.get(name),
    }
    const { status, stdout, stderr } = await runCli(['update'], {
      cwd: fleet.folder,
      ports: { ...fleet.ports, environment },
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(front.requests.length).toBeGreaterThan(2)
    expect(fleet.server.requests.length).toBeGreaterThan(2)
    expect(front.requests.filter(({ headers }) => headers.has('authorization')).length).toBeGreaterThan(2)
    expect(fleet.server.requests.filter(({ headers }) => headers.has('authorization'))).toEqual([])
    expect(stdout + (await readFile(join(fleet.folder, 'stackmason.lock'), 'utf8'))).not.toMatch(/hunter2|mason:/)
  })
})
