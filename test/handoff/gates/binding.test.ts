import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
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

  /** The binding of a cluster with this chart; undefined when it needs none, or cannot be rendered with its own values. */
  async function bindingOf(name: string, engine: 'flux' | 'argocd'): Promise<string | undefined> {
    try {
      const { runtimeValues } = boundCluster({
        chart: await readChart(join(charts, name), createNodePorts()),
        tool: engine,
      })
      return runtimeValues === undefined ? undefined : formatManifestYaml(runtimeValues.object)
    } catch (error) {
      if (error instanceof StackmasonError) return undefined
      throw error
    }
  }

  test.each(['flux', 'argocd'] as const)(
    'all are accepted, for %s',
    async (engine) => {
      const folders = readdirSync(charts, { withFileTypes: true }).filter((entry) => entry.isDirectory())
      const refused: string[] = []
      let accepted = 0
      for (const { name } of folders) {
        const text = await bindingOf(name, engine)
        if (text === undefined) continue
        const [result] = await kube.apply(text, { dryRun: true })
        if (result?.ok === true) accepted++
        else refused.push(`${name}: ${result?.message ?? 'no answer'}`)
      }
      expect(refused).toEqual([])
      expect(accepted).toBeGreaterThan(40)
    },
    300_000,
  )
})
