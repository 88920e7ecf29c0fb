/** A number with its noun: `1 file`, `2 files`; `many` where it is not the noun with an s. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${String(count)} ${count === 1 ? noun : many}`
}
