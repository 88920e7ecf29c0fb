import type { Diagnostic } from '../../model/diagnostic.ts'
import { formatTag } from '../../model/release-name.ts'
import type { ImageStack } from './image-manifest.ts'
import type { ImageRules } from './image-rules.ts'
import { selectImages } from './described-images.ts'
import { releaseImages } from './release-images.ts'
import type { ReleaseUser } from './release-users.ts'

/**
 * The error for a release whose gate would have nothing to wait for although nobody has said that it needs no images:
 * such a gate must not open.
 * @throws StackmasonError RELEASE_METADATA_INVALID for files about images that are no YAML
 */
export function refuseUnknownImages(
  stack: ImageStack,
  rules: ImageRules,
  users: readonly Pick<ReleaseUser, 'cluster'>[] = [],
): readonly Diagnostic[] {
  if (rules.gate !== 'controller' || rules.use === 'none' || releaseImages(stack, users, rules).length > 0) return []
  return [unknownImages(stack, rules, 'error')]
}

/** The finding about a release for which nothing says which images it needs. */
export function unknownImages(wanting: ImageStack, rules: ImageRules, severity: Diagnostic['severity']): Diagnostic {
  const { release } = wanting
  const { at, gate } = rules
  const { provider, stack } = release.name
  const { others } = selectImages(wanting, rules)
  const [other] = others
  const effect =
    gate === 'controller'
      ? 'so its NodeImageGate would be open whether they are there or not'
      : 'so its class is offered whether they are there or not'
  return {
    code: 'NODE_IMAGE_UNKNOWN',
    severity,
    message: `nothing says which node images release ${formatTag(release.name)} needs for ${release.kubernetesVersion}, ${effect}`,
    ...(other === undefined ? at !== undefined && { at } : { at: other.at }),
    hint:
      other === undefined
        ? `Add to spec.nodeImages of stackmason.yaml: {provider: ${provider}, stack: ${stack}} with \`file\`, with \`use: existing\`, or with \`use: none\` if nothing can be missing.`
        : `${others.length === 1 ? 'The image that is described there is' : 'The images that are described there are'} for another version (${others.map(({ name }) => name).join(', ')}): describe one for ${release.kubernetesVersion}.`,
  }
}
