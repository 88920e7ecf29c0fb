import type { ImageRules } from './image-rules.ts'

/** Whether the fleet says that a namespace uploads. */
export function isListed(namespace: string, { uploadFrom }: Pick<ImageRules, 'uploadFrom'>): boolean {
  return uploadFrom?.some((name) => name === '*' || name === namespace) === true
}
