import { pulledReference } from '../../model/image-reference.ts'
import type { ContainersResult } from '../../pipeline/commands/containers.ts'

/** The references as registries are asked for them, one on a line; two tags of one digest are one. */
export function containerNames({ images }: ContainersResult): string {
  const names = new Set(images.map(({ reference }) => pulledReference(reference)))
  return [...names].map((name) => `${name}\n`).join('')
}
