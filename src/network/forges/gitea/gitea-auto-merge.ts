import type { AutoMerge, AutoMergeOutcome, PullRequest } from '../../../model/forge.ts'
import { refusalOf } from '../forge-client.ts'
import { countAt, mapOf } from '../forge-shape.ts'
import type { GiteaRepository } from './gitea-repository.ts'

/** Gitea looks after each push, and each change of a rule, whether it can be merged: milliseconds until another try. */
const pauses: readonly number[] = [500, 1000, 2000, 4000]

/**
 * Asks Gitea to merge once checks have succeeded. It would merge at once where the base branch requires neither checks
 * nor approvals: there nothing is asked.
 */
export async function enableGiteaAutoMerge(
  repository: GiteaRepository,
  { current, wanted }: { readonly current: PullRequest; readonly wanted: AutoMerge },
): Promise<AutoMergeOutcome> {
  if (!(await isGuarded(repository, current.base))) return 'nothingToWaitFor'
  for (const pause of pauses) {
    const outcome = await schedule(repository, current.number, wanted)
    if (outcome !== 'later') return outcome
    await repository.client.ports.clock.sleep(pause)
  }
  const last = await schedule(repository, current.number, wanted)
  // it has conflicts
  return last === 'later' ? 'notAllowed' : last
}

async function schedule(
  { client, shown, root }: GiteaRepository,
  number: number,
  { method, headCommit }: AutoMerge,
): Promise<AutoMergeOutcome | 'later'> {
  try {
    await client.send({
      method: 'POST',
      path: `${root}/pulls/${number}/merge`,
      purpose: `auto-merge of pull request ${number} of ${shown}`,
      operation: 'enableAutoMerge',
      body: {
        Do: method,
        head_commit_id: headCommit,
        merge_when_checks_succeed: true,
        delete_branch_after_merge: true,
      },
    })
    return 'enabled'
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === undefined) throw error
    if (refusal.status === 409) return /already scheduled/i.test(refusal.message) ? 'enabled' : 'outdated'
    if (refusal.status !== 405) throw error
    if (/try again later/i.test(refusal.message)) return 'later'
    return /already merged/i.test(refusal.message) ? 'notOpen' : 'notAllowed'
  }
}

/** True if a branch waits for checks or people. */
async function isGuarded({ client, shown, root }: GiteaRepository, branch: string): Promise<boolean> {
  const purpose = `the branch ${branch} of ${shown}`
  const { value } = await client.send({
    method: 'GET',
    path: `${root}/branches/${branch.split('/').map(encodeURIComponent).join('/')}`,
    purpose,
    operation: 'readPullRequests',
  })
  return client.read(purpose, () => {
    const map = mapOf(value, 'a branch')
    return map['enable_status_check'] === true || countAt(map, 'required_approvals') > 0
  })
}
