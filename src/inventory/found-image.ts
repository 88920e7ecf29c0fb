import type { PathStep } from '../model/field.ts'
import type { ImageReference } from '../model/image-reference.ts'

/** The part of a pod that an image is for. */
export type PodPart = 'container' | 'init-container' | 'ephemeral-container' | 'volume'

/** An image that an object names. */
export interface FoundImage {
  readonly reference: ImageReference
  /** As the object has it. */
  readonly written: string
  /** In the object. */
  readonly path: readonly PathStep[]
  /** Of an image that a pod of the object runs: where; absent for one that the object mentions. */
  readonly runs?: { readonly part: PodPart; readonly name: string }
}
