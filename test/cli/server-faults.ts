import { expect } from 'vitest'
import type { Ports } from '../../src/model/ports.ts'
import { remoteFleet } from '../pipeline/remote-fleet.ts'
import { releaseFiles } from '../../tools/servers/release-server.ts'
import type { WebAnswer } from '../../tools/servers/web-server.ts'
import type { ProgramUnderTest } from './run-cli.ts'

const tag = 'docker-demo-1-34-v1'
const archive = `docker-demo-1-34-cluster-class-v1.tgz`
const whole = releaseFiles('v1')

export interface Fault {
  /** What the server answers for one file of the release, every time. */
  readonly answer: WebAnswer
  readonly words?: readonly string[]
}

/** A file of the release, as it should be. */
const body = Buffer.from(whole[archive] ?? '')

/** What servers do wrong, by what it is. */
export const serverFaults: Readonly<Record<string, Fault>> = {
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

/** The machine's ports at a fixed time; a server that says nothing is given up after so many milliseconds. */
function patientFor(idleTimeout: number, ports: Ports): Ports {
  return {
    ...ports,
    clock: { ...ports.clock, now: () => Date.UTC(2026, 0, 2, 3, 4, 5) },
    http: { exchange: (request) => ports.http.exchange({ ...request, idleTimeout }) },
  }
}

/** Runs the command against such a server, and gives all that a user sees. */
export async function seenOfFault({ answer, words = ['update'] }: Fault, under: ProgramUnderTest): Promise<string> {
  const fleet = await remoteFleet()
  fleet.offered.set(tag, whole)
  fleet.overrides.set(`/${tag}/${archive}`, answer)
  const isSilent = 'fault' in answer && answer.fault?.type === 'stall'
  const ports = patientFor(isSilent ? 150 : 30_000, {
    ...under.createNodePorts(),
    environment: fleet.ports.environment,
  })
  const { status, stdout, stderr } = await under.runCli([...words, '--no-color'], {
    cwd: fleet.folder,
    ports: { ...ports, clock: { ...ports.clock, sleep: fleet.ports.clock.sleep } },
  })
  expect(fleet.has('stackmason.lock')).toBe(false)
  const text = `$ stackmason ${words.join(' ')}\n${stdout}${stderr}exit status ${status}\n`
  return text.replaceAll(fleet.server.host, 'releases.example').replaceAll(/in \d+(?:\.\d+)? m?s/g, 'in 1 s')
}

/** The golden of a fault. */
export function goldenOfFault(name: string): string {
  return `../golden/faults/${name.replaceAll(' ', '-').replaceAll(',', '')}.txt`
}
