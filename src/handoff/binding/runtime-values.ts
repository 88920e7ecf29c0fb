import type { BoundValue, ClusterBinding, GeneratedSecret, Generator, SecretEntry } from '../../model/binding.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { Manifest } from '../../model/manifest.ts'
import { dict, Dict, type Value } from '../../model/value.ts'

/**
 * Writes a binding as the RuntimeValues object of its cluster; with `clusterSecret` Argo CD is to be told of the
 * cluster.
 */
export function runtimeValuesOf(
  cluster: Pick<Cluster, 'name' | 'namespace' | 'source'>,
  { values, generators, secrets }: ClusterBinding,
  clusterSecret?: true,
): Manifest {
  const { name, namespace } = cluster
  const publish = dictOf([
    ['argoCluster', clusterSecret],
    ['configMap', values.length === 0 ? undefined : name],
  ])
  const spec = dictOf([
    ['clusterName', name],
    ['values', listOf(values.map(valueDict))],
    ['generators', listOf(generators.map(generatorDict))],
    ['secrets', listOf(secrets.map(secretDict))],
    ['publish', publish.size === 0 ? undefined : publish],
  ])
  return {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'RuntimeValues',
    name,
    namespace,
    object: dict([
      ['apiVersion', 'stackmason.dev/v1alpha1'],
      ['kind', 'RuntimeValues'],
      [
        'metadata',
        dict([
          ['name', name],
          ['namespace', namespace],
        ]),
      ],
      ['spec', spec],
    ]),
    origin: { from: cluster.source.name, unit: 'cluster', template: cluster.source.name },
  }
}

function valueDict({ name, from, type, encode, assumptions }: BoundValue): Dict {
  return dictOf([
    ['name', name],
    ['from', dict(Object.entries(from))],
    ['type', type],
    ['encode', encode],
    ['assumptions', listOf(assumptions.map((assumption) => dict(Object.entries(assumption))))],
  ])
}

function generatorDict({ name, function: made, arguments: args, existing }: Generator): Dict {
  return dictOf([
    ['name', name],
    ['function', made],
    ['arguments', listOf([...args])],
    [
      'existing',
      existing === undefined
        ? undefined
        : dict([
            ['namespace', existing.namespace],
            ['name', existing.name],
            [
              'keys',
              existing.keys.map(({ part, key }) =>
                dict([
                  ['part', part],
                  ['key', key],
                ]),
              ),
            ],
          ]),
    ],
  ])
}

function secretDict({ namespace, name, type, labels, annotations, data }: GeneratedSecret): Dict {
  return dictOf([
    ['namespace', namespace],
    ['name', name],
    ['type', type],
    ['labels', labels.size === 0 ? undefined : dict(labels)],
    ['annotations', annotations.size === 0 ? undefined : dict(annotations)],
    ['data', data.map(entryDict)],
  ])
}

function entryDict(entry: SecretEntry): Dict {
  return dict(Object.entries(entry))
}

function listOf(items: Value[]): Value[] | undefined {
  return items.length === 0 ? undefined : items
}

function dictOf(entries: readonly (readonly [string, Value | undefined])[]): Dict {
  const result = new Dict()
  for (const [key, value] of entries) if (value !== undefined) result.set(key, value)
  return result
}
