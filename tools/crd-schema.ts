import { createPlainMap, isPlainMap, type Plain, type PlainMap } from '../src/codec/json/plain-value.ts'

/** What a schema made from a CustomResourceDefinition says about itself. */
export interface CrdSchemaOptions {
  readonly version: string
  readonly id: string
  readonly description: string
  readonly examples: readonly Plain[]
}

/** Keywords of a CRD's schema that mean the same in JSON Schema. */
const kept: readonly string[] = [
  'type',
  'enum',
  'pattern',
  'required',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'uniqueItems',
  'default',
]

/**
 * Turns one version of a CustomResourceDefinition into a draft-07 schema for files that people write: no `status`,
 * metadata as far as a person sets it, unknown fields refused except where the API server preserves them, descriptions
 * cut to their first sentence.
 */
export function crdToJsonSchema(crd: Plain, options: CrdSchemaOptions): PlainMap {
  const spec = mapAt(crd, 'spec')
  const group = textAt(spec, 'group')
  const kind = textAt(mapAt(spec, 'names'), 'kind')
  const versions = Array.isArray(spec['versions']) ? spec['versions'] : []
  const version = versions.find((item: Plain) => isPlainMap(item) && item['name'] === options.version)
  const root = mapAt(mapAt(version ?? null, 'schema'), 'openAPIV3Schema')
  return map({
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: options.id,
    title: kind,
    description: options.description,
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    additionalProperties: false,
    properties: map({
      apiVersion: map({ const: `${group}/${options.version}`, description: 'Version of this API.' }),
      kind: map({ const: kind, description: 'What this document is.' }),
      metadata: objectMetadata,
      spec: convert(mapAt(mapAt(root, 'properties'), 'spec')),
    }),
    examples: options.examples,
  })
}

function convert(schema: Plain): PlainMap {
  const source = isPlainMap(schema) ? schema : createPlainMap()
  const result = createPlainMap()
  if (typeof source['description'] === 'string') result['description'] = firstSentence(source['description'])
  for (const keyword of kept) {
    const value = source[keyword]
    if (value !== undefined) result[keyword] = value
  }
  if (source['x-kubernetes-int-or-string'] === true) result['type'] = ['integer', 'string']
  const { properties, items, additionalProperties } = source
  if (isPlainMap(properties)) {
    result['properties'] = map(
      Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, convert(value)])),
    )
  }
  if (items !== undefined) result['items'] = convert(items)
  if (isPlainMap(additionalProperties)) result['additionalProperties'] = convert(additionalProperties)
  else if (source['x-kubernetes-preserve-unknown-fields'] !== true && isPlainMap(properties)) {
    result['additionalProperties'] = false
  }
  return result
}

/** The first sentence on one line, at most 160 characters. */
function firstSentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const sentence = /^.*?[.!](?= [A-Z]|$)/.exec(line)?.[0] ?? line
  return sentence.length <= 160 ? sentence : `${sentence.slice(0, 159).trimEnd()}…`
}

function mapAt(value: Plain, key: string): PlainMap {
  const found = isPlainMap(value) ? value[key] : undefined
  if (!isPlainMap(found)) throw new Error(`the CustomResourceDefinition has no ${key}`)
  return found
}

function textAt(value: PlainMap, key: string): string {
  const found = value[key]
  if (typeof found !== 'string') throw new Error(`the CustomResourceDefinition has no ${key}`)
  return found
}

function map(entries: Readonly<Record<string, Plain>>): PlainMap {
  return Object.assign(createPlainMap(), entries)
}

const texts: PlainMap = map({ type: 'object', additionalProperties: map({ type: 'string' }) })

const objectMetadata: PlainMap = map({
  type: 'object',
  description: 'Name, labels and annotations. The namespace may be left out: the folder says it.',
  required: ['name'],
  additionalProperties: false,
  properties: map({
    name: map({
      type: 'string',
      description: 'Name of the object, the same as its folder.',
      maxLength: 63,
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
      examples: ['web'],
    }),
    namespace: map({
      type: 'string',
      description: 'Namespace of the object, the same as the folder above.',
      maxLength: 63,
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
      examples: ['team-a'],
    }),
    labels: map({ ...texts, description: 'Labels of the object.' }),
    annotations: map({ ...texts, description: 'Annotations of the object.' }),
    finalizers: map({ type: 'array', description: 'Finalizers of the object.', items: map({ type: 'string' }) }),
  }),
})
