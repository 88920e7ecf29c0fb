import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { template } from '../../src/pipeline/template.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { helmBinary } from '../../tools/helm.ts'
import { goldenFile, helmArguments, probeFolder, probes } from './template-probes.ts'

const ports = createNodePorts()
const helm = helmBinary()
if (helm === undefined)
  console.warn('SKIPPED: golden files of charts are not compared with the helm binary, which is not there')

describe('charts render as helm 4.1.4 renders them', () => {
  test.each(probes)('$name', async (probe) => {
    const { output } = await template({ ...probe.options, cwd: probeFolder }, ports)
    expect(output).toBe(readFileSync(goldenFile(probe), 'utf8'))
  })

  test.skipIf(helm === undefined).each(probes)('the golden file of $name is what helm prints', (probe) => {
    const run = spawnSync(helm ?? '', helmArguments(probe), { cwd: probeFolder, encoding: 'utf8', maxBuffer: 1 << 26 })
    expect([run.status, run.stdout]).toEqual([0, readFileSync(goldenFile(probe), 'utf8')])
  })
})
