import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { dirName, joinPath } from '../../codec/path.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { type DirectoryEntry, FileError, type Ports, SIGNATURE_LENGTH } from '../../model/ports.ts'
import { digestOfBytes, digestOfEntries } from '../../replay/digests.ts'
import { type ObservedPorts, observePorts } from '../../replay/observe-ports.ts'
import { packResult, unpackResult } from '../../replay/pack-result.ts'
import { formatRecord, parseRecord, placesOf, recordOf, type RunRecord } from '../../replay/run-record.ts'
import { comparePaths, nothingRemembered, rememberFiles } from '../../replay/remembered-files.ts'
import { isYoung } from '../../replay/signature.ts'
import { stillHolds } from '../../replay/still-holds.ts'
import { parseUnitRecords, UnitRecords } from '../../replay/unit-records.ts'
import { cacheFolder } from '../../sources/cache/cache-folder.ts'
import { cachePaths } from '../../sources/cache/cache-paths.ts'
import type { KeptUnits } from '../expand/reuse-units.ts'

/** The options of keeping results of runs. */
export interface Reuse {
  /** Another one for each version of the program and of what runs it: none knows what another one would come to. */
  readonly program: string
  /** True if a text holds no secret: only such a text is kept. */
  readonly isClean: (text: string) => boolean
}

/** Results of earlier runs that this one can reuse. */
export interface KnownRun {
  /** The content of the disk, without reading what is known. */
  readonly disk: Pick<ObservedPorts, 'holds' | 'below' | 'noteTree'>
  readonly units: KeptUnits
}

/** One kind of run. */
export interface ReplayedRun<Result> {
  /** The question of the run: other questions have other answers. */
  readonly asked: readonly string[]
  /** True for a path that each run changes for itself. */
  readonly isOwn: (path: string) => boolean
  readonly run: (ports: Ports, known?: KnownRun) => Promise<Result>
  /** Folders in which each run does things, and leaves the same names: others are traces of one that did not end. */
  readonly settled: (result: Result) => readonly string[]
  /** The part of a result to keep; undefined for one that the same run would not have again. */
  readonly keep: (result: Result) => unknown
  /** The result of what was kept; undefined for anything else. */
  readonly restore: (kept: unknown) => Result | undefined
}

const noPaths = { paths: [], signatures: new Float64Array() }

/** Units, and files, that a run looks at anew rather than keeping all records up to date for them. */
const [FEW, FEW_FILES] = [16, 2000]

/** Milliseconds after which a record that nobody has written again is removed. */
const OLD = 14 * 24 * 3_600_000

/**
 * Tells what the last equal run came to, where every port would still answer as it did then; else runs, and keeps what
 * it came to. A record that is missing, damaged or of another program costs time, and nothing else.
 */
export async function replayRun<Result>(
  { asked, isOwn, run, settled, keep, restore }: ReplayedRun<Result>,
  reuse: Reuse | undefined,
  ports: Ports,
): Promise<Result> {
  const folder = reuse === undefined ? undefined : recordFolder(ports)
  if (reuse === undefined || folder === undefined) return run(ports)
  const started = ports.clock.now()
  const key = digestOfBytes(encodeUtf8(JSON.stringify([reuse.program, ...asked])), ports.crypto)
  const path = joinPath(folder, `${digestOfBytes(encodeUtf8(JSON.stringify(asked)), ports.crypto)}.record`)
  const found = await readRecord(path, ports)
  const record = found?.key === key ? found : undefined
  let compared: Promise<Uint8Array> | undefined
  const same = (): Promise<Uint8Array> => (compared ??= comparePaths(record ?? noPaths, ports.files))
  if (record?.result !== undefined && (await stillHolds(record, same, ports))) {
    const texts = (file: string): Promise<string> => ports.files.read(file).then(decodeUtf8)
    const result = restore(await unpackResult(record.result, texts))
    if (result !== undefined) {
      // what was young then is old enough now to be told by its signature
      const young = stillYoung(record, started)
      if (young.size < record.young.size) await keepRecord(path, { ...record, started, young }, ports)
      return result
    }
  }
  const salt = digestOfBytes(ports.random.bytes(32), ports.crypto)
  const remembered = record === undefined ? nothingRemembered : rememberFiles(record, await same())
  const observed = observePorts(ports, { started, salt, isOwn, remembered })
  const unitsPath = path.replace(/record$/, 'units')
  const records = await readUnits(unitsPath, key, ports)
  const result = await run(observed.ports, { disk: observed, units: { records, isClean: reuse.isClean } })
  const { observations } = observed
  const kept = observed.isComparable() ? keep(result) : undefined
  const packed = kept === undefined ? undefined : packResult(kept, (file) => observations.paths.has(file))
  const isClean = packed?.shown.every(reuse.isClean) === true
  const names = new Map<string, string>()
  for (const place of settled(result)) {
    const entries = await entriesOf(place, ports)
    if (entries !== undefined) names.set(place, digestOfEntries(entries, ports.crypto))
  }
  const identities = await ports.files.signatures(placesOf(observations))
  const known = { key, salt, started, identities, settled: names, ...(isClean && { result: packed.text }) }
  // what a few changed can be found out again more quickly than all is written
  const isSettled = isClean || record === undefined || observed.looked() > FEW_FILES
  if (isSettled) await keepRecord(path, recordOf(observations, known, { before: record, crypto: ports.crypto }), ports)
  if (records.changes > (isSettled ? 0 : FEW))
    await keepBytes(unitsPath, () => records.format(key, ports.crypto), ports)
  return result
}

/** The paths of a record whose signatures do not show all changes since `started`. */
function stillYoung({ young, paths, signatures }: RunRecord, started: number): ReadonlyMap<string, string> {
  const left = new Map(young)
  for (const [index, path] of paths.entries()) {
    const at = index * SIGNATURE_LENGTH
    if (left.has(path) && !isYoung(signatures.subarray(at, at + SIGNATURE_LENGTH), started)) left.delete(path)
  }
  return left
}

function recordFolder({ environment }: Ports): string | undefined {
  try {
    return cachePaths(cacheFolder(environment)).runs
  } catch (error) {
    if (error instanceof StackmasonError) return undefined
    throw error
  }
}

async function entriesOf(folder: string, { files }: Ports): Promise<readonly DirectoryEntry[] | undefined> {
  try {
    return await files.entries(folder)
  } catch (error) {
    if (error instanceof FileError) return undefined
    throw error
  }
}

async function readRecord(path: string, { files, crypto }: Ports): Promise<RunRecord | undefined> {
  try {
    return parseRecord(await files.read(path, 'record'), crypto)
  } catch (error) {
    if (error instanceof FileError) return undefined
    throw error
  }
}

async function readUnits(path: string, key: string, { files, crypto }: Ports): Promise<UnitRecords> {
  try {
    return parseUnitRecords(await files.read(path, 'record'), key, crypto)
  } catch (error) {
    if (error instanceof FileError) return new UnitRecords()
    throw error
  }
}

function keepRecord(path: string, record: RunRecord, ports: Ports): Promise<void> {
  return keepBytes(path, () => formatRecord(record, ports.crypto), ports)
}

/** Keeps bytes if it can; nobody needs those that it cannot. */
async function keepBytes(path: string, bytes: () => Uint8Array, ports: Ports): Promise<void> {
  const { files, process, clock } = ports
  const folder = dirName(path)
  const draft = `${path}.${String(process.id)}`
  try {
    await files.write(draft, bytes())
    await files.rename(draft, path)
    for (const { name } of await files.entries(folder)) {
      const other = joinPath(folder, name)
      const stat = await files.stat(other)
      if (stat !== undefined && clock.now() - stat.modified > OLD) await files.remove(other)
    }
  } catch (error) {
    if (!(error instanceof FileError)) throw error
  }
}
