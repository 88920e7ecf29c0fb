/** A search among assignments. */
interface Search {
  /** True if what is assigned to this name is looked for. */
  readonly means: (name: string) => boolean
  /** Takes a value as it stands there, with its quotes. */
  readonly add: (value: string) => void
}

/** An assignment within a text. */
interface Assigned {
  readonly start: number
  readonly end: number
}

const IN_NAME = /[A-Za-z0-9_.-]/
const LONGEST_NAME = 200
/** Characters between a name and its sign: `PASSWORD+=`, `config["password"] = `, `"${PASSWORD}" = `. */
const BETWEEN = /[+\s"'\]}]/
const LONGEST_BETWEEN = 40
const VALUE = /[ \t]{0,40}(\[[^\]\n]{1,1000}\]|"[^"]{1,1000}"|'[^']{1,1000}'|[^\s,;&]{1,1000})/y
/** Of a comparison (`==`), or of a pair (`=>`): words without quotes are code. */
const COMPARED = /[=>][ \t]{0,40}("[^"]{1,1000}"|'[^']{1,1000}')/y
/** The beginning of a text whose lines follow. */
const HEREDOC = /^<<[-~]?[A-Za-z_]\w*$/
/** In expressions over objects, that of a label or of an entry. */
const KEY_OF_ENTRY = /(?:^|\.)key$/i
/** Stands in for a value, in a script: a variable that is called as those of the environment are, or a file. */
const VARIABLE =
  /^(\\{0,2}["']?)\$(?:[A-Z_][A-Z0-9_]*|\{[A-Z_][A-Z0-9_]*\}|\d|\(cat(?:\s[^)"']{1,500}\))?|\(<[^)"']{1,500}\)?)\1$/
/** A value without quotes, up to what closes the text around it. */
const CORE = /^\\{0,4}["']?([^"'<>`\\)}\]]{1,1000})/

/**
 * Finds what is assigned to names that are meant. The value of another name may hold more of them
 * (`URL=jdbc:…?password=…`, `--set=auth.password=…`), and is looked through. In steps that grow as the text does:
 * no name goes back behind the sign before.
 */
export function assignedValues(text: string, means: (name: string) => boolean): readonly Assigned[] {
  const found: Assigned[] = []
  let from = 0
  for (let at = text.indexOf('='); at !== -1; at = text.indexOf('=', from)) {
    const name = nameBefore(text, from, at)
    from = at + 1
    if (name === '' || !means(name)) continue
    const value = valueBehind(text, from, name)
    if (value === undefined) continue
    found.push(value)
    from = value.end
  }
  return found
}

/** Collects what is assigned to names that are meant, also without what closes the text around it. */
export function collectAssigned(text: string, { means, add }: Search): void {
  for (const { start, end } of assignedValues(text, means)) {
    const value = text.slice(start, end)
    if (VARIABLE.test(value)) continue
    add(value)
    const [, core] = /^["']/.test(value) ? [] : (CORE.exec(value) ?? [])
    if (core !== undefined) add(core)
  }
}

/** The name whose sign stands at a place of a text, as far as `from`; '' for none. */
export function nameBefore(text: string, from: number, at: number): string {
  const furthest = Math.max(from, at - LONGEST_BETWEEN)
  let end = at
  while (end > furthest && BETWEEN.test(text.charAt(end - 1))) end--
  let start = end
  while (start > from && end - start < LONGEST_NAME && IN_NAME.test(text.charAt(start - 1))) start--
  return text.slice(start, end)
}

function valueBehind(text: string, from: number, name: string): Assigned | undefined {
  const isCompared = /[=>]/.test(text.charAt(from))
  if (isCompared && KEY_OF_ENTRY.test(name)) return undefined
  const form = isCompared ? COMPARED : VALUE
  form.lastIndex = from
  const [, value] = form.exec(text) ?? []
  return value === undefined || HEREDOC.test(value)
    ? undefined
    : { start: form.lastIndex - value.length, end: form.lastIndex }
}
