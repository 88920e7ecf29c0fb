import { keepFolders } from '../handoff/steps/keep-folders.ts'
import { itemsAt, textAt } from '../model/field.ts'
import type { UnitStack } from '../model/handoff.ts'
import { formatTag } from '../model/release-name.ts'
import { stackFolder, handoffFolder, HANDOFF_STACKS } from '../model/tree-path.ts'
import type { CommittedTree } from './committed-tree.ts'

/** The stack of a release in a namespace as the tree has it; undefined when it has none. */
export async function keptStack(
  { namespace, release }: Pick<UnitStack, 'namespace' | 'release'>,
  tree: Pick<CommittedTree, 'below'>,
): Promise<UnitStack | undefined> {
  const path = stackFolder(namespace, formatTag(release.name))
  const [folder] = keepFolders(path, await tree.below(path))
  return folder === undefined ? undefined : withWaits({ namespace, release, folder }, tree)
}

/** A committed stack with the units that its Kustomization waits for. */
async function withWaits(stack: UnitStack, tree: Pick<CommittedTree, 'below'>): Promise<UnitStack> {
  const base = handoffFolder(stack.namespace, HANDOFF_STACKS)
  const manifests = keepFolders(base, await tree.below(base)).flatMap((folder) => folder.manifests)
  const own = manifests.find(({ object }) => textAt(object, 'spec', 'path').endsWith(`/${stack.folder.path}`))
  const waitsFor = itemsAt(own?.object ?? null, 'spec', 'dependsOn').map((entry) => textAt(entry, 'name'))
  return waitsFor.length === 0 ? stack : { ...stack, waitsFor }
}
