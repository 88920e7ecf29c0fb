import { joinPath } from '../../codec/path.ts'
import { findClassChange, isOfClass, usersOfClass } from '../../handoff/steps/find-class-changes.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import type { HandoffStack } from '../../model/handoff.ts'
import type { Manifest } from '../../model/manifest.ts'
import { formatTag } from '../../model/release-name.ts'
import { locateFinding } from '../../render/explain/locate-findings.ts'
import { UNSHALLOW } from '../../sources/committed/committed-tree.ts'
import type { FleetLifecycle } from '../resolve/fleet-lifecycle.ts'
import { type StackState, stacksOf } from './stack-state.ts'

/**
 * The findings about classes that this run would change under clusters that have them. Only stacks that clusters use
 * are read from the tree.
 * @throws StackmasonError GIT_FAILED, BASE_UNKNOWN, OBJECT_INVALID for a committed file that holds no object
 */
export async function findClassChanges(
  stacks: readonly StackState[],
  { fleet, clusters }: Pick<FleetRepository, 'fleet' | 'clusters'>,
  { tree, known }: Pick<FleetLifecycle, 'tree' | 'known'>,
): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = []
  const output = joinPath(fleet.root, fleet.output)
  for (const { stack, locator, isInPart } of stacksOf(stacks, 'rendered')) {
    if (!isInPart || usersOfClass(stack, known).length === 0) continue
    // others may lie in the folder of another release, as images do, or in none, as hooks do
    const compared = stack.folder.manifests.filter(isOfClass)
    const files = compared.map(({ kind, name }) => `${kind.toLowerCase()}-${name}.yaml`)
    const before = await tree.stackBefore(stack.namespace, formatTag(stack.release.name), new Set(files))
    const change = before?.folder && findClassChange(stack, before.folder, { tree: known, clusters })
    if (change !== undefined) found.push(locateFinding(change, locator))
    const isThere = ({ kind, name }: Manifest): boolean =>
      before?.folder?.manifests.some((old) => old.kind === kind && old.name === name) === true
    if (before?.lacks === 'history' && !compared.every(isThere)) found.push(unknownBefore(stack, output))
  }
  return found
}

/** A class that the commit does not hold whole, where earlier commits that may have had it are not there. */
function unknownBefore({ namespace, release, folder }: HandoffStack, output: string): Diagnostic {
  const tag = formatTag(release.name)
  return {
    code: 'HISTORY_SHALLOW',
    severity: 'warning',
    message:
      `the commit lacks files of release ${tag} in namespace ${namespace}, which clusters have, and this shallow clone has no earlier one: ` +
      'nothing shows whether the class changes under its version',
    file: joinPath(output, folder.path),
    hint: `Fetch the earlier commits (${UNSHALLOW}; in CI check out with the whole history), and render again.`,
    about: { release: tag },
  }
}
