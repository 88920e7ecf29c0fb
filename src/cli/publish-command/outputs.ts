import type { PublishResult } from '../../pipeline/commands/publish-run.ts'
import type { PublishedProposal } from '../../pipeline/publishing/proposal-desk.ts'

type Outputs = readonly (readonly [name: string, value: string])[]

function outputsOf(result: PublishResult): Outputs {
  const { commit = '', pullRequest, proposals, artifacts, context } = result
  const whole = artifacts.find(({ kind }) => kind === 'fleet')
  return [
    ['changed', String(isChanged(result))],
    ['commit', commit],
    ['pr-number', String(pullRequest?.number ?? '')],
    ['pr-url', pullRequest?.url ?? ''],
    ['pr-numbers', proposals.flatMap(numberOf).join(' ')],
    ['artifact', whole?.digest === undefined ? '' : `${whole.repository}@${whole.digest}`],
    ['report', context.runUrl ?? ''],
  ]
}

/** True if anything was written, or would be, also by a run that was refused the rest. */
function isChanged({ status, commit, proposals, artifacts }: PublishResult): boolean {
  return (
    status === 'published' ||
    status === 'planned' ||
    commit !== undefined ||
    proposals.some(({ pullRequest }) => pullRequest !== undefined && pullRequest.action !== 'leave') ||
    artifacts.some(({ action }) => action !== 'current')
  )
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
