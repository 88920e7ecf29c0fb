import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import { openReleaseDocument } from './release-document.ts'

/** csctl.yaml (or csmctl.yaml) of a provider directory. */
export interface StackConfig {
  readonly provider: string
  readonly stack: string
  /** With `v`: `v1.34.7`. */
  readonly kubernetesVersion: string
  readonly kubernetes: { readonly major: number; readonly minor: number }
  readonly findings: readonly Diagnostic[]
}

/** The names of the file: csmctl is the older name of csctl. */
export const CONFIG_NAMES: readonly string[] = ['csctl.yaml', 'csmctl.yaml']

const API_VERSIONS = ['csctl.clusterstack.x-k8s.io/v1alpha1', 'csmctl.clusterstack.x-k8s.io/v1alpha1']

/**
 * Reads csctl.yaml. Rules: csctl pkg/clusterstack `GetCsctlConfig`, but provider and stack may not hold a dash, which
 * csctl admits and no reader of the release's name can undo.
 * @throws StackmasonError RELEASE_METADATA_INVALID, RELEASE_NAME_INVALID, with every problem
 */
export function parseStackConfig(bytes: Uint8Array, name: string): StackConfig {
  const document = openReleaseDocument(bytes, name)
  document.checkKeys([], ['apiVersion', 'config'])
  document.checkKeys(['config'], ['clusterStackName', 'kubernetesVersion', 'provider'])
  document.checkKeys(['config', 'provider'], ['type', 'apiVersion', 'config'])
  const apiVersion = document.requiredText(['apiVersion'])
  if (apiVersion !== '' && !API_VERSIONS.includes(apiVersion)) {
    document.addProblem(['apiVersion'], {
      message: `unknown apiVersion ${JSON.stringify(apiVersion)}`,
      hint: `Known: ${API_VERSIONS.join(', ')}.`,
    })
  }
  const named = (path: readonly string[]): string => {
    const text = document.requiredText(path)
    if (text !== '' && !/^[a-z0-9]+$/.test(text)) {
      document.problems.push({
        code: 'RELEASE_NAME_INVALID',
        severity: 'error',
        message: `${path.join('.')} ${JSON.stringify(text)} may hold only a-z and 0-9, because release names are split at dashes`,
        at: document.spanOf(path),
      })
    }
    return text
  }
  if (document.requiredMap(['config']) === undefined) throw new StackmasonError(document.problems)
  const provider = named(['config', 'provider', 'type'])
  const stack = named(['config', 'clusterStackName'])
  const kubernetesVersion = document.requiredText(['config', 'kubernetesVersion'])
  const match = /^v(\d{1,9})\.(\d{1,9})\.\d{1,9}$/.exec(kubernetesVersion)
  const [major, minor] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)]
  if (kubernetesVersion !== '' && (major === 0 || minor === 0)) {
    document.addProblem(['config', 'kubernetesVersion'], {
      message: `config.kubernetesVersion ${JSON.stringify(kubernetesVersion)} is not a full Kubernetes version such as v1.34.7`,
    })
  }
  if (document.problems.length > 0) throw new StackmasonError(document.problems)
  return { provider, stack, kubernetesVersion, kubernetes: { major, minor }, findings: document.findings }
}
