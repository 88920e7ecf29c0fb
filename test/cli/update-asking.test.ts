import { describe, expect, onTestFinished, test } from 'vitest'
import { remoteFleet } from '../pipeline/remote-fleet.ts'
import { fleetYaml } from '../../tools/servers/release-server.ts'
import { startWebServer } from '../../tools/servers/web-server.ts'
import { runCli, type CliRun } from './run-cli.ts'

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
    expect(stderr).toMatch(/^asking source web\nasking source other\nerror /)
    expect(stderr.match(/^error FETCH_\w+ /gm)).toHaveLength(2)
  })

  test('in one line of a terminal, which goes when the answers are there', async () => {
    const { stderr } = await updateRefused({ isTerminal: true })
    const clear = '\r\u001B[K'
    expect(stderr.startsWith(`${clear}asking source web${clear}asking sources web, other${clear}`)).toBe(true)
  })

  test.each([[['-o', 'json']], [['--offline']]])('without a word: %j', async (words) => {
    const { stderr } = await updateRefused({ isTerminal: false, words })
    expect(stderr).not.toContain('asking')
  })
})
