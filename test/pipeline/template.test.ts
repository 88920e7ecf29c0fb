import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { template } from '../../src/pipeline/commands/template.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { realHelm } from '../support/helm.ts'
import { goldenFile, helmArguments, probeFolder, probes } from './template-probes.ts'

const ports = createNodePorts()
const helm = realHelm('comparing golden files of charts with helm')
/** The Go that helm's release is built with; here it is built with whatever there is, and charts can read which. */
const releasedWith = 'go1.25.9'
const builtWith =
  helm === undefined ? '' : spawnSync(helm, ['version', '--template', '{{.GoVersion}}'], { encoding: 'utf8' }).stdout

describe('charts render as helm 4.1.4 renders them', () => {
  test.each(probes)('$name', async (probe) => {
    const { output } = await template({ ...probe.options, cwd: probeFolder }, ports)
    expect(output).toBe(readFileSync(goldenFile(probe), 'utf8'))
  })

  test('an empty namespace is the default one', async () => {
    const [probe] = probes
    if (probe === undefined) throw new Error('there are no probes')
    const { namespace: _, ...options } = probe.options
    const render = async (more: { readonly namespace?: string }): Promise<string> =>
      (await template({ ...options, ...more, cwd: probeFolder }, ports)).output
    expect(await render({ namespace: '' })).toBe(await render({}))
    expect(await render({ namespace: 'other' })).not.toBe(await render({}))
  })

  test.skipIf(helm === undefined).each(probes)('the golden file of $name is what helm prints', (probe) => {
    const run = spawnSync(helm ?? '', helmArguments(probe), { cwd: probeFolder, encoding: 'utf8', maxBuffer: 1 << 26 })
    const output = run.stdout.replaceAll(builtWith, releasedWith)
    expect([run.status, output]).toEqual([0, readFileSync(goldenFile(probe), 'utf8')])
  })
})
