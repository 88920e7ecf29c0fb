import type { PathStep } from '../../model/field.ts'
import type { Source, Span } from '../../model/source.ts'

/**
 * Where a value of a template of values such as overwrite.yaml stands, or its key: see `spanOf` of codec. It is no YAML
 * before it is rendered, so that keys are found by how their lines are indented.
 */
export function spanInTemplate(source: Source, path: readonly PathStep[], part: 'key' | 'value' = 'value'): Span {
  return findKeys(source, path, part)
}

interface KeyLine {
  readonly indent: number
  readonly key: string
  readonly start: number
  /** Where the value begins, and the line ends without the blanks there. */
  readonly value: number
  readonly end: number
}

const keyLine = /^( *)(?:- )?(?:(["'])(.*?)\2|([^\s"'#{[&*!|>%@`][^#]*?)):(?:[ \t]+(.*)|)$/

function findKeys(source: Source, path: readonly PathStep[], part: 'key' | 'value'): Span {
  const lines = keyLines(source.text)
  // the values are a block of text in `values`
  const holder = lines.find(({ key, indent, value }) => key === 'values' && indent === 0 && source.text[value] === '|')
  let found = holder
  let from = holder === undefined ? 0 : lines.indexOf(holder) + 1
  for (const step of path) {
    // what stands in a list is not told apart
    if (typeof step !== 'string') break
    const inner = innerOf(lines, from, found)
    const next = inner.find(({ indent, key }) => key === step && indent === inner[0]?.indent)
    if (next === undefined) break
    found = next
    from = lines.indexOf(next) + 1
  }
  if (found === undefined || found === holder) return { source, start: 0, end: 0 }
  if (part === 'key') return { source, start: found.start, end: found.start + found.key.length }
  return { source, start: found.value, end: found.end }
}

/** The lines below a key, or all at the top, as far as they are indented deeper. */
function innerOf(lines: readonly KeyLine[], from: number, parent: KeyLine | undefined): readonly KeyLine[] {
  if (parent === undefined) return lines
  const end = lines.findIndex((line, index) => index >= from && line.indent <= parent.indent)
  return lines.slice(from, end === -1 ? lines.length : end)
}

function keyLines(text: string): readonly KeyLine[] {
  let start = 0
  return text.split('\n').flatMap((line) => {
    const here = start
    start += line.length + 1
    const trimmed = line.trimEnd()
    const match = keyLine.exec(trimmed)
    if (match === null) return []
    const [, spaces = '', , quoted, plain, value = ''] = match
    const key = quoted ?? plain ?? ''
    const end = here + trimmed.length
    const keyStart = here + line.indexOf(key, spaces.length)
    const valueStart = value === '' ? keyStart : end - value.length
    return [{ indent: spaces.length, key, start: keyStart, value: valueStart, end }]
  })
}
