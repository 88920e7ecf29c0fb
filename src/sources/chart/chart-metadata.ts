import type { ChartMetadata } from '../../model/chart.ts'
import type { Source } from '../../model/source.ts'
import { parseSemver, SemverError } from '../../codec/semver/semver-version.ts'
import { Dict, dict, type Value } from '../../model/value.ts'
import { checkDependencies, readDependencies } from './chart-dependencies.ts'
import {
  boolField,
  FieldProblem,
  fieldOf,
  inSource,
  listField,
  readDocument,
  sanitize,
  textField,
  textList,
  textOf,
} from './chart-field.ts'

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

/**
 * Reads and checks Chart.yaml as Helm does (pkg/chart/v2: Metadata, Validate): field names without regard to case,
 * numbers and booleans accepted where text is expected, an absent apiVersion is `v1`. `raw` holds the fields that Helm
 * knows, as it reads them. `requirements` is requirements.yaml, whose dependencies replace those of Chart.yaml.
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
  try {
    parseSemver(version)
    return true
  } catch (error) {
    if (error instanceof SemverError) return false
    throw error
  }
}
