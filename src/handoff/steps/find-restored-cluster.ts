import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import { inputPath } from '../../model/input-path.ts'
import type { CommittedCluster } from '../../model/steps.ts'
import type { VersionContext } from './find-lowered-version.ts'

/**
 * The error for a tree on disk that has a Cluster again which a decommission had taken out in an earlier commit: a
 * GitOps tool may have begun to delete it. Undefined when the decommission had ended before, or there was none.
 */
export function findRestoredCluster(
  { namespace, name, classAt }: Cluster,
  tree: CommittedCluster | undefined,
  { earlier, from }: VersionContext,
): Diagnostic | undefined {
  if (tree?.object === undefined) return undefined
  // before that there was another Cluster of the name
  const out = earlier.find(({ committed }) => committed?.object === undefined)
  if (out?.committed?.decommission === undefined) return undefined
  const file = inputPath({ namespace, name }, 'options.yaml')
  const commit = from === 'named' ? out.commit : `commit ${out.commit}`
  return {
    code: 'DECOMMISSION_UNDER_WAY',
    severity: 'error',
    message:
      `the tree has Cluster ${namespace}/${name} again, but ${commit} has it taken out by a decommission that has not ended; ` +
      'what is deleted by then does not come back, and a recreated Cluster can take over machines of the old one',
    at: classAt,
    hint:
      `Write \`decommission: {step: delete}\` into ${file} again, run \`stackmason render --base ${out.commit}\` and commit what it writes. ` +
      'Then finish the decommission; a new cluster can be made after that.' +
      // a commit that was given is what the GitOps tool has: nothing to doubt
      (from === 'named'
        ? ''
        : ' If no GitOps tool has ever applied that commit, name the one that it has with `--base <commit>`.'),
  }
}
