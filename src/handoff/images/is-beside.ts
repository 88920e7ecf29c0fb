import { textAt } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { ChosenImage } from './chosen-images.ts'

/** Whether an image is an object that lies beside the Cluster. */
export function isBeside({ name, by }: ChosenImage, { beside }: Pick<Cluster, 'beside'>): boolean {
  return (
    by === 'object' &&
    beside.some(({ value }) => textAt(value, 'kind') === 'Image' && textAt(value, 'metadata', 'name') === name)
  )
}
