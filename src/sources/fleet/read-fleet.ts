import { dirName } from '../../codec/path.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { ClusterStack, Cluster, Fleet, FleetRepository } from '../../model/fleet.ts'
import type { ObjectName } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import { pathOf } from '../../model/source.ts'
import { noApiVersions } from './api-versions.ts'
import { readClusterStacks } from './cluster-stacks.ts'
import { readClusters } from './clusters.ts'
import { readFleetDocument } from './fleet-document.ts'
import { type FolderEntry, listFolder, readFleetSource } from './fleet-files.ts'
import { listYaml } from './layer.ts'
import { noteUnknownStacks } from './note-unknown-stacks.ts'
import type { Reading } from './reading.ts'
import { meantName, noteUnread } from './unread-files.ts'

/** A fleet repository and what a person should look at in it. */
export interface ReadFleet {
  readonly repository: FleetRepository
  /** Warnings. */
  readonly findings: readonly Diagnostic[]
}

/**
 * Reads and checks a fleet repository. `file` is the absolute path of its stackmason.yaml; `isWanted` says which
 * clusters are read, by their folders: of others nothing is known. Default: all.
 * @throws StackmasonError with every problem of every file, ordered by file and place: CONFIG_*, FILE_*,
 * RELEASE_NAME_INVALID; VERSION_REFUSED alone
 */
export async function readFleet(
  file: string,
  ports: Pick<Ports, 'files' | 'packageFiles' | 'timeZones'>,
  isWanted?: (cluster: ObjectName) => boolean,
): Promise<ReadFleet> {
  const reading = await openReading(file, ports)
  const { root } = reading
  const source = await readFleetSource(file, reading)
  const read = source === undefined ? undefined : await readFleetDocument(source, reading, ports.packageFiles)
  const fleet = read?.fleet
  // whatever else a repository holds is none of ours
  const entries = await listFolder(root, reading, (name) => folders.some((folder) => isMeant(name, folder)))
  const stacks = findFolder('stacks', entries, reading)
  const clusterStacks: readonly ClusterStack[] =
    stacks === undefined ? [] : await readClusterStacks(await listYaml(stacks, reading), reading)
  const folder = findFolder('clusters', entries, reading)
  const clusters: readonly Cluster[] =
    folder === undefined
      ? []
      : await readClusters(folder, {
          reading,
          above: fleet?.apiVersions ?? noApiVersions,
          // of a fleet that cannot be read nobody knows
          handsOver: fleet === undefined || fleet.handoff !== undefined,
          isWanted,
        })
  if (read === undefined || reading.problems.length > 0) throw new StackmasonError(inOrder(reading.problems))
  noteUnknownStacks(read.document, { clusterStacks, clusters }, reading)
  return { repository: { fleet: read.fleet, clusterStacks, clusters }, findings: inOrder(reading.findings) }
}

/**
 * Reads stackmason.yaml alone, for what asks nothing of stacks and clusters. `file` is its absolute path.
 * @throws StackmasonError with every problem of the file: CONFIG_*, FILE_*; VERSION_REFUSED alone
 */
export async function readFleetFile(
  file: string,
  ports: Pick<Ports, 'files' | 'packageFiles' | 'timeZones'>,
): Promise<Fleet> {
  const reading = await openReading(file, ports)
  const source = await readFleetSource(file, reading)
  const read = source === undefined ? undefined : await readFleetDocument(source, reading, ports.packageFiles)
  if (read === undefined || reading.problems.length > 0) throw new StackmasonError(inOrder(reading.problems))
  return read.fleet
}

async function openReading(file: string, { files, timeZones }: Pick<Ports, 'files' | 'timeZones'>): Promise<Reading> {
  const root = dirName(file)
  return {
    files,
    timeZones,
    root,
    realRoot: await files.realPath(root),
    problems: [],
    findings: [],
    schemas: new Map(),
  }
}

/** The folders of the fleet's root that are read. */
const folders = ['stacks', 'clusters'] as const

function isMeant(name: string, folder: string): boolean {
  return name === folder || meantName({ name, path: name, type: 'directory' }, [folder]) !== undefined
}

/** A folder of the fleet's root; when it is not there, one that seems to be meant is noted. */
function findFolder(
  name: (typeof folders)[number],
  entries: readonly FolderEntry[],
  reading: Reading,
): FolderEntry | undefined {
  const found = entries.find((entry) => entry.name === name && entry.type === 'directory')
  if (found !== undefined) return found
  for (const entry of entries) {
    if (entry.name === name) noteUnread(entry, { hint: `Make it a folder: ${name} is not read as a file.` }, reading)
    else if (entry.type === 'directory' && meantName(entry, [name]) !== undefined)
      noteUnread(entry, { hint: `Did you mean ${name}/?` }, reading)
  }
  return undefined
}

function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const name = (diagnostic: Diagnostic): string =>
    diagnostic.at === undefined ? (diagnostic.file ?? '') : pathOf(diagnostic.at.source)
  return [...diagnostics].sort(
    (a, b) =>
      compareBytes(name(a), name(b)) || (a.at?.start ?? 0) - (b.at?.start ?? 0) || compareBytes(a.message, b.message),
  )
}
