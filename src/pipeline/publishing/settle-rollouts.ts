import type { WaveDecision } from '../../publish/rollout/decide-rollout.ts'
import { type StackRollout, waveGroup } from './plan-rollouts.ts'
import type { PublishedProposal } from './proposal-desk.ts'

/** How releases reach clusters once the proposals of waves were made: what waits is not proposed. */
export function settleRollouts(
  rollouts: readonly StackRollout[],
  ended: readonly PublishedProposal[],
): readonly StackRollout[] {
  const proposals = new Map(ended.map((proposal) => [proposal.group, proposal]))
  return rollouts.map((rollout) => ({
    ...rollout,
    waves: rollout.waves.map((wave) => settleWave(wave, proposals.get(waveGroup(rollout.stack, wave.wave)))),
  }))
}

function settleWave(wave: WaveDecision, proposal: PublishedProposal | undefined): WaveDecision {
  if (wave.state !== 'proposed' || proposal === undefined) return wave
  const { status, held, draft, left, pullRequest } = proposal
  if (held !== undefined) {
    const number = pullRequest?.number
    const state = draft === undefined ? 'stays open with what it has' : 'is a draft until then'
    const open = number === undefined ? '' : `; pull request ${String(number)} ${state}`
    return { ...wave, state: 'waiting', reason: held + open }
  }
  if (left === 'declined') return { ...wave, reason: 'somebody has closed its pull request' }
  if (left === 'foreign') return { ...wave, reason: 'somebody has changed its branch' }
  if (status === 'refused') return { ...wave, reason: 'its proposal was refused' }
  return draft === undefined ? wave : { ...wave, reason: `a draft: ${draft}` }
}
