/** The options of `git ls-files` that print what {@link findConverted} reads, but for what lies at or below a path. */
export function lineEndsArgs(except: string): readonly string[] {
  return ['ls-files', '-z', '--eol', '--', `:(exclude,literal)${except}`]
}

/** The options of `git ls-files` that print files that differ from the index, after git has converted them back. */
export const MODIFIED_ARGS = ['ls-files', '-z', '--modified'] as const

const ENTRY = /^i\/lf +w\/(?:crlf|mixed) +attr\/[^\t]*\t/

/**
 * Files whose lines end with LF in the index and with CRLF in the work tree.
 * @param printed what git printed with {@link lineEndsArgs}
 */
export function findConverted(printed: string): readonly string[] {
  return printed.split('\0').flatMap((line) => {
    const entry = ENTRY.exec(line)
    return entry === null ? [] : [line.slice(entry[0].length)]
  })
}
