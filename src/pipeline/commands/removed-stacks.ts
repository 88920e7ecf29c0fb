import { dirName, joinPath } from '../../codec/path.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { KUSTOMIZATION_FILE, parseTreeFile } from '../../model/tree-path.ts'
import type { WriteResult } from '../../write/write-tree.ts'

/**
 * Notes for the stacks that a run takes out of the tree: the last commit of an upgrade, which nothing else announces.
 */
export function removedStacks(changes: WriteResult['changes'], output: string): readonly Diagnostic[] {
  const removed: string[] = []
  for (const { path, change } of changes) if (change === 'removed') removed.push(path)
  return removed.flatMap((path): readonly Diagnostic[] => {
    const { folder, file } = parseTreeFile(path) ?? {}
    if (file !== KUSTOMIZATION_FILE || folder?.kind !== 'stack') return []
    const { namespace, tag } = folder
    return [
      {
        code: 'STACK_UNNEEDED',
        severity: 'note',
        message: `nothing needs stack ${tag} in namespace ${namespace} any more: this run takes it out of the tree`,
        file: joinPath(output, dirName(path)),
        about: { release: tag },
        hint:
          'Commit that when the commit before it is applied. Its objects stay in the management cluster; ' +
          `when no cluster uses its class, \`kubectl -n ${namespace} delete clusterclass ${tag}\` removes them there.`,
      },
    ]
  })
}
