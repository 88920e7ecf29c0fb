import { describe, expect, onTestFinished, test } from 'vitest'
import { remoteFleet } from '../pipeline/remote-fleet.ts'
import { fleetYaml, releaseFiles } from '../../tools/servers/release-server.ts'
import { requireBasic, startWebServer } from '../../tools/servers/web-server.ts'
import { runCli, source } from './run-cli.ts'
import { goldenOfFault, seenOfFault, serverFaults } from './server-faults.ts'

const tag = 'docker-demo-1-34-v1'
const archive = `docker-demo-1-34-cluster-class-v1.tgz`
const whole = releaseFiles('v1')
const body = Buffer.from(whole[archive] ?? '')

/** Texts in test/golden/faults, `vitest -u` writes them anew: read the difference as a user would. */
describe('what a user sees of', () => {
  test.each(Object.entries(serverFaults))('%s', async (name, fault) => {
    await expect(await seenOfFault(fault, source)).toMatchFileSnapshot(goldenOfFault(name))
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
    fleet.change({ 'stackmason.yaml': fleetYaml(flaky.url) })
    const { status, stderr } = await runCli(['update'], { cwd: fleet.folder, ports: fleet.ports })
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'asking source web\nsource web: 1 release\n' })
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
    fleet.change({ 'stackmason.yaml': yaml })
    const environment = {
      get: (name: string) => ({ U: login.username, P: login.password })[name] ?? fleet.ports.environment.get(name),
    }
    const { status, stdout, stderr } = await runCli(['update'], {
      cwd: fleet.folder,
      ports: { ...fleet.ports, environment },
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'asking source web\nsource web: 1 release\n' })
    expect(front.requests.length).toBeGreaterThan(2)
    expect(fleet.server.requests.length).toBeGreaterThan(2)
    expect(front.requests.filter(({ headers }) => headers.has('authorization')).length).toBeGreaterThan(2)
    expect(fleet.server.requests.filter(({ headers }) => headers.has('authorization'))).toEqual([])
    expect(stdout + fleet.read('stackmason.lock')).not.toMatch(/hunter2|mason:/)
  })
})
