import { compileRegexp } from '../../codec/text/regexp.ts'

/**
 * Compiles a glob as `.Files.Glob` understands it (gobwas/glob with `/` as separator): `*` and `?` stop at `/`, `**`
 * does not, `[abc]` `[a-z]` `[!a]` match one character, `{a,b}` alternatives, `\` escapes. Returns undefined for a
 * pattern that it refuses. Linear in the path.
 */
export function compileGlob(pattern: string): ((path: string) => boolean) | undefined {
  const characters = Array.from(pattern)
  let expression = ''
  let depth = 0
  let at = 0
  const readText = (isEnd: (character: string) => boolean): string => {
    let text = ''
    for (; at < characters.length; at++) {
      let character = characters[at] ?? ''
      if (character === '\\') character = characters[++at] ?? ''
      else if (isEnd(character)) break
      text += character
    }
    return text
  }
  const readClass = (): string | undefined => {
    const negated = characters[at] === '!'
    if (negated) at++
    const first = characters[at]
    if (first === undefined) return undefined
    if (characters[at + 1] === '-') {
      const last = characters[at + 2]
      if (last === undefined || characters[at + 3] !== ']' || last < first) return undefined
      at += 4
      return `[${negated ? '^' : ''}${escape(first)}-${escape(last)}]`
    }
    const text = readText((character) => character === ']')
    if (text === '' || characters[at] !== ']') return undefined
    at++
    return `[${negated ? '^' : ''}${Array.from(text, escape).join('')}]`
  }
  while (at < characters.length) {
    const character = characters[at]
    if (character === '{') {
      depth++
      at++
      expression += '(?:'
    } else if (depth > 0 && (character === ',' || character === '}')) {
      at++
      expression += character === ',' ? '|' : ')'
      if (character === '}') depth--
    } else if (character === '[') {
      at++
      const part = readClass()
      if (part === undefined) return undefined
      expression += part
    } else if (character === '?') {
      at++
      expression += '[^/]'
    } else if (character === '*') {
      const isSuper = characters[at + 1] === '*'
      at += isSuper ? 2 : 1
      expression += isSuper ? '(?s:.*)' : '[^/]*'
    } else {
      const isEnd = (next: string): boolean => '?*[{'.includes(next) || (depth > 0 && (next === '}' || next === ','))
      expression += Array.from(readText(isEnd), escape).join('')
    }
  }
  // An alternative that is not closed ends with the pattern.
  const compiled = compileRegexp(`^(?:${expression}${')'.repeat(depth)})$`)
  return (path) => compiled.test(path)
}

function escape(character: string): string {
  return /[A-Za-z0-9_/]/.test(character) ? character : `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
