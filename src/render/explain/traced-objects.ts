import { StackmasonError } from '../../model/diagnostic.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { DocumentTrace, DocumentTraces, WrittenObject } from './document-trace.ts'

/** An object as its unit renders it, before it is placed and patched. */
export interface TracedObject {
  readonly manifest: Manifest
  readonly trace: DocumentTrace
  /** Where it stands in the text, when that is known already. */
  readonly written?: WrittenObject
}

/** The objects that rendering for `traces` gives; none when it fails: then its own problems have their places. */
export function tracedObjects(traces: DocumentTraces, render: () => readonly Manifest[]): readonly TracedObject[] {
  try {
    return render().flatMap((manifest) => {
      const trace = traces.get(manifest.origin)
      return trace === undefined ? [] : [{ manifest, trace }]
    })
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return []
  }
}
