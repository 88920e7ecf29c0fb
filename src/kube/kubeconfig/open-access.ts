import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { type KubeAccess, KubeAccessError, type KubeAccessOptions } from '../../model/kube-access.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { readUserKubeconfig } from './user-kubeconfig.ts'

/**
 * Opens the way to an API server that users name.
 * @throws KubeAccessError
 */
export async function openAccess(
  { kubeconfig, context }: KubeAccessOptions,
  { files, kube }: Pick<Ports, 'files' | 'kube'>,
): Promise<KubeAccess> {
  if (kubeconfig === undefined) return kube.open(undefined)
  const text = await readText(kubeconfig, files)
  return kube.open(readUserKubeconfig(text, { file: kubeconfig, context }))
}

async function readText(file: string, files: Ports['files']): Promise<string> {
  try {
    return decodeUtf8(await files.read(file))
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    throw new KubeAccessError(error.reason === 'not-found' ? 'it is not there' : 'it cannot be read', { cause: error })
  }
}
