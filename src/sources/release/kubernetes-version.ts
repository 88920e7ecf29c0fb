import { StackmasonError } from '../../model/diagnostic.ts'
import { parseMetadata } from './metadata.ts'

/** The file that every release has. */
export const METADATA = 'metadata.yaml'

/**
 * The Kubernetes version that metadata.yaml says; undefined when it is not valid, which reading the release reports in
 * full.
 */
export function kubernetesVersionIn(metadata: Uint8Array): string | undefined {
  try {
    return parseMetadata(metadata, METADATA).kubernetesVersion
  } catch (error) {
    const isInvalid =
      error instanceof StackmasonError &&
      error.diagnostics.every(({ code }) => code === 'RELEASE_METADATA_INVALID' || code === 'RELEASE_TOO_LARGE')
    if (isInvalid) return undefined
    throw error
  }
}
