import type { PathStep } from '../../model/field.ts'
import type { SchemaName } from './schema-texts.ts'

interface FieldHint {
  readonly schemas: readonly SchemaName[]
  /** Of the path with `*` for list indexes, keys joined by `/`. */
  readonly path: RegExp
  readonly hint: string
  /** The kind of mistake; unknown fields and text of the wrong form when absent. */
  readonly keyword?: 'type' | 'enum'
}

const clusters: readonly SchemaName[] = ['cluster-v1beta1', 'cluster-v1beta2']

/** The hints for mistakes that have a known cause. */
const fieldHints: readonly FieldHint[] = [
  {
    schemas: [...clusters, 'clusterstack'],
    path: /^status$/,
    hint: 'The running cluster writes it; remove it.',
  },
  {
    schemas: [...clusters, 'clusterstack'],
    path: /^metadata\/(?:creationTimestamp|uid|resourceVersion|generation|managedFields|selfLink|ownerReferences|deletion\w+)$/,
    hint: 'The API server sets it; remove it.',
  },
  {
    schemas: ['cluster-v1beta1'],
    path: /^spec\/topology\/classRef$/,
    hint: 'In cluster.x-k8s.io/v1beta1 it is `class: <name>` and `classNamespace`.',
  },
  {
    schemas: ['cluster-v1beta2'],
    path: /^spec\/topology\/class(?:Namespace)?$/,
    hint: 'In cluster.x-k8s.io/v1beta2 it is `classRef: {name, namespace}`.',
  },
  {
    schemas: ['clusterstack'],
    path: /^spec\/(?:provider|name)$/,
    hint: 'Only a-z and 0-9 are possible: the parts of a release name are split at dashes.',
  },
  {
    schemas: ['fleet'],
    path: /^spec\/stacks\/\*\/(?:provider|stack)$/,
    hint: 'Only a-z and 0-9 are possible: the parts of a release name are split at dashes.',
  },
  {
    schemas: ['clusterstack'],
    path: /^spec\/versions\/\*$/,
    hint: 'A version is v<number>, or v<number>-<channel>.<patch> with a dot, as in v0-sha.abc1234: only tags and classes write v0-sha-abc1234.',
  },
  {
    schemas: ['clusterstack'],
    path: /^spec\/versions\/\*$/,
    hint: 'Write the version of the release with its v, such as v3: what YAML takes for a number is none.',
    keyword: 'type',
  },
  {
    schemas: clusters,
    path: /^spec\/topology\/version$/,
    hint: 'Write the full version with its v, such as v1.34.7.',
    keyword: 'type',
  },
  {
    schemas: ['addons'],
    path: /^spec\/runtimeValues\/Cluster\.(?:apiVersion|kind|metadata\.(?:name|namespace)|spec\.(?:clusterNetwork|paused|topology)(?:\.|$))/,
    hint: 'cluster.yaml says it: remove it here.',
  },
  {
    schemas: ['fleet'],
    path: /^spec\/check\/rules\//,
    hint: 'Without an entry the rule has its own level, which `stackmason check --rules` lists.',
    keyword: 'enum',
  },
]

/** Special advice for a mistake of this keyword of the schema at this field, if there is any. */
export function fieldHint(schema: SchemaName, path: readonly PathStep[], keyword: string): string | undefined {
  const text = path.map((step) => (typeof step === 'number' ? '*' : step)).join('/')
  return fieldHints.find(
    (entry) =>
      entry.schemas.includes(schema) &&
      entry.path.test(text) &&
      (entry.keyword === undefined ? ['additionalProperties', 'propertyNames', 'pattern'] : [entry.keyword]).includes(
        keyword,
      ),
  )?.hint
}
