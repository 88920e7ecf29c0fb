import type { Acknowledgement } from './acknowledgement.ts'
import { boundFindings } from './bound-findings.ts'
import type { Code } from './error-codes.ts'
import type { ObjectField } from './manifest.ts'
import type { Span } from './source.ts'
import type { TraceStep } from './trace-step.ts'

/**
 * The subject of a finding: the cluster, addon or release that was being processed. Absent: nothing of that kind, or
 * all of them.
 */
export interface FindingSubject {
  /** Tag of the release. */
  readonly release?: string
  /** `namespace/name`. */
  readonly cluster?: string
  readonly addon?: string
}

/** A problem that a user can act on. Formatting (colour, excerpt, caret) belongs to the reporter in `cli`. */
export interface Diagnostic {
  readonly code: Code
  /** A note is about what reaches no output or asks for nothing: it is counted, and told in full to programs. */
  readonly severity: 'error' | 'warning' | 'note'
  /** One sentence, no trailing position, no secret values. */
  readonly message: string
  readonly at?: Span | undefined
  /** The file meant when there is no text to point into (a binary, a missing file, a folder). */
  readonly file?: string
  /** The part of a rendered object that it is about, until its position is found: then that is in `at`. */
  readonly on?: ObjectField
  /** Another field that it is about, until its place is found: then that is a step of the trace. */
  readonly beside?: { readonly what: string; readonly on: ObjectField }
  /** Innermost first. */
  readonly trace?: readonly TraceStep[]
  /** The next thing to do, one sentence. */
  readonly hint?: string | undefined
  /** Set by whoever runs the work on a release, a cluster or an addon: see {@link withSubject}. */
  readonly about?: FindingSubject
  /** The one object that it is about, as acknowledgements name it: `Kind/namespace/name`. Of rules of `check` only. */
  readonly object?: string
  /** The folders of the tree that have it together, where several units do; from the output folder. */
  readonly folders?: readonly string[]
  /** It is about what changes against the base, so it was not there before. */
  readonly isNew?: true
  /** The entry of the fleet that acknowledges this warning; whether it still holds depends on the day. */
  readonly acknowledgement?: Acknowledgement
}

/** The subject of the work on a cluster. */
export function clusterSubject(cluster: { readonly namespace: string; readonly name: string }): FindingSubject {
  return { cluster: `${cluster.namespace}/${cluster.name}` }
}

/** The finding with what it is about; what it says itself stays, because it was nearer. */
export function withSubject(finding: Diagnostic, about: FindingSubject): Diagnostic {
  return { ...finding, about: { ...about, ...finding.about } }
}

/** The one error class for problems of the user's input. Programmer errors stay plain `Error`. */
export class StackmasonError extends Error {
  readonly diagnostics: readonly Diagnostic[]

  /** @param diagnostics at least one; the first that is an error gives the message */
  constructor(diagnostics: Diagnostic | readonly Diagnostic[], options?: ErrorOptions) {
    const all = boundFindings('code' in diagnostics ? [diagnostics] : diagnostics)
    super((all.find(({ severity }) => severity === 'error') ?? all[0])?.message ?? 'unknown problem', options)
    this.name = 'StackmasonError'
    this.diagnostics = all
  }
}

/**
 * Runs work where problems of some codes have a next step of its own, unless they say one.
 * @throws what the work throws
 */
export function advise<Result>(
  advice: Readonly<Partial<Record<Code, (finding: Diagnostic) => string>>>,
  work: () => Result,
): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    const advised = error.diagnostics.map((finding) => {
      const hint = finding.hint ?? advice[finding.code]?.(finding)
      return hint === undefined ? finding : { ...finding, hint }
    })
    throw new StackmasonError(advised, { cause: error })
  }
}

/**
 * Runs the work on a release, a cluster or an addon, so that its problems say what they are about.
 * @throws what the work throws; a {@link StackmasonError} with `about` on each diagnostic
 */
export function workOn<Result>(about: FindingSubject, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    throw new StackmasonError(
      error.diagnostics.map((finding) => withSubject(finding, about)),
      { cause: error },
    )
  }
}
