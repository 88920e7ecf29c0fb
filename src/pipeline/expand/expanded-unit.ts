import type { ClusterNote } from '../../handoff/tool-handoff.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Unit } from '../../model/handoff.ts'
import type { RenderedFolder } from '../../model/manifest.ts'
import type { StepPlan } from '../../model/steps.ts'
import type { Locator } from '../../render/explain/locator.ts'
import type { ClusterUnit } from './cluster-unit.ts'
import type { LoneAddon } from './lone-addons.ts'
import type { UsedInputs } from './unused-inputs.ts'

/** The parts of the work on a unit that make findings, in the order in which a run reports them. */
export const findingParts = ['render', 'hooks', 'secrets', 'storage', 'units', 'leaving'] as const

/** Warnings of a unit, by part. */
export type UnitFindings = Partial<Record<(typeof findingParts)[number], readonly Diagnostic[]>>

/** The problems that keep a unit from being written, by part: those of one line stop the work together. */
export interface UnitProblems {
  readonly render?: readonly Diagnostic[]
  readonly shared?: readonly Diagnostic[]
  readonly bound?: readonly Diagnostic[]
  readonly secrets?: readonly Diagnostic[]
  readonly storage?: readonly Diagnostic[]
  readonly units?: readonly Diagnostic[]
  readonly tool?: readonly Diagnostic[]
}

/** The facts that a run keeps of a cluster after writing it. */
export interface ClusterSummary {
  readonly kind: 'rendered' | 'committed' | 'none'
  readonly findings: UnitFindings
  readonly problems: UnitProblems
  /** Of a cluster that was rendered. */
  readonly used?: UsedInputs
  readonly note?: ClusterNote
  /** Its steps, where there is something to say of them. */
  readonly steps: readonly StepPlan[]
  /** Hashes of the renders of charts that it is made of. */
  readonly charts?: readonly string[]
}

/** The result of expanding a unit. */
export interface ExpandedFolders {
  /** As they are written. */
  readonly folders: readonly RenderedFolder[]
  /** As they were rendered, without what a GitOps tool needs; none of what stays as it is committed. */
  readonly rendered: readonly RenderedFolder[]
  readonly isKept: boolean
  /** Where the fields of what was rendered come from; undefined where nothing was. */
  readonly locator: Locator | undefined
  /** The cluster that it is; undefined for stacks and for what holds clusters together. */
  readonly unit?: ClusterUnit | undefined
}

/** A cluster that was expanded: forgotten when it is written, but for the summary. */
export interface ExpandedCluster extends ExpandedFolders {
  readonly summary: ClusterSummary
  /** Its units, when a GitOps tool gets them. */
  readonly units: readonly Unit[]
  /** Its addons that may change by themselves, by name; absent: none. */
  readonly lone?: ReadonlyMap<string, LoneAddon>
}
