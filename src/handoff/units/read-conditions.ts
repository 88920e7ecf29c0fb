import { addonName, isOwn } from '../../model/addon-unit-key.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { GitopsTool } from '../../model/gitops-tool.ts'
import type { HandoffCluster, UnitHealthCheck } from '../../model/handoff.ts'
import type { RenderedFolder } from '../../model/manifest.ts'
import type { Stage, StageCondition } from '../../model/release.ts'
import type { Span } from '../../model/source.ts'
import { CelError } from './cel-scan.ts'
import { translateCondition } from './translate-condition.ts'

/** An addon of a cluster: its folder, and its stage's conditions as checks. */
export interface GatedAddon {
  readonly folder: RenderedFolder
  readonly pre?: GatedCondition | undefined
  readonly post?: GatedCondition | undefined
}

/** A condition of a stage, and how Flux judges it. */
export interface GatedCondition {
  readonly condition: StageCondition
  readonly checks: readonly UnitHealthCheck[]
}

/** True if an addon's stage has conditions that count. */
export function isConditional(folder: RenderedFolder, input: Pick<HandoffCluster, 'release' | 'cluster'>): boolean {
  const stage = stageOf(folder, input)
  return stage?.preCondition !== undefined || stage?.postCondition !== undefined
}

/** Who waits for conditions, and where those that nothing waits for are noted. */
export interface ConditionContext {
  readonly input: HandoffCluster
  readonly tool: GitopsTool | undefined
  readonly findings: Diagnostic[]
}

/** The conditions of an addon's stage; those that cannot be waited for are noted. */
export function readConditions(folder: RenderedFolder, context: ConditionContext): GatedAddon {
  const addon = addonName(folder.path)
  const stage = stageOf(folder, context.input)
  if (stage === undefined) return { folder }
  const pre = gate(stage.preCondition, { ...context, addon, field: 'waitForPreCondition' })
  const post = gate(stage.postCondition, { ...context, addon, field: 'waitForPostCondition' })
  return { folder, pre, post }
}

/** The stage whose conditions count for an addon. */
function stageOf(
  { path }: RenderedFolder,
  { release, cluster }: Pick<HandoffCluster, 'release' | 'cluster'>,
): Stage | undefined {
  const addon = addonName(path)
  if (isOwn(path)) return undefined
  const isIgnored = cluster.addons.some((entry) => entry.name === addon && entry.ignoresConditions)
  if (isIgnored || release.form === 'single') return undefined
  return release.stages.AfterControlPlaneInitialized?.find(
    (candidate) => candidate.addon === addon && candidate.action === 'apply',
  )
}

function gate(
  condition: StageCondition | undefined,
  context: ConditionContext & { readonly addon: string; readonly field: string },
): GatedCondition | undefined {
  if (condition === undefined) return undefined
  const { addon, field, tool, findings } = context
  const what = `${field} of the stage of addon "${addon}"`
  const ignoring = `set \`conditions: ignore\` for ${addon} in addons.yaml to apply it in its place without waiting`
  if (tool === undefined) {
    findings.push({
      code: 'RELEASE_STAGE_NOT_EXPRESSED',
      severity: 'warning',
      message: `${what}: nothing waits for it, because the fleet names no GitOps tool that applies the tree`,
      at: condition.at,
      hint: 'Wait by hand before you apply what follows, or state spec.handoff in stackmason.yaml.',
    })
    return undefined
  }
  if (tool === 'argocd') {
    findings.push({
      code: 'RELEASE_STAGE_NOT_EXPRESSED',
      severity: 'error',
      message: `${what}: Argo CD cannot wait for it, it judges the health of kinds and not of single objects`,
      at: condition.at,
      hint: `Hand over to Flux, or ${ignoring}.`,
    })
    return undefined
  }
  try {
    return { condition, checks: translateCondition(condition) }
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    if (error.offset !== undefined) {
      findings.push({
        code: 'RELEASE_STAGE_NOT_EXPRESSED',
        severity: 'error',
        message: `${what} is not an expression of CEL that is understood: ${error.message}`,
        at: within(condition, error.offset),
        hint: `Correct the expression, or ${ignoring}.`,
      })
      return undefined
    }
    findings.push({
      code: 'RELEASE_STAGE_NOT_EXPRESSED',
      severity: 'error',
      message: `${what} cannot be translated for Flux, which checks each object by itself: ${error.message}`,
      at: condition.at,
      hint: `Say it about one object in each part that && joins, or ${ignoring}.`,
    })
    return undefined
  }
}

/** The place in the expression, where it stands in the file as it is: block scalars and escapes are folded. */
function within({ at, conditions }: StageCondition, offset: number): Span {
  const start = at.source.text.indexOf(conditions, at.start)
  if (conditions === '' || start === -1 || start + conditions.length > at.end) return at
  const from = start + Math.min(offset, conditions.length - 1)
  return { source: at.source, start: from, end: from + 1 }
}
