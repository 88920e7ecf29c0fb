import type { Diagnostic } from '../../model/diagnostic.ts'
import { textAt } from '../../model/field.ts'
import type { HandoffStack } from '../../model/handoff.ts'
import { formatTag } from '../../model/release-name.ts'
import { stackFolder } from '../../model/tree-path.ts'
import { chosenImages, isBeside } from './chosen-images.ts'
import type { WantedImages } from './create-image-arranger.ts'
import { type ImageRules, isListed } from './image-rules.ts'
import { importedImage, isUploading } from './image-object.ts'
import { releaseImages } from './release-images.ts'
import type { ImageUser } from './release-users.ts'

/** Images of a release in a namespace that does not offer it. */
export interface ElsewhereImages extends WantedImages {
  /** The findings if any of them is arranged there. */
  readonly findings: readonly Diagnostic[]
}

/**
 * The images of a release in other namespaces than that of its class: where clusters that use it find them as objects,
 * or the fleet says that they are uploaded.
 * @throws StackmasonError RELEASE_METADATA_INVALID for files about images that are no YAML
 */
export function elsewhereImages(
  stack: HandoffStack,
  users: readonly ImageUser[],
  rules: ImageRules,
): readonly ElsewhereImages[] {
  const namespaces = new Set(users.map(({ cluster }) => cluster.namespace))
  namespaces.delete(stack.namespace)
  return [...namespaces].flatMap((namespace): readonly ElsewhereImages[] => {
    const own = users.filter(({ cluster }) => cluster.namespace === namespace)
    const isWanted = own.some(({ cluster }) =>
      chosenImages(stack, rules, cluster).some((image) => image.by === 'object' && !isBeside(image, cluster)),
    )
    const uploads = isListed(namespace, rules)
    if (!isWanted && !uploads) return []
    const beside = new Set(
      own.flatMap(({ cluster }) => cluster.beside.map(({ value }) => textAt(value, 'metadata', 'name'))),
    )
    const images = releaseImages({ ...stack, namespace }, own, rules).filter(({ name }) => !beside.has(name))
    if (images.length === 0) return []
    const path = stackFolder(namespace, formatTag(stack.release.name))
    return [
      {
        stack: { ...stack, namespace, folder: { path, manifests: [] } },
        rules,
        isUsed: true,
        images: uploads ? images : images.map(importedImage),
        findings: !uploads && images.some(isUploading) ? [importedByDefault(stack, own)] : [],
      },
    ]
  })
}

/**
 * Two uploads of a name break what a project has, an image that never comes only what is new: so without a word from
 * the fleet nothing is uploaded.
 */
function importedByDefault({ namespace, release }: HandoffStack, users: readonly ImageUser[]): Diagnostic {
  const [user] = users
  const own = user?.cluster.namespace ?? ''
  return {
    code: 'NODE_IMAGE_NAMESPACE',
    severity: 'warning',
    message: `namespace ${own} does not upload the node images of release ${formatTag(release.name)}: its Image objects look for those that namespace ${namespace} uploads, by name`,
    at: user?.cluster.classAt,
    hint: `Say it in spec.nodeImages of stackmason.yaml: \`uploadFrom: [${namespace}]\` if both namespaces use one project of the cloud, \`uploadFrom: [${namespace}, ${own}]\` if each has its own.`,
  }
}
