import { type Ports, SIGNATURE_LENGTH } from '../model/ports.ts'
import { FileError } from '../model/ports.ts'
import { digestOfBytes, digestOfEntries, digestOfPaths, digestOfVariable } from './digests.ts'
import { askPackage } from './observe-ports.ts'
import type { RunRecord } from './run-record.ts'
import { youngPaths } from './young-paths.ts'

/** The kinds of places in a signature that say which folder it is: its mode, its number, its device. */
const IDENTITY = [0, 4, 5] as const

/**
 * The paths that are not as they were when the record was made; undefined where any port would answer something else
 * that no path shows. `same` says of each path whether it is as it was. Costs a look at each of them, and git's answer
 * about what is in no commit, beside each other.
 */
export async function findChanges(
  record: RunRecord,
  same: () => Promise<Uint8Array>,
  ports: Ports,
): Promise<readonly string[] | undefined> {
  for (const [name, digest] of record.variables)
    if (digestOfVariable(ports.environment.get(name), record.salt, ports.crypto) !== digest) return undefined
  // git answers while the paths are looked at
  const untracked = sameUntracked(record, ports)
  const states = sameStates(record, ports)
  const changed = (await samePackage(record, ports)) ? otherPaths(record, await same()) : undefined
  const isSame =
    changed !== undefined &&
    (await states) &&
    (await samePlaces(record, ports)) &&
    (await sameLinks(record, ports)) &&
    (await otherContents(record.settled, ports)).length === 0
  const known = new Set(changed)
  const isUnknown = ([path]: readonly [path: string, digest: string]): boolean => !known.has(path)
  const young = isSame ? await otherContents(youngPaths(record), ports, isUnknown) : []
  return (await untracked) && (await states) && isSame ? [...changed, ...young] : undefined
}

function otherPaths({ paths }: RunRecord, same: Uint8Array): readonly string[] {
  return [...same.keys()].filter((index) => same[index] !== 1).map((index) => paths.at(index))
}

async function sameUntracked({ untracked }: RunRecord, { git, crypto }: Ports): Promise<boolean> {
  const answers = await Promise.all(
    untracked.map(async ({ folder, kind, digest }) => {
      const paths = await git.findUntracked(folder, kind).catch(() => undefined)
      return paths !== undefined && digestOfPaths(paths, crypto) === digest
    }),
  )
  return answers.every(Boolean)
}

async function samePackage({ packaged }: RunRecord, ports: Ports): Promise<boolean> {
  for (const [noted, digest] of packaged)
    if ((await askPackage(noted, ports).catch(() => undefined)) !== digest) return false
  return true
}

async function sameStates({ states }: RunRecord, { git }: Ports): Promise<boolean> {
  for (const { folder, revision, state } of states)
    if ((await git.stateOf(folder, revision).catch(() => undefined)) !== state) return false
  return true
}

async function samePlaces({ places, identities }: RunRecord, { files }: Ports): Promise<boolean> {
  const now = await files.signatures(places)
  return places.every((_, index) =>
    IDENTITY.every((part) => now[index * SIGNATURE_LENGTH + part] === identities[index * SIGNATURE_LENGTH + part]),
  )
}

async function sameLinks({ links }: RunRecord, { files }: Ports): Promise<boolean> {
  for (const [path, real] of links) if ((await orNothing(files.realPath(path))) !== real) return false
  return true
}

/** Reads what no signature tells, and gives the paths where it is another. */
async function otherContents(
  digests: Iterable<readonly [path: string, digest: string]>,
  { files, crypto }: Ports,
  isAsked: (one: readonly [path: string, digest: string]) => boolean = () => true,
): Promise<readonly string[]> {
  const others: string[] = []
  for (const [path, digest] of digests) {
    if (!isAsked([path, digest])) continue
    const entries =
      (await orNothing(files.stat(path)))?.type === 'directory' ? await orNothing(files.entries(path)) : undefined
    const bytes = entries === undefined ? await orNothing(files.read(path, 'record')) : undefined
    const found =
      entries === undefined
        ? bytes === undefined
          ? undefined
          : digestOfBytes(bytes, crypto)
        : digestOfEntries(entries, crypto)
    if (found !== digest) others.push(path)
  }
  return others
}

async function orNothing<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof FileError) return undefined
    throw error
  }
}
