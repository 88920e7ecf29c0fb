/** Characters that no name of a ref may hold: control characters, blanks, those of revisions and patterns. */
const FORBIDDEN = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\//

/** True for what `git check-ref-format --branch` takes as the name of a branch, abbreviations aside. */
export function isBranchName(name: string): boolean {
  if (name === '' || name === '@' || name === 'HEAD' || name.startsWith('-') || name.endsWith('.')) return false
  return (
    !FORBIDDEN.test(name) &&
    name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
  )
}
