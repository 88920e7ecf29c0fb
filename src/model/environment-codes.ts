import type { Code } from './error-codes.ts'

/** Problems of the network or of this machine: they say nothing about the input, and may be gone at the next run. */
export const environmentCodes: ReadonlySet<Code> = new Set<Code>([
  'FETCH_FAILED',
  'FETCH_TIMEOUT',
  'FETCH_TLS',
  'FETCH_UNAUTHORIZED',
  'FETCH_CREDENTIALS',
  'FETCH_RATE_LIMITED',
  'FETCH_REFUSED',
  'FETCH_OFFLINE',
  'GIT_FAILED',
  'CACHE_FAILED',
  'FILE_UNREADABLE',
  'INPUT_NOT_CHECKED_OUT',
  'CONTROLLER_FAILED',
  'CLUSTER_UNREACHABLE',
])
