import type { Diagnostic } from '../../model/diagnostic.ts'
import { textAt } from '../../model/field.ts'
import type { NodeImageConfig } from '../../model/fleet.ts'
import type { HandoffStack } from '../../model/handoff.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { cloudName, isImage, isUploading } from './image-object.ts'
import { imageRules } from './image-rules.ts'

/**
 * Says once for each stack that several namespaces upload its images, where the fleet has not said that this is right.
 */
export function checkUploads(
  stacks: readonly HandoffStack[],
  configs: readonly NodeImageConfig[],
): readonly Diagnostic[] {
  const uploads = new Map<string, { readonly image: Manifest; readonly namespaces: Set<string> }>()
  for (const { namespace, release, folder } of stacks) {
    const { provider, stack } = release.name
    if (imageRules(configs, release.name).uploadFrom !== undefined) continue
    for (const image of folder.manifests.filter((manifest) => isImage(manifest) && isUploading(manifest))) {
      const key = [provider, stack, cloudName(image), credentialsOf(image)].join(' ')
      const known = uploads.get(key) ?? { image, namespaces: new Set() }
      uploads.set(key, { ...known, namespaces: known.namespaces.add(namespace) })
    }
  }
  return [...uploads.values()]
    .filter(({ namespaces }) => namespaces.size > 1)
    .map(({ image, namespaces }) => ({
      code: 'NODE_IMAGE_UPLOADS',
      severity: 'warning',
      message: `namespaces ${[...namespaces].join(', ')} all upload a node image "${cloudName(image)}", with ${credentialsOf(image)}`,
      ...placeIn(image, 'metadata', 'name'),
      hint: "Write in spec.nodeImages of stackmason.yaml `uploadFrom` with one of them for each project of the cloud, or `uploadFrom: ['*']` if each has its own.",
    }))
}

function credentialsOf({ object }: Manifest): string {
  const [secret, cloud] = ['secretName', 'cloudName'].map((field) =>
    textAt(object, 'spec', 'cloudCredentialsRef', field),
  )
  return `Secret ${secret ?? ''} and cloud ${cloud ?? ''}`
}
