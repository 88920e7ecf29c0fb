import { textAt } from '../../model/field.ts'
import { parseImageReference } from '../../model/image-reference.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { containersOf, podOf } from '../../model/pods.ts'
import { shownObject } from '../../model/shown-name.ts'
import { isLate } from '../references/missing-target.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'

/** Images that no node can pull, because their name is none. */
export const invalidImages: Rule = unitRule(
  {
    code: 'IMAGE_INVALID',
    severity: 'error',
    explanation: [
      'An API server takes any text as an image; the node then refuses it (`InvalidImageName`), and the pod never starts. Mostly a template has put a number where a tag belongs (`tag: 1.10` is the number 1.1: put it in quotes), or has left out a part.',
      'Containers of all objects that run pods are looked at, those of the management cluster, too, by the grammar of container runtimes: host, path in lower case, tag, digest.',
    ],
  },
  (unit) => (unit.isKept ? [] : unit.folders.flatMap(({ manifests }) => manifests.flatMap(invalidOf))),
)

function invalidOf(manifest: Manifest): readonly RuleFinding[] {
  const pod = podOf(manifest)
  if (pod === undefined) return []
  return containersOf(pod).flatMap(({ spec, path }): readonly RuleFinding[] => {
    const image = textAt(spec, 'image')
    const place = [...path, 'image']
    // what is not filled in yet is another finding, and Flux may fill in the rest
    if (image === '' || isLate(manifest, place) || image.includes('${')) return []
    if (parseImageReference(image) !== undefined) return []
    const [why, hint] = faultOf(image)
    return [
      {
        message: `${shownObject({ ...manifest, namespace: manifest.namespace })} has an image that no node can pull: ${why}`,
        ...placeIn(manifest, ...place),
        hint,
      },
    ]
  })
}

/** The fault of a name, without the name: it may hold a password. */
function faultOf(image: string): readonly [why: string, hint: string] {
  if (image.includes('%!'))
    return [
      'its template has put a value of another type in it',
      'Put the value in quotes: a tag is a text, and 1.10 a number.',
    ]
  if (/\s/.test(image)) return ['it has a space in it', 'Remove the space.']
  const digest = image.includes('@') ? image.slice(image.indexOf('@') + 1) : undefined
  const named = digest === undefined ? image : image.slice(0, image.indexOf('@'))
  if (digest !== undefined && parseImageReference(named) !== undefined)
    return ['its digest is none', 'Write sha256: and 64 characters from 0-9 and a-f.']
  const isTagged = named.lastIndexOf(':') > named.lastIndexOf('/')
  const name = isTagged ? named.slice(0, named.lastIndexOf(':')) : named
  if (isTagged && parseImageReference(name) !== undefined) {
    if (named.endsWith(':')) return ['its tag is empty', 'Write the tag, or leave out the colon.']
    return ['its tag is none', 'Letters, digits, _, . and - are allowed, 128 at most, the first no . or -.']
  }
  if (/[A-Z]/.test(name) && parseImageReference(name.toLowerCase()) !== undefined)
    return ['its name has capital letters', 'Write it in lower case.']
  return ['its name is none', 'Write [host[:port]/]path[:tag][@digest].']
}
