import { splitLines } from './split-lines.ts'

/** The identity of a pull request for the next run, hidden in its body. */
export interface BodyMark {
  /** The group that is published together; see `PullRequestFacts.group`. */
  readonly group: string
  /** Of what the pull request says. */
  readonly fingerprint: string
  /** True if it was made a draft because nobody should merge what it proposes. */
  readonly isDraft?: boolean
  /** True if we have closed it ourselves: nobody has said that he does not want it. */
  readonly isWithdrawn?: boolean
  /** True until it was given what belongs to it: labels, people, merging. */
  readonly isUnfinished?: boolean
}

const BEGIN = '<!-- stackmason:begin -->'
const END = '<!-- stackmason:end -->'
const MARK = /^<!-- stackmason:publish v1alpha1 (\{.*\}) -->$/
/** Stands beside the end, so that one of the two may be lost; and people who edit the text read it. */
const NOTICE = '<!-- stackmason: this block is written anew; write above or below it -->'

/** The text with marks around it, by which the next run finds it again. */
export function formatBlock(text: string, mark: BodyMark): string {
  return [BEGIN, formatMark(mark), '', text, '', NOTICE, END].join('\n')
}

function formatMark(mark: BodyMark): string {
  const { group, fingerprint, isDraft = false, isWithdrawn = false, isUnfinished = false } = mark
  const fields = {
    group,
    fingerprint,
    ...(isDraft && { draft: true }),
    ...(isWithdrawn && { withdrawn: true }),
    ...(isUnfinished && { unfinished: true }),
  }
  return `<!-- stackmason:publish v1alpha1 ${JSON.stringify(fields).replaceAll('>', String.raw`\u003e`)} -->`
}

/** The body of a pull request that is opened and lacks what belongs to it: a run that is killed before is made good. */
export function unfinishedBody(body: string): string {
  return withMark(body, (mark) => ({ ...mark, isUnfinished: true }))
}

/** The body of a pull request that we close: its marks say so, and nothing else changes. */
export function withdrawnBody(body: string): string {
  return withMark(body, (mark) => ({ ...mark, isWithdrawn: true }))
}

/**
 * The body of one that becomes a draft because what it proposes cannot be made any more; it is written anew afterwards.
 */
export function haltedBody(body: string): string {
  return withMark(body, (mark) => ({ ...mark, fingerprint: '', isDraft: true }))
}

function withMark(body: string, change: (mark: BodyMark) => BodyMark): string {
  const lines = splitLines(body)
  const ours = new Set(ownLines(lines))
  return lines
    .map((line, at) => {
      const mark = ours.has(at) ? parseMark(line) : undefined
      return mark === undefined ? line : formatMark(change(mark)) + endOf(line)
    })
    .join('')
}

/** True if a line of a text would pass for one of our marks. */
export function findMark(text: string): number | undefined {
  const at = splitLines(text).findIndex((line) => signOf(line) !== undefined)
  return at === -1 ? undefined : at
}

/** Reads what a body says of itself; undefined: it is none of ours. */
export function readMark(body: string): BodyMark | undefined {
  const lines = splitLines(body)
  for (const at of ownLines(lines)) {
    const mark = parseMark(lines[at] ?? '')
    if (mark !== undefined) return mark
  }
  return undefined
}

/** Where the lines of ours are. */
function ownLines(lines: readonly string[]): readonly number[] {
  const { blocks, strays } = findBlocks(lines)
  return [...blocks.flatMap(({ from, to }) => range(from, to)), ...strays]
}

/** The text that people have written into a body: everything but our block. */
export function textOutside(body: string): string {
  return replaceBlocks(body, undefined)
}

/**
 * The body with our block in its new form, where the old one stood, or first. Everything else stays as it is, byte for
 * byte; text of ours, too, where the marks at one of its ends are gone: nobody could tell it from what people wrote.
 */
export function mergeBody(body: string, block: string): string {
  return replaceBlocks(body, block)
}

function replaceBlocks(body: string, block: string | undefined): string {
  const lines = splitLines(body)
  const { blocks, strays } = findBlocks(lines)
  const [first] = blocks
  const dropped = new Set([...strays, ...blocks.flatMap(({ from, to }) => range(from, to))])
  const kept = lines.map((line, at) => {
    if (at === first?.from && block !== undefined) return block + endOf(lines[first.to] ?? '')
    return dropped.has(at) ? '' : line
  })
  const text = kept.join('')
  if (block === undefined || first !== undefined) return text
  return text.trim() === '' ? block : `${block}\n\n${text}`
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

function endOf(line: string): string {
  return /\r?\n$/.exec(line)?.[0] ?? ''
}

type Sign = 'opens' | 'closes'

/** A mark stands alone at the start of its line: in a quote or a list it is one that somebody cites. */
function signOf(line: string): Sign | undefined {
  const text = line.trimEnd()
  if (text === BEGIN || MARK.test(text)) return 'opens'
  return text === END || text === NOTICE ? 'closes' : undefined
}

function parseMark(line: string): BodyMark | undefined {
  const [, json] = MARK.exec(line.trimEnd()) ?? []
  if (json === undefined) return undefined
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return undefined
  }
  const fields = new Map<string, unknown>(typeof value === 'object' && value !== null ? Object.entries(value) : [])
  const [group, fingerprint] = [fields.get('group'), fields.get('fingerprint')]
  if (typeof group !== 'string' || typeof fingerprint !== 'string') return undefined
  return {
    group,
    fingerprint,
    ...(fields.get('draft') === true && { isDraft: true }),
    ...(fields.get('withdrawn') === true && { isWithdrawn: true }),
    ...(fields.get('unfinished') === true && { isUnfinished: true }),
  }
}

/** Lines of one kind of mark with nothing but empty lines between them. */
interface SignGroup {
  readonly sign: Sign
  readonly from: number
  to: number
  /** The marks themselves. */
  readonly at: number[]
}

interface FoundBlocks {
  /** From the line of the first mark to that of the last. */
  readonly blocks: readonly { readonly from: number; readonly to: number }[]
  /** Marks without a counterpart. */
  readonly strays: readonly number[]
}

/**
 * Finds our blocks: marks that open one, directly followed by marks that close one. Blocks and marks inside of a block
 * of code that somebody wrote around them are cited ones, and no part of this; code that is never closed surrounds
 * nothing.
 */
function findBlocks(lines: readonly string[]): FoundBlocks {
  const parts = pairUp(signGroups(lines))
  let open: Fence | undefined
  let line = 0
  const found = parts.map((part) => {
    // what is in a block says nothing about what is around it
    for (; line < part.from; line++) open = fenceAfter(open, lines[line] ?? '')
    line = part.to + 1
    return { part, fence: open }
  })
  for (; line < lines.length; line++) open = fenceAfter(open, lines[line] ?? '')
  const ours = found.flatMap(({ part, fence }) => (fence?.isClosed === true ? [] : [part]))
  return {
    blocks: ours.filter(({ isBlock }) => isBlock),
    strays: ours.flatMap(({ isBlock, at }) => (isBlock ? [] : at)),
  }
}

interface FoundPart {
  readonly isBlock: boolean
  readonly from: number
  readonly to: number
  readonly at: readonly number[]
}

function pairUp(groups: readonly SignGroup[]): readonly FoundPart[] {
  const parts: FoundPart[] = []
  for (let index = 0; index < groups.length; index++) {
    const [group, next] = [groups[index], groups[index + 1]]
    if (group === undefined) continue
    if (group.sign === 'opens' && next?.sign === 'closes') {
      parts.push({ isBlock: true, from: group.from, to: next.to, at: [] })
      index++
    } else parts.push({ isBlock: false, ...group })
  }
  return parts
}

function signGroups(lines: readonly string[]): readonly SignGroup[] {
  const groups: SignGroup[] = []
  let isNear = false
  for (const [at, line] of lines.entries()) {
    const sign = signOf(line)
    const last = groups.at(-1)
    if (sign === undefined) isNear &&= line.trim() === ''
    else if (isNear && last?.sign === sign) {
      last.to = at
      last.at.push(at)
    } else groups.push({ sign, from: at, to: at, at: [at] })
    if (sign !== undefined) isNear = true
  }
  return groups
}

/** A block of code. */
interface Fence {
  /** That began it. */
  readonly signs: string
  isClosed: boolean
}

/** The block of code that is open behind a line. */
function fenceAfter(open: Fence | undefined, line: string): Fence | undefined {
  const [, signs, rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/s.exec(line.trimEnd()) ?? []
  if (signs === undefined) return open
  if (open === undefined) return signs.startsWith('`') && rest.includes('`') ? undefined : { signs, isClosed: false }
  open.isClosed = signs.startsWith(open.signs.charAt(0)) && signs.length >= open.signs.length && rest.trim() === ''
  return open.isClosed ? undefined : open
}
