import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import type { Chart } from '../../../src/model/chart.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import type { GitopsTool } from '../../../src/model/gitops-tool.ts'
import { readChart } from '../../../src/sources/chart/read-chart.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { hasKube, startKube, type Kube } from '../../../tools/servers/kube.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'
import { boundCluster } from '../binding/bound-cluster.ts'

const shared = sharedFolder()
if (shared === undefined) console.warn('SKIPPED, bindings of real charts on a real API server: no shared data')

describe.runIf(shared !== undefined && hasKube())('bindings of real charts on a real API server', () => {
  const charts = join(shared ?? '', 'charts')
  let kube: Kube

  beforeAll(async () => {
    kube = await startKube()
    await kube.installCrds([fileURLToPath(new URL('../../../templates/crds', import.meta.url))])
    await kube.createNamespaces(['team'])
  }, 120_000)
  afterAll(() => kube.close())

  /**
   * The binding of a cluster with this chart; undefined when it needs none, or cannot be rendered with its own values.
   */
  function bindingOf(chart: Chart, tool: GitopsTool): string | undefined {
    try {
      const { runtimeValues } = boundCluster({ chart, tool })
      return runtimeValues === undefined ? undefined : formatManifestYaml(runtimeValues.object)
    } catch (error) {
      if (error instanceof StackmasonError) return undefined
      throw error
    }
  }

  test('all are accepted, for each tool', async () => {
    const folders = readdirSync(charts, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    const refused: string[] = []
    const accepted = { flux: 0, argocd: 0 }
    for (const { name } of folders) {
      const chart = await readChart(join(charts, name), createNodePorts()).catch((error: unknown) => {
        if (error instanceof StackmasonError) return undefined
        throw error
      })
      if (chart === undefined) continue
      for (const tool of ['flux', 'argocd'] as const) {
        const text = bindingOf(chart, tool)
        if (text === undefined) continue
        const [result] = await kube.apply(text, { dryRun: true })
        if (result?.ok === true) accepted[tool]++
        else refused.push(`${name}, ${tool}: ${result?.message ?? 'no answer'}`)
      }
    }
    expect(refused).toEqual([])
    expect(Math.min(accepted.flux, accepted.argocd)).toBeGreaterThan(40)
  }, 300_000)
})
