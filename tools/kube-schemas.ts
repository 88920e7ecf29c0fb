/**
 * Makes the schemas of Kubernetes' built-in kinds. Run by maintainers: `npx tsx tools/kube-schemas.ts` writes
 * templates/kubernetes/schemas.txt from the Go modules of Kubernetes that {@link kubernetesModules} pins (needs Go; a
 * minute, and 400 MB in Go's cache for each). Each module holds what its API server publishes as OpenAPI v3, without
 * enums; those stand in the Go source that the OpenAPI is made from.
 *
 * A new minor is one line in the table, and a run.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runGo } from './go-module.ts'

/** The modules whose schemas we ship, by minor, oldest first and without a gap. */
export const kubernetesModules: readonly KubernetesModule[] = [
  { minor: '1.27', version: 'v1.27.16' },
  { minor: '1.28', version: 'v1.28.15' },
  { minor: '1.29', version: 'v1.29.15' },
  { minor: '1.30', version: 'v1.30.14' },
  { minor: '1.31', version: 'v1.31.14' },
  { minor: '1.32', version: 'v1.32.13' },
  { minor: '1.33', version: 'v1.33.13' },
  { minor: '1.34', version: 'v1.34.4' },
  { minor: '1.35', version: 'v1.35.4' },
  { minor: '1.36', version: 'v1.36.1' },
  { minor: '1.37', version: 'v1.37.2' },
]

/** A minor of Kubernetes, and the module that we take it from. */
export interface KubernetesModule {
  readonly minor: string
  readonly version: string
}

/** Path of the file that the program reads, from the project's root. */
export const kubernetesSchemasFile = 'templates/kubernetes/schemas.txt'

type Json = null | boolean | number | string | readonly Json[] | JsonMap
interface JsonMap {
  readonly [key: string]: Json
}

/** Lines of one minor: what stands before and behind the minors that they hold for. */
export type MinorLines = ReadonlyMap<string, string>

/** The text of {@link kubernetesSchemasFile}: every line once, with the minors that it holds for. */
export function joinMinors(
  minors: readonly { readonly module: KubernetesModule; readonly lines: MinorLines }[],
): string {
  const spans = new Map<
    string,
    { readonly key: string; readonly content: string; readonly first: number; last: number }[]
  >()
  for (const [index, { lines }] of minors.entries())
    for (const [key, content] of lines) {
      const known = spans.get(key) ?? []
      spans.set(key, known)
      const latest = known.at(-1)
      if (latest?.content === content && latest.last === index - 1) latest.last = index
      else known.push({ key, content, first: index, last: index })
    }
  const nameOf = (index: number): string => minors[index]?.module.minor ?? ''
  const written = [...spans.values()].flat().map(({ key, content, first, last }) => {
    const until = last === minors.length - 1 ? '' : nameOf(last)
    return `${key}\t${nameOf(first)}-${until}\t${content}`
  })
  const sources = minors.map(({ module }) => `minor\t${module.minor}\tk8s.io/kubernetes@${module.version}`)
  return [...sources, ...written.sort((a, b) => (a < b ? -1 : 1))].map((line) => `${line}\n`).join('')
}

/** The kinds and definitions of one module, whose folder is given. */
export function readModule(folder: string): MinorLines {
  const specs = join(folder, 'api/openapi-spec/v3')
  const documents = readdirSync(specs)
    .filter((name) => /^apis?__(?:.+__)?v\d\w*_openapi\.json$/.test(name))
    .sort()
    .map((name): JsonMap => JSON.parse(readFileSync(join(specs, name), 'utf8')))
  const enums = readEnums(readFileSync(join(folder, 'pkg/generated/openapi/zz_generated.openapi.go'), 'utf8'))
  const enabled = readEnabledBetas(readFileSync(instanceFile(folder), 'utf8'))
  const definitions = new Map(documents.flatMap((document) => Object.entries(mapAt(document, 'components', 'schemas'))))
  const lines = new Map<string, string>()
  const wanted: string[] = []
  for (const document of documents)
    for (const [path, item] of Object.entries(mapAt(document, 'paths'))) {
      const kind = kindAt(path, item)
      if (kind === undefined) continue
      const schema = definitionName(kind.reference)
      wanted.push(kind.reference)
      const isServed = !/alpha|beta/.test(kind.apiVersion) || enabled.has(`${kind.apiVersion}/${kind.resource}`)
      const facts = { schema, ...(kind.namespaced && { namespaced: true }), ...(!isServed && { optIn: true }) }
      lines.set(`kind\t${kind.apiVersion}\t${kind.kind}`, JSON.stringify(facts))
    }
  const seen = new Set<string>()
  for (let reference = wanted.pop(); reference !== undefined; reference = wanted.pop()) {
    if (seen.has(reference)) continue
    seen.add(reference)
    const name = definitionName(reference)
    const definition = definitions.get(reference)
    if (definition === undefined) throw new Error(`${reference} is not defined`)
    const schema = compact(definition, (property, isItem) => enums.find(name, property, isItem))
    lines.set(`schema\t${name}`, JSON.stringify(schema))
    for (const [, inner = ''] of JSON.stringify(definition).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g))
      wanted.push(inner)
  }
  const unused = enums.unused()
  if (unused.length > 0) throw new Error(`enums of no known field: ${unused.join(', ')}`)
  return lines
}

interface KindAt {
  readonly apiVersion: string
  readonly kind: string
  readonly resource: string
  readonly namespaced: boolean
  readonly reference: string
}

/** The kind that is made at a path; nothing for subresources and single objects. */
function kindAt(path: string, item: Json): KindAt | undefined {
  const [, group = '', version = '', namespaced, resource = ''] =
    /^\/api(?:s\/([^/]+))?\/([^/]+)\/(namespaces\/\{namespace\}\/)?([^/{]+)$/.exec(path) ?? []
  const post = mapAt(item, 'post')
  const kind = mapAt(post, 'x-kubernetes-group-version-kind')['kind']
  const content = mapAt(post, 'requestBody', 'content')
  const reference = mapAt(content[Object.keys(content)[0] ?? ''] ?? null, 'schema')['$ref']
  if (resource === '' || typeof kind !== 'string' || typeof reference !== 'string') return undefined
  return {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    resource,
    namespaced: namespaced !== undefined,
    reference: reference.slice('#/components/schemas/'.length),
  }
}

function definitionName(reference: string): string {
  return reference.replace(/^io\.k8s\./, '')
}

/** Keywords that the program knows, in the order of writing. */
const kept: readonly string[] = [
  'type',
  'format',
  'enum',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'required',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
]

/** Keywords that say nothing about what is valid. */
const dropped: ReadonlySet<string> = new Set([
  'description',
  'x-kubernetes-group-version-kind',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-unions',
])

type EnumOf = (property: string, isItem: boolean) => readonly string[] | undefined

/** A definition without what only people read, and without the empty values that Go's generator calls defaults. */
function compact(definition: Json, enumOf: EnumOf): JsonMap {
  return convert(definition, (property, schema) => {
    const own = enumOf(property, false)
    const ofItems = enumOf(property, true)
    return {
      ...schema,
      ...(own !== undefined && { enum: own }),
      ...(ofItems !== undefined && { items: { ...mapAt(schema, 'items'), enum: ofItems } }),
    }
  })
}

function convert(source: Json, withEnums: (property: string, schema: JsonMap) => JsonMap): JsonMap {
  const { $ref, allOf, oneOf, properties, items, additionalProperties, default: fallback, ...rest } = mapAt(source)
  const only = Array.isArray(allOf) && allOf.length === 1 ? mapAt(allOf[0]) : {}
  const reference = $ref ?? only['$ref']
  if (allOf !== undefined && reference === undefined) throw new Error(`unknown use of allOf: ${JSON.stringify(allOf)}`)
  const unknown = Object.keys(rest).filter((name) => !kept.includes(name) && !dropped.has(name))
  if (unknown.length > 0) throw new Error(`unknown keywords: ${unknown.join(', ')}`)
  const entries = kept.flatMap((name): readonly (readonly [string, Json])[] => {
    const value = rest[name]
    return value === undefined ? [] : [[name, value]]
  })
  return {
    ...(typeof reference === 'string' && { $ref: definitionName(reference.slice('#/components/schemas/'.length)) }),
    ...Object.fromEntries(entries),
    ...(oneOf !== undefined && { oneOf }),
    ...(isTelling(fallback) && { default: fallback }),
    ...(items !== undefined && { items: convert(items, withEnums) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'boolean' ? additionalProperties : convert(additionalProperties, withEnums),
    }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(mapAt(properties))
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, property]) => [name, withEnums(name, convert(property, withEnums))]),
      ),
    }),
  }
}

/** False for the zero values of Go. */
function isTelling(fallback: Json | undefined): fallback is Json {
  return fallback !== undefined && !['{}', '""', '0', 'false', 'null'].includes(JSON.stringify(fallback))
}

interface Enums {
  readonly find: (definition: string, property: string, isItem: boolean) => readonly string[] | undefined
  /** Those of definitions that were asked for, but of none of their fields. */
  readonly unused: () => readonly string[]
}

/** The enums of generated Go code, whose indentation says what they belong to. */
function readEnums(source: string): Enums {
  const found = new Map<string, readonly string[]>()
  let of = ''
  let property = ''
  for (const line of source.split('\n')) {
    const start = /^func schema_(\w+)\(/.exec(line)?.[1]
    if (start !== undefined) {
      of = start
      continue
    }
    property = /^\t{5}"([^"]+)": \{$/.exec(line)?.[1] ?? property
    const [, tabs = '', list] = /^(\t+)Enum:\s+\[\]interface\{\}\{(.*)\},$/.exec(line) ?? []
    if (list === undefined) continue
    const values: readonly string[] = JSON.parse(`[${list}]`)
    found.set(`${of} ${property}${tabs.length === 7 ? '' : '[]'}`, values.filter((value) => value !== '').sort())
  }
  const left = new Map(found)
  const asked = new Set<string>()
  return {
    find(definition, property, isItem) {
      // the code is named after the folder of the package, of which some begin below `pkg`
      const name = definition.replaceAll('-', '').replaceAll('.', '_')
      for (const place of [`k8sio_${name}`, name, name.replace(/^[a-z]+_(?=pkg_)/, '')]) {
        asked.add(place)
        const key = `${place} ${property}${isItem ? '[]' : ''}`
        left.delete(key)
        const values = found.get(key)
        if (values !== undefined) return values
      }
      return undefined
    },
    unused: () => [...left.keys()].filter((key) => asked.has(key.slice(0, key.indexOf(' ')))),
  }
}

function instanceFile(folder: string): string {
  const files = ['pkg/controlplane/instance.go', 'pkg/controlplane/apiserver/options/options.go']
  const file = files.map((name) => join(folder, name)).find((path) => existsSync(path))
  if (file === undefined) throw new Error(`${folder} has no ${files.join(' or ')}`)
  return file
}

/** Resources of beta versions that are served by default: those of before the rule that betas are not. */
function readEnabledBetas(source: string): ReadonlySet<string> {
  const start = source.indexOf('legacyBetaEnabledByDefaultResources = ')
  if (start === -1) return new Set()
  const list = source.slice(start, source.indexOf('\n\t}', start))
  const found = list.matchAll(/^\s+(\w+)\.SchemeGroupVersion\.WithResource\("(\w+)"\)/gm)
  return new Set(
    [...found].map(([, alias = '', resource = '']) => {
      const [, group = '', version = ''] =
        new RegExp(`^\\t${alias} "k8s\\.io/(?:api|kubernetes/pkg/apis)/(\\w+)/(\\w+)"$`, 'm').exec(source) ?? []
      return `${apiGroups.get(group) ?? group}/${version}/${resource}`
    }),
  )
}

const apiGroups: ReadonlyMap<string, string> = new Map([
  ['flowcontrol', 'flowcontrol.apiserver.k8s.io'],
  ['storage', 'storage.k8s.io'],
])

function mapAt(value: Json | undefined, ...path: readonly string[]): JsonMap {
  let at: Json | undefined = value
  for (const step of path) at = isMap(at) ? at[step] : undefined
  return isMap(at) ? at : {}
}

function isMap(value: Json | undefined): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The folder of a module in Go's cache, after a download where it is missing. */
function download({ version }: KubernetesModule): string {
  const answer: { readonly Dir: string } = JSON.parse(
    runGo(['mod', 'download', '-json', `k8s.io/kubernetes@${version}`], tmpdir()),
  )
  return answer.Dir
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const minors = kubernetesModules.map((module) => ({ module, lines: readModule(download(module)) }))
  writeFileSync(join(import.meta.dirname, '..', kubernetesSchemasFile), joinMinors(minors))
}
