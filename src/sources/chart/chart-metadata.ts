import { formatFloat32G } from '../../codec/go-float.ts'
import { parseGoYaml, YamlError } from '../../codec/go-yaml-parse.ts'
import { parsePositionedYaml } from '../../codec/positioned-yaml.ts'
import { compareBytes } from '../../codec/text-order.ts'
import type { ChartDependency, ChartMetadata } from '../../model/chart.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Source } from '../../model/source.ts'
import { Dict, dict, GoInt, goTypeOf, type Value } from '../../model/value.ts'

type Path = readonly (string | number)[]

/** A field of Chart.yaml that cannot be what it is. */
class FieldProblem extends Error {
  readonly path: Path

  constructor(message: string, path: Path) {
    super(message)
    this.path = path
  }
}

const textFields = [
  'name',
  'home',
  'version',
  'description',
  'icon',
  'apiVersion',
  'condition',
  'tags',
  'appVersion',
  'kubeVersion',
  'type',
] as const
/** Helm leaves these as they are; control characters are taken out of all others. */
const rawFields: ReadonlySet<string> = new Set(['version', 'apiVersion', 'type'])

const semver = /^v?\d+(\.\d+)?(\.\d+)?(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/

/**
 * Reads and checks Chart.yaml as Helm does (pkg/chart/v2: Metadata, Validate): field names without regard to case, numbers and
 * booleans accepted where text is expected, an absent apiVersion is `v1`. `raw` holds the fields that Helm knows, as it reads them.
 * `requirements` is requirements.yaml, whose dependencies replace those of Chart.yaml.
 * @throws StackmasonError CHART_INVALID at the field
 */
export function parseChartMetadata(source: Source, requirements?: Source): ChartMetadata {
  const document = readDocument(source)
  const metadata = inSource(source, () => readMetadata(document))
  const dependencies =
    requirements === undefined
      ? inSource(source, () => readDependencies(document))
      : inSource(requirements, () => readDependencies(readDocument(requirements)))
  const field = (name: string): string => {
    const value = metadata.get(name)
    return typeof value === 'string' ? value : ''
  }
  if (fieldOf(requirements === undefined ? document : readDocument(requirements), 'dependencies')?.value)
    metadata.set('dependencies', [])
  inSource(source, () => checkMetadata(field))
  inSource(requirements ?? source, () => checkDependencies(dependencies))
  return {
    name: field('name'),
    version: field('version'),
    apiVersion: field('apiVersion'),
    appVersion: field('appVersion'),
    type: field('type'),
    kubeVersion: field('kubeVersion'),
    dependencies,
    raw: metadata,
  }
}

function readDocument(source: Source): Dict {
  let document: Value
  try {
    document = parseGoYaml(source.text, { integers: 'int' })
  } catch (cause) {
    if (!(cause instanceof YamlError)) throw cause
    const at = { source, start: cause.offset, end: cause.offset }
    throw new StackmasonError(
      { code: 'CHART_INVALID', severity: 'error', message: `cannot load ${baseOf(source)}: ${cause.message}`, at },
      { cause },
    )
  }
  if (document instanceof Dict) return document
  if (document === null) return new Dict()
  return inSource(source, () => {
    throw new FieldProblem(`cannot load ${baseOf(source)}: it must be a map`, [])
  })
}

function baseOf(source: Source): string {
  return source.name.slice(source.name.lastIndexOf('/') + 1)
}

/** Runs `read`; what it finds wrong is reported at its place in `source`, which is only parsed with positions then. */
function inSource<Result>(source: Source, read: () => Result): Result {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof FieldProblem)) throw cause
    const at = parsePositionedYaml(source).documents[0]?.spanOf(cause.path)
    const place = at === undefined ? { file: source.name } : { at }
    throw new StackmasonError({ code: 'CHART_INVALID', severity: 'error', message: cause.message, ...place }, { cause })
  }
}

/** encoding/json's rule: the exact name, or the same letters in another case; of several the last in byte order counts. */
function fieldOf(map: Dict, name: string): { readonly key: string; readonly value: Value } | undefined {
  const keys = [...map.keys()].filter((key) => key.toLowerCase() === name.toLowerCase()).sort(compareBytes)
  const key = keys.at(-1)
  return key === undefined ? undefined : { key, value: map.get(key) ?? null }
}

function textOf(value: Value, path: Path): string {
  if (value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (value instanceof GoInt) return String(value.value)
  if (typeof value === 'number') return formatFloat32G(value)
  throw new FieldProblem(`${path.join('.')} must be text, not ${goTypeOf(value)}`, path)
}

/** unicode.IsSpace becomes a space, what unicode.IsPrint refuses goes, invalid bytes show as U+FFFD (Helm's sanitizeString). */
function sanitize(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/\p{White_Space}/gu, ' ')
    .replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '')
}

function textField(map: Dict, name: string, parent: Path = []): string {
  const field = fieldOf(map, name)
  return field === undefined ? '' : textOf(field.value, [...parent, field.key])
}

function listField(
  map: Dict,
  name: string,
  parent: Path = [],
): { readonly items: readonly Value[]; readonly path: Path } {
  const field = fieldOf(map, name)
  const path = [...parent, field?.key ?? name]
  if (field === undefined || field.value === null) return { items: [], path }
  if (!Array.isArray(field.value)) throw new FieldProblem(`${path.join('.')} must be a list`, path)
  return { items: field.value, path }
}

function textList(map: Dict, name: string, parent: Path = []): string[] {
  const { items, path } = listField(map, name, parent)
  return items.map((item, index) => sanitize(textOf(item, [...path, index])))
}

function boolField(map: Dict, name: string, parent: Path = []): boolean {
  const field = fieldOf(map, name)
  if (field === undefined || field.value === null) return false
  if (typeof field.value === 'boolean') return field.value
  const path = [...parent, field.key]
  throw new FieldProblem(`${path.join('.')} must be true or false`, path)
}

function readMetadata(document: Dict): Dict {
  const metadata = dict()
  for (const name of textFields) {
    const text = textField(document, name)
    metadata.set(name, rawFields.has(name) ? text : sanitize(text))
  }
  if (metadata.get('apiVersion') === '') metadata.set('apiVersion', 'v1')
  metadata.set('sources', textList(document, 'sources'))
  metadata.set('keywords', textList(document, 'keywords'))
  metadata.set('deprecated', boolField(document, 'deprecated'))
  metadata.set('maintainers', readMaintainers(document))
  const annotations = fieldOf(document, 'annotations')
  if (annotations !== undefined && annotations.value !== null)
    metadata.set('annotations', readAnnotations(annotations.value, annotations.key))
  return metadata
}

function readMaintainers(document: Dict): Value[] {
  const { items, path } = listField(document, 'maintainers')
  return items.map((item, index) => {
    const at = [...path, index]
    if (!(item instanceof Dict)) throw new FieldProblem('maintainers must not contain empty or null nodes', at)
    return dict(['name', 'email', 'url'].map((name) => [name, sanitize(textField(item, name, at))] as const))
  })
}

function readAnnotations(value: Value, key: string): Dict {
  if (!(value instanceof Dict)) throw new FieldProblem('annotations must be a map', [key])
  const annotations = dict([...value].map(([name, text]) => [name, textOf(text, [key, name])] as const))
  annotations.goType = 'map[string]string'
  return annotations
}

function readDependencies(document: Dict): readonly ChartDependency[] {
  const { items, path } = listField(document, 'dependencies')
  return items.map((item, index) => {
    const at = [...path, index]
    if (!(item instanceof Dict)) throw new FieldProblem('dependencies must not contain empty or null nodes', at)
    return {
      name: sanitize(textField(item, 'name', at)),
      version: sanitize(textField(item, 'version', at)),
      repository: sanitize(textField(item, 'repository', at)),
      condition: sanitize(textField(item, 'condition', at)),
      tags: textList(item, 'tags', at),
      enabled: boolField(item, 'enabled', at),
      importValues: listField(item, 'import-values', at).items.flatMap(readImport),
      alias: textField(item, 'alias', at),
    }
  })
}

/** Helm passes over what is neither text nor a map, and prints an absent side as `<nil>`. */
function readImport(item: Value): readonly (string | { readonly child: string; readonly parent: string })[] {
  if (typeof item === 'string') return [item]
  if (!(item instanceof Dict)) return []
  const side = (name: string): string => {
    const value = item.get(name) ?? null
    return value === null ? '<nil>' : textOf(value, [])
  }
  return [{ child: side('child'), parent: side('parent') }]
}

function checkMetadata(field: (name: string) => string): void {
  const name = field('name')
  const version = field('version')
  if (name === '') throw new FieldProblem('chart.metadata.name is required', ['name'])
  if (name === '.' || name === '..')
    throw new FieldProblem(`chart.metadata.name ${JSON.stringify(name)} is not allowed`, ['name'])
  if (name.includes('/')) throw new FieldProblem(`chart.metadata.name ${JSON.stringify(name)} is invalid`, ['name'])
  if (version === '') throw new FieldProblem('chart.metadata.version is required', ['version'])
  if (!isSemver(version))
    throw new FieldProblem(`chart.metadata.version ${JSON.stringify(version)} is invalid`, ['version'])
  if (!['', 'application', 'library'].includes(field('type')))
    throw new FieldProblem('chart.metadata.type must be application or library', ['type'])
}

function isSemver(version: string): boolean {
  if (!semver.test(version)) return false
  const prerelease = /^[^+-]*-([^+]*)/.exec(version)?.[1] ?? ''
  return prerelease.split('.').every((part) => !/^0\d+$/.test(part))
}

function checkDependencies(dependencies: readonly ChartDependency[]): void {
  const known = new Set<string>()
  dependencies.forEach(({ name, alias }, index) => {
    const at: Path = ['dependencies', index]
    if (alias !== '' && !/^[a-zA-Z0-9_-]+$/.test(alias))
      throw new FieldProblem(`dependency ${JSON.stringify(name)} has disallowed characters in the alias`, [
        ...at,
        'alias',
      ])
    const key = alias === '' ? name : alias
    if (known.has(key)) throw new FieldProblem(`more than one dependency with name or alias ${JSON.stringify(key)}`, at)
    known.add(key)
  })
}
