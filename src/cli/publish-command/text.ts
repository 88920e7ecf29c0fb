import { commandWords } from '../../report/command-words.ts'
import { countFindings } from '../../report/count-findings.ts'
import { formatSteps } from '../../report/format-steps.ts'
import { formatClassName } from '../../model/release-name.ts'
import type { StackRollout } from '../../pipeline/publishing/plan-rollouts.ts'
import { plural } from '../../report/plural.ts'
import { printableLines } from '../../report/printable.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import type { TextReport } from '../command.ts'
import { artifactLines } from './artifact-lines.ts'
import type { PublishedProposal } from '../../pipeline/publishing/proposal-desk.ts'
import type { PublishOutcome } from './outcome.ts'

/** Files that are named one by one in a plan. */
const LISTED = 50

/** The report of a publication, or of its plan, for people. */
export function publishText(outcome: PublishOutcome, shorten: ShortenPath): TextReport {
  if (outcome.isQuiet) return { output: '', findings: 'first', closing: '' }
  const isCounted = outcome.findings.length > 1
  return {
    output:
      formatOutcome(outcome, shorten) +
      formatSteps(outcome.steps, shorten, 'publish') +
      formatWaiting(outcome) +
      formatRollouts(outcome.rollouts),
    // what was refused stands below what was not
    findings: outcome.proposals.some(({ status }) => status === 'refused') ? 'last' : 'first',
    closing: isCounted ? `${countFindings(outcome.findings)}.\n` : undefined,
  }
}

function formatOutcome(outcome: PublishOutcome, { command }: ShortenPath): string {
  const { status, source, target } = outcome
  const from = `${source.ref.replace('refs/heads/', '')} at ${source.commit.slice(0, 12)}`
  const { files, heads } = pushedOf(outcome)
  const branches = heads.length > 1 ? 'several branches' : (heads[0] ?? target.branch)
  const into = `${branches} of ${target.repository}`
  const told = [...pullRequestLines(outcome), ...artifactLines(outcome.artifacts)]
  switch (status) {
    case 'unchanged':
      return printableLines([
        outcome.isOnlyArtifacts
          ? `Nothing to push: the registry has what ${target.branch} of ${target.repository} has.`
          : whyNothing(outcome, from),
        ...told,
      ])
    case 'published':
      return printableLines([
        ...(outcome.commit === undefined || files.length === 0
          ? []
          : [
              `Published ${plural(files.length, 'file')} from ${from} into ${into}${heads.length > 1 ? '' : `: commit ${outcome.commit.slice(0, 12)}`}.`,
            ]),
        ...told,
      ])
    case 'planned':
      return printableLines([
        ...(files.length === 0
          ? []
          : [`Would publish ${plural(files.length, 'file')} from ${from} into ${into}:`, ...listFiles(files)]),
        ...told,
        `Nothing was pushed. \`${command(`stackmason ${commandWords(outcome.asked)} --yes`)}\` does it.`,
      ])
    case 'refused':
      return printableLines(
        target.kind === 'pullRequest'
          ? told
          : [`Not published: ${plural(files.length, 'file')} from ${from}:`, ...listFiles(files)],
      )
  }
}

/** The files that are pushed, or would be; where a branch takes the tree itself, all that differ. */
function pushedOf({ files, proposals, target }: PublishOutcome): {
  readonly files: PublishOutcome['files']
  readonly heads: readonly string[]
} {
  if (target.kind !== 'pullRequest') return { files, heads: [target.branch] }
  const pushed = proposals.filter(({ isPushed, files: own }) => isPushed && own.length > 0)
  const byPath = new Map(pushed.flatMap((one) => one.files).map((file) => [file.path, file] as const))
  return { files: [...byPath.values()], heads: pushed.map(({ head }) => head) }
}

/** Why nothing was pushed. */
function whyNothing({ target, files, proposals }: PublishOutcome, from: string): string {
  const base = `${target.branch} of ${target.repository}`
  if (target.kept === 'proposal') return `Nothing to push: ${base} is a branch of publish, which is complete as it is.`
  if (target.kept === 'base')
    return `Nothing to push: ${base} is the branch of the fleet itself, which no pull request from it changes.`
  const carrying = proposals.filter((one) => one.files.length > 0)
  if (carrying.some(({ left }) => left === 'declined'))
    return `Nothing to push: a person has closed the pull request for the change in ${base}.`
  const foreign = carrying.find(({ left }) => left === 'foreign')
  if (foreign !== undefined)
    return `Nothing to push: ${foreign.head} of ${target.repository} is left to its last author.`
  if (proposals.some(({ held }) => held !== undefined))
    return `Nothing is published: what would change in ${base} waits.`
  if (files.length === 0) return `Nothing to publish: ${base} has what ${from} renders to.`
  const branches = carrying.length > 1 ? 'several branches' : (carrying[0]?.head ?? target.branch)
  return `Nothing to push: ${branches} of ${target.repository} ${carrying.length > 1 ? 'have' : 'has'} what ${from} renders to.`
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
    if (proposal.status === 'refused') return [refusedLine(proposal)]
    const { group, head, held, draft, files, pullRequest: { number, url = '', state } = {} } = proposal
    if (held !== undefined) {
      const open =
        number === undefined
          ? ''
          : ` Pull request ${String(number)}, ${url}, ${draft === undefined ? 'stays open with what it has' : 'is a draft until then'}.`
      return [`Waits: ${group}: ${held}.${open}`]
    }
    if (proposal.isBranchGone === true && number === undefined)
      return [`${mode === 'plan' ? 'Would delete' : 'Deleted'} branch ${head}: nothing is left to propose on it.`]
    const about = isNamed ? `: ${group}, ${plural(files.length, 'file')}` : ''
    if (draft !== undefined && state === 'merged')
      return [
        `Left as it is: pull request ${String(number)}, ${url}, which a person has merged, although it changes nothing: ${draft}`,
      ]
    const why = draft === undefined ? '' : `. A draft: ${draft}`
    return pullRequestLine(mode, proposal).map((line) => line + about + why)
  })
}

/** How far one came that was refused; its findings say why. */
function refusedLine({ group, head, files, commit, pullRequest }: PublishedProposal): string {
  const { number, url = '' } = pullRequest ?? {}
  const open = number === undefined ? undefined : `pull request ${String(number)}, ${url},`
  const pushed = commit === undefined ? undefined : `${head} has commit ${commit.slice(0, 12)}`
  const state =
    pushed === undefined
      ? open === undefined
        ? `${head} has no pull request`
        : `${open} stays as it is`
      : `${pushed}, and ${open === undefined ? 'no pull request' : `${open} does not tell of it`}`
  return `Refused: ${group}, ${plural(files.length, 'file')}: ${state}.`
}

function pullRequestLine(
  mode: PublishOutcome['mode'],
  { pullRequest }: PublishOutcome['proposals'][number],
): readonly string[] {
  if (pullRequest === undefined) return []
  const { action, number, url, state } = pullRequest
  const which = number === undefined ? 'a pull request' : `pull request ${String(number)}, ${url ?? ''}`
  const ended =
    state === undefined
      ? ''
      : `, which a person has ${state}: another is opened when there is something else to propose`
  return [`${(mode === 'plan' ? PLANNED : DONE)[action]} ${which}${ended}`]
}

const STATES = {
  failure: 'has failed',
  skipped: 'was skipped, or is neutral,',
  pending: 'is pending',
  missing: 'is not there yet',
} as const

/** Lists the conditions that the next steps of clusters wait for. */
function formatWaiting({ waiting }: PublishOutcome): string {
  return printableLines(
    waiting.map(({ cluster, step, release, since, context, state, commit }) => {
      const at = commit ?? since
      const on = at === undefined ? '' : ` on commit ${at.slice(0, 12)}${commit === undefined ? ' or later' : ''}`
      return `${cluster} ${state === 'failure' || state === 'skipped' ? 'stops' : 'waits'} at the ${step} of ${release}: commit status ${context} ${STATES[state]}${on}.`
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

function listFiles(files: PublishOutcome['files']): readonly string[] {
  const listed = files.slice(0, LISTED).map(({ path, change }) => `  ${change.padEnd(7)} ${path}`)
  return files.length > LISTED ? [...listed, `  and ${String(files.length - LISTED)} more`] : listed
}
