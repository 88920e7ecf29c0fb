import { placeOf } from '../../codec/yaml/positioned-yaml.ts'
import { classPaths, readTopologyVersion, topologyVersionPath } from '../../model/class-reference.ts'
import { dictAt, textAt, withField } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import { isItemList } from '../../model/item-list.ts'
import { nearestName } from '../../model/nearest-name.ts'
import type { Positioned } from '../../model/positioned.ts'
import { dnsLabel } from '../../model/kubernetes-names.ts'
import { matchClassName } from '../../model/release-name.ts'
import type { Source } from '../../model/source.ts'
import { Dict } from '../../model/value.ts'
import { checkKind } from './check-kind.ts'
import { checkSchema } from './check-schema.ts'
import { type ConfigDocument, isMapDocument, parseObjectDocuments } from './config-document.ts'
import { documentKinds } from './document-kind.ts'
import { judgeClusterFields } from './judge-cluster-fields.ts'
import type { Reading } from './reading.ts'
import { quote } from './schema-diagnostic.ts'

/** The part of a {@link Cluster} that cluster.yaml itself declares. */
export type ClusterDocument = Omit<
  Cluster,
  'folder' | 'addons' | 'values' | 'patches' | 'runtimeValues' | 'existingSecrets' | 'options'
>

/** Where cluster.yaml lies: what its folders are called. */
export interface FolderNames {
  readonly namespace: string
  readonly name: string
}

const apiVersions = ['cluster.x-k8s.io/v1beta1', 'cluster.x-k8s.io/v1beta2'] as const

/** A cluster.yaml: one Cluster and what belongs beside it; undefined after noting what is wrong. */
export function readClusterDocument(source: Source, names: FolderNames, reading: Reading): ClusterDocument | undefined {
  const before = reading.problems.length
  const documents = parseObjectDocuments(source, documentKinds.cluster, reading)
  const maps = documents.filter((document) => isMapDocument(document, documentKinds.cluster, reading))
  const [cluster, second] = maps.filter(isCluster)
  const meant = cluster === undefined ? findMisspelt(maps) : undefined
  if (meant !== undefined) noteHead(meant, reading)
  const others = maps.filter((document) => document !== meant && !isCluster(document))
  const beside = others.flatMap((document) => readBeside(document, reading))
  if (second !== undefined) {
    const message = 'the file must hold one Cluster only'
    const hint = 'Give every Cluster a folder of its own: clusters/<namespace>/<cluster>/cluster.yaml.'
    reading.problems.push({ code: 'CONFIG_CONFLICT', severity: 'error', message, at: second.start, hint })
  }
  if (cluster !== undefined) return readCluster(cluster, { names, beside, reading })
  if (maps.length > 0 && reading.problems.length === before) {
    const message = 'the file has no document of kind Cluster'
    const at = { source, start: 0, end: 0 }
    const hint = `Add one: \`apiVersion: ${documentKinds.cluster.apiVersions[0]}\`, \`kind: Cluster\`.`
    reading.problems.push({ code: 'CONFIG_MISSING_FIELD', severity: 'error', message, at, hint })
  }
  return undefined
}

/** The document that was meant to be the Cluster, if its kind or apiVersion is wrong or missing. */
function findMisspelt(documents: readonly ConfigDocument[]): ConfigDocument | undefined {
  return (
    documents.find(({ value }) => textAt(value, 'kind') === 'Cluster') ??
    documents.find(({ value }) => dictAt(value, 'spec', 'topology') !== undefined) ??
    documents.find(
      ({ value }) =>
        textAt(value, 'apiVersion').startsWith('cluster.x-k8s.io/') &&
        nearestName(textAt(value, 'kind'), ['Cluster']) !== undefined,
    )
  )
}

/** Notes what is wrong with the kind and apiVersion of a Cluster. */
function noteHead(document: ConfigDocument, reading: Reading): void {
  const { kind, apiVersions: possible } = documentKinds.cluster
  checkKind(document, documentKinds.cluster, reading)
  for (const [field, value] of [
    ['apiVersion', possible[0]],
    ['kind', kind],
  ] as const) {
    if (textAt(document.value, field) !== '') continue
    const message = `${field} is missing`
    const hint = `Add \`${field}: ${value}\`.`
    reading.problems.push({ code: 'CONFIG_MISSING_FIELD', severity: 'error', message, at: document.start, hint })
  }
}

function isCluster({ value }: ConfigDocument): boolean {
  return textAt(value, 'kind') === 'Cluster' && /^(?:cluster\.x-k8s\.io\/.*|)$/.test(textAt(value, 'apiVersion'))
}

/** Objects beside the Cluster are passed on as they are; all that is asked is that they are objects. */
function readBeside(document: ConfigDocument, reading: Reading): readonly Positioned<Dict>[] {
  const { value } = document
  if (isItemList(value)) {
    reading.problems.push({
      code: 'CONFIG_INVALID_VALUE',
      severity: 'error',
      message: 'a list of objects cannot be beside the Cluster',
      at: document.spanOf(['items'], 'key'),
      hint: 'Write each item as a document of its own.',
    })
    return []
  }
  const missing = [['apiVersion'], ['kind'], ['metadata', 'name']].filter((path) => textAt(value, ...path) === '')
  for (const path of missing) {
    const message = `${path.join('.')} is missing: every document must be a Kubernetes object`
    reading.problems.push({ code: 'CONFIG_MISSING_FIELD', severity: 'error', message, at: document.start })
  }
  return missing.length === 0 && value instanceof Dict ? [{ ...placeOf(document), value }] : []
}

interface ClusterContext {
  readonly names: FolderNames
  readonly beside: readonly Positioned<Dict>[]
  readonly reading: Reading
}

function readCluster(document: ConfigDocument, context: ClusterContext): ClusterDocument | undefined {
  const { names, beside, reading } = context
  const { value } = document
  const before = reading.problems.length
  const apiVersion = apiVersions.find((known) => known === textAt(value, 'apiVersion'))
  if (apiVersion === undefined) {
    noteHead(document, reading)
    return undefined
  }
  const version = apiVersion.endsWith('v1beta1') ? 'v1beta1' : 'v1beta2'
  checkSchema(document, `cluster-${version}`, reading)
  checkFolderNames(document, names, reading)
  checkNamespaceFolder(document, names, reading)
  const { name: classPath, namespace: namespacePath } = classPaths[version]
  const className = textAt(value, ...classPath)
  if (className === '' && reading.problems.length === before) noteNoClass(document, classPath, reading)
  if (!(value instanceof Dict) || reading.problems.length > before) return undefined
  checkVersion(document, classPath, reading)
  const { problems, findings } = judgeClusterFields(document)
  reading.problems.push(...problems)
  reading.findings.push(...findings)
  return {
    name: names.name,
    namespace: names.namespace,
    object: withField(value, ['metadata', 'namespace'], names.namespace),
    apiVersion,
    className,
    classAt: document.spanOf(classPath),
    classNamespace: textAt(value, ...namespacePath) || names.namespace,
    ...(textAt(value, ...namespacePath) !== '' && { classNamespaceAt: document.spanOf(namespacePath) }),
    version: readTopologyVersion(value),
    versionAt: document.spanOf(topologyVersionPath),
    source: document.source,
    document: { ...placeOf(document), value },
    beside,
  }
}

/** Folder and document must agree, or people would look for a cluster in the wrong place. */
function checkFolderNames(document: ConfigDocument, names: FolderNames, reading: Reading): void {
  for (const [field, folder] of [
    ['name', names.name],
    ['namespace', names.namespace],
  ] as const) {
    const written = textAt(document.value, 'metadata', field)
    if (written === '' || written === folder) continue
    reading.problems.push({
      code: 'CONFIG_CONFLICT',
      severity: 'error',
      message: `metadata.${field} is ${quote(written)}, but the folder is called ${quote(folder)}`,
      at: document.spanOf(['metadata', field]),
      hint: 'Make both the same: clusters/<namespace>/<cluster>/cluster.yaml. A cluster that runs cannot be renamed, nor moved to another namespace: docs/19-life-of-a-cluster.md#another-name-or-namespace.',
    })
  }
}

/** Where the file names no namespace, its folder does. */
function checkNamespaceFolder(document: ConfigDocument, { namespace }: FolderNames, reading: Reading): void {
  if (textAt(document.value, 'metadata', 'namespace') !== '' || dnsLabel.allows(namespace)) return
  reading.problems.push({
    code: 'CONFIG_INVALID_VALUE',
    severity: 'error',
    message: `the folder ${quote(namespace)} cannot be a namespace: allowed are ${dnsLabel.says}`,
    at: document.spanOf(['metadata'], 'key'),
    hint: `Rename the folder clusters/${namespace}.`,
  })
}

function noteNoClass(document: ConfigDocument, classPath: readonly string[], reading: Reading): void {
  reading.problems.push({
    code: 'CONFIG_MISSING_FIELD',
    severity: 'error',
    message: `${classPath.join('.')} is missing: only Clusters that name a cluster class can be expanded`,
    at: document.spanOf(['spec'], 'key'),
  })
}

/** The class must be a release, and the version one of Kubernetes. Which one, the release says when it is read. */
function checkVersion(document: ConfigDocument, classPath: readonly string[], reading: Reading): void {
  const className = textAt(document.value, ...classPath)
  const outcome = matchClassName(className)
  if ('reason' in outcome) {
    const message = `${classPath.join('.')} ${quote(className)} is not a release: ${outcome.reason}`
    const at = document.spanOf(classPath)
    reading.problems.push({ code: 'RELEASE_NAME_INVALID', severity: 'error', message, at })
  }
  const version = textAt(document.value, ...topologyVersionPath)
  if (/^v\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/.test(version)) return
  const bare = version.replace(/^v/, '')
  const isBare = /^\d+\.\d+\.\d+$/.test(bare)
  reading.problems.push({
    code: 'CONFIG_INVALID_VALUE',
    severity: 'error',
    message: `${topologyVersionPath.join('.')} must look like "v1.34.7"`,
    at: document.spanOf(topologyVersionPath),
    hint: isBare ? `Write v${bare}.` : undefined,
  })
}
