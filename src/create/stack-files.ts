import { decodeUtf8, encodeUtf8 } from '../codec/bytes/utf8.ts'

/** A stack to begin with. */
export interface NewStack {
  readonly provider: string
  readonly stack: string
  /** With `v`: `v1.34.7`. */
  readonly kubernetesVersion: string
}

/** Of the stack that the templates are. */
const MODEL = { provider: 'docker', stack: 'starter', version: '1.34.7' } as const

/** The files of a provider directory, made from those of the stack that fleets start with. */
export function stackFiles(
  templates: ReadonlyMap<string, Uint8Array>,
  { provider, stack, kubernetesVersion }: NewStack,
): ReadonlyMap<string, Uint8Array> {
  const version = kubernetesVersion.slice(1)
  const minor = (text: string): string => text.split('.').slice(0, 2).join('-')
  return new Map(
    [...templates].map(([path, bytes]) => [
      path,
      encodeUtf8(
        decodeUtf8(bytes)
          .replaceAll(
            `${MODEL.provider}-${MODEL.stack}-${minor(MODEL.version)}`,
            `${provider}-${stack}-${minor(version)}`,
          )
          .replaceAll(`clusterStackName: ${MODEL.stack}`, `clusterStackName: ${stack}`)
          .replaceAll(`the ${MODEL.stack} stack`, `the ${stack} stack`)
          .replaceAll(`v${MODEL.version}`, kubernetesVersion)
          .replaceAll(`type: ${MODEL.provider}\n`, `type: ${provider}\n`)
          .replaceAll(`${MODEL.provider}.csctl.`, `${provider}.csctl.`),
      ),
    ]),
  )
}

/** The ClusterStack that offers the first release of a stack. */
export function clusterStackText({ provider, stack, kubernetesVersion }: NewStack, namespace: string): string {
  const [major = '', minor = ''] = kubernetesVersion.slice(1).split('.')
  return `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata:
  name: ${provider}-${stack}-${major}-${minor}
  namespace: ${namespace}
spec:
  provider: ${provider}
  name: ${stack}
  kubernetesVersion: "${major}.${minor}"
  channel: stable
  autoSubscribe: false
  noProvider: true
  versions:
    - v1
`
}
