/**
 * Writes the definitions of the objects that Flux and Argo CD are handed, without what only people read. Run by
 * maintainers, with a folder that holds the CustomResourceDefinitions of both:
 *
 *   npx tsx tools/gitops-definitions.ts FOLDER
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseGoYaml } from '../src/codec/go-yaml/go-yaml-parse.ts'
import { createPlainMap, isPlainMap, type Plain, type PlainMap, toPlain } from '../src/codec/json/plain-value.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The files of definitions below a folder, by the file of the package that is made of them. */
export const gitopsDefinitions: Readonly<Record<string, readonly string[]>> = {
  'templates/definitions/argocd.json': ['application', 'applicationset', 'appproject'].map(
    (kind) => `argo-cd/${kind}-crd.yaml`,
  ),
  'templates/definitions/flux.json': ['flux/kustomize.toolkit.fluxcd.io_kustomizations.yaml'],
}

/** The text of such a file of the package. */
export function generateDefinitions(files: readonly string[], folder: string): string {
  const definitions = files.map((file) => toPlain(parseGoYaml(readFileSync(join(folder, file), 'utf8'))))
  return `[\n${definitions.map((one) => JSON.stringify(withoutProse(one))).join(',\n')}\n]\n`
}

/** The versions that objects are written in. */
const versions: readonly Plain[] = ['v1', 'v1alpha1']

function withoutProse(definition: Plain): PlainMap {
  const spec = mapAt(definition, 'spec')
  const all: readonly Plain[] = Array.isArray(spec['versions']) ? spec['versions'] : []
  return map({
    spec: map({
      group: spec['group'] ?? null,
      names: map({ kind: mapAt(spec, 'names')['kind'] ?? null }),
      scope: spec['scope'] ?? null,
      versions: all.flatMap((version) => {
        const { name = null, served = null, subresources = createPlainMap() } = isPlainMap(version) ? version : {}
        if (!versions.includes(name)) return []
        const schema = mapAt(mapAt(version, 'schema'), 'openAPIV3Schema')
        return [map({ name, served, subresources, schema: map({ openAPIV3Schema: schemaOf(schema, []) }) })]
      }),
    }),
  })
}

const kept = [
  'type',
  'enum',
  'pattern',
  'required',
  'minimum',
  'maximum',
  'minItems',
  'minLength',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
]
/** They hold each other and templates of Applications, a megabyte of fields. */
const GENERATORS = 'spec generators'

function schemaOf(schema: Plain, path: readonly string[]): PlainMap {
  const source = isPlainMap(schema) ? schema : createPlainMap()
  const result = createPlainMap()
  for (const keyword of kept) {
    const value = source[keyword]
    if (value !== undefined) result[keyword] = value
  }
  const { properties, items, additionalProperties } = source
  if (isPlainMap(properties))
    result['properties'] = map(
      Object.fromEntries(
        Object.entries(properties).flatMap(([name, value]) => {
          if (path.length === 0 && name === 'status') return [['status', open] as const]
          return [[name, path.join(' ') === GENERATORS ? open : schemaOf(value, [...path, name])] as const]
        }),
      ),
    )
  if (items !== undefined) result['items'] = schemaOf(items, path)
  if (isPlainMap(additionalProperties)) result['additionalProperties'] = schemaOf(additionalProperties, [...path, '*'])
  return result
}

const open = map({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true })

function map(entries: Readonly<Record<string, Plain>>): PlainMap {
  return Object.assign(createPlainMap(), entries)
}

function mapAt(value: Plain, key: string): PlainMap {
  const found = isPlainMap(value) ? value[key] : undefined
  return isPlainMap(found) ? found : createPlainMap()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder] = process.argv
  if (folder === undefined) throw new Error('name the folder with the CustomResourceDefinitions')
  for (const [file, from] of Object.entries(gitopsDefinitions))
    writeFileSync(join(root, file), generateDefinitions(from, folder))
}
