import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'
import { applicationPhases } from './application-phases.ts'
import { clusterPhases } from './cluster-phases.ts'
import type { Phase } from './health.ts'
import { imagePhases } from './image-phases.ts'
import { ownPhases } from './own-phases.ts'

function fieldAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    value,
  )
}

function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = fieldAt(value, ...path)
  return Array.isArray(found) ? found : []
}

const definitions = new Map<string, unknown>()

function readDefinition(file: string): unknown {
  if (!definitions.has(file)) definitions.set(file, parse(readFileSync(file, 'utf8')))
  return definitions.get(file)
}

/** Schema of the object's kind and version in a file of definitions. */
function schemaOf(file: string, object: object): unknown {
  const definition = readDefinition(file)
  const version = String(fieldAt(object, 'apiVersion')).split('/')[1]
  const found = listAt(definition, 'spec', 'versions').find((item) => fieldAt(item, 'name') === version)
  expect(fieldAt(definition, 'spec', 'names', 'kind')).toBe(fieldAt(object, 'kind'))
  return fieldAt(found, 'schema', 'openAPIV3Schema')
}

/** Fields of `value` that the schema does not have, or has with another type, by path. */
function strangeFields(schema: unknown, value: unknown, path: string): readonly string[] {
  const type = fieldAt(schema, 'type')
  if (Array.isArray(value)) {
    if (type !== 'array') return [path]
    return value.flatMap((item, index) => strangeFields(fieldAt(schema, 'items'), item, `${path}[${String(index)}]`))
  }
  if (typeof value !== 'object' || value === null)
    return type === (typeof value === 'number' ? 'integer' : typeof value) ? [] : [path]
  const fields = fieldAt(schema, 'properties')
  return Object.entries(value).flatMap(([name, item]) => {
    const next = `${path}.${name}`
    return fieldAt(fields, name) === undefined ? [next] : strangeFields(fieldAt(fields, name), item, next)
  })
}

const shared = sharedFolder()
if (shared === undefined)
  console.warn('SKIPPED, phases of Cluster API, ORC and Argo CD against their definitions: no shared data')
const crds = join(shared ?? '', 'crds')
const own = fileURLToPath(new URL('../../../templates/crds', import.meta.url))

const groups: readonly (readonly [string, readonly Phase[], (object: object) => string])[] = [
  ...(shared === undefined
    ? []
    : ([
        ['clusters', clusterPhases, () => join(crds, 'cluster-api/cluster.x-k8s.io_clusters.yaml')],
        ['images', imagePhases, () => join(crds, 'openstack/openstack.k-orc.cloud_images.yaml')],
        ['applications', applicationPhases, () => join(crds, 'argo-cd/application-crd.yaml')],
      ] as const)),
  [
    'our own',
    ownPhases,
    (object) => {
      const kind = String(fieldAt(object, 'kind')).toLowerCase()
      return join(own, `${kind === 'runtimevalues' ? kind : `${kind}s`}.yaml`)
    },
  ],
]

describe('phases that gates are held to', () => {
  test.each(groups)('%s have only fields that their definitions have', (_, phases, fileOf) => {
    const strange = phases.flatMap(({ name, object }) => {
      const schema = schemaOf(fileOf(object), object)
      return ['spec', 'status', 'operation'].flatMap((part) => {
        const value = fieldAt(object, part)
        return value === undefined
          ? []
          : strangeFields(fieldAt(schema, 'properties', part), value, part).map((path) => `${name}: ${path}`)
      })
    })
    expect(strange).toEqual([])
  })
})
