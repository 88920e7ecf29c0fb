import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { parsePositionedYaml, type ReadDocument } from '../../codec/yaml/positioned-yaml.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster, FleetRepository } from '../../model/fleet.ts'
import { unreadable } from '../../model/file-problem.ts'
import { nearestDotted, nearestName } from '../../model/nearest-name.ts'
import { objectPath, parseObjectPath } from '../../model/object-name.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { refuseRuntimeValue, typeOfField, WAY_TO_RUNTIME_VALUE } from '../../model/runtime-value.ts'
import type { Source, Span } from '../../model/source.ts'
import { Dict, GoInt, type Value } from '../../model/value.ts'
import { fieldHint } from '../../sources/fleet/field-hints.ts'
import { runtimeFields } from '../../sources/fleet/runtime-fields.ts'

type RuntimeValues = Cluster['runtimeValues']

/** The values in a file: for all clusters, and for one by `namespace/name`. */
interface FileValues {
  readonly all: RuntimeValues
  readonly byCluster: ReadonlyMap<string, RuntimeValues>
}

/**
 * Supplies values of the running cluster from a file, for previews and tests: a map of paths as under
 * `spec.runtimeValues` of addons.yaml, for every cluster, and maps of them under `<namespace>/<cluster>` for one. What
 * the file says wins. With a GitOps tool the values fill the placeholders of what was rendered without them, as they
 * will be filled in the cluster; without one templates see them.
 * @throws StackmasonError FILE_UNREADABLE, CONFIG_* at every mistake
 */
export async function supplyRuntimeValues(
  repository: FleetRepository,
  path: string,
  { files }: Pick<Ports, 'files'>,
): Promise<FleetRepository> {
  const source = await readSource(path, files)
  const names = new Set(repository.clusters.map(objectPath))
  const { all, byCluster } = readValues(source, names)
  // with a GitOps tool the charts must not see what they will not see in earnest
  const field = repository.fleet.handoff === undefined ? 'runtimeValues' : 'previewValues'
  return {
    ...repository,
    clusters: repository.clusters.map((cluster) => {
      const own = byCluster.get(objectPath(cluster)) ?? []
      const before = field === 'runtimeValues' ? cluster.runtimeValues : []
      return { ...cluster, [field]: new Map([...before, ...all, ...own]) }
    }),
  }
}

async function readSource(path: string, files: Ports['files']): Promise<Source> {
  try {
    return { name: path, text: decodeUtf8(await files.read(path, 'stream')), holds: 'values' }
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    throw new StackmasonError(unreadable(error, { what: 'the file with runtime values', file: path }), { cause: error })
  }
}

function readValues(source: Source, clusters: ReadonlySet<string>): FileValues {
  const { documents, problems: syntax } = parsePositionedYaml(source)
  const problems: Diagnostic[] = [...syntax]
  const all = new Map<string, RuntimeValue>()
  const byCluster = new Map<string, RuntimeValues>()
  for (const document of documents) {
    if (document.value === null) continue
    if (!(document.value instanceof Dict)) {
      problems.push(wrong('the file must hold a map of paths', { document, path: [] }))
      continue
    }
    for (const [key, value] of document.value) {
      const isMeant = value === null && !runtimeFields().pattern.test(key) && nearClusters(key, clusters).length > 0
      if (!(value instanceof Dict) && !isMeant) readValue(value, { document, path: [key], into: all, problems })
      else if (!(value instanceof Dict) || !clusters.has(key))
        problems.push(noCluster(key, { document, path: [key], clusters }))
      else {
        const own = new Map<string, RuntimeValue>()
        for (const [path, child] of value) readValue(child, { document, path: [key, path], into: own, problems })
        byCluster.set(key, own)
      }
    }
  }
  if (problems.length > 0) throw new StackmasonError(problems)
  return { all, byCluster }
}

type RuntimeValue = RuntimeValues extends ReadonlyMap<string, infer Entry> ? Entry : never

interface Place {
  readonly document: ReadDocument
  readonly path: readonly string[]
}

function readValue(
  value: Value,
  { into, problems, ...place }: Place & { readonly into: Map<string, RuntimeValue>; readonly problems: Diagnostic[] },
): void {
  const path = place.path.at(-1) ?? ''
  const text = typeof value === 'string' || typeof value === 'boolean' ? String(value) : integerText(value)
  const known = runtimeFields()
  if (!known.pattern.test(path)) {
    const nearest = nearestDotted(path, known.names)
    problems.push({
      code: 'CONFIG_UNKNOWN_FIELD',
      severity: 'error',
      message: `"${path}" is not a field that only the running cluster knows`,
      at: place.document.spanOf(place.path, 'key'),
      hint:
        nearest === undefined
          ? (fieldHint('addons', ['spec', 'runtimeValues', path], 'propertyNames') ??
            'Write it like Cluster.spec.controlPlaneEndpoint.host, or put it under <namespace>/<cluster>.')
          : `Did you mean "${nearest}"?`,
    })
    return
  }
  const refusal =
    text === undefined || text === '' ? 'must be a text or a whole number' : refuseRuntimeValue(typeOfField(path), text)
  if (text === undefined || refusal !== undefined)
    problems.push({ ...wrong(`${path} ${refusal ?? ''}`, place), hint: wayToValue(value) })
  else {
    const spanOf = (part: 'key' | 'value'): Span => place.document.spanOf(place.path, part)
    into.set(path, { value: text, at: spanOf('value'), keyAt: spanOf('key') })
  }
}

function integerText(value: Value): string | undefined {
  return value instanceof GoInt ? String(value.value) : undefined
}

function wayToValue(value: Value): string | undefined {
  if (value instanceof Dict || Array.isArray(value)) return 'Write one value.'
  if (value === null || value === '') return 'Give it a value, or remove the field.'
  return typeof value === 'number' ? undefined : WAY_TO_RUNTIME_VALUE
}

function wrong(message: string, { document, path }: Place): Diagnostic {
  return { code: 'CONFIG_WRONG_TYPE', severity: 'error', message, at: document.spanOf(path, 'value') }
}

function noCluster(
  name: string,
  { document, path, clusters }: Place & { readonly clusters: ReadonlySet<string> },
): Diagnostic {
  const near = nearClusters(name, clusters)
  return {
    code: 'CONFIG_REFERENCE',
    severity: 'error',
    message: `the fleet has no cluster ${name}`,
    at: document.spanOf(path, 'key'),
    hint: near.length === 0 ? 'Name clusters by <namespace>/<cluster>.' : `Did you mean ${near.join(' or ')}?`,
  }
}

/** The clusters that a misspelt name, or one without a namespace, most likely meant. */
function nearClusters(name: string, clusters: ReadonlySet<string>): readonly string[] {
  const all = [...clusters]
  if (name.includes('/')) return all.filter((path) => path === nearestName(name, all))
  const names = all.map((path) => parseObjectPath(path).name)
  const near = nearestName(name, names)
  return all.filter((_, index) => names[index] === near)
}
