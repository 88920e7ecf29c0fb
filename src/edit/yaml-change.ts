import type { PathStep } from '../model/field.ts'
import type { Value } from '../model/value.ts'

interface ChangedPlace {
  readonly path: readonly PathStep[]
  /** Which document of the file; the first if absent. */
  readonly document?: number
}

/** A change of a value of a file that people write. */
export interface YamlValueChange extends ChangedPlace {
  /**
   * `replace`: the value must be there. `set`: it is added where it is missing. `append`: it becomes the last item of
   * the list, which is made where it is missing.
   */
  readonly how: 'replace' | 'set' | 'append'
  readonly value: Value
}

/**
 * A key or an item that goes, with the comments above it. A map or list that would be empty then goes too; the last of
 * a document stays.
 */
interface YamlRemoval extends ChangedPlace {
  readonly how: 'remove'
}

/** A change of a file that people write. */
export type YamlChange = YamlValueChange | YamlRemoval
