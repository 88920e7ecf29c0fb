import { fieldAt, formatPointer, itemsAt, type PathStep, textAt } from '../model/field.ts'
import { parseImageReference } from '../model/image-reference.ts'
import type { Manifest } from '../model/manifest.ts'
import { podOf, type PodOf } from '../model/pods.ts'
import type { Dict } from '../model/value.ts'
import { findMentions } from './find-mentions.ts'
import type { FoundImage, PodPart } from './found-image.ts'

/** The images of an object. */
export interface ObjectImages {
  readonly found: readonly FoundImage[]
  /** Fields of pods that should be images, and are none, or are known in the running cluster only. */
  readonly unreadable: readonly (readonly PathStep[])[]
}

const lists: readonly (readonly [string, PodPart])[] = [
  ['initContainers', 'init-container'],
  ['containers', 'container'],
  ['ephemeralContainers', 'ephemeral-container'],
]

/**
 * Finds the images of an object: what its pods run, and what it mentions elsewhere, which a program in the cluster may
 * run.
 */
export function findImages(manifest: Manifest): ObjectImages {
  const pod = podOf(manifest)
  const fields = pod === undefined ? [] : [...containerImages(pod), ...volumeImages(pod)]
  const late = new Set((manifest.deferred ?? []).map(({ pointer }) => pointer))
  const found: FoundImage[] = []
  const unreadable: (readonly PathStep[])[] = []
  for (const { path, runs } of fields) {
    const written = textAt(manifest.object, ...path)
    const reference = late.has(formatPointer(path)) ? undefined : parseImageReference(written)
    if (reference === undefined) unreadable.push(path)
    else found.push({ reference, written, path, runs })
  }
  const run = new Set(fields.map(({ path }) => formatPointer(path)))
  const mentioned = findMentions(manifest).filter(({ path }) => {
    const pointer = formatPointer(path)
    return !run.has(pointer) && !late.has(pointer)
  })
  return { found: [...found, ...mentioned], unreadable }
}

type ImageField = Required<Pick<FoundImage, 'path' | 'runs'>>

function containerImages({ spec, path }: PodOf): readonly ImageField[] {
  return lists.flatMap(([list, part]) =>
    itemsAt(spec, list).map((container, index) => ({
      path: [...path, list, index, 'image'],
      runs: { part, name: textAt(container, 'name') },
    })),
  )
}

/** Images that are mounted: the kubelet pulls them as it does those of containers. */
function volumeImages({
  spec,
  path,
}: {
  readonly spec: Dict
  readonly path: readonly PathStep[]
}): readonly ImageField[] {
  return itemsAt(spec, 'volumes').flatMap((volume, index) =>
    fieldAt(volume, 'image') === undefined
      ? []
      : [
          {
            path: [...path, 'volumes', index, 'image', 'reference'],
            runs: { part: 'volume' as const, name: textAt(volume, 'name') },
          },
        ],
  )
}
