import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Release, Stage } from '../../model/release.ts'

const NEW_CLUSTERS = 'AfterControlPlaneInitialized'
const UPGRADES = 'BeforeClusterUpgrade'

/**
 * Says where the stages of a release differ from what a tree can be: the tree is what AfterControlPlaneInitialized
 * leaves behind, for new clusters and for upgraded ones. Conditions are no business of the tree: who hands it over
 * waits for them. Rule: cluster-stack-operator, stages of clusteraddon.yaml.
 */
export function stageFindings({ stages }: Pick<Release, 'stages'>): readonly Diagnostic[] {
  const fresh = stages[NEW_CLUSTERS] ?? []
  const upgrade = stages[UPGRADES]
  return [
    ...fresh.flatMap((stage, index) => repeated(stage, fresh.slice(0, index))),
    ...fresh.filter(isDelete).flatMap((stage) => deleted(stage, fresh)),
    ...(upgrade === undefined ? [] : differences(fresh, upgrade)),
  ]
}

function isDelete({ action }: Stage): boolean {
  return action === 'delete'
}

function repeated(stage: Stage, before: readonly Stage[]): readonly Diagnostic[] {
  const first = before.find(({ addon, action }) => addon === stage.addon && action === stage.action)
  if (first === undefined || isDelete(stage)) return []
  return [
    notExpressed(stage, {
      message: `addon "${stage.addon}" is applied by two stages of ${NEW_CLUSTERS}; in the tree it has one place, the first`,
      hint: 'Drop one of the two stages; the conditions of the second are not waited for.',
    }),
  ]
}

/** The findings about a stage that deletes: a tree deletes nothing, it only leaves out. */
function deleted(stage: Stage, all: readonly Stage[]): readonly Diagnostic[] {
  const { addon } = stage
  const applied = all.findLast((other) => other.addon === addon && !isDelete(other))
  const conditions = hasCondition(stage) ? ' Its conditions are not waited for.' : ''
  if (applied !== undefined && all.indexOf(applied) > all.indexOf(stage)) {
    return [
      notExpressed(stage, {
        message: `addon "${addon}" is deleted and then applied by ${NEW_CLUSTERS}; the tree applies it, and nothing deletes it before`,
        hint: `Where an object cannot be changed in place, delete it by hand once.${conditions}`,
      }),
    ]
  }
  return [
    notExpressed(stage, {
      message:
        applied === undefined
          ? `addon "${addon}" is deleted by ${NEW_CLUSTERS}: the tree leaves it out`
          : `addon "${addon}" is applied and then deleted by ${NEW_CLUSTERS}: the tree leaves it out, so it never runs`,
      hint: `A GitOps tool removes what it applied from the tree before; what anything else has put into a cluster must be deleted by hand.${conditions}`,
    }),
  ]
}

function differences(fresh: readonly Stage[], upgrade: readonly Stage[]): readonly Diagnostic[] {
  const findings: Diagnostic[] = []
  const kept = finalAddons(fresh)
  const upgraded = finalAddons(upgrade)
  for (const stage of upgrade.filter(isDelete)) {
    if (!kept.includes(stage.addon) || upgraded.includes(stage.addon)) continue
    findings.push(
      notExpressed(stage, {
        message: `addon "${stage.addon}" is deleted by ${UPGRADES} but applied by ${NEW_CLUSTERS}; the tree keeps it, for upgraded clusters too`,
        hint: `Drop one of the two stages, or switch the addon off in addons.yaml of the clusters that shall not have it.`,
      }),
    )
  }
  for (const stage of upgrade) {
    if (kept.includes(stage.addon) || !upgraded.includes(stage.addon) || isDelete(stage)) continue
    findings.push(
      notExpressed(stage, {
        message: `addon "${stage.addon}" is applied by ${UPGRADES} only; the tree leaves it out, for upgraded clusters too`,
        hint: `Add {name: ${stage.addon}, action: apply} to ${NEW_CLUSTERS}.`,
      }),
    )
  }
  const common = upgraded.filter((addon) => kept.includes(addon))
  const order = kept.filter((addon) => upgraded.includes(addon))
  const firstOther = common.findIndex((addon, index) => addon !== order[index])
  const displaced = upgrade.find(({ addon }) => addon === common[firstOther])
  if (displaced !== undefined) {
    findings.push(
      notExpressed(displaced, {
        message: `${UPGRADES} applies ${common.join(', ')} in this order, ${NEW_CLUSTERS} ${order.join(', ')}; the tree has the latter`,
        hint: 'Give both hooks the same order.',
      }),
    )
  }
  for (const stage of upgrade) {
    const same = fresh.find(({ addon, action }) => addon === stage.addon && action === stage.action)
    if (!hasCondition(stage) || same === undefined || conditionsOf(same) === conditionsOf(stage)) continue
    findings.push(
      notExpressed(stage, {
        message: `the stage of addon "${stage.addon}" has other conditions under ${UPGRADES} than under ${NEW_CLUSTERS}; the latter are waited for, in upgrades too`,
        hint: 'Give both hooks the same conditions.',
      }),
    )
  }
  return findings
}

/** Addons that a hook leaves applied, in the order of their first stage that applies them. */
export function finalAddons(stages: readonly Stage[]): readonly string[] {
  const applied = new Set(stages.filter((stage) => !isDelete(stage)).map(({ addon }) => addon))
  return [...applied].filter((name) => stages.findLast(({ addon }) => addon === name)?.action === 'apply')
}

function hasCondition({ preCondition, postCondition }: Stage): boolean {
  return preCondition !== undefined || postCondition !== undefined
}

function conditionsOf({ preCondition, postCondition }: Stage): string {
  return JSON.stringify(
    [preCondition, postCondition].map((condition) => [condition?.conditions, condition?.objects] as const),
  )
}

function notExpressed({ at }: Stage, text: Pick<Diagnostic, 'message' | 'hint'>): Diagnostic {
  return { code: 'RELEASE_STAGE_NOT_EXPRESSED', severity: 'warning', at, ...text }
}
