import type { PathStep } from '../../model/field.ts'
import { annotationKey, dnsLabel } from '../../model/kubernetes-names.ts'
import { Dict, type Value } from '../../model/value.ts'
import { writtenMetadataProblems } from '../built-in/own-metadata.ts'
import { labels, letterLabel, named, notNegative, pathSegment } from '../built-in/rule-parts.ts'
import type { SchemaNode, ValueRule } from './schema-node.ts'
import { type SchemaProblem, validateValue } from './validate-value.ts'

/**
 * Problems of whole objects inside an object of a custom kind (`x-kubernetes-embedded-resource`): their type and their
 * metadata (k8s.io/apiextensions-apiserver, `schema/objectmeta`).
 */
export function embeddedProblems(object: Dict, node: SchemaNode, metadata: SchemaNode): readonly SchemaProblem[] {
  const found: SchemaProblem[] = []
  const visit = (value: Value, schema: SchemaNode, path: readonly PathStep[]): void => {
    if (!holdsResources(schema)) return
    if (Array.isArray(value) && schema.items !== undefined) {
      for (const [index, item] of value.entries()) visit(item, schema.items, [...path, index])
    }
    if (!(value instanceof Dict)) return
    if (schema.isResource && path.length > 0)
      found.push(
        ...resourceProblems(value, metadata).map((problem) => ({ ...problem, path: [...path, ...problem.path] })),
      )
    for (const [name, child] of value) {
      const property = schema.properties.get(name) ?? schema.additional
      if (property !== undefined) visit(child, property, [...path, name])
    }
  }
  visit(object, node, [])
  return found
}

const known = new WeakMap<SchemaNode, boolean>()

/** Schemas of custom kinds do not lead back to themselves. */
function holdsResources(node: SchemaNode): boolean {
  const before = known.get(node)
  if (before !== undefined) return before
  const below = [node.items, node.additional, ...node.properties.values()]
  const holds = node.isResource || below.some((child) => child !== undefined && holdsResources(child))
  known.set(node, holds)
  return holds
}

function resourceProblems(resource: Dict, schema: SchemaNode): readonly SchemaProblem[] {
  const metadata = resource.get('metadata') ?? null
  const text = (name: string, says: string, allows: (text: string) => boolean): readonly SchemaProblem[] => {
    const value = resource.get(name) ?? ''
    if (typeof value !== 'string') return [{ kind: 'wrong-type', path: [name], says: 'text' }]
    return !resource.has(name) || allows(value) ? [] : [{ kind: 'not-allowed', path: [name], says }]
  }
  return [
    ...text(
      'apiVersion',
      'a group, a slash and a version, such as apps/v1',
      (value) => /^[^/]*\/?[^/]*$/.test(value) && value !== '',
    ),
    ...text('kind', letterLabel.says, (value) => letterLabel.allows(value.toLowerCase())),
    ...(metadata === null ? [] : validateValue(metadata, schema)).map((problem) => ({
      ...problem,
      path: ['metadata', ...problem.path],
    })),
    ...(metadata instanceof Dict ? metadataProblems(metadata) : []),
    ...writtenMetadataProblems(resource, 'custom kinds').map((problem) => ({
      kind: 'not-allowed' as const,
      ...problem,
    })),
  ]
}

function metadataProblems(metadata: Dict): readonly SchemaProblem[] {
  return metadataRules.flatMap(([name, { allows, says }]): readonly SchemaProblem[] => {
    const value = metadata.get(name) ?? ''
    return value === '' || allows(value) ? [] : [{ kind: 'not-allowed', path: ['metadata', name], says }]
  })
}

const metadataRules: readonly (readonly [name: string, rule: ValueRule])[] = [
  ['name', pathSegment],
  ['generateName', pathSegment],
  ['namespace', named(dnsLabel)],
  ['generation', notNegative],
  ['labels', labels],
  [
    'annotations',
    {
      allows: (value) => !(value instanceof Dict) || [...value.keys()].every((key) => annotationKey.allows(key)),
      says: `annotations: their names ${annotationKey.says}`,
    },
  ],
]
