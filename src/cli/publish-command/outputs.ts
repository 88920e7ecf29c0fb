import type { PublishResult } from '../../pipeline/commands/publish-run.ts'
import type { PublishedProposal } from '../../pipeline/publishing/proposal-desk.ts'

type Outputs = readonly (readonly [name: string, value: string])[]

function outputsOf({ status, commit = '', pullRequest, proposals, artifacts, context }: PublishResult): Outputs {
  const whole = artifacts.find(({ kind }) => kind === 'fleet')
  return [
    ['changed', String(status === 'published' || status === 'planned')],
    ['commit', commit],
    ['pr-number', String(pullRequest?.number ?? '')],
    ['pr-url', pullRequest?.url ?? ''],
    ['pr-numbers', proposals.flatMap(numberOf).join(' ')],
    ['artifact', whole === undefined ? '' : `${whole.repository}@${whole.digest}`],
    ['report', context.runUrl ?? ''],
  ]
}

/** Of those that are open afterwards. */
function numberOf({ pullRequest }: PublishedProposal): readonly string[] {
  const { number, action, state } = pullRequest ?? {}
  return number === undefined || action === 'close' || state !== undefined ? [] : [String(number)]
}

/** Outputs of a step, as GitHub's runner and those like it read them. */
export function outputLines(result: PublishResult): readonly string[] {
  return outputsOf(result).map(([name, value]) => `${name}=${value}\n`)
}

/** The same for `artifacts:reports:dotenv` of GitLab, which takes no other names. */
export function dotenvLines(result: PublishResult): readonly string[] {
  return outputsOf(result).map(([name, value]) => `STACKMASON_${name.toUpperCase().replaceAll('-', '_')}=${value}\n`)
}
