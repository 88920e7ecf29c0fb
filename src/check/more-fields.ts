/** The words for fields behind the first: ` and 1 more field`; '' for none. */
export function andMoreFields(count: number): string {
  return count < 1 ? '' : ` and ${String(count)} more field${count === 1 ? '' : 's'}`
}
