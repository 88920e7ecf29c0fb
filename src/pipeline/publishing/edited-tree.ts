import type { Diagnostic } from '../../model/diagnostic.ts'
import { objectPath } from '../../model/object-name.ts'
import { distinct } from '../diagnostics.ts'
import type { MadeProposal, ProposalDesk } from './proposal-desk.ts'
import type { RenderedSource } from './rendered-source.ts'
import { findingKey } from './finding-key.ts'
import { clusterOfFile, type TreeFile } from './source-change.ts'

/** The same commit rendered twice: as it is, and after an edit. */
export interface EditedPair {
  readonly plain: RenderedSource
  readonly edited: RenderedSource
}

/** The result of an edit by itself. */
export interface JudgedEdit extends Pick<MadeProposal, 'rendered' | 'part' | 'change' | 'judge'> {
  /** Errors that the commit does not have without it. */
  readonly errors: readonly Diagnostic[]
}

/**
 * Tells what an edit changes, and what a check finds of that; undefined where files that it changes differ without it,
 * too. `isKnown` is true for a problem that is there without the edit.
 */
export async function judgeEdit(
  desk: ProposalDesk,
  { plain, edited }: EditedPair,
  isKnown: (finding: Diagnostic) => Promise<boolean>,
): Promise<JudgedEdit | undefined> {
  const part = await ownFiles(plain, edited)
  if (part === undefined) return undefined
  const { change } = edited
  const checked = await desk.run.check(edited.tree)
  const errors: Diagnostic[] = []
  for (const finding of checked.findings)
    if (finding.severity === 'error' && !(await isKnown(finding))) errors.push(finding)
  const before = new Set(plain.change.result.findings.map(findingKey))
  const news = change.result.findings.filter((finding) => !before.has(findingKey(finding)))
  const findings = distinct([...errors, ...news])
  const clusters = new Set(
    [...part].map((path) => clusterOfFile(path)).flatMap((one) => (one ? [objectPath(one)] : [])),
  )
  const steps = (change.result.steps ?? []).filter(({ cluster }) => clusters.has(objectPath(cluster)))
  return {
    rendered: edited,
    part,
    change: {
      ...change,
      files: change.files.filter(({ path }) => part.has(path)),
      result: { ...change.result, steps, findings },
    },
    judge: () => Promise.resolve({ ...checked, isPassed: errors.length === 0, findings }),
    errors,
  }
}

/** True for problems that a commit has as it is; it is judged once, when somebody asks. */
export function knownProblems(desk: ProposalDesk, plain: RenderedSource): (finding: Diagnostic) => Promise<boolean> {
  let known: Promise<ReadonlySet<string>> | undefined
  return async (finding) => (await (known ??= errorsOf(desk, plain))).has(findingKey(finding))
}

/** Paths that differ because of an edit; undefined where some of them differ without it, too, and in another way. */
async function ownFiles(plain: RenderedSource, edited: RenderedSource): Promise<ReadonlySet<string> | undefined> {
  const [before, after] = [plain, edited].map(
    ({ change }) => new Map(change.files.map((file) => [file.path, file] as const)),
  )
  const isSame = async (path: string, ...changes: readonly TreeFile['change'][]): Promise<boolean> =>
    new Set(changes).size === 1 &&
    (await plain.trees()).after.files.get(path) === (await edited.trees()).after.files.get(path)
  const own = new Set<string>()
  for (const [path, file] of after ?? []) {
    const other = before?.get(path)
    if (other === undefined) own.add(path)
    else if (!(await isSame(path, file.change, other.change))) return undefined
  }
  for (const path of before?.keys() ?? []) if (after?.has(path) !== true) return undefined
  return own
}

/**
 * Keys of the errors that the base has without the edit. Checks of the base tell of them; a release that brings none of
 * its own is not to blame, and held back by them it could not bring what mends them.
 */
async function errorsOf(desk: ProposalDesk, { tree }: RenderedSource): Promise<ReadonlySet<string>> {
  const { findings } = await desk.run.check(tree)
  return new Set(findings.filter(({ severity }) => severity === 'error').map(findingKey))
}
