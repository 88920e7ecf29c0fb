import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { dirName, joinPath } from '../../codec/path.ts'
import { PlainTextError } from '../../codec/plain-text.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { type DirectoryEntry, FileError, type FileParts, type Ports } from '../../model/ports.ts'
import { digestOfBytes, digestOfEntries } from '../../replay/digests.ts'
import { joinRecords, stillYoung } from '../../replay/join-records.ts'
import { type ObservedPorts, observePorts } from '../../replay/observe-ports.ts'
import { packResult, unpackResult } from '../../replay/pack-result.ts'
import { formatRecord, parseRecord, placesOf, recordOf, type RunRecord } from '../../replay/run-record.ts'
import { comparePaths, nothingRemembered, rememberFiles } from '../../replay/remembered-files.ts'
import { pathsInOrder } from '../../replay/sorted-paths.ts'
import { findChanges } from '../../replay/still-holds.ts'
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
  readonly disk: Pick<ObservedPorts, 'holds' | 'below' | 'treeAround' | 'noteTree'>
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
  readonly partly: PartlyRun<Result>
}

/** How a run does with parts of what it is about, where all else is as it was in the one before. */
export interface PartlyRun<Result> {
  /** The facts of a result for later runs, by the names of its parts; undefined where they cannot. */
  readonly partsOf: (result: Result, ports: Ports) => Promise<ReadonlyMap<string, string> | undefined>
  /** The parts to which these paths belong; undefined where others may depend on them. */
  readonly find: (changed: readonly string[], record: Pick<RunRecord, 'parts' | 'links'>) => PartChoice | undefined
  /** Runs those parts; undefined, with nothing changed, where others come to something else then. */
  readonly run: (choice: PartChoice, earlier: EarlierRun<Result>, known: KnownRun) => Promise<Result | undefined>
}

/** Some parts of what a run is about. */
export interface PartChoice {
  readonly names: readonly string[]
  /** True for a path that is theirs alone. */
  readonly isOf: (path: string) => boolean
  /** The paths that are not as they were. */
  readonly changed: readonly string[]
}

/** The result of an earlier run, and the parts of it that hold. */
export interface EarlierRun<Result> extends Pick<RunRecord, 'parts' | 'trees' | 'paths' | 'signatures'> {
  readonly result: Result
  readonly ports: Ports
}

const noPaths = { paths: pathsInOrder([]), signatures: new Float64Array() }

/** Units, and files, that a run looks at anew rather than keeping all records up to date for them. */
const [FEW, FEW_FILES] = [16, 2000]

/** Milliseconds after which a record that nobody has written again is removed. */
const OLD = 14 * 24 * 3_600_000
/** Names of records, and of those that a killed process did not end. */
const RECORD = /^[0-9a-f]{64}\.(?:record|run|units)(?:\.\d+)?$/

/**
 * Tells what the last equal run came to, where every port would still answer as it did then; else runs, and keeps what
 * it came to. A record that is missing, damaged, of another program, or that somebody else can have written costs time,
 * and nothing else.
 */
export async function replayRun<Result>(
  replayed: ReplayedRun<Result>,
  reuse: Reuse | undefined,
  ports: Ports,
): Promise<Result> {
  const { asked, isOwn, run, settled, keep, partly } = replayed
  const folder = reuse === undefined ? undefined : recordFolder(ports)
  if (reuse === undefined || folder === undefined) return run(ports)
  const started = ports.clock.now()
  const key = digestOfBytes(encodeUtf8(JSON.stringify([reuse.program, ...asked])), ports.crypto)
  const path = joinPath(folder, `${digestOfBytes(encodeUtf8(JSON.stringify(asked)), ports.crypto)}.run`)
  const found = await readRecord(path, ports)
  const record = found?.key === key ? found : undefined
  let compared: Promise<Uint8Array> | undefined
  const same = (): Promise<Uint8Array> => (compared ??= comparePaths(record ?? noPaths, ports.files))
  const told =
    record === undefined ? undefined : await tellAgain(replayed, { record, reuse, path, started, same }, ports)
  if (told !== undefined) return told
  const salt = digestOfBytes(ports.random.bytes(32), ports.crypto)
  const remembered = record === undefined ? nothingRemembered : rememberFiles(record, await same())
  const observed = observePorts(ports, { started, salt, isOwn, remembered })
  const unitsPath = path.replace(/run$/, 'units')
  const records = await readUnits(unitsPath, key, ports)
  const result = await run(observed.ports, { disk: observed, units: { records, isClean: reuse.isClean } })
  const { observations } = observed
  const kept = observed.isComparable() ? keep(result) : undefined
  const packed = kept === undefined ? undefined : packResult(kept, (file) => observations.paths.has(file))
  const isClean = packed?.shown.every(reuse.isClean) === true
  const parts = isClean ? await partly.partsOf(result, ports) : undefined
  const identities = await ports.files.signatures(placesOf(observations))
  const known = {
    key,
    salt,
    started,
    identities,
    settled: await namesIn(settled(result), ports),
    parts: parts ?? new Map<string, string>(),
    ...(isClean && { result: packed.text }),
  }
  // what a few changed can be found out again more quickly than all is written
  const isSettled = isClean || record === undefined || observed.looked() > FEW_FILES
  if (isSettled) await keepRecord(path, recordOf(observations, known, { before: record, crypto: ports.crypto }), ports)
  if (records.changes > (isSettled ? 0 : FEW))
    await keepBytes(unitsPath, () => records.format(key, ports.crypto), ports)
  return result
}

interface KnownRecord {
  readonly record: RunRecord
  readonly reuse: Reuse
  /** Of the record. */
  readonly path: string
  readonly started: number
  readonly same: () => Promise<Uint8Array>
}

/** The result of a record that still holds, if only for some parts; undefined for one that tells too little. */
async function tellAgain<Result>(
  replayed: ReplayedRun<Result>,
  { same, ...known }: KnownRecord,
  ports: Ports,
): Promise<Result | undefined> {
  const { record, path, started } = known
  const { restore, partly } = replayed
  const changed = record.result === undefined ? undefined : await findChanges(record, same, ports)
  if (record.result === undefined || changed === undefined) return undefined
  const choice = changed.length === 0 ? undefined : partly.find(changed, record)
  if (changed.length > 0 && choice === undefined) return undefined
  const result = restore(await keptIn(record.result, ports))
  if (result === undefined) return undefined
  if (choice !== undefined) return runPartly(replayed, { ...known, choice, result, same: await same() }, ports)
  // what was young then is old enough now to be told by its signature
  const young = stillYoung(record, started)
  if (!young.numbers.every((number, index) => number === record.young.numbers[index]))
    await keepRecord(path, { ...record, started, young }, ports)
  return result
}

/**
 * What a record keeps of a result; undefined where that is no result, and where a file is gone that a finding of it
 * stands in.
 */
async function keptIn(text: string, { files }: Ports): Promise<unknown> {
  try {
    return await unpackResult(text, (file) => files.read(file).then(decodeUtf8))
  } catch (error) {
    if (error instanceof FileError || error instanceof PlainTextError) return undefined
    throw error
  }
}

interface RunOfParts<Result> extends Omit<KnownRecord, 'same'> {
  readonly choice: PartChoice
  readonly result: Result
  readonly same: Uint8Array
}

/** Runs the parts that are not as they were, and keeps what that comes to. What units came to stays as it is kept. */
async function runPartly<Result>(
  { isOwn, settled, keep, partly }: ReplayedRun<Result>,
  { choice, result: before, record, reuse, path, started, same }: RunOfParts<Result>,
  ports: Ports,
): Promise<Result | undefined> {
  const { salt, key } = record
  const observed = observePorts(ports, { started, salt, isOwn, remembered: rememberFiles(record, same) })
  const { isClean } = reuse
  const result = await partly.run(
    choice,
    { ...record, result: before, ports: observed.ports },
    { disk: observed, units: { records: new UnitRecords(ports.compression), isClean } },
  )
  if (result === undefined) return undefined
  const kept = observed.isComparable() ? keep(result) : undefined
  if (kept === undefined) return result
  const { observations } = observed
  const packed = packResult(kept, (file) => observations.paths.has(file) || record.paths.indexOf(file) !== undefined)
  const parts = await partly.partsOf(result, ports)
  if (!packed.shown.every(isClean) || parts === undefined) return result
  const identities = await ports.files.signatures(placesOf(observations))
  const facts = { key, salt, started, identities, settled: await namesIn(settled(result), ports), parts }
  const own = recordOf(observations, { ...facts, result: packed.text }, { before: record, crypto: ports.crypto })
  const others = new Set(choice.changed)
  await keepRecord(
    path,
    joinRecords(record, own, (one) => choice.isOf(one) || others.has(one)),
    ports,
  )
  return result
}

/** Hashes of the names in folders. */
async function namesIn(folders: readonly string[], ports: Ports): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for (const folder of folders) {
    const entries = await entriesOf(folder, ports)
    if (entries !== undefined) names.set(folder, digestOfEntries(entries, ports.crypto))
  }
  return names
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
    const bytes = await files.readOwn(path)
    return bytes === undefined ? undefined : parseRecord(bytes, crypto)
  } catch (error) {
    if (error instanceof FileError) return undefined
    throw error
  }
}

async function readUnits(path: string, key: string, { files, crypto, compression }: Ports): Promise<UnitRecords> {
  try {
    const bytes = await files.readOwn(path)
    return bytes === undefined ? new UnitRecords(compression) : parseUnitRecords(bytes, key, { crypto, compression })
  } catch (error) {
    if (error instanceof FileError) return new UnitRecords(compression)
    throw error
  }
}

function keepRecord(path: string, record: RunRecord, ports: Ports): Promise<void> {
  return keepBytes(path, () => formatRecord(record, ports.crypto), ports)
}

/** Keeps bytes if it can; nobody needs those that it cannot. */
async function keepBytes(path: string, bytes: () => FileParts, ports: Ports): Promise<void> {
  const { files, clock } = ports
  const folder = dirName(path)
  try {
    if (!(await files.replaceOwn(path, bytes()))) return
    for (const { name } of await files.entries(folder)) {
      if (!RECORD.test(name)) continue
      const other = joinPath(folder, name)
      const stat = await files.stat(other)
      if (stat !== undefined && clock.now() - stat.modified > OLD) await files.remove(other)
    }
  } catch (error) {
    if (!(error instanceof FileError)) throw error
  }
}
