import { compareNatural, sortNaturally } from '../codec/text/text-order.ts'
import type { Diagnostic, FindingSubject } from '../model/diagnostic.ts'
import { formatPointer, textAt } from '../model/field.ts'
import { formatImageReference, type ImageReference } from '../model/image-reference.ts'
import { isCapiCluster } from '../model/class-reference.ts'
import { type Manifest, placeIn } from '../model/manifest.ts'
import { shownObject } from '../model/shown-name.ts'
import { findImages, type ObjectImages } from './find-images.ts'
import type { FoundImage, PodPart } from './found-image.ts'

/** How an image is known: a pod in the tree runs it, or an object mentions it, and a program may run it. */
export type ImageUse = 'run' | 'mentioned'

/** An object that names an image; equal ones of several clusters are one. */
export interface ImageUser {
  readonly use: ImageUse
  /** The API server that the object is applied to. */
  readonly destination: 'workload' | 'management'
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string | undefined
  readonly name: string
  readonly addon?: string | undefined
  /** Tag, of an object of a class. */
  readonly release: string | undefined
  /** Of an image that runs: the container, or the volume. */
  readonly container: string | undefined
  readonly part: PodPart | undefined
  /** JSON pointer in the object. */
  readonly field: string
  readonly written: string
  /** `namespace/name`. */
  readonly clusters: readonly string[]
}

/** An image, and everything that names it. */
export interface ContainerImage {
  /** With registry, tag and digest. */
  readonly image: string
  readonly reference: ImageReference
  /** `run` where anything runs it. */
  readonly use: ImageUse
  /** `namespace/name`. */
  readonly clusters: readonly string[]
  readonly users: readonly ImageUser[]
}

/** The images of a tree. */
export interface ImageInventory {
  /** By name. */
  readonly images: readonly ContainerImage[]
  /** Kubernetes versions of the clusters: kubeadm pulls images for them that no object names. */
  readonly kubernetesVersions: readonly string[]
}

/** A folder of the tree, and whose it is. */
export interface InventoryFolder {
  readonly manifests: readonly Manifest[]
  readonly destination: ImageUser['destination']
  /** The cluster, or the release of a class. */
  readonly subject: FindingSubject
  readonly addon?: string | undefined
}

interface GrowingUser {
  readonly user: Omit<ImageUser, 'clusters'>
  readonly clusters: Set<string>
}

/** Collects the images of a tree folder by folder, and keeps no object. */
export class ImageCollector {
  readonly #images = new Map<string, { readonly reference: ImageReference; readonly users: Map<string, GrowingUser> }>()
  readonly #versions = new Set<string>()
  /** Clusters share objects that are rendered alike. */
  readonly #known = new WeakMap<Manifest, ObjectImages>()

  /** Takes a folder; warnings about what no image can be read from. */
  add(folder: InventoryFolder): readonly Diagnostic[] {
    return folder.manifests.flatMap((manifest) => {
      if (isCapiCluster(manifest)) this.#versions.add(textAt(manifest.object, 'spec', 'topology', 'version'))
      const images = this.#known.get(manifest) ?? findImages(manifest)
      this.#known.set(manifest, images)
      for (const found of images.found) this.#note(found, manifest, folder)
      return images.unreadable.map((path) => unreadable(manifest, path))
    })
  }

  /** All that was found. */
  all(): ImageInventory {
    const images = new Map(
      [...this.#images].map(([image, { reference, users }]) => [image, imageOf(image, reference, users)]),
    )
    const names = sortNaturally([...images.keys()], compareNatural)
    return {
      images: names.flatMap((name) => images.get(name) ?? []),
      kubernetesVersions: sorted([...this.#versions].filter((version) => version !== '')),
    }
  }

  #note({ reference, written, path, runs }: FoundImage, manifest: Manifest, folder: InventoryFolder): void {
    const { apiVersion, kind, namespace, name } = manifest
    const { destination, subject, addon } = folder
    const user: Omit<ImageUser, 'clusters'> = {
      use: runs === undefined ? 'mentioned' : 'run',
      destination,
      apiVersion,
      kind,
      namespace,
      name,
      addon,
      release: subject.release,
      container: runs?.name,
      part: runs?.part,
      field: formatPointer(path),
      written,
    }
    const image = formatImageReference(reference)
    const known = this.#images.get(image) ?? { reference, users: new Map<string, GrowingUser>() }
    this.#images.set(image, known)
    const key = JSON.stringify(user)
    const same = known.users.get(key) ?? { user, clusters: new Set<string>() }
    known.users.set(key, same)
    if (subject.cluster !== undefined) same.clusters.add(subject.cluster)
  }
}

function imageOf(image: string, reference: ImageReference, growing: ReadonlyMap<string, GrowingUser>): ContainerImage {
  const keys = [...growing.keys()].sort()
  const users = keys.flatMap((key) => {
    const found = growing.get(key)
    return found === undefined ? [] : [{ ...found.user, clusters: sorted(found.clusters) }]
  })
  // JSON of a user starts with its use, so what runs comes last
  const ordered = [...users.filter(({ use }) => use === 'run'), ...users.filter(({ use }) => use !== 'run')]
  return {
    image,
    reference,
    use: ordered[0]?.use ?? 'mentioned',
    clusters: sorted(new Set(users.flatMap(({ clusters }) => clusters))),
    users: ordered,
  }
}

function sorted(texts: Iterable<string>): readonly string[] {
  return sortNaturally([...texts], compareNatural)
}

function unreadable(manifest: Manifest, path: FoundImage['path']): Diagnostic {
  const isLate = manifest.deferred?.some(({ pointer }) => pointer === formatPointer(path)) === true
  return {
    code: 'CONTAINER_IMAGE_UNREADABLE',
    severity: 'warning',
    message: `${shownObject({ ...manifest, namespace: manifest.namespace })} has an image that ${isLate ? 'is known only in the running cluster' : 'is no image reference'}, so it is not listed`,
    ...placeIn(manifest, ...path),
    hint: isLate
      ? 'Mirror and scan it yourself.'
      : 'Write `registry/repository:tag` or `registry/repository@sha256:…`.',
  }
}
