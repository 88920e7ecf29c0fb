import { ApiError } from '../../kube/api-error.ts'

/**
 * Does something with Secrets, and drops the words of a server that refuses it: an admission webhook may repeat in
 * them what it was given.
 * @throws ApiError with its status, its reason and who refuses alone; else what `work` throws
 */
export async function quietly<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { status, retryAfter, webhook } = error
    const reason = /^[A-Za-z]{1,64}$/.test(error.reason) ? error.reason : ''
    throw new ApiError(status, { reason, message: describeRefusal(what, { status, reason }), retryAfter, webhook })
  }
}

function describeRefusal(
  what: string,
  { status, reason }: { readonly status: number; readonly reason: string },
): string {
  return `${what} is refused by the API server: ${[String(status), reason].filter((word) => word !== '').join(' ')}`
}
