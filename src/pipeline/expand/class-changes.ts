import { findClassChange, usersOfClass } from '../../handoff/steps/find-class-changes.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import { formatTag } from '../../model/release-name.ts'
import { locateFinding } from '../../render/explain/locate-findings.ts'
import type { FleetLifecycle } from '../resolve/fleet-lifecycle.ts'
import { type StackState, stacksOf } from './stack-state.ts'

/**
 * The findings about classes that this run would change under clusters that have them. Only stacks that clusters use
 * are read from the tree.
 * @throws StackmasonError GIT_FAILED, BASE_UNKNOWN, OBJECT_INVALID for a committed file that holds no object
 */
export async function findClassChanges(
  stacks: readonly StackState[],
  { clusters }: Pick<FleetRepository, 'clusters'>,
  { tree, known }: Pick<FleetLifecycle, 'tree' | 'known'>,
): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = []
  for (const { stack, locator, isInPart } of stacksOf(stacks, 'rendered')) {
    if (!isInPart || usersOfClass(stack, known).length === 0) continue
    const files = stack.folder.manifests.map(({ kind, name }) => `${kind.toLowerCase()}-${name}.yaml`)
    const before = await tree.stackBefore(stack.namespace, formatTag(stack.release.name), new Set(files))
    const change = before && findClassChange(stack, before, { tree: known, clusters })
    if (change !== undefined) found.push(locateFinding(change, locator))
  }
  return found
}
