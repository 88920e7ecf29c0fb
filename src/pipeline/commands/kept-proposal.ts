import { joinPath } from '../../codec/path.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { BranchCommit } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import { NO_EDITS } from '../../publish/proposal.ts'
import { HISTORY } from '../publishing/open-checkout.ts'
import { targetFiles, withTree } from '../publishing/publish-attempt.ts'
import { askingGit } from '../publishing/publish-problem.ts'
import { relocateFindings, relocating } from '../publishing/relocate-findings.ts'
import { renderedSource, type TreePair } from '../publishing/rendered-source.ts'
import { clustersOf, type TreeFile } from '../publishing/source-change.ts'
import { type Attempted, type Begun, nothingPublished, renderPrepared } from './publish-run.ts'

/** A branch of publish that others have pushed to, too. */
export interface KeptProposal {
  readonly begun: Begun
  /** The newest commit on it that is not ours. */
  readonly by: BranchCommit
}

/**
 * Looks whether a branch of publish has what its inputs render to, after commits of others: what they do to the tree is
 * written by nobody. A proposal may leave out what differs without it, so that does not count.
 * @throws StackmasonError as `render`; GIT_FAILED
 */
export async function judgeKept({ begun, by }: KeptProposal, ports: Ports): Promise<Attempted> {
  const { run, prepared } = begun
  const { checkout } = run
  const nothing = nothingPublished(begun)
  // a branch that takes the tree alone has no inputs
  if ((await ports.files.stat(joinPath(prepared.tree.folder, checkout.file))) === undefined) return nothing
  const roots = { from: prepared.tree.folder, to: checkout.facts.root }
  const change = await relocating(roots, () => renderPrepared(begun, { ...prepared, edits: NO_EDITS }, ports))
  if (change.files.length === 0) return nothing
  const now = await renderedSource(prepared.tree, change, ports).trees()
  const lacking = withoutKnown(change.files, now, await baseTrees(begun, ports))
  if (lacking.length === 0) return nothing
  const findings = relocateFindings([...begun.warnings, outdated(prepared.branch, by)], roots)
  const { files } = targetFiles(change, lacking, prepared)
  return { ...nothing, status: 'refused', files, clusters: clustersOf(lacking), findings }
}

/** The tree of the base and what that renders to. Undefined where nobody can tell: then all that differs counts. */
async function baseTrees(begun: Begun, ports: Ports): Promise<TreePair | undefined> {
  const { run, prepared } = begun
  const { base } = prepared
  const { remote: home, output } = run.checkout
  if (base === undefined) return undefined
  const tree = await askingGit(home.url, async () => {
    await ports.gitWriter.complete(home, base, { folder: output, history: HISTORY })
    return ports.gitWriter.addTree(home.repository, base)
  })
  return withTree({ tree }, async () => {
    try {
      const change = await renderPrepared(begun, { tree, base, edits: NO_EDITS }, ports)
      return await renderedSource(tree, change, ports).trees()
    } catch (error) {
      if (error instanceof StackmasonError) return undefined
      throw error
    }
  })
}

/** Files without those that the base has alike, and that differ alike there. */
function withoutKnown(
  files: readonly TreeFile[],
  { before, after }: TreePair,
  base: TreePair | undefined,
): readonly TreeFile[] {
  if (base === undefined) return files
  return files.filter(
    ({ path }) =>
      before.files.get(path) !== base.before.files.get(path) || after.files.get(path) !== base.after.files.get(path),
  )
}

function outdated(branch: string, { commit, author }: BranchCommit): Diagnostic {
  return {
    code: 'PUBLISH_BRANCH_CHANGED',
    severity: 'error',
    message: `branch ${branch} is one of publish, and has not what its inputs render to since commit ${commit.slice(0, 12)} by ${author}, or what was changed in ours`,
    hint: 'Take that commit off the branch, and let the change be merged by a pull request of its own; or run `stackmason render` on the branch, and commit what it writes.',
  }
}
