import { ApiError } from '../../kube/api-error.ts'

/** Why an object or a page could not be read or rewritten. */
export interface Failure {
  readonly reason: 'AdmissionDenied' | 'ConversionFailed' | 'Conflict' | 'ServerError'
  /** Holds nothing of the object but its field names: objects may hold secrets. */
  readonly message: string
}

/** The server's validation error of a field; the value that may follow is not taken. */
const fieldProblem =
  /(?:^|[\s[])([A-Za-z_][A-Za-z0-9_.[\]-]{0,127}): (Invalid value|Required value|Unsupported value|Duplicate value|Forbidden|Too long|Too many)/g
const MOST_PROBLEMS = 4
const silence = /failed calling webhook "([^"]{1,253})"/
const conversion =
  /conversion webhook for ([^\s,]{1,253}), Kind=([A-Za-z0-9]{1,63}) failed(: Post "[^"]{1,512}".{0,200})?/s

/** Says what an error means for the objects that were asked for. */
export function describeFailure(error: unknown): Failure {
  if (!(error instanceof ApiError)) return { reason: 'ServerError', message: 'the server does not answer' }
  const { status, message, webhook } = error
  const converted = conversion.exec(message)
  if (converted !== null) {
    const [, version = '', kind = '', network = ''] = converted
    return { reason: 'ConversionFailed', message: `the conversion webhook for ${version} ${kind} failed${network}` }
  }
  if (status >= 500 || status === 429) {
    const [, silent] = silence.exec(message) ?? []
    if (silent !== undefined) return { reason: 'ServerError', message: `admission webhook ${silent} does not answer` }
    const reason = /conver(?:t|sion)/i.test(message) ? 'ConversionFailed' : 'ServerError'
    return { reason, message: `the server answers with status ${String(status)}` }
  }
  if (webhook !== '') return { reason: 'AdmissionDenied', message: `admission webhook ${webhook} refuses it` }
  // of an object that is there: the server does not serve the kind, or misses something else
  if (status === 404) return { reason: 'ServerError', message: 'the server answers with status 404' }
  const problems = Array.from(message.matchAll(fieldProblem), ([, field = '', problem = '']) => `${field}: ${problem}`)
  const said = problems.length === 0 ? '' : `: ${problems.slice(0, MOST_PROBLEMS).join(', ')}`
  return { reason: 'AdmissionDenied', message: `the server refuses it with status ${String(status)}${said}` }
}

/** True if the server does not let us do such a thing to any object. */
export function isNotAllowed(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403 && /User ".*" cannot [a-z]+ resource/s.test(error.message)
}
