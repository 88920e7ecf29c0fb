import type { PlannedNodeImages } from '../../handoff/images/plan-node-images.ts'
import type { RestContext } from '../../handoff/tool-handoff.ts'
import { planUnits } from '../../handoff/units/plan-units.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { UnitStack } from '../../model/handoff.ts'
import type { RenderedFolder } from '../../model/manifest.ts'
import type { NeededRelease } from '../../render/stack/select-releases.ts'
import { type FleetPart, handoffFolders } from '../fleet/fleet-part.ts'
import type { Expander } from './create-expander.ts'
import type { ExpandedFolders, UnitFindings } from './expanded-unit.ts'
import { type RenderedStack, type StackState, stacksOf } from './stack-state.ts'

/** The stacks of a run as their GitOps tool may see them. */
export interface PreparedStacks {
  /** All that have a unit. */
  readonly stacks: readonly UnitStack[]
  /** The folders of those that the run writes. */
  readonly written: readonly RenderedFolder[]
  /** Paths of those that stay as they are committed. */
  readonly kept: ReadonlySet<string>
  /** The rendered stacks, by the path of their folder. */
  readonly rendered: ReadonlyMap<string, RenderedStack>
  readonly findings: Required<Pick<UnitFindings, 'hooks' | 'secrets'>>
  readonly problems: { readonly class: readonly Diagnostic[]; readonly secrets: readonly Diagnostic[] }
}

/** The context for preparing stacks. */
export interface StackPreparation {
  readonly part: FleetPart
  readonly needed: readonly NeededRelease[]
  /** Undefined without a GitOps tool. */
  readonly images: PlannedNodeImages | undefined
  readonly expander: Expander
}

/** Gives the stacks of a run their node images, and takes Helm's hooks out. */
export function prepareStacks(
  states: readonly StackState[],
  { part, needed, images, expander }: StackPreparation,
): PreparedStacks {
  const rendered = new Map(stacksOf(states, 'rendered').map((state) => [state.stack.folder.path, state]))
  const committed = stacksOf(states, 'committed').map(({ stack }) => stack)
  const {
    stacks = Array.from(rendered.values(), ({ stack }) => stack),
    imageStacks = [],
    keptStacks = committed,
  } = images ?? {}
  const prepared = stacks.map((stack) => expander.stack(stack, rendered.get(stack.folder.path)?.locator))
  const own = part.folders(needed)
  const isInPart = ({ folder }: UnitStack): boolean => part.isWhole || own.includes(folder.path)
  const written = [
    ...prepared.map(({ stack }) => stack).filter(({ folder }) => rendered.get(folder.path)?.isInPart === true),
    // a run of a part does not know who else needs them
    ...(part.isWhole ? imageStacks : []),
    ...keptStacks.filter(isInPart),
  ]
  return {
    stacks: [...prepared.map(({ stack }) => stack), ...imageStacks, ...keptStacks],
    written: written.map(({ folder }) => folder),
    kept: new Set(committed.map(({ folder }) => folder.path)),
    rendered,
    findings: {
      hooks: prepared.flatMap(({ findings }) => findings.hooks),
      secrets: prepared.flatMap(({ findings }) => findings.secrets),
    },
    problems: {
      class: prepared.flatMap(({ problems }) => problems.class),
      secrets: prepared.flatMap(({ problems }) => problems.secrets),
    },
  }
}

/**
 * The objects of stacks, one by one, and those that hold the clusters together.
 * @throws StackmasonError HANDOFF_TEMPLATE, HANDOFF_NAME_TOO_LONG, HANDOFF_NAME_CONFLICT
 */
export function handOverStacks(
  { stacks, written, kept, rendered }: PreparedStacks,
  context: RestContext,
  { part, expander: { tool, handoff } }: Pick<StackPreparation, 'part' | 'expander'>,
): readonly ExpandedFolders[] {
  const stackOf = (folder: RenderedFolder): ExpandedFolders => {
    const { stack, locator } = rendered.get(folder.path) ?? {}
    const isKept = kept.has(folder.path)
    return { folders: [folder], rendered: stack === undefined ? [] : [stack.folder], isKept, locator }
  }
  if (handoff === undefined) return written.map(stackOf)
  const units = planUnits(stacks, [], { tool }).units.map((unit) =>
    kept.has(unit.path) ? { ...unit, isKept: true } : unit,
  )
  const made = handoff.rest(units, written, context)
  // a run of some clusters writes their own handoff objects, not folders that hold those of others
  const own = new Set(handoffFolders(part.clusters))
  const shared = made.handoff.filter(({ path }) => part.isWhole || own.has(path))
  return [...made.folders.map(stackOf), { folders: shared, rendered: [], isKept: false, locator: undefined }]
}
