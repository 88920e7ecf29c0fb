import type { Diagnostic } from '../model/diagnostic.ts'
import { errorCodes } from '../model/error-codes.ts'

/** The remedy for a diagnostic: its own hint, else the advice of its code. */
export function hintOf({ code, hint = '' }: Diagnostic): string {
  return hint === '' ? errorCodes[code].fix : hint
}
