import type { NodeImageConfig } from '../../model/fleet.ts'
import type { Release } from '../../model/release.ts'

/** The rules for the node images of a stack's releases; without `at` the fleet says nothing about them. */
export type ImageRules = Omit<NodeImageConfig, 'provider' | 'stack' | 'at'> & Partial<Pick<NodeImageConfig, 'at'>>

const UNLISTED: ImageRules = {
  use: 'release',
  credentials: { secretName: 'openstack', cloudName: 'openstack' },
  gate: 'images',
}

/**
 * The rules for the node images of a release: the entry of `spec.nodeImages` for its stack, or what holds without one.
 */
export function imageRules(
  configs: readonly NodeImageConfig[],
  { provider, stack }: Pick<Release['name'], 'provider' | 'stack'>,
): ImageRules {
  return configs.find((config) => config.provider === provider && config.stack === stack) ?? UNLISTED
}

/** True if the fleet says that a namespace uploads. */
export function isListed(namespace: string, { uploadFrom }: Pick<ImageRules, 'uploadFrom'>): boolean {
  return uploadFrom?.some((name) => name === '*' || name === namespace) === true
}
