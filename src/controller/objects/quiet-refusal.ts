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
    const { status, retryAfter, subject, subjectKind, webhook, isDenied, isNamespaceLeaving } = error
    const reason = /^[A-Za-z]{1,64}$/.test(error.reason) ? error.reason : ''
    const message = describeRefusal(what, { status, reason, isDenied })
    throw new ApiError(status, {
      reason,
      message,
      retryAfter,
      subject,
      subjectKind,
      webhook,
      isDenied,
      isNamespaceLeaving,
    })
  }
}

function describeRefusal(
  what: string,
  { status, reason, isDenied }: Pick<ApiError, 'status' | 'reason' | 'isDenied'>,
): string {
  const by = isDenied ? 'an admission webhook or policy' : 'the API server'
  return `${what} is refused by ${by}: ${[String(status), reason].filter((word) => word !== '').join(' ')}`
}
