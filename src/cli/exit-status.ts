import type { Diagnostic } from '../model/diagnostic.ts'
import { environmentCodes } from '../model/environment-codes.ts'
import type { Code } from '../model/error-codes.ts'

/** Problems that are not the input's: the command line, the machine, or a defect. */
const FAILURES: ReadonlySet<Code> = new Set<Code>([
  'USAGE',
  'INTERNAL',
  'CONFIG_NOT_FOUND',
  'BASE_UNKNOWN',
  ...environmentCodes,
  'WRITE_BUSY',
  'WRITE_FAILED',
  'SHARD_MISSING',
  'SHARD_MISMATCHED',
  'SHARD_DAMAGED',
])

/**
 * 0 without errors (one that the fleet acknowledges counts as none), 2 when one of them is no fault of the input, else
 * 1.
 */
export function exitStatusOf(findings: readonly Diagnostic[]): 0 | 1 | 2 {
  const errors = findings.filter((finding) => finding.severity === 'error' && finding.acknowledgement === undefined)
  if (errors.length === 0) return 0
  return errors.some((finding) => FAILURES.has(finding.code)) ? 2 : 1
}
