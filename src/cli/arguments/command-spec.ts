/** The kind of words that a shell can complete by itself, or that stackmason reads from the fleet for it. */
export type Completes = 'files' | 'folders' | 'clusters' | 'stacks' | 'releases' | 'classes' | 'sources'

/** An option of a command. Help, reference pages, completion and the parser all come from this. */
export interface OptionSpec {
  /** Without the dashes. */
  readonly name: string
  /** One letter, without the dash. */
  readonly short?: string
  /** Other spellings, accepted but not listed. */
  readonly aliases?: readonly string[]
  /** `flag` takes no value, `value` takes one and the last counts, `list` may be repeated. */
  readonly type: 'flag' | 'value' | 'list'
  /** The name of the value in help, in capitals; set unless `type` is `flag`. */
  readonly placeholder?: string
  readonly choices?: readonly string[]
  /** A choice may be followed by `=FILE`. */
  readonly takesFile?: true
  /** The words that a shell offers for the value. */
  readonly completes?: Completes
  /** Parsed but not shown: options of another program that are refused with a reason. */
  readonly isHidden?: boolean
  /** One phrase, lower case, no full stop. */
  readonly summary: string
}

/** A word of a command that is not an option. */
export interface OperandSpec {
  readonly name: string
  readonly isOptional: boolean
  /** Any number of them; only for the last one. */
  readonly isRepeated?: true
  readonly choices?: readonly string[]
  readonly completes?: Completes
  readonly summary: string
}

/** The options that help, reference pages and completion show. */
export function shownOptions(command: CommandSpec): readonly OptionSpec[] {
  return command.options.filter((option) => option.isHidden !== true)
}

/** One command of the program. */
export interface CommandSpec {
  readonly name: string
  /** Called by shells: neither help nor reference pages nor completion show it. */
  readonly isHidden?: boolean
  /** One phrase, lower case, no full stop: what stands in the list of commands. */
  readonly summary: string
  /** Paragraphs of the command's own help. */
  readonly description: readonly string[]
  readonly operands: readonly OperandSpec[]
  readonly options: readonly OptionSpec[]
  /** When it ends with which status, as `<status> <meaning>`. */
  readonly exitStatus: readonly string[]
  /** The status of a run without a result, where 1 says something else. Absent: 1 for problems of the input, else 2. */
  readonly failureStatus?: 2
  readonly examples: readonly { readonly command: string; readonly summary: string }[]
}
