/**
 * An API server refused a request. The message is the server's own: whoever shows it must know that it holds no secret.
 */
export class ApiError extends Error {
  readonly status: number
  /** The server's word for it, such as `Conflict`; empty where it gave none. */
  readonly reason: string
  /** Milliseconds after which the server wants to be asked again; 0 where it does not say. */
  readonly retryAfter: number

  constructor(
    status: number,
    { reason, message, retryAfter }: { readonly reason: string; readonly message: string; readonly retryAfter: number },
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.reason = reason
    this.retryAfter = retryAfter
  }
}

/** True if the server refused with this status. */
export function isRefusal(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status
}
