import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import type { Chart } from '../../../src/model/chart.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import type { GitopsTool } from '../../../src/model/gitops-tool.ts'
import { readChart } from '../../../src/sources/chart/read-chart.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'
import { hasKube, startKube, type Kube } from '../../../tools/servers/kube.ts'
import type { KubeObject, KubeResult } from '../../../tools/servers/kube-client.ts'
import { boundCluster } from '../binding/bound-cluster.ts'
import { crdRows, type CrdRow } from './crd-rows.ts'

const shared = sharedFolder()
if (shared === undefined) console.warn('SKIPPED, bindings of real charts on a real API server: no shared data')

const folder = fileURLToPath(new URL('../../../templates/crds', import.meta.url))

/** An object of the kind; names tell rows apart where the kind leaves them free. */
function objectOf({ kind, spec }: Pick<CrdRow, 'kind' | 'spec'>, name = 'c1'): KubeObject {
  return {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind,
    metadata: { name, namespace: 'default' },
    ...(spec !== undefined && { spec }),
  }
}

/**
 * The causes that the server gives, each `<field>: <words>`, without what differs from version to version: how it shows
 * a value that is wrong.
 */
function objections({ ok, body, message }: KubeResult): readonly string[] {
  if (ok) return []
  const causes: unknown = Reflect.get(Object(Reflect.get(Object(body), 'details')), 'causes')
  if (!Array.isArray(causes)) return [message]
  return causes
    .map((cause) => `${String(Reflect.get(cause, 'field'))}: ${String(Reflect.get(cause, 'message'))}`)
    .filter((text) => !text.includes('some validation rules were not checked'))
    .map((text) => text.replace(/: Invalid value: (?:"[^"]*": |\d+: )?/, ': '))
}

describe('custom resource definitions', () => {
  test.each(readdirSync(folder))('%s bounds every list, map and text that is not bound otherwise', (file) => {
    const definition: unknown = parse(readFileSync(join(folder, file), 'utf8'))
    expect(unbounded(definition, [])).toEqual([])
  })
})

/**
 * Paths of schemas whose size nothing limits: the server would refuse rules on them, or take what a controller cannot
 * hold.
 */
function unbounded(node: unknown, path: readonly string[]): readonly string[] {
  if (typeof node !== 'object' || node === null) return []
  const type: unknown = Reflect.get(node, 'type')
  const has = (name: string): boolean => name in node
  const isOpen =
    path.includes('openAPIV3Schema') &&
    !['apiVersion', 'kind'].includes(path.at(-1) ?? '') &&
    ((type === 'string' && !has('maxLength') && !has('enum') && !has('format')) ||
      (type === 'array' && !has('maxItems')) ||
      (type === 'object' && has('additionalProperties') && !has('maxProperties')))
  return [
    ...(isOpen ? [path.join('.')] : []),
    ...Object.entries(node).flatMap(([name, item]) => unbounded(item, [...path, name])),
  ]
}

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

describe.runIf(hasKube())('custom resource definitions on a real API server', () => {
  let kube: Kube

  beforeAll(async () => {
    kube = await startKube()
    await kube.installCrds([folder])
    await kube.createNamespaces(['team'])
  }, 120_000)
  afterAll(() => kube.close())

  test.each(crdRows)('$kind: $name', async (row) => {
    const [result] = await kube.apply([objectOf(row)], { dryRun: true })
    if (result === undefined) throw new Error('no answer')
    expect(objections(result)).toEqual(row.want)
    expect(result.warnings).toEqual([])
  })

  test.each(
    crdRows.filter(
      ({ want, kind }, index, rows) => want.length === 0 && rows.findIndex((row) => row.kind === kind) === index,
    ),
  )('a new $kind says that nobody has seen it, keeps what is allowed, and takes a status', async (row) => {
    const name = 'c1'
    const [created] = await kube.apply([objectOf(row, name)])
    expect(created?.message).toBe('')
    const fresh = await kube.get(objectOf(row, name))
    expect(fresh?.['status']).toEqual({ observedGeneration: -1 })
    expect(fresh?.['spec']).toMatchObject(row.spec ?? {})
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'Succeeded',
      message: '',
      lastTransitionTime: '2026-11-21T12:00:00Z',
      observedGeneration: 1,
    }
    await kube.applyStatus({ ...objectOf(row, name), status: { observedGeneration: 1, conditions: [ready] } })
    expect((await kube.get(objectOf(row, name)))?.['status']).toEqual({ observedGeneration: 1, conditions: [ready] })
  })

  test('the examples of the documentation are accepted', async () => {
    const page = readFileSync(fileURLToPath(new URL('../../../docs/16-gates.md', import.meta.url)), 'utf8')
    const examples = [...page.matchAll(/^```yaml\n(apiVersion: stackmason.dev.*?)^```/gms)].map(
      ([, text = '']): KubeObject => parse(text),
    )
    expect(examples.map(({ kind }) => kind)).toEqual(['RuntimeValues', 'NodeImageGate', 'StorageMigration'])
    const inDefault = examples.map((object) => ({ ...object, metadata: { ...object.metadata, namespace: 'default' } }))
    expect((await kube.apply(inDefault, { dryRun: true })).flatMap(objections)).toEqual([])
  })

  test('what a migration is about cannot change', async () => {
    const migration = {
      kind: 'StorageMigration',
      spec: { clusterRef: { name: 'c1' }, customResourceDefinitions: ['a.b'] },
    } as const
    await kube.apply([objectOf(migration, 'fixed')])
    const refused = async (spec: object): Promise<readonly string[]> =>
      (await kube.apply([objectOf({ kind: 'StorageMigration', spec }, 'fixed')], { dryRun: true })).flatMap(objections)
    const words = 'a migration stays in the cluster that it began in; make another object for another cluster'
    expect(await refused({ ...migration.spec, clusterRef: { name: 'c2' } })).toEqual([`spec.clusterRef.name: ${words}`])
    expect(await refused({ customResourceDefinitions: ['a.b'] })).toEqual([`spec: ${words}`])
    expect(await refused({ ...migration.spec, customResourceDefinitions: ['a.b', 'c.d'] })).toEqual([])
  })

  test.runIf(shared !== undefined)(
    'bindings of all real charts are accepted, for each tool',
    async () => {
      const folders = readdirSync(join(shared ?? '', 'charts'), { withFileTypes: true }).filter((entry) =>
        entry.isDirectory(),
      )
      const refused: string[] = []
      const accepted = { flux: 0, argocd: 0 }
      for (const { name } of folders) {
        const chart = await readChart(join(shared ?? '', 'charts', name), createNodePorts()).catch((error: unknown) => {
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
    },
    300_000,
  )
})
