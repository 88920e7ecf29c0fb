import { encodeBase64 } from '../../codec/bytes/base64.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Crypto } from '../../model/ports.ts'
import type { ApiServer } from '../../kube/api-server.ts'
import { fieldAt, listField, textField } from '../../kube/json-field.ts'
import { groupPath } from '../../kube/resource.ts'
import type { Definition } from './definition.ts'

/**
 * Connections that are asked: behind one address there may be several API servers, each of which learns of a new
 * storage version when it does.
 */
const ASKED = 3

/**
 * True if the API servers that answer write the objects of a definition in its storage version. Those that do not say
 * so count as settled: they are told apart from the others by the time that has passed.
 * @throws ApiError, HttpError
 */
export async function hasSettled(
  { group, kind, plural, storageVersion }: Definition,
  {
    api,
    crypto,
    version,
  }: { readonly api: ApiServer; readonly crypto: Pick<Crypto, 'hash'>; readonly version: string },
  signal: AbortSignal,
): Promise<boolean> {
  const wanted = storageVersionHash(`${group}/${storageVersion}/${kind}`, crypto)
  for (let asked = 0; asked < ASKED; asked++) {
    const listed = await api.overFreshConnection((fresh) =>
      fresh.send({ method: 'GET', path: groupPath({ group, version }) }, signal),
    )
    const found = listField(listed, 'resources').find((resource) => fieldAt(resource, 'name') === plural)
    if ((textField(found, 'storageVersionHash') ?? wanted) !== wanted) return false
  }
  return true
}

/** How Kubernetes names the version that it stores a kind in. */
function storageVersionHash(kind: string, crypto: Pick<Crypto, 'hash'>): string {
  return encodeBase64(crypto.hash('sha256', encodeUtf8(kind)).subarray(0, 8))
}
