import { describe, expect, onTestFinished, test } from 'vitest'
import { remoteFleet } from '../pipeline/remote-fleet.ts'
import { type FileMap, packagedChart } from '../../tools/fleets/stack-folder.ts'
import { answerReleases, fleetYaml, releaseFiles, stackYaml } from '../../tools/servers/release-server.ts'
import { startWebServer } from '../../tools/servers/web-server.ts'
import { runCli, type CliRun } from './run-cli.ts'

/** The first release of another stack. */
function otherRelease(): FileMap {
  const demo = releaseFiles('v1')
  const addons = demo['docker-demo-1-34-cluster-addon-v1.tgz']
  return releaseFiles('v1', {
    change: {
      'docker-demo-1-34-cluster-class-v1.tgz': undefined,
      'docker-demo-1-34-cluster-addon-v1.tgz': undefined,
      'docker-other-1-34-cluster-addon-v1.tgz': addons,
      'docker-other-1-34-cluster-class-v1.tgz': packagedChart('docker-other-1-34-cluster-class', 'v1', {}),
    },
  })
}

/** Runs `update` on a fleet with two sources that refuse, the first only after the second was asked. */
async function updateRefused(options: {
  readonly isTerminal: boolean
  readonly words?: readonly string[]
}): Promise<CliRun> {
  let release = (): void => undefined
  const secondAsked = new Promise<void>((resolve) => {
    release = resolve
  })
  const first = await startWebServer(async () => {
    await secondAsked
    return { status: 403 }
  })
  const second = await startWebServer(() => {
    release()
    return { status: 403 }
  })
  onTestFinished(first.close)
  onTestFinished(second.close)
  const fleet = await remoteFleet()
  const other = `    - {name: other, http: {url: "${second.url}", plainHttp: true}}\n`
  fleet.change({ 'stackmason.yaml': fleetYaml(first.url, other) })
  return runCli(['update', ...(options.words ?? [])], {
    cwd: fleet.folder,
    ports: fleet.ports,
    isTerminal: options.isTerminal,
  })
}

describe('update asks', () => {
  test('all sources at once, says which, and what is wrong with each', async () => {
    const { status, stderr } = await updateRefused({ isTerminal: false })
    expect(status).not.toBe(0)
    expect(stderr.split('\n').slice(0, 4).toSorted()).toEqual([
      'asking source other',
      'asking source web',
      'source other cannot be listed',
      'source web cannot be listed',
    ])
    expect(stderr.match(/^error FETCH_\w+ /gm)).toHaveLength(2)
  })

  test('in one line of a terminal, which goes when the answers are there', async () => {
    const { stderr } = await updateRefused({ isTerminal: true })
    const clear = '\r\u001B[K'
    expect(stderr.startsWith(`${clear}asking source web${clear}asking sources web, other${clear}`)).toBe(true)
  })

  test('a dead source without holding up the others, and says how to go on without it', async () => {
    const dead = await startWebServer(({ path }) =>
      answerReleases(path, new Map([['docker-other-1-34-v1', otherRelease()]])),
    )
    const fleet = await remoteFleet()
    fleet.offered.set('docker-demo-1-34-v1', releaseFiles('v1'))
    const stacks = ['demo', 'other'].map(
      (stack) => `    - {provider: docker, stack: ${stack}, source: ${stack === 'demo' ? 'web' : 'dead'}}\n`,
    )
    fleet.change({
      'stackmason.yaml': fleetYaml(
        fleet.server.url,
        `    - {name: dead, http: {url: "${dead.url}", plainHttp: true}}\n  stacks:\n${stacks.join('')}`,
      ),
      'stacks/other.yaml': stackYaml('autoSubscribe: true', 'other-1-34').replace('name: demo,', 'name: other,'),
    })
    const run = (words: readonly string[] = []): Promise<CliRun> =>
      runCli(['update', ...words], { cwd: fleet.folder, ports: fleet.ports })
    expect(await run()).toMatchObject({ status: 0 })
    await dead.close()
    const { status, stderr } = await run()
    const host = dead.url.replace('http://', '')
    expect(status).toBe(2)
    const lines = stderr.split('\n')
    expect(lines.slice(0, 4).toSorted()).toEqual([
      'asking source dead',
      'asking source web',
      'source dead cannot be listed',
      'source web: 1 release',
    ])
    expect(lines.slice(4).join('\n')).toBe(
      `error FETCH_FAILED stackmason.yaml:7:14: cannot get index.json of ${dead.url} from ${host}: ${host} refuses connections (tried 5 times)
  7 |     - {name: dead, http: {url: "${dead.url}", plainHttp: true}}
    |              ^^^^
  → Check the address, the network and the proxy variables, then run again. Meanwhile \`stackmason update --stack platform/demo-1-34\` moves what other sources offer.
`,
    )
    expect(await run(['--stack', 'platform/demo-1-34'])).toMatchObject({ status: 0 })
  })

  test.each([[['-o', 'json']], [['--offline']]])('without a word: %j', async (words) => {
    const { stderr } = await updateRefused({ isTerminal: false, words })
    expect(stderr).not.toContain('asking')
  })
})
