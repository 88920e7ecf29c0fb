/** Where one form of a report goes. */
export interface OutputTarget {
  readonly form: string
  /** As it was typed; absent: standard output. */
  readonly file?: string
}

/** The form that a value of `--output` names: what stands before `=FILE`. */
export function formOf(value: string): string {
  const equals = value.indexOf('=')
  return equals === -1 ? value : value.slice(0, equals)
}

/**
 * Where the forms go that `--output` asks for: text on standard output where nothing else goes there. Problems, if two
 * of them go to one place, or a file has no name.
 */
export function outputTargets(values: readonly string[]): {
  readonly targets: readonly OutputTarget[]
  readonly problems: readonly string[]
} {
  const targets = values.map((value): OutputTarget => {
    const form = formOf(value)
    return form === value ? { form } : { form, file: value.slice(form.length + 1) }
  })
  const files = targets.map(({ file }) => file)
  const problems = targets.flatMap(({ form, file }, index) => {
    if (file === '') return [`--output ${form}= needs the name of a file`]
    if (form === 'text' && file !== undefined) return ['--output text goes to the terminal and takes no file']
    const first = files.indexOf(file)
    if (first === index) return []
    return [collision(targets[first]?.form ?? '', form, file)]
  })
  return { targets: files.includes(undefined) ? targets : [{ form: 'text' }, ...targets], problems }
}

/** The problem of two forms in one place; text is never told to go to a file. */
function collision(first: string, second: string, file: string | undefined): string {
  const both = first === second ? `${first} both times goes` : `${first} and ${second} both go`
  if (file !== undefined) return `--output ${both} to the file ${JSON.stringify(file)}: name another for one of them`
  if (first === second) return `--output ${first} is there twice: leave one out`
  const movable = second === 'text' ? first : second
  return `--output ${both} to standard output: give one of them a file: ${movable}=FILE`
}
