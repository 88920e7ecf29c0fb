import { objectPath } from '../../model/object-name.ts'
import type { ClusterStep, StepPlan } from '../../model/steps.ts'
import { markdownText } from '../forms/markdown-text.ts'
import { plural } from '../plural.ts'
import { countClusters, type NameClusters } from '../tree-change/name-clusters.ts'
import { totalClusters } from './headline.ts'
import type { Section } from './pack-sections.ts'
import type { PublishedChange } from './pull-request-facts.ts'
import { ranks } from './ranks.ts'

/** Steps in which nothing is on its way. */
const SETTLED: ReadonlySet<ClusterStep['action']> = new Set(['create', 'keep', 'gone'])

/** Which step of several this is, for which clusters, and what follows. */
export function stepSection({ change, steps }: PublishedChange): Section {
  const name = countClusters(totalClusters(change))
  const alike = new Map<string, StepPlan[]>()
  for (const plan of steps) {
    if (isSettled(plan) && plan.due.before.length === 0) continue
    const key = JSON.stringify([plan.due, ...plan.then].map(({ action, summary }) => [action, summary]))
    const known = alike.get(key)
    if (known === undefined) alike.set(key, [plan])
    else known.push(plan)
  }
  const all = [...alike.values()]
  return {
    head: '### Steps\n\n',
    entries: all.map((plans) => [
      { rank: ranks.steps[0], text: `${entryOf(plans, name).join('\n')}\n` },
      { rank: ranks.steps[1], text: `${[...entryOf(plans, name), ...conditionsOf(plans)].join('\n')}\n` },
    ]),
    foot: '',
    rest: (left) => `- … and ${plural(left, 'more step')} of other clusters\n`,
  }
}

function isSettled({ due, then }: StepPlan): boolean {
  return then.length === 0 && SETTLED.has(due.action)
}

function entryOf(plans: readonly StepPlan[], name: NameClusters): readonly string[] {
  const [first] = plans
  if (first === undefined) return []
  const { due, then } = first
  const end = due.action === 'freeze' || isSettled(first) ? '' : 'It is the last step.'
  const who = markdownText(name(plans.map(({ cluster }) => cluster)))
  const [next, ...later] = then
  const following = later.map(({ summary }) => ` After that: ${markdownText(summary)}.`).join('')
  const follows =
    next === undefined
      ? end
      : `${plural(then.length, 'step')} ${then.length === 1 ? 'follows, in' : 'follow, each in'} a pull request of its own: ${markdownText(next.summary)}.${following}`
  const waits = due.action === 'wait' ? 'waits at an earlier step: ' : ''
  return [`- **${who}**: ${waits}${markdownText(due.summary)}. ${follows}`.trimEnd()]
}

/** The conditions before the next step is merged; for several clusters those of the first. */
function conditionsOf(plans: readonly StepPlan[]): readonly string[] {
  const [first, ...others] = plans
  if (first === undefined || first.due.before.length === 0) return []
  const who = others.length === 0 ? '' : ` (as for ${markdownText(objectPath(first.cluster))})`
  const head = isSettled(first) ? 'To be done' : 'Before the next step'
  return [`  - ${head}${who}:`, ...first.due.before.map((sentence) => `    - ${markdownText(sentence)}`)]
}
