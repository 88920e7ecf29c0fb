import type { AutoMerge, AutoMergeOutcome, PullRequest } from '../../../model/forge.ts'
import { refusalOf } from '../forge-client.ts'
import { countAt, mapOf } from '../forge-shape.ts'
import type { GiteaRepository } from './gitea-repository.ts'

/**
 * Asks Gitea to merge once checks have succeeded. It would merge at once where the base branch requires neither checks
 * nor approvals: there nothing is asked.
 */
export async function enableGiteaAutoMerge(
  repository: GiteaRepository,
  { current, wanted }: { readonly current: PullRequest; readonly wanted: AutoMerge },
): Promise<AutoMergeOutcome> {
  const { client, shown, root } = repository
  if (!(await isGuarded(repository, current.base))) return 'nothingToWaitFor'
  try {
    await client.send({
      method: 'POST',
      path: `${root}/pulls/${current.number}/merge`,
      purpose: `auto-merge of pull request ${current.number} of ${shown}`,
      operation: 'enableAutoMerge',
      body: {
        Do: wanted.method,
        head_commit_id: wanted.headCommit,
        merge_when_checks_succeed: true,
        delete_branch_after_merge: true,
      },
    })
    return 'enabled'
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === undefined) throw error
    if (refusal.status === 409) return /already scheduled/i.test(refusal.message) ? 'enabled' : 'outdated'
    if (refusal.status === 405) return /already merged/i.test(refusal.message) ? 'notOpen' : 'notAllowed'
    throw error
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
