import type { Acknowledgement } from './acknowledgement.ts'
import type { Code } from './error-codes.ts'
import type { RuleLevel } from './rule-level.ts'
import type { Span } from './source.ts'

/** Something that a check would have said, and that a change of the fleet's own files keeps it from saying. */
export type CheckException =
  /** A rule that counts less than before. */
  | {
      readonly kind: 'level'
      readonly code: Code
      /** `note`: of a rule whose findings are notes, unless the fleet gives it a level. */
      readonly before: RuleLevel | 'note'
      readonly after: RuleLevel
      /** Absent: the entry that raised it is gone. */
      readonly at?: Span | undefined
    }
  /** An entry that was not there, or `earlier` held until that day. */
  | { readonly kind: 'acknowledgement'; readonly entry: Acknowledgement; readonly earlier?: string | undefined }
  /** A file of the fleet's own policies, relative to its folder; one that was added holds more than policies. */
  | { readonly kind: 'policy'; readonly file: string; readonly change: 'removed' | 'changed' | 'added' }
  /** A file of definitions that the fleet has besides its tree, relative to stackmason.yaml. */
  | { readonly kind: 'schema'; readonly file: string; readonly change: 'removed' | 'changed' | 'added' }
  /** An API version that counts as served, and the files that say so now. */
  | { readonly kind: 'declaration'; readonly apiVersion: string; readonly files: readonly string[] }
  /** A field of stackmason.yaml that says what is compared with what. */
  | { readonly kind: 'setting'; readonly field: string; readonly before: string; readonly after: string }

/** The parts of a check that a fleet takes out. */
export interface CheckExceptions {
  /** Rules that find nothing, and those whose errors count as warnings. */
  readonly off: readonly Code[]
  readonly lowered: readonly Code[]
  /** Those that are new against the base; acknowledgements and policies, too. */
  readonly added: readonly CheckException[]
}
