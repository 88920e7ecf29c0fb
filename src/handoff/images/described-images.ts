import type { Diagnostic } from '../../model/diagnostic.ts'
import { withField } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { cloudName, isImage } from './image-object.ts'
import { imageManifest, type ImageStack } from './image-manifest.ts'
import type { ImageRules } from './image-rules.ts'
import { type DescribedImage, readImageFiles, skippedImage } from './read-image-files.ts'

/** The images of a release, and what there is to say of how they are described. */
export interface DescribedImages {
  readonly images: readonly Manifest[]
  /** Images that are not taken, options that are lost. */
  readonly findings: readonly Diagnostic[]
  /** Images that are described for other Kubernetes versions than that of the release. */
  readonly others: readonly DescribedImage[]
}

/**
 * The images of a release as they are described: those of the class chart, then those that files describe for its
 * Kubernetes version, each name once.
 * @throws StackmasonError RELEASE_METADATA_INVALID for files about images that are no YAML
 */
export function describedImages(
  stack: ImageStack,
  rules: Pick<ImageRules, 'file' | 'credentials'>,
): readonly Manifest[] {
  return selectImages(stack, rules).images
}

/**
 * The same with the findings. An image that names another Kubernetes version is for another release; no other is left
 * out without a word.
 * @throws StackmasonError RELEASE_METADATA_INVALID for files about images that are no YAML
 */
export function selectImages(
  stack: ImageStack,
  { file, credentials }: Pick<ImageRules, 'file' | 'credentials'>,
): DescribedImages {
  const { namespace, release, folder } = stack
  const read = readImageFiles(file === undefined ? (release.imageFiles ?? []) : [file], credentials)
  const findings: Diagnostic[] = [...read.findings]
  const images = new Map<string, Manifest>()
  const others: DescribedImage[] = []
  for (const manifest of folder.manifests.filter(isImage)) images.set(manifest.name, movedTo(namespace, manifest))
  for (const image of read.images) {
    const manifest = imageManifest(image, image.source.name, stack)
    const cloud = cloudName(manifest)
    const fit = fitOf(`${image.name} ${cloud}`, release.kubernetesVersion)
    // the file of the older operator held what its release needed, whatever the names
    if (fit === 'other' && image.form !== 'entry') {
      others.push(image)
      continue
    }
    if (fit !== 'this' && !(fit === 'none' && image.form === 'entry')) {
      findings.push(skippedImage({ reason: unfit(cloud, release.kubernetesVersion), at: image.at }))
      continue
    }
    const known = images.get(image.name)
    if (known === undefined) {
      images.set(image.name, manifest)
      findings.push(...image.notes.map((note) => optionOf(cloud, note, image)))
    } else if (cloudName(known) !== cloud) {
      const reason = `node image ${JSON.stringify(cloud)} is not taken: its object would be named "${image.name}" like that of ${JSON.stringify(cloudName(known))}`
      findings.push(skippedImage({ reason, at: image.at }))
    }
  }
  return { images: [...images.values()], findings, others }
}

/** The Kubernetes version that the name of an image is for: this one, another one, or none. */
function fitOf(name: string, version: string): 'this' | 'other' | 'none' {
  const wanted = version.replace(/^v/, '')
  const said = [...name.matchAll(/(?<![\d.])v?(\d+\.\d+\.\d+)(?![\d.]*\d)/g)].map(([, found]) => found)
  if (said.includes(wanted)) return 'this'
  return said.some((found) => found?.startsWith('1.')) ? 'other' : 'none'
}

function unfit(cloud: string, version: string): string {
  return `node image ${JSON.stringify(cloud)} is not taken: its name does not say that it is for Kubernetes ${version}`
}

function optionOf(cloud: string, note: string, { at }: DescribedImage): Diagnostic {
  const message = `node image ${JSON.stringify(cloud)}: ${note}`
  return { code: 'NODE_IMAGE_OPTION', severity: 'warning', message, at }
}

function movedTo(namespace: string, image: Manifest): Manifest {
  if (image.namespace === namespace) return image
  return { ...image, namespace, object: withField(image.object, ['metadata', 'namespace'], namespace) }
}
