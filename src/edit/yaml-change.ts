import type { PathStep } from '../model/field.ts'
import type { Value } from '../model/value.ts'

/** A change of a file that people write. */
export interface YamlChange {
  /**
   * `replace`: the value must be there. `set`: it is added where it is missing. `append`: it becomes the last item of
   * the list, which is made where it is missing.
   */
  readonly how: 'replace' | 'set' | 'append'
  readonly path: readonly PathStep[]
  readonly value: Value
  /** Which document of the file; the first if absent. */
  readonly document?: number
}
