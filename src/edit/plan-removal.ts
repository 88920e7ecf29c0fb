import { startOfLine } from '../codec/text/start-of-line.ts'
import type { PathStep } from '../model/field.ts'
import { contentEnd, lineEnd, nameOf, type SplicePlace, type SplicePlan } from './plan-splices.ts'
import { findNode, type YamlCollection } from './yaml-nodes.ts'

/** Where an entry of a map or list stands. */
interface Part {
  readonly start: number
  readonly end: number
}

/**
 * Plans the removal of an entry that is not the only one. Whether the result reads as it should is for the caller to
 * see.
 */
export function planRemoval(path: readonly PathStep[], { text, root }: SplicePlace): SplicePlan {
  const step = path.at(-1)
  if (step === undefined) return { reason: 'nothing would be left of the document' }
  const parent = findNode(root, path.slice(0, -1))?.node
  if (parent === undefined || (parent.type !== 'map' && parent.type !== 'list'))
    return { reason: `${nameOf(path)} is not there by itself` }
  const parts = partsOf(parent)
  const index = parent.type === 'map' ? parent.entries.findIndex(({ key }) => key === step) : Number(step)
  const part = parts[index]
  if (part === undefined) return { reason: `${nameOf(path)} is not there by itself` }
  const [before, after] = [parts[index - 1], parts[index + 1]]
  if (parent.style === 'flow') return between(part, before, after)
  const from = startOfLine(text, part.start)
  const head = text.slice(from, part.start)
  const isWholeLine = parent.type === 'map' ? /^ *$/.test(head) : /^ *- +$/.test(head)
  // the first key of an item stands behind its dash: what follows moves up to there
  if (!isWholeLine) return between(part, undefined, after)
  // what stands above all of a file may be about the file
  const start = from === startOfLine(text, root.start) ? from : commentsAbove(text, from, parent.indent)
  const end = text[part.end - 1] === '\n' ? part.end : nextLine(text, part.end)
  return { splices: [{ start, end, text: '' }] }
}

function partsOf(parent: YamlCollection): readonly Part[] {
  if (parent.type === 'map')
    return parent.entries.map(({ keyStart, keyEnd, value }) => ({
      start: keyStart,
      end: Math.max(keyEnd, contentEnd(value)),
    }))
  return parent.items.map((item) => ({ start: item.start, end: contentEnd(item) }))
}

/** With the comma, or what else divides it from the next one. */
function between(part: Part, before: Part | undefined, after: Part | undefined): SplicePlan {
  if (after !== undefined) return { splices: [{ start: part.start, end: after.start, text: '' }] }
  if (before === undefined) return { reason: 'it shares its line with something else' }
  return { splices: [{ start: before.end, end: part.end, text: '' }] }
}

/** Where the comments begin that stand directly above a line, as deep as its keys. */
function commentsAbove(text: string, line: number, indent: number): number {
  let start = line
  while (start > 0) {
    const above = startOfLine(text, start - 1)
    if (!text.startsWith(`${' '.repeat(indent)}#`, above)) break
    start = above
  }
  return start
}

function nextLine(text: string, at: number): number {
  const end = lineEnd(text, at)
  const rest = /^\r?\n/.exec(text.slice(end, end + 2))
  return end + (rest?.[0].length ?? 0)
}
