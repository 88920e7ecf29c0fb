import { classNamePath, isCapiCluster, readClassReference } from '../../model/class-reference.ts'
import { objectPath } from '../../model/object-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import { compareVersions, formatTag, matchClassName, releasePrefix } from '../../model/release-name.ts'
import { placeInTree } from '../changed-object.ts'
import { changeRule, type Rule, type RuleFinding } from '../rule.ts'

/** Clusters that go back to an older release of their stack. */
export const revertedReleases: Rule = changeRule(
  {
    code: 'RELEASE_REVERTED',
    severity: 'warning',
    explanation: [
      'A Cluster that gets the class of an older release of the same stack and minor version, mostly by `git revert`: its machines are replaced as in an upgrade. Addons go back in a commit of their own, before or after: a revert of the second step of an upgrade alone leaves the newer addons with the older class, and nothing brings back what they have migrated.',
      'A version of Kubernetes that goes back is refused (KUBERNETES_STEP_REFUSED, UPGRADE_GOES_BACK).',
    ],
  },
  ({ changes }) =>
    changes.flatMap(({ before, after }): readonly RuleFinding[] => {
      if (before === undefined || after === undefined || !isCapiCluster(before)) return []
      const [old, now] = [before, after].map(({ object }) => releaseOf(readClassReference(object).name))
      if (old === undefined || now === undefined || !isOlder(now, old)) return []
      const path = objectPath({ namespace: after.namespace ?? '', name: after.name })
      return [
        {
          message: `Cluster ${path} goes back from release ${formatTag(old)} to ${formatTag(now)}: its machines are replaced, and its addons go back in another commit, if at all`,
          about: { cluster: path },
          ...placeInTree(after, classNamePath(after.object)),
          hint: `Restore ${classNamePath(after.object).join('.')}, or acknowledge this finding if the older release is meant.`,
        },
      ]
    }),
)

function releaseOf(className: string): ReleaseName | undefined {
  const match = matchClassName(className)
  return 'value' in match ? match.value : undefined
}

/** Of the same stack and minor, with a lower version; versions off the stable channel have no order. */
function isOlder(now: ReleaseName, old: ReleaseName): boolean {
  const areStable = [now, old].every(({ version }) => version.channel === 'stable')
  return areStable && releasePrefix(now) === releasePrefix(old) && compareVersions(now.version, old.version) < 0
}
