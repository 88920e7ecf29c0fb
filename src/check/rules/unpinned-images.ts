import { textAt } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { shownObject } from '../../model/shown-name.ts'
import { isLate } from '../references/missing-target.ts'
import { manifestsAt, workloadsOf } from '../references/object-index.ts'
import { containersOf, podOf } from '../../model/pods.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'

/** Images whose content changes without a change of the tree. */
export const unpinnedImages: Rule = unitRule(
  {
    code: 'IMAGE_TAG_FLOATS',
    severity: 'warning',
    explanation: [
      'An image without a tag, or with the tag `latest`, is another one tomorrow: the tree does not say what runs, and a revert changes nothing. All containers of workload clusters are looked at; an image with a digest is pinned.',
    ],
  },
  (unit) => {
    if (unit.isKept) return []
    return workloadsOf(unit).flatMap((destination) => manifestsAt(unit, destination).flatMap(unpinnedOf))
  },
)

function unpinnedOf(manifest: Manifest): readonly RuleFinding[] {
  const pod = podOf(manifest)
  if (pod === undefined) return []
  return containersOf(pod).flatMap(({ spec, path }): readonly RuleFinding[] => {
    const image = textAt(spec, 'image')
    const place = [...path, 'image']
    if (image === '' || isLate(manifest, place) || !floats(image)) return []
    return [
      {
        message: `${shownObject({ ...manifest, namespace: manifest.namespace })} has an image ${image.endsWith(':latest') ? 'of the tag latest' : 'without a tag'}`,
        ...placeIn(manifest, ...place),
        hint: 'Write the version as the tag, or a digest.',
      },
    ]
  })
}

function floats(image: string): boolean {
  if (image.includes('@')) return false
  const name = image.slice(image.lastIndexOf('/') + 1)
  return !name.includes(':') || name.endsWith(':latest')
}
