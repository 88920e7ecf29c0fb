import { isInside, joinPath, dirName, resolvePath, withoutTrailingSlashes } from '../../codec/path.ts'
import { dictAt, fieldAt, itemsAt, textAt, type PathStep } from '../../model/field.ts'
import type { AddonEntry, Cluster, RemoteChart } from '../../model/fleet.ts'
import type { AddonUnits } from '../../model/handoff-config.ts'
import { refuseRuntimeValue, typeOfField, WAY_TO_RUNTIME_VALUE } from '../../model/runtime-value.ts'
import { GoInt, type Value } from '../../model/value.ts'
import { readApiVersions, type WrittenApiVersions } from './api-versions.ts'
import { checkKind } from './check-kind.ts'
import { checkSchema } from './check-schema.ts'
import { type ConfigDocument, parseSingleDocument } from './config-document.ts'
import { documentKinds } from './document-kind.ts'
import { readSource, shownPath, typeOf } from './fleet-files.ts'
import { noteDuplicates } from './note-duplicates.ts'
import type { Reading } from './reading.ts'
import { formatPath, quote } from './schema-diagnostic.ts'

/** The content of one addons.yaml. */
export interface Addons extends WrittenApiVersions {
  readonly entries: readonly AddonEntry[]
  readonly runtimeValues: Cluster['runtimeValues']
  readonly existingSecrets: Cluster['existingSecrets']
  readonly units?: AddonUnits | undefined
}

/** The content of a folder without an addons.yaml. */
export const noAddons: Addons = {
  entries: [],
  runtimeValues: new Map(),
  existingSecrets: [],
  apiVersions: [],
  apiVersionsFromCrds: undefined,
}

/** An addons.yaml as a value; problems are noted. `path` is absolute. */
export async function readAddons(path: string, reading: Reading): Promise<Addons> {
  const source = await readSource(path, reading)
  const document = source === undefined ? undefined : parseSingleDocument(source, documentKinds.addons, reading)
  if (document === undefined) return noAddons
  if (!checkKind(document, documentKinds.addons, reading)) return noAddons
  if (!checkSchema(document, 'addons', reading)) return noAddons
  const entries: AddonEntry[] = []
  for (const [index, item] of itemsAt(document.value, 'spec', 'addons').entries()) {
    entries.push(await readEntry(item, { path: ['spec', 'addons', index], folder: dirName(path), document, reading }))
  }
  noteDuplicates(entries, ({ name }) => name, { reading, describe: ({ name }) => `the addon "${name}"` })
  const units = readAddonUnits(document.value, 'spec')
  return {
    entries,
    runtimeValues: readRuntimeValues(document, reading),
    existingSecrets: readExistingSecrets(document),
    ...readApiVersions(document.value),
    units,
  }
}

/** The field `units` at a path, checked by the schema before. */
export function readAddonUnits(value: Value, ...path: readonly PathStep[]): AddonUnits | undefined {
  const units = fieldAt(value, ...path, 'units')
  return units === 'perOwner' || units === 'perAddon' ? units : undefined
}

interface EntryContext {
  readonly path: readonly PathStep[]
  /** The folder of addons.yaml. */
  readonly folder: string
  readonly document: ConfigDocument
  readonly reading: Reading
}

async function readEntry(item: Value, context: EntryContext): Promise<AddonEntry> {
  const remote = readRemote(item, context)
  const chart = remote === undefined ? await readInput(item, 'chart', context) : remoteKey(remote)
  const templates = await readInput(item, 'templates', context)
  const namespace = textAt(item, 'namespace')
  const releaseName = textAt(item, 'releaseName')
  return {
    name: textAt(item, 'name'),
    enabled: fieldAt(item, 'enabled') !== false,
    ignoresConditions: textAt(item, 'conditions') === 'ignore',
    ...(chart !== undefined && { chart }),
    ...(remote !== undefined && { remote }),
    ...(templates !== undefined && { templates }),
    ...(namespace !== '' && { namespace }),
    ...(releaseName !== '' && { releaseName }),
    at: context.document.spanOf([...context.path, 'name']),
  }
}

/** No path has such a form: paths are absolute. */
function remoteKey({ repository, name, request }: RemoteChart): string {
  return `${repository}#${name}@${request}`
}

/** A chart that is not in the fleet; undefined for one that is, and after noting what is missing. */
function readRemote(item: Value, { path, document, reading }: EntryContext): RemoteChart | undefined {
  const chart = dictAt(item, 'chart')
  if (chart === undefined) return undefined
  const fields = ['repository', 'name', 'version'] as const
  const missing = fields.filter((field) => !chart.has(field))
  const at = document.spanOf([...path, 'chart'], 'key')
  const name = formatPath([...path, 'chart'])
  if (chart.has('path')) {
    if (missing.length === fields.length) return undefined
    const message = `${name} has a path and a repository, name or version: it is either in the fleet or not`
    const hint = 'Leave path for a chart of the fleet, or repository, name and version for one of a repository.'
    reading.problems.push({ code: 'CONFIG_CONFLICT', severity: 'error', message, at, hint })
    return undefined
  }
  if (missing.length > 0) {
    const message =
      missing.length === fields.length ? `${name} says no chart` : `${name} lacks ${missing.join(' and ')}`
    const hint = 'A chart of the fleet has a path; one of a repository has repository, name and version.'
    reading.problems.push({ code: 'CONFIG_MISSING_FIELD', severity: 'error', message, at, hint })
    return undefined
  }
  return {
    name: textAt(item, 'chart', 'name'),
    repository: withoutTrailingSlashes(textAt(item, 'chart', 'repository')),
    request: textAt(item, 'chart', 'version'),
    at: document.spanOf([...path, 'chart', 'version']),
  }
}

/** The absolute path of a chart or template folder, which must be there and inside of the fleet repository. */
async function readInput(
  item: Value,
  field: 'chart' | 'templates',
  context: EntryContext,
): Promise<string | undefined> {
  const written = textAt(item, field, 'path')
  if (written === '') return undefined
  const { reading, document } = context
  const at = document.spanOf([...context.path, field, 'path'])
  const name = formatPath([...context.path, field, 'path'])
  const path = resolvePath(context.folder, written)
  if (!isInside(reading.root, path)) {
    const message = `${name} leads out of the fleet repository`
    const hint = 'Copy what it names into the repository, so that it is reviewed with everything else.'
    reading.problems.push({ code: 'FILE_OUTSIDE', severity: 'error', message, at, hint })
    return path
  }
  const problem = await missingPart(path, field, reading)
  if (problem !== undefined) {
    const message = `${name}: ${quote(shownPath(path, reading))} ${problem}`
    const hint = `Paths are relative to ${document.source.name}.`
    reading.problems.push({ code: 'CONFIG_REFERENCE', severity: 'error', message, at, hint })
  }
  return path
}

async function missingPart(path: string, field: 'chart' | 'templates', reading: Reading): Promise<string | undefined> {
  if ((await reading.files.stat(path)) === undefined) return 'is not there'
  // a link out of the repository is noted by typeOf
  const type = await typeOf(path, reading)
  if (type === undefined) return undefined
  if (field === 'templates') return type === 'directory' ? undefined : 'is not a folder'
  if (type === 'file') return /\.(?:tgz|tar\.gz)$/.test(path) ? undefined : 'is neither a folder nor a .tgz file'
  const hasChart = (await reading.files.stat(joinPath(path, 'Chart.yaml'))) !== undefined
  return hasChart ? undefined : 'has no Chart.yaml'
}

function readRuntimeValues(document: ConfigDocument, reading: Reading): Cluster['runtimeValues'] {
  return new Map(
    [...(dictAt(document.value, 'spec', 'runtimeValues') ?? [])].map(([key, entry]) => {
      const path = ['spec', 'runtimeValues', key]
      const [type, value, at] = [typeOfField(key), scalarText(entry), document.spanOf(path, 'value')]
      // any text does where nothing else is wanted: it is rendered, not filled in
      const refusal = type === 'string' ? undefined : refuseRuntimeValue(type, value)
      if (refusal !== undefined)
        reading.problems.push({
          code: 'CONFIG_WRONG_TYPE',
          severity: 'error',
          message: `${key} ${refusal}`,
          at,
          hint: WAY_TO_RUNTIME_VALUE,
        })
      return [key, { value, at: document.spanOf(path), keyAt: document.spanOf(path, 'key') }]
    }),
  )
}

function readExistingSecrets(document: ConfigDocument): Cluster['existingSecrets'] {
  return itemsAt(document.value, 'spec', 'existingSecrets').map((item, index) => {
    const namespace = textAt(item, 'namespace')
    return {
      name: textAt(item, 'name'),
      namespace: namespace === '' ? 'kube-system' : namespace,
      at: document.spanOf(['spec', 'existingSecrets', index]),
    }
  })
}

function scalarText(value: Value): string {
  if (typeof value === 'string') return value
  return value instanceof GoInt ? String(value.value) : JSON.stringify(value)
}
