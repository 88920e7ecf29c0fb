import { startOfLine } from '../../codec/text/start-of-line.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { ObjectField } from '../../model/manifest.ts'
import type { Span } from '../../model/source.ts'
import type { Locator } from './locator.ts'

/** The finding with the place of the field that it is about; it keeps its file where no place can be told. */
export function locateFinding(finding: Diagnostic, locator: Pick<Locator, 'locate'> | undefined): Diagnostic {
  const { on, beside, ...rest } = finding
  if (on === undefined) return finding
  const { at, trace = [] } = locator?.locate(on.manifest, on.path, on.part) ?? {}
  if (at === undefined) return rest
  const { file: _, ...bare } = rest
  const other = beside && placeBeside(locator?.locate(beside.on.manifest, beside.on.path), at)
  const also = beside === undefined || other === undefined ? [] : [{ what: beside.what, at: other }]
  const steps = [...trace, ...also, ...(bare.trace ?? [])]
  if (!holdsSecret(finding, on)) return { ...bare, at, ...(steps.length > 0 && { trace: steps }) }
  const blank = steps.map((step) => (step.at === undefined ? step : { ...step, at: withoutText(step.at) }))
  return { ...bare, at: withoutText(at), ...(blank.length > 0 && { trace: blank }) }
}

/** The place of the other field; where one template writes both, that of the call that led to it. */
function placeBeside(other: Pick<Diagnostic, 'at' | 'trace'> | undefined, at: Span): Span | undefined {
  const isSame = other?.at?.source === at.source && other.at.start === at.start
  return (isSame ? other.trace?.findLast((step) => step.at !== undefined)?.at : undefined) ?? other?.at
}

/** True if the text at the place of a finding may be a secret. */
function holdsSecret({ code }: Diagnostic, { manifest, path: [field] }: ObjectField): boolean {
  return code.startsWith('SECRET_') || (manifest.kind === 'Secret' && (field === 'data' || field === 'stringData'))
}

/** The span in a text of which nothing is left but its lines and, of the line of the span, the key. */
function withoutText({ source, start, end }: Span): Span {
  const { text } = source
  const lineStart = startOfLine(text, start)
  const [key = ''] = /^\s*(?:- )*["']?[\w./-]+["']?:(?=\s|$)/.exec(text.slice(lineStart)) ?? []
  const blank = text.replace(/[^\r\n]/g, ' ')
  const shown = blank.slice(0, lineStart) + key + blank.slice(lineStart + key.length)
  return { source: { ...source, text: shown, holds: 'values' }, start, end }
}

/** The thrown error, with the positions of its findings. */
function located(error: unknown, locate: (finding: Diagnostic) => Diagnostic): unknown {
  if (!(error instanceof StackmasonError) || error.diagnostics.every(({ on }) => on === undefined)) return error
  // not with itself as the cause: it holds whole objects
  return new StackmasonError(error.diagnostics.map(locate), { cause: error.cause })
}

/**
 * Runs work on objects whose places the locator knows.
 * @throws what the work throws; a StackmasonError with the places of its findings
 */
export function locating<Result>(locator: Pick<Locator, 'locate'>, work: () => Result): Result {
  return locatingAll((finding) => locateFinding(finding, locator), work)
}

/** As {@link locating}, where each finding has a locator of its own. */
export function locatingAll<Result>(locate: (finding: Diagnostic) => Diagnostic, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw located(error, locate)
  }
}
