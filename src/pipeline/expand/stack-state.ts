import type { Diagnostic } from '../../model/diagnostic.ts'
import type { HandoffStack, UnitStack } from '../../model/handoff.ts'
import { formatTag } from '../../model/release-name.ts'
import type { Dict } from '../../model/value.ts'
import { locateFinding } from '../../render/explain/locate-findings.ts'
import type { Locator } from '../../render/explain/locator.ts'

/** A stack that was rendered. */
export interface RenderedStack {
  readonly kind: 'rendered'
  readonly stack: HandoffStack
  readonly clusterClass: Dict | undefined
  /** Where the fields of its objects come from. */
  readonly locator: Locator
  /** True if the run writes it; others are there because clusters of the run use them. */
  readonly isInPart: boolean
}

/** A stack that stays as it is committed. */
export interface CommittedStackState {
  readonly kind: 'committed'
  readonly stack: UnitStack
}

/** A stack of a run. One of which nothing is written has no state. */
export type StackState = RenderedStack | CommittedStackState

/** The stacks of a kind. */
export function stacksOf<Kind extends StackState['kind']>(
  stacks: readonly StackState[],
  kind: Kind,
): readonly Extract<StackState, { readonly kind: Kind }>[] {
  return stacks.filter((state): state is Extract<StackState, { readonly kind: Kind }> => state.kind === kind)
}

/** Returns what gives findings about objects of rendered classes their places, by the release that they are about. */
export function classLocation(stacks: readonly StackState[]): (finding: Diagnostic) => Diagnostic {
  const locators = new Map(
    stacksOf(stacks, 'rendered').map(({ stack, locator }) => [formatTag(stack.release.name), locator]),
  )
  return (finding) => locateFinding(finding, locators.get(finding.about?.release ?? ''))
}
