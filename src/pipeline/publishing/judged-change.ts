import { dirName } from '../../codec/path.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import { findingKey } from './finding-key.ts'
import { clustersOf, type SourceChange } from './source-change.ts'
import type { ProposingRun } from './propose.ts'
import { type JudgedFindings, tellFindings, type ToldFindings } from './tell-findings.ts'

/** A change, and those that are proposed beside it. */
export interface JudgedGroup {
  readonly group: string
  /** Files that it carries. */
  readonly files: SourceChange['files']
  /** All files that differ: what is found of them is told where they go. */
  readonly all: SourceChange['files']
}

/** Gives the findings of the inputs that the branch has the tree of; undefined: nobody knows. */
export type FoundBefore = () => Promise<readonly Diagnostic[] | undefined>

/**
 * Of what a check found, what is told of a group; all of it where the group is no cluster or namespace. Errors that
 * were not there before count wherever they stand, unless another group has what they are about.
 */
export async function judgedPart(
  judged: JudgedFindings,
  { group, files, all }: JudgedGroup,
  foundBefore: FoundBefore,
): Promise<JudgedFindings> {
  if (!isOfOne(group)) return judged
  const [isOwn, isOfAny] = [takesPart(files), takesPart(all)]
  const strange = judged.findings.filter((finding) => isOpenError(finding) && !isOfAny(finding))
  const known = new Set(strange.length === 0 ? [] : (await foundBefore())?.map(findingKey))
  const news = new Set(strange.filter((finding) => !known.has(findingKey(finding))))
  const findings = judged.findings.filter((finding) => isOwn(finding) || news.has(finding))
  const isPassed = !findings.some(isOpenError) && judged.incomplete === undefined
  return { ...judged, isPassed, findings }
}

/** True for a group of a cluster or a namespace. */
export function isOfOne(group: string): boolean {
  return /^(?:cluster|namespace)\//.test(group)
}

/** True for findings about files, or about what these have to do with others. */
export function takesPart(files: SourceChange['files']): (finding: Diagnostic) => boolean {
  const clusters = new Set(clustersOf(files))
  const folders = new Set(files.map(({ path }) => dirName(path)))
  return ({ about, folders: those = [] }) =>
    (about?.cluster !== undefined && clusters.has(about.cluster)) ||
    those.some((folder) => folders.has(folder) || clustersOf([{ path: `${folder}/` }]).some((one) => clusters.has(one)))
}

function isOpenError({ severity, acknowledgement }: Diagnostic): boolean {
  return severity === 'error' && acknowledgement === undefined
}

/** Shows beside a pull request what a check found of its change. */
export async function tellJudged(
  { session, prepared, checkout, context, mask }: ProposingRun,
  judged: JudgedFindings,
  { commit, number }: { readonly commit: string; readonly number: number },
  ports: Ports,
): Promise<ToldFindings> {
  const { findings: form, branchPrefix } = checkout.fleet.publish
  const forge = await session.forge()
  if (forge === undefined || form === 'none') return { findings: [] }
  // on another branch, or in another repository, are none of the files that findings are about
  const isHere = prepared.tree.commit === prepared.source
  return tellFindings(
    () => Promise.resolve(forge),
    judged,
    {
      root: checkout.facts.root,
      branchPrefix,
      file: checkout.file,
      form,
      weight: 'publish',
      commit,
      mask,
      pullRequest: number,
      forge: isHere ? session.location : undefined,
      url: context.runUrl,
    },
    ports,
  )
}
