import type { ClusterStep, StepPlan } from '../model/steps.ts'
import { plural } from './plural.ts'
import { printableLines } from './printable.ts'
import type { ShortenPath } from './shorten-path.ts'

/**
 * The steps of each cluster that is on its way, for people: what this run holds, what to check before the next commit,
 * and what follows.
 */
export function formatSteps(
  plans: readonly StepPlan[],
  shorten: ShortenPath,
  verb: 'render' | 'publish' = 'render',
): string {
  return printableLines(plans.flatMap((plan) => formatPlan(plan, COMMITTING[verb])).map(shorten.inText))
}

const COMMITTING = {
  render: 'Commit this step. Before you render and commit',
  // the run commits it, or would
  publish: 'This step is what is published. Before',
} as const

function formatPlan({ cluster, due, then }: StepPlan, commit: string): readonly string[] {
  const name = `${cluster.namespace}/${cluster.name}`
  const lines = [`${name}: ${due.summary}${then.length === 0 ? '' : ` (${plural(then.length, 'step')} to go)`}`]
  const [next] = then
  const checks = due.before.map((sentence) => `  - ${sentence}`)
  if (next === undefined) return [...lines, ...checks]
  const todo = due.action === 'wait' ? 'This step is written. Before' : commit
  lines.push(`  ${todo} the next one:`, ...checks, `  Next: ${next.summary}.`)
  for (const later of then.slice(1)) lines.push(`  After that: ${later.summary}.`)
  return lines
}

/** The same for programs. */
export function jsonSteps(plans: readonly StepPlan[], shorten: ShortenPath): readonly unknown[] {
  return plans.map(({ cluster, due, then }) => ({
    namespace: cluster.namespace,
    cluster: cluster.name,
    due: jsonStep(due, shorten),
    then: then.map((step) => jsonStep(step, shorten)),
  }))
}

function jsonStep({ action, className, addons, summary, before, units }: ClusterStep, shorten: ShortenPath): unknown {
  return { action, class: className, addons, summary, before: before.map(shorten.inText), units }
}
