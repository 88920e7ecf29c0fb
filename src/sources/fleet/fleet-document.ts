import { isInside, joinPath, relativePath, resolvePath } from '../../codec/path.ts'
import { fieldAt, itemsAt, textAt, type PathStep } from '../../model/field.ts'
import type { Fleet, KindScope, SourceConfig } from '../../model/fleet.ts'
import type { PackageFiles } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'
import { Dict, GoInt, type Value } from '../../model/value.ts'
import { readAcknowledgements } from './acknowledgements.ts'
import { joinApiVersions, noApiVersions, readApiVersions } from './api-versions.ts'
import { checkKind } from './check-kind.ts'
import { checkSchema } from './check-schema.ts'
import { checkRequiredVersion } from './required-version.ts'
import { type ConfigDocument, parseSingleDocument } from './config-document.ts'
import { documentKinds } from './document-kind.ts'
import { readAddonUnits } from './addons-document.ts'
import { readHandoffConfig, readHandoffFields } from './handoff-config.ts'
import { readNodeImages } from './node-images.ts'
import { noteDuplicates } from './note-duplicates.ts'
import type { Reading } from './reading.ts'
import { quote } from './schema-diagnostic.ts'
import { readRuleLevels } from './rule-levels.ts'
import { readSchemaFolders } from './schema-folders.ts'
import { readPublish } from './publish.ts'
import { readChartRepositories, readSources } from './source-configs.ts'
import { readRollouts } from './rollouts.ts'
import { readVariableRenames } from './variable-renames.ts'

/** stackmason.yaml as a value, and as it is written. */
export interface ReadFleetDocument {
  readonly fleet: Fleet
  readonly document: ConfigDocument
}

/**
 * Reads stackmason.yaml; undefined after noting what is wrong.
 * @throws StackmasonError VERSION_REFUSED when the fleet wants another version of the program
 */
export async function readFleetDocument(
  source: Source,
  reading: Reading,
  packageFiles: PackageFiles,
): Promise<ReadFleetDocument | undefined> {
  const document = parseSingleDocument(source, documentKinds.fleet, reading)
  if (document === undefined || !checkKind(document, documentKinds.fleet, reading)) {
    return undefined
  }
  await checkRequiredVersion(document, packageFiles)
  if (!checkSchema(document, 'fleet', reading)) return undefined
  const { value } = document
  const sources = await readSources(document, reading)
  const stackSources = readStackSources(document, reading)
  for (const { source: name, at } of stackSources) {
    if (sources.some((known) => known.name === name)) continue
    const names = sources.map((known) => known.name)
    const message = `spec.stacks names a source ${quote(name)} that spec.sources does not have`
    const hint = `It has: ${names.join(', ')}.`
    reading.problems.push({ code: 'CONFIG_REFERENCE', severity: 'error', message, at, hint })
  }
  const scopes = readScopes(document, reading)
  const written = textAt(value, 'spec', 'output', 'path')
  const output = resolvePath(reading.root, written || 'rendered')
  checkOutput(output, { sources, document, reading })
  const shownOutput = relativePath(reading.root, output)
  const addonUnits = readAddonUnits(document.value, 'spec', 'handoff')
  const handoff = readHandoffConfig({ document, reading, output: shownOutput })
  const fleet: Fleet = {
    name: textAt(value, 'metadata', 'name'),
    root: reading.root,
    sources,
    stackSources,
    chartRepositories: await readChartRepositories(document, reading),
    nodeImages: await readNodeImages(document, reading),
    ...(handoff !== undefined && {
      handoff,
      handoffAt: document.spanOf(['spec', 'handoff'], 'key'),
      handoffFields: readHandoffFields(document),
    }),
    ...(handoff !== undefined &&
      textAt(value, 'spec', 'handoff', handoff.tool, 'path') !== '' && {
        handoffPathAt: document.spanOf(['spec', 'handoff', handoff.tool, 'path']),
      }),
    ...readRetiredTool(document),
    ...(addonUnits !== undefined && { addonUnits }),
    output: shownOutput,
    ...(written !== '' && { outputWritten: { path: written, at: document.spanOf(['spec', 'output', 'path']) } }),
    helmVersion: numberAt(value, 'spec', 'helmVersion') === 3 ? 3 : 4,
    apiVersions: joinApiVersions(noApiVersions, [readApiVersions(value)]),
    instanceLabel: fieldAt(value, 'spec', 'instanceLabel') !== false,
    scopes,
    acknowledged: readAcknowledgements(document, reading),
    ...readRuleLevels(document, reading),
    variableRenames: readVariableRenames(document, reading),
    rollouts: readRollouts(document, reading),
    ...readManagementMinor(value),
    schemaFolders: await readSchemaFolders(document, reading),
    publish: await readPublish(document, reading),
  }
  return { fleet, document }
}

function readManagementMinor(value: Value): Pick<Fleet, 'managementMinor'> {
  const version = textAt(value, 'spec', 'managementCluster', 'kubernetesVersion')
  const minor = /^v?([0-9]+\.[0-9]+)/.exec(version)?.[1]
  return minor === undefined ? {} : { managementMinor: minor }
}

function readRetiredTool({ value, spanOf }: ConfigDocument): Pick<Fleet, 'retiredTool'> {
  const tool = textAt(value, 'spec', 'retiredTool')
  return tool === 'flux' || tool === 'argocd'
    ? { retiredTool: { tool, at: spanOf(['spec', 'retiredTool'], 'key') } }
    : {}
}

function readStackSources(document: ConfigDocument, reading: Reading): Fleet['stackSources'] {
  const entries = itemsAt(document.value, 'spec', 'stacks').map((item, index) => ({
    provider: textAt(item, 'provider'),
    stack: textAt(item, 'stack'),
    source: textAt(item, 'source'),
    at: document.spanOf(['spec', 'stacks', index, 'source']),
  }))
  noteDuplicates(entries, ({ provider, stack }) => `${provider}-${stack}`, {
    reading,
    describe: ({ provider, stack }) => `the stack "${stack}" of provider "${provider}"`,
  })
  return entries
}

function readScopes(document: ConfigDocument, reading: Reading): readonly KindScope[] {
  const scopes = itemsAt(document.value, 'spec', 'scopes').map((item, index) => ({
    group: textAt(item, 'group'),
    kind: textAt(item, 'kind'),
    namespaced: textAt(item, 'scope') === 'Namespaced',
    at: document.spanOf(['spec', 'scopes', index, 'kind']),
  }))
  noteDuplicates(scopes, ({ group, kind }) => `${group}/${kind}`, {
    reading,
    describe: ({ group, kind }) => `the kind "${kind}" of group "${group}"`,
  })
  return scopes.map(({ group, kind, namespaced }) => ({ group, kind, namespaced }))
}

/** Refuses an output folder that would cover files that people write. */
function checkOutput(
  output: string,
  context: { readonly sources: readonly SourceConfig[]; readonly document: ConfigDocument; readonly reading: Reading },
): void {
  const { sources, document, reading } = context
  const covered = [reading.root, ...localFolders(sources)].find((folder) => isInside(output, folder))
  const holder = localFolders(sources).find((folder) => isInside(folder, output))
  const other = covered ?? holder ?? reservedPath(reading.root, output)
  if (other === undefined) return
  const shown = relativePath(reading.root, other)
  const message =
    covered === undefined
      ? `the output folder ${other === output ? 'is' : 'lies inside'} ${quote(shown)}, which is not ours to write`
      : `the output folder would cover ${shown === '.' ? 'the fleet itself' : `${quote(shown)}, which is read as input`}`
  reading.problems.push({
    code: 'CONFIG_CONFLICT',
    severity: 'error',
    message,
    at: document.spanOf(['spec', 'output', 'path']),
    hint: 'Choose a folder of its own, such as "rendered".',
  })
}

/** Files and folders of a fleet that people or other commands write. */
const RESERVED: ReadonlySet<string> = new Set([
  'clusters',
  'stacks',
  'templates',
  'bootstrap',
  'stackmason.yaml',
  'stackmason.lock',
  '.gitignore',
  '.gitattributes',
])

/**
 * The path of the fleet, of git or of our own records that the output folder would be or lie in; file systems may fold
 * letter case.
 */
function reservedPath(root: string, output: string): string | undefined {
  const [first = ''] = relativePath(root, output).split('/')
  if (RESERVED.has(first.toLowerCase())) return joinPath(root, first)
  const parts = output.split('/')
  const at = parts.findIndex((part) => /^\.(?:git|stackmason)$/i.test(part))
  return at === -1 ? undefined : parts.slice(0, at + 1).join('/')
}

function localFolders(sources: readonly SourceConfig[]): readonly string[] {
  return sources.flatMap((source) =>
    source.type === 'directory' || source.type === 'providerDirectory' ? [source.path] : [],
  )
}

function numberAt(value: Value, ...path: readonly PathStep[]): number | undefined {
  const found = value instanceof Dict ? fieldAt(value, ...path) : undefined
  return found instanceof GoInt ? Number(found.value) : typeof found === 'number' ? found : undefined
}
