import { unitsBefore } from '../../handoff/committed-units.ts'
import type { CommittedStack, UnitStack } from '../../model/handoff.ts'
import { formatTag } from '../../model/release-name.ts'
import type { CommittedTree } from '../../sources/committed/committed-tree.ts'

/**
 * The stack of a release in a namespace as the tree has it, with the units that it waits for; undefined when the tree
 * has none.
 */
export async function keptStack(
  { namespace, release }: CommittedStack,
  tree: CommittedTree,
): Promise<UnitStack | undefined> {
  const folder = await tree.stack(namespace, formatTag(release.name))
  if (folder === undefined) return undefined
  const waitsFor = unitsBefore(await tree.stackHandoff(namespace), folder.path)
  return { namespace, release, folder, ...(waitsFor.length > 0 && { waitsFor }) }
}
