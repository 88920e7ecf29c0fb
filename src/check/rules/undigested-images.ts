import { textAt } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { shownObject } from '../../model/shown-name.ts'
import { isLate } from '../references/missing-target.ts'
import { manifestsAt, workloadsOf } from '../references/object-index.ts'
import { containersOf, podOf } from '../../model/pods.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'

/** Images that a registry may replace under their tag. */
export const undigestedImages: Rule = unitRule(
  {
    code: 'IMAGE_DIGEST_MISSING',
    severity: 'warning',
    isOptIn: true,
    explanation: [
      'A tag can be moved to another image, by mistake or by somebody who got into the registry; a digest cannot. All containers of workload clusters are looked at, each object is said once.',
      'Few charts write digests, so this rule is off until `spec.check.rules` gives it a level.',
    ],
  },
  (unit) => {
    if (unit.isKept) return []
    return workloadsOf(unit).flatMap((destination) => manifestsAt(unit, destination).flatMap(undigestedOf))
  },
)

function undigestedOf(manifest: Manifest): readonly RuleFinding[] {
  const pod = podOf(manifest)
  if (pod === undefined) return []
  const places = containersOf(pod).flatMap(({ spec, path }) => {
    const image = textAt(spec, 'image')
    const place = [...path, 'image']
    return image === '' || image.includes('@sha256:') || isLate(manifest, place) ? [] : [place]
  })
  const [first] = places
  if (first === undefined) return []
  const what = places.length === 1 ? 'an image' : `${String(places.length)} images`
  return [
    {
      message: `${shownObject({ ...manifest, namespace: manifest.namespace })} has ${what} without a digest`,
      ...placeIn(manifest, ...first),
      hint: 'Add @sha256:… to the image, in the values of the chart or with a patch.',
    },
  ]
}
