import { fieldAt, formatPointer, type PathStep } from '../../model/field.ts'
import type { LocatedToken, Manifest } from '../../model/manifest.ts'
import type { Span } from '../../model/source.ts'
import { rootTokens } from '../../model/token.ts'

/** A value that a line waits for. */
export interface PlaceholderOrigin {
  /** `Cluster spec.controlPlaneEndpoint.host`, or the function that a chart called to make it up. */
  readonly from: { readonly field: string } | { readonly function: string }
  /** The call in a template or values file that asked for it first. */
  readonly at?: Span | undefined
}

/** How a text with placeholders shows where it goes over several lines. */
const SHOWN = /\$\{|stackmason-placeholder/

/**
 * The values that the text at `path` of a rendered object waits for; of a text of several lines only the lines that
 * show it.
 */
export function placeholdersAt(
  rendered: Manifest | undefined,
  path: readonly PathStep[],
  line: string,
): readonly PlaceholderOrigin[] {
  const pointer = formatPointer(path)
  const located = rendered?.deferred?.find((candidate) => candidate.pointer === pointer)
  if (rendered === undefined || located === undefined) return []
  const value = fieldAt(rendered.object, ...path)
  if (typeof value === 'string' && value.trimEnd().includes('\n') && !SHOWN.test(line)) return []
  return originsOf(located)
}

function originsOf({ text, tokens }: LocatedToken): readonly PlaceholderOrigin[] {
  return rootTokens(text, tokens).flatMap((token): readonly PlaceholderOrigin[] => {
    const spec = tokens.get(token)
    if (spec === undefined || spec.kind === 'derived' || spec.kind === 'parameter') return []
    const at = tokens.originOf(token)?.at
    const from = spec.kind === 'runtime' ? { field: spec.path.replace('.', ' ') } : { function: spec.generate.function }
    return [{ from, at }]
  })
}
