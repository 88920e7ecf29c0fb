import type { PathStep } from '../../model/field.ts'
import type { SchemaName } from './schema-texts.ts'

interface FieldHint {
  readonly schemas: readonly SchemaName[]
  /** Of the path with `*` for list indexes, keys joined by `/`. */
  readonly path: RegExp
  readonly hint: string
}

const clusters: readonly SchemaName[] = ['cluster-v1beta1', 'cluster-v1beta2']

/** What to do about mistakes that have a known cause. */
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
    hint: 'A version is v<number>, or v<number>-<channel>.<patch> as in v0-sha.abc1234.',
  },
]

/** Advice for an unknown field, or one with text of the wrong form, if there is a special one. */
export function fieldHint(schema: SchemaName, path: readonly PathStep[]): string | undefined {
  const text = path.map((step) => (typeof step === 'number' ? '*' : step)).join('/')
  return fieldHints.find((entry) => entry.schemas.includes(schema) && entry.path.test(text))?.hint
}
