import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import { matchVersion } from '../../model/release-name.ts'
import type { ReleaseVersion } from '../../model/release.ts'
import type { Span } from '../../model/source.ts'
import { openReleaseDocument } from './release-document.ts'

/** metadata.yaml of a release. */
export interface ReleaseMetadata {
  readonly version: ReleaseVersion
  /** With `v`: `v1.34.7`. */
  readonly kubernetesVersion: string
  readonly kubernetes: { readonly major: number; readonly minor: number }
  readonly clusterAddon: ReleaseVersion
  readonly nodeImage: ReleaseVersion
  readonly versionAt: Span
  readonly kubernetesAt: Span
  readonly findings: readonly Diagnostic[]
}

const NO_VERSION: ReleaseVersion = { major: 0, channel: 'stable', patch: '' }

/**
 * Reads metadata.yaml. All four versions must be there, the release's own in dot or dash form (cluster-stack-operator
 * pkg/release).
 * @throws StackmasonError RELEASE_METADATA_INVALID, with every problem
 */
export function parseMetadata(bytes: Uint8Array, name: string): ReleaseMetadata {
  const document = openReleaseDocument(bytes, name)
  document.checkKeys([], ['apiVersion', 'versions'])
  document.checkKeys(['versions'], ['clusterStack', 'kubernetes', 'components'])
  document.checkKeys(['versions', 'components'], ['clusterAddon', 'nodeImage'])
  const apiVersion = document.optionalText(['apiVersion'])
  if (apiVersion !== '' && apiVersion !== 'metadata.clusterstack.x-k8s.io/v1alpha1') {
    document.addProblem(['apiVersion'], {
      message: `unknown apiVersion ${JSON.stringify(apiVersion)}`,
      hint: 'Known: metadata.clusterstack.x-k8s.io/v1alpha1.',
    })
  }
  const readVersion = (path: readonly string[]): ReleaseVersion => {
    const text = document.requiredText(path)
    if (text === '') return NO_VERSION
    const outcome = matchVersion(text)
    if ('value' in outcome) return outcome.value
    document.addProblem(path, { message: `${path.join('.')} ${JSON.stringify(text)} is not valid: ${outcome.reason}` })
    return NO_VERSION
  }
  const version = readVersion(['versions', 'clusterStack'])
  const clusterAddon = readVersion(['versions', 'components', 'clusterAddon'])
  const nodeImage = readVersion(['versions', 'components', 'nodeImage'])
  const kubernetesText = document.requiredText(['versions', 'kubernetes'])
  const match = /^v?((\d{1,9})\.(\d{1,9})\.\d{1,9}(?:[-+][0-9A-Za-z.+-]+)?)$/.exec(kubernetesText)
  if (match === null && kubernetesText !== '') {
    document.addProblem(['versions', 'kubernetes'], {
      message: `versions.kubernetes ${JSON.stringify(kubernetesText)} is not a full Kubernetes version such as v1.34.7`,
    })
  }
  if (document.problems.length > 0) throw new StackmasonError(document.problems)
  return {
    version,
    kubernetesVersion: `v${match?.[1] ?? ''}`,
    kubernetes: { major: Number(match?.[2]), minor: Number(match?.[3]) },
    clusterAddon,
    nodeImage,
    versionAt: document.spanOf(['versions', 'clusterStack']),
    kubernetesAt: document.spanOf(['versions', 'kubernetes']),
    findings: document.findings,
  }
}
