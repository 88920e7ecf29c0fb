import { changedDefinitions, tellChanges } from '../../handoff/migrations/definition-changes.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { formatTag } from '../../model/release-name.ts'
import { isResourceDefinition, storageVersion } from '../../model/resource-definition.ts'
import { locateFinding } from '../../render/explain/locate-findings.ts'
import type { CommittedTree } from '../../sources/committed/committed-tree.ts'
import { type StackState, stacksOf } from './stack-state.ts'

/**
 * The findings about definitions of stacks that change their storage version: any committed stack may have brought the
 * definition, since all of them are applied to the management cluster.
 * @throws StackmasonError GIT_FAILED, BASE_UNKNOWN, OBJECT_INVALID for a committed file that holds no object
 */
export async function findStackDefinitions(
  stacks: readonly StackState[],
  tree: CommittedTree,
): Promise<readonly Diagnostic[]> {
  const own = stacksOf(stacks, 'rendered').filter(
    ({ stack, isInPart }) => isInPart && stack.folder.manifests.some(isResourceDefinition),
  )
  if (own.length === 0) return []
  const committed = new Map<string, Set<string>>()
  for (const { namespace, release } of await tree.stacks()) {
    const folder = await tree.stack(namespace, formatTag(release.name))
    for (const { name, object } of folder?.manifests.filter(isResourceDefinition) ?? [])
      committed.set(name, (committed.get(name) ?? new Set<string>()).add(storageVersion(object)))
  }
  return own.flatMap(({ stack: { namespace, release, folder }, locator }) => {
    const before = new Map<string, string>()
    for (const { name, object } of folder.manifests.filter(isResourceDefinition)) {
      const versions = committed.get(name)
      const [version] = versions?.has(storageVersion(object)) === true ? [] : (versions ?? [])
      if (version !== undefined && version !== '') before.set(name, version)
    }
    const tag = formatTag(release.name)
    const found = tellChanges(changedDefinitions(folder.manifests, before), {
      title: `stack ${namespace}/${tag}`,
      about: { release: tag },
    })
    return found.map((finding) => locateFinding(finding, locator))
  })
}
