import { decodeUtf8, encodeUtf8 } from '../codec/bytes/utf8.ts'
import { parsePositionedYaml, type ReadDocument } from '../codec/yaml/positioned-yaml.ts'
import { StackmasonError } from '../model/diagnostic.ts'
import type { Code } from '../model/error-codes.ts'
import { fieldAt } from '../model/field.ts'
import type { Source, Span } from '../model/source.ts'
import type { Value } from '../model/value.ts'
import { applyChange, emptiedPath } from './apply-change.ts'
import { isSameValue } from './same-value.ts'
import { planRemoval } from './plan-removal.ts'
import { planSplices, type Splice } from './plan-splices.ts'
import type { YamlChange } from './yaml-change.ts'
import { parseYamlNodes } from './yaml-nodes.ts'

/** The bytes of a YAML file, and what messages call it. */
export interface YamlFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** A YAML file that people write, read for editing. */
export interface EditableYaml {
  readonly source: Source
  readonly documents: readonly ReadDocument[]
  /**
   * The file with other values. Every other byte stays: comments, quotes, line breaks. What is there already is left
   * alone.
   * @throws StackmasonError of the given code where a change cannot be made without touching more
   */
  readonly edit: (changes: readonly YamlChange[]) => Uint8Array
}

const BYTE_ORDER_MARK = '\uFEFF'

/** Reads a YAML file for editing. Refusals have the given code. @throws StackmasonError when it does not parse */
export function openYaml({ name, bytes }: YamlFile, code: Code): EditableYaml {
  const whole = decodeUtf8(bytes)
  const mark = whole.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  const source = { name, text: whole.slice(mark.length) }
  const { documents, problems } = parsePositionedYaml(source)
  if (problems.length > 0) throw new StackmasonError(problems.map((problem) => ({ ...problem, code })))
  const edit = (changes: readonly YamlChange[]): Uint8Array => {
    let { text } = source
    for (const change of changes) {
      const at = spanOf(change, documents[change.document ?? 0]) ?? { source, start: 0, end: 0 }
      text = changed(text, change, (reason) => refusal(code, reason, at))
    }
    return text === source.text ? bytes : encodeUtf8(mark + text)
  }
  return { source, documents, edit }
}

function spanOf({ path }: YamlChange, document: ReadDocument | undefined): Span | undefined {
  return document?.spanOf(path)
}

/**
 * The text after one change. What is planned on how the text is written is read again by the reader that everything
 * else here uses: only if that finds the one value changed and nothing else, the change is made.
 */
function changed(text: string, change: YamlChange, refuse: (reason: string) => StackmasonError): string {
  const index = change.document ?? 0
  const before = valuesOf(text)
  const old = before[index]
  if (old === undefined) throw refuse('the file has no such document')
  if (isThere(old, change)) return text
  const nodes = parseYamlNodes(text)
  const root = nodes?.length === before.length ? nodes[index] : undefined
  if (root === undefined) throw refuse('this value cannot be changed by itself')
  const plan =
    change.how === 'remove'
      ? planRemoval(emptiedPath(old, change.path), { text, root })
      : planSplices(change, { text, root })
  if ('reason' in plan) throw refuse(plan.reason)
  const after = spliced(text, plan.splices)
  const wanted = before.map((value, at) => (at === index ? applyChange(value, change) : value))
  if (!isSameValue(valuesOf(after), wanted)) throw refuse('this value cannot be changed by itself')
  return after
}

/** True if nothing is to be done. */
function isThere(value: Value, change: YamlChange): boolean {
  if (change.how === 'append') return false
  const found = fieldAt(value, ...change.path)
  if (change.how === 'remove') return found === undefined
  return found !== undefined && isSameValue(found, change.value)
}

function valuesOf(text: string): Value[] {
  const { documents, problems } = parsePositionedYaml({ name: '', text })
  return problems.length > 0 ? [] : documents.map(({ value }) => value)
}

/** From the last to the first, so that offsets hold. */
function spliced(text: string, splices: readonly Splice[]): string {
  return [...splices]
    .sort((a, b) => b.start - a.start)
    .reduce((result, { start, end, text: inserted }) => result.slice(0, start) + inserted + result.slice(end), text)
}

function refusal(code: Code, message: string, at: Span): StackmasonError {
  const hint = 'Write it as plain text of its own, without anchor or alias.'
  return new StackmasonError({ code, severity: 'error', message, at, hint })
}
