import { joinPath } from '../../codec/path.ts'
import { boundFindings, isMore } from '../../model/bound-findings.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { FileError, type Ports, SIGNATURE_LENGTH } from '../../model/ports.ts'
import { pathOf, type Span } from '../../model/source.ts'
import { treeKey } from '../../replay/digest-trees.ts'
import { packResult } from '../../replay/pack-result.ts'
import type { RunRecord } from '../../replay/run-record.ts'
import { kindOf, signatureAt } from '../../replay/signature.ts'
import { controlPaths } from '../../write/control-folder.ts'
import { sha256 } from '../../write/sha256.ts'
import { readWritten, type WrittenRecord } from '../../write/written-record.ts'
import { isOfClusters, treesOf, treesOfClusters } from './cluster-parts.ts'
import { renderedRest } from './fleet-parts.ts'
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
 * The findings of a run of all, where all that it tells of the rest of a fleet stays as it was: these clusters have the
 * same files, in which other things may stand, and the same is to be said; and what is remembered of written files
 * still says the same of others. Else undefined.
 */
export async function findingsWithPart(
  { names, isOf, changed }: PartChoice,
  { files, findings }: PlannedPart,
  { before, ports }: { readonly before: RunBefore; readonly ports: Ports },
): Promise<readonly Diagnostic[] | undefined> {
  const rest = renderedRest(before.parts)
  const told = toldAgain(names, findings, before.findings)
  if (rest === undefined || files === undefined || told === undefined) return undefined
  const { output, lines } = rest
  const known = new Set<string>()
  for (const [index, path] of before.paths.entries(...before.paths.below(output)))
    if (isOf(path) && kindOf(signatureAt(before, index)) === 'other') known.add(path)
  const paths = files.map((file) => joinPath(output, file))
  if (known.size !== paths.length || !paths.every((path) => known.has(path))) return undefined
  // what is not there any more is added, which git may have something to say about
  const now = await ports.files.signatures(paths)
  if (paths.some((_, index) => now[index * SIGNATURE_LENGTH] === 0)) return undefined
  const isSame =
    !changed.includes(joinPath(output, controlPaths.written)) ||
    (await isSameRecord({ output, lines }, { before, isOf, ports }))
  return isSame ? told : undefined
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

/**
 * The findings from before with those of some clusters as they are now; undefined where anything else is said than
 * before: of these clusters another place in the same file is the same. What is about a change, or has to do with their
 * files anywhere, is said of them; `isSaidByAll` tells what all clusters together come to, which stays as it was.
 */
export function toldAgain(
  names: readonly string[],
  now: readonly Diagnostic[],
  before: readonly Diagnostic[],
  isSaidByAll: (finding: Diagnostic) => boolean = () => false,
): readonly Diagnostic[] | undefined {
  // what is only counted is nobody's
  if ([...now, ...before].some(isMore)) return undefined
  const isOwn = (finding: Diagnostic): boolean => {
    const { isNew, about, message, hint = '' } = finding
    if (isSaidByAll(finding)) return false
    const places = filesOfPlaces(finding).join('\n')
    return (
      isNew === true ||
      names.includes(about?.cluster ?? '') ||
      [places, message, hint].some((text) => isOfClusters(text, names))
    )
  }
  const own = now.filter(isOwn)
  const ownBefore = before.filter(isOwn)
  const keyOf = (finding: Diagnostic | undefined): string => textOf(finding && withoutPlaces(finding, names))
  const isSame = own.length === ownBefore.length && own.every((one, index) => keyOf(one) === keyOf(ownBefore[index]))
  const others = now.filter((finding) => !isOwn(finding)).map(textOf)
  const said = new Set(others.length === 0 ? [] : before.map(textOf))
  if (!isSame || !others.every((text) => said.has(text))) return undefined
  const next = own.values()
  const told = before.map((finding) => (isOwn(finding) ? (next.next().value ?? finding) : finding))
  // at other places they may be too many for a file
  return boundFindings(told).length === told.length && !boundFindings(told).some(isMore) ? told : undefined
}

function textOf(finding: unknown): string {
  return packResult(finding, () => true).text
}

/** The files that a finding stands in. */
export function filesOfPlaces({ at, file, trace = [] }: Diagnostic): readonly string[] {
  const spans = [at, ...trace.map((step) => step.at)]
  return [
    ...(file === undefined ? [] : [file]),
    ...spans.flatMap((span) => (span === undefined ? [] : [pathOf(span.source)])),
  ]
}

/** A finding with the files alone of its places in the files of some clusters. */
function withoutPlaces({ at, trace = [], ...rest }: Diagnostic, names: readonly string[]): unknown {
  const placeOf = (span: Span | undefined): unknown => {
    const path = span === undefined ? '' : pathOf(span.source)
    return isOfClusters(path, names) ? path : span
  }
  return { ...rest, at: placeOf(at), trace: trace.map(({ what, at: place }) => [what, placeOf(place)]) }
}
