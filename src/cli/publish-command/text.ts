import { countFindings } from '../../report/count-findings.ts'
import { formatSteps } from '../../report/format-steps.ts'
import { formatClassName } from '../../model/release-name.ts'
import type { StackRollout } from '../../pipeline/publishing/plan-rollouts.ts'
import { plural } from '../../report/plural.ts'
import { printableLines } from '../../report/printable.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import type { TextReport } from '../command.ts'
import { artifactLines } from './artifact-lines.ts'
import type { PublishOutcome } from './outcome.ts'

/** Files that are named one by one in a plan. */
const LISTED = 50

/** What was published, or would be, for people. */
export function publishText(outcome: PublishOutcome, shorten: ShortenPath): TextReport {
  if (outcome.isQuiet) return { output: '', findings: 'first', closing: '' }
  const isCounted = outcome.findings.length > 1
  return {
    output:
      formatOutcome(outcome) +
      formatSteps(outcome.steps, shorten) +
      formatWaiting(outcome) +
      formatRollouts(outcome.rollouts),
    findings: 'first',
    ...(isCounted && { closing: `${countFindings(outcome.findings)}.\n` }),
  }
}

function formatOutcome(outcome: PublishOutcome): string {
  const { status, source, target, files } = outcome
  const from = `${source.ref.replace('refs/heads/', '')} at ${source.commit.slice(0, 12)}`
  const isSplit = outcome.proposals.filter(({ files: own }) => own.length > 0).length > 1
  const branches = isSplit ? 'several branches' : (target.head ?? target.branch)
  const into = `${branches} of ${target.repository}`
  const told = [...pullRequestLines(outcome), ...artifactLines(outcome.artifacts)]
  switch (status) {
    case 'unchanged':
      return printableLines([
        outcome.isOnlyArtifacts
          ? `Nothing to push: the registry has what ${target.branch} of ${target.repository} has.`
          : files.length === 0
            ? `Nothing to publish: ${target.branch} of ${target.repository} has what ${from} renders to.`
            : `Nothing to push: ${into} is left as it is.`,
        ...told,
      ])
    case 'published':
      return printableLines([
        ...(outcome.commit === undefined || files.length === 0
          ? []
          : [
              `Published ${plural(files.length, 'file')} from ${from} into ${into}${isSplit ? '' : `: commit ${outcome.commit.slice(0, 12)}`}.`,
            ]),
        ...told,
      ])
    case 'planned':
      return printableLines([
        ...(files.length === 0
          ? []
          : [`Would publish ${plural(files.length, 'file')} from ${from} into ${into}:`, ...listFiles(outcome)]),
        ...told,
        'Nothing was pushed. `stackmason publish --yes` does it.',
      ])
    case 'refused':
      return printableLines([`Not published: ${plural(files.length, 'file')} from ${from}:`, ...listFiles(outcome)])
  }
}

const DONE = { create: 'Opened', update: 'Updated', close: 'Closed', leave: 'Left as it is:' } as const
const PLANNED = {
  create: 'Would open',
  update: 'Would update',
  close: 'Would close',
  leave: 'Would leave as it is:',
} as const

function pullRequestLines({ mode, proposals }: PublishOutcome): readonly string[] {
  const isNamed = proposals.length > 1
  return proposals.flatMap((proposal): readonly string[] => {
    const { group, held, draft, files } = proposal
    if (held !== undefined) return [`Waits: ${group}: ${held}.`]
    const about = isNamed ? `: ${group}, ${plural(files.length, 'file')}` : ''
    const why = draft === undefined ? '' : `. A draft: ${draft}`
    return pullRequestLine(mode, proposal).map((line) => line + about + why)
  })
}

function pullRequestLine(
  mode: PublishOutcome['mode'],
  { pullRequest }: PublishOutcome['proposals'][number],
): readonly string[] {
  if (pullRequest === undefined) return []
  const { action, number, url, state } = pullRequest
  const which = number === undefined ? 'a pull request' : `pull request ${String(number)}, ${url ?? ''}`
  const ended =
    state === undefined ? '' : `, which somebody has ${state}: another is opened when something else is to be proposed`
  return [`${(mode === 'plan' ? PLANNED : DONE)[action]} ${which}${ended}`]
}

const STATES = { failure: 'has failed', pending: 'is pending', missing: 'is not there yet' } as const

/** What the next steps of clusters wait for. */
function formatWaiting({ waiting }: PublishOutcome): string {
  return printableLines(
    waiting.map(({ cluster, step, release, since, context, state, commit }) => {
      const at = commit ?? since
      const on = at === undefined ? '' : ` on commit ${at.slice(0, 12)}${commit === undefined ? ' or later' : ''}`
      return `${cluster} ${state === 'failure' ? 'stops' : 'waits'} at the ${step} of ${release}: commit status ${context} ${STATES[state]}${on}.`
    }),
  )
}

/** The waves of each stack, as a table. */
function formatRollouts(rollouts: readonly StackRollout[]): string {
  return printableLines(
    rollouts.flatMap(({ stack, waves, left }) => {
      const rows = waves.map(({ wave, clusters, release, state, reason, restsUntil, moves }) => [
        wave,
        plural(clusters.length, 'cluster'),
        release ?? '-',
        state,
        [
          ...new Set(moves.map((move) => `to ${formatClassName(move.release)}`)),
          ...(reason === undefined ? [] : [reason]),
          ...(restsUntil === undefined ? [] : [`rests until ${restsUntil}`]),
        ].join('; '),
      ])
      const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
      const lines = rows.map((row) =>
        `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
      )
      const others = left.map(({ cluster, reason }) => `  ${cluster} is in no wave: ${reason}`)
      return [`Waves of ${stack}:`, ...lines, ...others]
    }),
  )
}

function listFiles({ files }: PublishOutcome): readonly string[] {
  const listed = files.slice(0, LISTED).map(({ path, change }) => `  ${change.padEnd(7)} ${path}`)
  return files.length > LISTED ? [...listed, `  and ${String(files.length - LISTED)} more`] : listed
}
