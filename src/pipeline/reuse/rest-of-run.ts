import { joinPath } from '../../codec/path.ts'
import { MAX_FINDINGS_OF_A_FILE } from '../../model/bound-findings.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { FileError, type Ports, SIGNATURE_LENGTH } from '../../model/ports.ts'
import { treeKey } from '../../replay/digest-trees.ts'
import { packResult } from '../../replay/pack-result.ts'
import type { RunRecord } from '../../replay/run-record.ts'
import { kindOf } from '../../replay/signature.ts'
import { controlPaths } from '../../write/control-folder.ts'
import { sha256 } from '../../write/sha256.ts'
import { readWritten, type WrittenRecord } from '../../write/written-record.ts'
import { isOfClusters, restIn, treesOf, treesOfClusters } from './fleet-parts.ts'
import type { PartChoice } from './replay-run.ts'

/** The files and findings of a run of some clusters. */
export interface PlannedPart {
  /** Of the files, relative to the output folder; undefined where nobody can tell. */
  readonly files: readonly string[] | undefined
  readonly findings: readonly Diagnostic[]
}

/** The facts of the run before. */
export interface RunBefore extends Pick<RunRecord, 'parts' | 'trees' | 'paths' | 'signatures'> {
  readonly findings: readonly Diagnostic[]
}

/**
 * True if all that a run tells of the rest of a fleet stays as it was: these clusters have the same files, in which
 * other things may stand, and the same is to be said; and what is remembered of written files still says the same of
 * others.
 */
export async function isRestSame(
  { names, isOf, changed }: PartChoice,
  { files, findings }: PlannedPart,
  { before, ports }: { readonly before: RunBefore; readonly ports: Ports },
): Promise<boolean> {
  const rest = restIn(before.parts)
  if (rest === undefined || files === undefined || !isSameTold(names, findings, before.findings)) return false
  const { output, lines } = rest
  const known = new Set(
    before.paths.filter(
      (path, index) =>
        isOf(path) &&
        path.startsWith(`${output}/`) &&
        kindOf(before.signatures.subarray(index * SIGNATURE_LENGTH, (index + 1) * SIGNATURE_LENGTH)) === 'other',
    ),
  )
  const paths = files.map((file) => joinPath(output, file))
  if (known.size !== paths.length || !paths.every((path) => known.has(path))) return false
  // what is not there any more is added, which git may have something to say about
  const now = await ports.files.signatures(paths)
  if (paths.some((_, index) => now[index * SIGNATURE_LENGTH] === 0)) return false
  return (
    !changed.includes(joinPath(output, controlPaths.written)) ||
    isSameRecord({ output, lines }, { before, isOf, ports })
  )
}

/** True if the record of written files says of all others what it said before. */
async function isSameRecord(
  { output, lines }: { readonly output: string; readonly lines: string },
  { before, isOf, ports }: { readonly before: RunBefore; readonly isOf: PartChoice['isOf']; readonly ports: Ports },
): Promise<boolean> {
  const { crypto } = ports
  const written = await writtenIn(output, ports)
  const nothing = sha256('', crypto)
  const trees = treesOfClusters(before.parts)
  return (
    written !== undefined &&
    written.digestOutside(trees, crypto) === lines &&
    trees.every(
      (folder) =>
        isOf(joinPath(output, folder)) ||
        written.digestBelow(folder, crypto) === (before.trees.get(treeKey({ base: output, folder })) ?? nothing),
    )
  )
}

/** The hash of the record of written files that belong to no known cluster; undefined where nobody can tell. */
export async function linesOutside(
  output: string,
  clusters: Iterable<string>,
  ports: Ports,
): Promise<string | undefined> {
  return (await writtenIn(output, ports))?.digestOutside([...clusters].flatMap(treesOf), ports.crypto)
}

/** The record of written files; undefined where it cannot be read, which a run of all tells. */
async function writtenIn(output: string, { files }: Ports): Promise<WrittenRecord | undefined> {
  try {
    return await readWritten(output, files)
  } catch (error) {
    if (error instanceof FileError) return undefined
    throw error
  }
}

/** True if the same is said of some clusters as before, and nothing else that was not said. */
function isSameTold(names: readonly string[], now: readonly Diagnostic[], before: readonly Diagnostic[]): boolean {
  // of more, some are only counted
  if (before.length > MAX_FINDINGS_OF_A_FILE) return false
  const isOwn = ({ about, at, file }: Diagnostic): boolean =>
    names.includes(about?.cluster ?? '') || isOfClusters(at?.source.path ?? file ?? '', names)
  const texts = (found: readonly Diagnostic[]): readonly string[] =>
    found.map((finding) => packResult(finding, () => true).text)
  const said = new Set(texts(before))
  const [own, ownBefore] = [now, before].map((found) => texts(found.filter(isOwn)).join('\n'))
  return own === ownBefore && texts(now).every((text) => said.has(text))
}
