import { StackmasonError } from '../../model/diagnostic.ts'
import type { HttpResponse } from '../../model/http.ts'
import type { RegistrySession } from './registry-session.ts'

/** Which blob goes where. */
export interface Upload {
  /** `https://host/v2/<repository>` */
  readonly repositoryUrl: string
  readonly digest: string
  readonly bytes: Uint8Array
  /** For messages. */
  readonly purpose: string
}

const MAX_ANSWER = 1024 * 1024
const ATTEMPTS = 3
const octets: ReadonlyMap<string, string> = new Map([['content-type', 'application/octet-stream']])

/**
 * Sends a blob as a whole, POST then PUT (distribution spec, "Pushing a blob monolithically"), unless the repository
 * has it. An upload that broke off leaves the registry with a session that it no longer accepts; then another one is
 * begun.
 * @throws StackmasonError FETCH_*
 */
export async function uploadBlob(upload: Upload, session: RegistrySession): Promise<void> {
  const { repositoryUrl, digest, bytes, purpose } = upload
  const request = { action: 'push', challenge: 'answer', purpose, maxBytes: MAX_ANSWER } as const
  for (let attempt = 1; ; attempt++) {
    const url = `${repositoryUrl}/blobs/${digest}`
    const head = await session.send({ ...request, challenge: 'ping', method: 'HEAD', url, accept: [404] })
    if (isThere(head, upload)) return
    const started = `${repositoryUrl}/blobs/uploads/`
    const begun = await session.send({ ...request, method: 'POST', url: started, repeatable: true })
    const answer = await session.send({
      ...request,
      method: 'PUT',
      url: uploadAddress(begun, { started, digest, purpose }),
      headers: octets,
      body: bytes,
      accept: attempt < ATTEMPTS ? [404, 416] : [],
    })
    if (answer.status < 300) return requireStatus(201, answer, purpose)
  }
}

/**
 * Refuses an answer of success that is not the one of a registry (distribution spec, "Pushing blobs" and "Pushing
 * Manifests"): a login page comes with status 200. @throws StackmasonError FETCH_INVALID
 */
export function requireStatus(expected: 201 | 202, { status }: HttpResponse, purpose: string): void {
  if (status === expected) return
  throw new StackmasonError({
    code: 'FETCH_INVALID',
    severity: 'error',
    message: `the registry does not confirm that it takes ${purpose}: it answers with status ${status}, and not with ${expected}`,
    hint: 'Something else may answer in its place, such as the login page of a proxy: check its address and the way there, then push again.',
  })
}

/** By its digest, or by its size where the storage of a registry answers, which tells none. */
function isThere({ status, headers }: HttpResponse, { digest, bytes }: Upload): boolean {
  if (status !== 200) return false
  const said = headers.get('docker-content-digest')
  return said === undefined ? headers.get('content-length') === String(bytes.length) : said === digest
}

/** The Location may be relative and may have a query of its own, which must be kept. */
function uploadAddress(
  begun: HttpResponse,
  { started, digest, purpose }: { readonly started: string; readonly digest: string; readonly purpose: string },
): string {
  requireStatus(202, begun, purpose)
  const location = begun.headers.get('location')
  if (location === undefined || !URL.canParse(location, started)) {
    const message = `the registry accepts ${purpose} and does not say where to send it`
    throw new StackmasonError({ code: 'FETCH_INVALID', severity: 'error', message })
  }
  const url = new URL(location, started)
  url.searchParams.append('digest', digest)
  return url.href
}
