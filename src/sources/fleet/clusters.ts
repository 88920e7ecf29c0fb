import { joinPath } from '../../codec/path.ts'
import { isInside } from '../../codec/path.ts'
import type { AddonEntry, Cluster, DeclaredApiVersions, ValuesFile } from '../../model/fleet.ts'
import type { Span } from '../../model/source.ts'
import type { ObjectName } from '../../model/object-name.ts'
import { joinApiVersions } from './api-versions.ts'
import { readClusterDocument } from './cluster-document.ts'
import { type OptionsContext, readClusterOptions } from './cluster-options.ts'
import { type FolderEntry, listFolder, readSource, shownPath } from './fleet-files.ts'
import { type Layer, readLayer } from './layer.ts'
import type { Reading } from './reading.ts'
import { meantName, noteUnread, type UnreadAdvice } from './unread-files.ts'

const defaults: readonly string[] = ['addons.yaml', 'values', 'patches']
const ownFiles: readonly string[] = ['cluster.yaml', 'options.yaml']

/** Entries that nothing claimed so far. An addons.yaml that is read later may name them. */
interface Unclaimed {
  readonly entry: FolderEntry
  readonly advice: UnreadAdvice
}

/** The options of reading clusters. */
export interface ClustersContext extends OptionsContext {
  readonly above: DeclaredApiVersions
  /**
   * Which clusters are read, by their folders; default: all. What nothing reads is told only of the folders of these.
   */
  readonly isWanted: ((cluster: ObjectName) => boolean) | undefined
}

/** The clusters below the folder clusters/, in order of namespace and name; problems are noted. */
export async function readClusters(
  folder: FolderEntry,
  { reading, above, handsOver, isWanted }: ClustersContext,
): Promise<readonly Cluster[]> {
  const clusters: Cluster[] = []
  const unclaimed: Unclaimed[] = []
  const layers: Layer[] = []
  const top = await readLayer(await listFolder(folder.path, reading), reading)
  layers.push(top)
  for (const entry of top.rest) {
    if (entry.type === 'file') {
      unclaimed.push({ entry, advice: adviceForFile(entry) })
      continue
    }
    const namespace = await readLayer(await listFolder(entry.path, reading), reading)
    layers.push(namespace)
    const before = layers.length
    for (const child of namespace.rest) {
      const place = { namespace: entry.name, name: child.name }
      if (isWanted?.(place) === false) continue
      const files = child.type === 'directory' ? await listFolder(child.path, reading) : []
      const file = files.find(({ name, type }) => name === 'cluster.yaml' && type === 'file')
      if (file === undefined) {
        // it is there, and was reported already
        if (reading.problems.some((problem) => problem.file === joinPath(child.path, 'cluster.yaml'))) continue
        const deeper = await clusterFileIn(files, reading)
        const advice =
          deeper === undefined
            ? adviceInNamespace(child, files)
            : {
                hint: `${shownPath(deeper.path, reading)} lies one folder too deep. ${WHERE_CLUSTERS_LIE}`,
              }
        unclaimed.push({ entry: child, advice })
        continue
      }
      const own = await readLayer(files, reading)
      layers.push(own)
      const optionsFile = own.rest.find(({ name, type }) => name === 'options.yaml' && type === 'file')
      for (const other of own.rest) {
        if (other === file || other === optionsFile) continue
        unclaimed.push({ entry: other, advice: adviceFor(other, [...ownFiles, ...defaults]) })
      }
      const options =
        optionsFile === undefined ? undefined : await readClusterOptions(optionsFile.path, { reading, handsOver })
      const source = await readSource(file.path, reading)
      const document = source === undefined ? undefined : readClusterDocument(source, place, reading)
      if (document !== undefined) {
        const layered = combineLayers([top, namespace, own], above)
        clusters.push({ ...document, folder: child.path, ...layered, ...(options !== undefined && { options }) })
      }
    }
    const advice = adviceFor(entry, defaults)
    // who does not look at all of its clusters cannot say that it has none
    if (isWanted === undefined && layers.length === before && advice.hint !== undefined)
      unclaimed.push({ entry, advice })
  }
  noteUnclaimed(unclaimed, layers, reading)
  return clusters
}

const WHERE_CLUSTERS_LIE = 'A cluster lies in clusters/<namespace>/<cluster>/cluster.yaml.'

/** The advice about a file in a folder of clusters that seems to be nothing misspelt. */
const WHAT_IS_READ = `${WHERE_CLUSTERS_LIE} Beside it options.yaml, addons.yaml, values/ and patches/ are read, and what addons.yaml names. Move whatever else out of clusters/.`

/** The first cluster.yaml, or file of nearly that name, in some folders. */
async function clusterFileIn(entries: readonly FolderEntry[], reading: Reading): Promise<FolderEntry | undefined> {
  for (const entry of entries) {
    const files = entry.type === 'directory' ? await listFolder(entry.path, reading) : []
    const found = files.find(isClusterFile)
    if (found !== undefined) return found
  }
  return undefined
}

function isClusterFile(entry: FolderEntry): boolean {
  return entry.type === 'file' && (entry.name === 'cluster.yaml' || meantName(entry, ['cluster.yaml']) !== undefined)
}

/** The farthest folder comes first; for addons and runtime values the nearest one wins. */
function combineLayers(
  layers: readonly Layer[],
  above: DeclaredApiVersions,
): Pick<Cluster, 'addons' | 'values' | 'patches' | 'runtimeValues' | 'existingSecrets' | 'apiVersions' | 'addonUnits'> {
  const addons = new Map<string, AddonEntry>()
  const values = new Map<string, readonly ValuesFile[]>()
  const runtimeValues = new Map<string, { readonly value: string; readonly at: Span; readonly keyAt?: Span }>()
  for (const layer of layers) {
    for (const entry of layer.addons.entries) addons.set(entry.name, inherited(entry, addons.get(entry.name)))
    for (const [addon, file] of layer.values) values.set(addon, [...(values.get(addon) ?? []), file])
    for (const [path, value] of layer.addons.runtimeValues) runtimeValues.set(path, value)
  }
  const addonUnits = layers.findLast((layer) => layer.addons.units !== undefined)?.addons.units
  return {
    addons: [...addons.values()],
    values,
    patches: layers.flatMap((layer) => layer.patches),
    runtimeValues,
    existingSecrets: layers.flatMap((layer) => layer.addons.existingSecrets),
    apiVersions: joinApiVersions(
      above,
      layers.map(({ addons: said }) => said),
    ),
    ...(addonUnits !== undefined && { addonUnits }),
  }
}

/** An entry that brings nothing itself switches one on or off that a folder above has brought. */
function inherited(entry: AddonEntry, above: AddonEntry | undefined): AddonEntry {
  const bringsNothing = entry.chart === undefined && entry.templates === undefined
  return above !== undefined && bringsNothing ? { ...above, ...entry } : entry
}

/** Helm's name for what is here a folder. */
const VALUES_FILE = /^values?\.(?:ya?ml|json)$/i
const PATCHES_FILE = /^patch(?:es)?\.(?:ya?ml|json)$/i

function adviceFor(entry: FolderEntry, possible: readonly string[]): UnreadAdvice {
  // what is there under that name, and of the right type, is read
  if (possible.includes(entry.name))
    return {
      hint:
        entry.type === 'directory'
          ? `Make it a file: ${entry.name} is not read as a folder.`
          : `Make it a folder: ${entry.name} is not read as a file.`,
    }
  if (entry.type === 'file' && VALUES_FILE.test(entry.name))
    return { hint: 'Values lie in values/<addon>.yaml, a file for each addon.' }
  if (entry.type === 'file' && PATCHES_FILE.test(entry.name))
    return { hint: 'Patches lie in patches/<name>.yaml, of kind Patch.' }
  const meant = meantName(entry, possible)
  return meant === undefined ? {} : { hint: `Did you mean ${meant}${entry.type === 'directory' ? '/' : ''}?` }
}

/** Above the folders of clusters. */
function adviceForFile(entry: FolderEntry): UnreadAdvice {
  if (entry.name === 'options.yaml') return { hint: 'It holds for one cluster: put it beside a cluster.yaml.' }
  return isClusterFile(entry) ? { hint: WHERE_CLUSTERS_LIE } : adviceFor(entry, defaults)
}

const NO_CLUSTER =
  'It has no cluster.yaml, so it is not a cluster. Write one, or restore it (`git log` has it). A cluster that is to go is decommissioned first: docs/19-life-of-a-cluster.md#decommission.'

/** In a namespace's folder every folder is a cluster's, or a mistake. */
function adviceInNamespace(entry: FolderEntry, files: readonly FolderEntry[]): UnreadAdvice {
  if (entry.type === 'file') return adviceForFile(entry)
  const misnamed = files.find((file) => meantName(file, ['cluster.yaml']) !== undefined)
  if (misnamed !== undefined) return { hint: `It has no cluster.yaml. Rename ${misnamed.name} to cluster.yaml.` }
  if (files.some(({ name }) => name === 'cluster.yaml'))
    return { hint: 'Its cluster.yaml is a folder: make it a file.' }
  const advice = adviceFor(entry, defaults)
  if (advice.hint !== undefined) return advice
  const isCluster = files.some(({ name }) => defaults.includes(name) || name === 'options.yaml')
  return isCluster ? { hint: NO_CLUSTER } : {}
}

function noteUnclaimed(unclaimed: readonly Unclaimed[], layers: readonly Layer[], reading: Reading): void {
  const used = layers.flatMap((layer) =>
    layer.addons.entries.flatMap(({ chart, templates }) => chart ?? templates ?? []),
  )
  for (const { entry, advice } of unclaimed) {
    const isUsed = used.some((path) => isInside(path, entry.path) || isInside(entry.path, path))
    if (!isUsed) noteUnread(entry, { ...advice, place: WHAT_IS_READ }, reading)
  }
}
