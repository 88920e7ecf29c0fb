import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Span } from '../../model/source.ts'
import type { TraceStep } from '../../model/trace-step.ts'
import { quoteGo } from '../engine/format.ts'
import { spanOfPlace, type TemplatePlace } from './template-places.ts'

/** Where a field of a rendered object comes from. Without any place stackmason wrote it itself. */
export interface FieldOrigin {
  /** True if the field stands there as it is; else the places are those of what it would be part of. */
  readonly isWritten: boolean
  /**
   * The writers, innermost first: the text or action of a template, then the calls on the way to it. Empty for patched
   * fields.
   */
  readonly templates: readonly TemplatePlace[]
  /** The entry of a values file that it was taken from unchanged, of overwrite.yaml for one. */
  readonly values?: { readonly at: Span; readonly isOfFleet: boolean } | undefined
  /** The field or variable of the Cluster, or the default of a variable of its class, that the values were made of. */
  readonly cluster?: Span | undefined
  /** The position in the patch that set it. */
  readonly patch?: Span
}

/**
 * Where a finding about the field stands: the entry of the fleet that decides, else the template; the other places are
 * its trace.
 */
export function placeOf({ templates, values, cluster, patch }: FieldOrigin): Pick<Diagnostic, 'at' | 'trace'> {
  const inputs: readonly TraceStep[] = [
    ...(cluster === undefined ? [] : [{ what: 'the Cluster', at: cluster }]),
    ...(values === undefined ? [] : [{ what: 'the values', at: values.at }]),
  ]
  const written = templates.map((place): TraceStep => ({
    what: `template ${quoteGo(place.template)}`,
    at: spanOfPlace(place),
  }))
  const deciding = patch ?? cluster ?? (values?.isOfFleet === true ? values.at : undefined) ?? written[0]?.at
  const trace = [...inputs, ...written].filter(({ at }) => at !== deciding)
  return { at: deciding, ...(trace.length > 0 && { trace }) }
}
