import { fieldAt, formatPointer, type PathStep } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { LocatedToken, Manifest } from '../../model/manifest.ts'
import type { Span } from '../../model/source.ts'
import { rootTokens } from '../../model/token.ts'

/** A value that a line waits for. */
export interface PlaceholderOrigin {
  /** `Cluster spec.controlPlaneEndpoint.host`, or the function that a chart called to make it up. */
  readonly from: { readonly field: string } | { readonly function: string }
  /** The call in a template or values file that asked for it first. */
  readonly at?: Span | undefined
  /** The entry of the file for a preview that gives it. */
  readonly given?: Span | undefined
}

/** How a text with placeholders shows where it goes over several lines. */
const SHOWN = /\$\{|stackmason-placeholder/

/**
 * The values that the text at `path` of a rendered object waits for; of a text of several lines only the lines that
 * show it. `given`: the values of a preview.
 */
export function placeholdersAt(
  rendered: Manifest | undefined,
  path: readonly PathStep[],
  { line, given }: { readonly line: string; readonly given: Cluster['runtimeValues'] },
): readonly PlaceholderOrigin[] {
  const pointer = formatPointer(path)
  const located = rendered?.deferred?.find((candidate) => candidate.pointer === pointer)
  if (rendered === undefined || located === undefined) return []
  const value = fieldAt(rendered.object, ...path)
  if (typeof value === 'string' && value.trimEnd().includes('\n') && !SHOWN.test(line)) return []
  return originsOf(located, given)
}

function originsOf({ text, tokens }: LocatedToken, given: Cluster['runtimeValues']): readonly PlaceholderOrigin[] {
  return rootTokens(text, tokens).flatMap((token): readonly PlaceholderOrigin[] => {
    const spec = tokens.get(token)
    if (spec === undefined || spec.kind === 'derived' || spec.kind === 'parameter') return []
    const at = tokens.originOf(token)?.at
    if (spec.kind !== 'runtime') return [{ from: { function: spec.generate.function }, at }]
    return [{ from: { field: spec.path.replace('.', ' ') }, at, given: given.get(spec.path)?.at }]
  })
}
