/** A server's reasons for a refusal. */
export interface Refusal {
  /** The server's word for it, such as `Conflict`; empty where it gave none. */
  readonly reason: string
  readonly message: string
  /** Milliseconds after which the server wants to be asked again, of which a minute counts; 0 where it does not say. */
  readonly retryAfter: number
  /** With 410: where a list that took too long goes on, with what is there now; empty where it does not say. */
  readonly continueToken?: string
  /** The name of the object that the refusal is about; empty where it is about a path, or says none. */
  readonly subject?: string
  /** Its kind in the plural, as in paths. */
  readonly subjectKind?: string
  /** The admission webhook whose refusal it is; absent: as the message says. */
  readonly webhook?: string
  /** An admission webhook or policy is against it, whatever the status; absent: as the message says. */
  readonly isDenied?: boolean
  /** The namespace in which something is to be made is being deleted. */
  readonly isNamespaceLeaving?: boolean
}

/** Milliseconds: API servers ask for 32 seconds at most, and nobody is to silence us for long. */
const LONGEST_ASKED = 60_000

/** How API servers begin what an admission webhook says; it gives any status. */
const DENIAL = /^.{0,512}?admission webhook "([^"]{1,253})" denied the request/s
/** How they begin what an admission policy says. */
const POLICY = /^(?:\S+ "[^"]*" is forbidden: )?ValidatingAdmissionPolicy '[^']*' with binding '[^']*' denied request/

/** What a 404 is asked about. */
interface Named {
  readonly plural: string
  readonly name: string
}

/**
 * An API server refused a request. The message is the server's own: whoever shows it must know that it holds no secret.
 */
export class ApiError extends Error {
  readonly status: number
  readonly reason: string
  readonly retryAfter: number
  readonly continueToken: string
  readonly subject: string
  readonly subjectKind: string
  /** Empty where it is the refusal of the server itself or of a policy. */
  readonly webhook: string
  readonly isDenied: boolean
  readonly isNamespaceLeaving: boolean

  constructor(status: number, refusal: Refusal) {
    const { reason, message, retryAfter, continueToken = '', subject = '', subjectKind = '', webhook } = refusal
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.reason = reason
    this.retryAfter = Math.min(retryAfter, LONGEST_ASKED)
    this.continueToken = continueToken
    this.subject = subject
    this.subjectKind = subjectKind
    this.webhook = webhook ?? DENIAL.exec(message)?.[1] ?? ''
    this.isDenied = refusal.isDenied ?? (this.webhook !== '' || POLICY.test(message))
    this.isNamespaceLeaving = refusal.isNamespaceLeaving ?? false
  }
}

/**
 * True if the server takes no such object, however often it is sent: it is not valid, too long, or an admission policy
 * is against it.
 */
export function isRejection(error: unknown): boolean {
  return error instanceof ApiError && (error.isDenied || [400, 413, 422].includes(error.status))
}

/**
 * True if the server says that this very object is not there. Any other 404 says nothing about it: the server may not
 * serve this version of its kind, or its namespace has gone before it; and an admission webhook may miss something
 * else, even of the same name. `plural` is its kind as in paths.
 */
export function isAbsence(error: unknown, { plural, name }: Named): boolean {
  if (!(error instanceof ApiError) || error.status !== 404 || error.isDenied) return false
  return error.subject === name && (error.subjectKind === plural || error.subjectKind === '')
}

/** True if the server refused with this status. */
export function isRefusal(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status
}

/**
 * True if the object is not as the request takes it to be: it has changed, or somebody has made one. It passes when it
 * is read anew, unlike a 409 that an admission webhook gives.
 */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409 && !error.isDenied
}
