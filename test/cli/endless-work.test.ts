import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Ports } from '../../src/model/ports.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { runCli, source } from './run-cli.ts'

const ADDON = 'providers/docker/starter/cluster-addon/welcome'
const MAP = `${ADDON}/templates/configmap.yaml`
/** What the planted hash never comes back from. */
const ENDLESS = 'work without end'

/** A function of templates that never ends, and a deadline that is soon over. */
function plantedPorts(): Ports {
  const ports = source.createNodePorts()
  const planted = Buffer.from(ENDLESS)
  const hash: Ports['crypto']['hash'] = (algorithm, bytes) => {
    if (planted.equals(bytes)) for (;;);
    return ports.crypto.hash(algorithm, bytes)
  }
  const within: Ports['deadline']['within'] = (_, work) => ports.deadline.within(300, work)
  return { ...ports, crypto: { ...ports.crypto, hash }, deadline: { ...ports.deadline, within } }
}

async function fleetWith(path: string, text: string): Promise<string> {
  const folder = await tempFolder()
  await runCli(['init'], { cwd: folder })
  await writeFile(join(folder, path), text)
  return folder
}

const TEMPLATE = 'chart/templates/a.yaml'

/** A folder with a chart. */
async function chartWith(path: string, text: string): Promise<string> {
  const folder = await tempFolder()
  await mkdir(join(folder, 'chart/templates'), { recursive: true })
  await writeFile(join(folder, 'chart/Chart.yaml'), 'apiVersion: v2\nname: chart\nversion: 1.0.0\n')
  await writeFile(join(folder, path), text)
  return folder
}

const endlessTemplate = `a: 1\nb: {{ include "inner" . }}\n{{ define "inner" }}\n{{ sha256sum "${ENDLESS}" }}{{ end }}\n`

describe('work that no counter sees', () => {
  test('is stopped, and named by template, line and call chain, in text', async () => {
    const cwd = await chartWith(TEMPLATE, endlessTemplate)
    const { status, stdout, stderr } = await runCli(['template', 'chart'], { cwd, ports: plantedPorts() })
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain(`error TEMPLATE_LIMIT_TIME ${TEMPLATE}:4:`)
    expect(stderr).toContain(`executing "inner" at <sha256sum "${ENDLESS}">`)
    expect(stderr).toContain('executing "chart/templates/a.yaml" at <include "inner" .>')
  })

  test('is a finding of the report in JSON, and writes nothing', async () => {
    const cwd = await fleetWith(MAP, endlessTemplate)
    const { status, stdout, stderr } = await runCli(['render', '-o', 'json', '--quiet'], { cwd, ports: plantedPorts() })
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'failed',
      findings: [
        { code: 'TEMPLATE_LIMIT_TIME', file: MAP, line: 4, about: [{ cluster: 'team-a/web', addon: 'welcome' }] },
      ],
    })
    expect(await readdir(cwd)).not.toContain('rendered')
  })

  test('does not change what others render to', async () => {
    const cwd = await chartWith(TEMPLATE, 'a: {{ sha256sum "b" }}\n')
    const plain = await runCli(['template', 'chart'], { cwd })
    const deadline: Ports['deadline'] = { within: (_, work) => work(), together: (_, work) => work() }
    const bare = await runCli(['template', 'chart'], { cwd, ports: { ...source.createNodePorts(), deadline } })
    expect(plain).toEqual(bare)
    expect(plain.status).toBe(0)
  })

  test.each([
    ['each search looks as far as the end', '{{ regexFindAll "a*b|a" (repeat 300000 "a") -1 | len }}'],
    ['also where matches are replaced', '{{ regexReplaceAll "a*b|a" (repeat 300000 "a") "" }}'],
    ['and where they split', '{{ regexSplit "a*b|a" (repeat 300000 "a") -1 | len }}'],
  ])('searches are counted: %s', async (_name, text) => {
    const cwd = await chartWith(TEMPLATE, text)
    const { status, stderr } = await runCli(['template', 'chart'], { cwd })
    expect(status).toBe(1)
    expect(stderr).toContain(`error TEMPLATE_LIMIT_STEPS ${TEMPLATE}:1:`)
  })

  test('a schema of twenty thousand branches is refused', async () => {
    const branches = Array.from({ length: 20_000 }, (_, index) => ({ required: [`k${String(index)}`] }))
    const cwd = await chartWith('chart/values.schema.json', JSON.stringify({ anyOf: branches }))
    const { status, stderr } = await runCli(['template', 'chart'], { cwd })
    expect(status).toBe(1)
    expect(stderr).toContain('error CHART_VALUES_SCHEMA')
    expect(stderr).toContain('#/anyOf lists more than 1000 schemas')
  })
})
