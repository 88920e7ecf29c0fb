import type { AutoMerge, AutoMergeOutcome, PullRequest } from '../../../model/forge.ts'
import { notPermitted, refusalOf } from '../forge-client.ts'
import { isMap, mapOf, optionalTextAt } from '../forge-shape.ts'
import type { GitLabProject } from './gitlab-project.ts'

/** While GitLab looks whether it can be merged, it tells nothing of use (docs.gitlab.com/api/merge_requests). */
const undecided: ReadonlySet<string> = new Set(['unchecked', 'checking', 'preparing', 'approvals_syncing'])
/** A pipeline that ends by itself. */
const running: ReadonlySet<string> = new Set([
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'scheduled',
])
/** States that can still become mergeable. */
const awaited: ReadonlySet<string> = new Set([
  'ci_must_pass',
  'ci_still_running',
  'not_approved',
  'requested_changes',
  'discussions_not_resolved',
  'status_checks_must_pass',
])
/** Milliseconds before another look. */
const pauses: readonly number[] = [1000, 2000, 4000]

interface Look {
  readonly isEnabled: boolean
  readonly status: string
  readonly pipeline: string
}

/**
 * Asks GitLab to merge once the pipeline has succeeded. It would merge at once where there is nothing to wait for: then
 * nothing is asked.
 */
export async function enableGitLabAutoMerge(
  project: GitLabProject,
  { current, wanted }: { readonly current: PullRequest; readonly wanted: AutoMerge },
): Promise<AutoMergeOutcome> {
  const { client } = project
  let found = await look(project, current.number)
  for (const pause of pauses) {
    if (!undecided.has(found.status)) break
    await client.ports.clock.sleep(pause)
    found = await look(project, current.number)
  }
  if (found.isEnabled) return 'enabled'
  if (!running.has(found.pipeline) && !awaited.has(found.status)) return 'nothingToWaitFor'
  for (const pause of pauses) {
    const outcome = await schedule(project, current.number, wanted)
    // for some seconds after a merge request was opened, too (gitlab.com/gitlab-org/gitlab/-/issues/353984)
    if (outcome !== 'notAllowed') return outcome
    await client.ports.clock.sleep(pause)
  }
  return schedule(project, current.number, wanted)
}

async function schedule(
  { client, shown, root }: GitLabProject,
  number: number,
  { method, headCommit }: AutoMerge,
): Promise<AutoMergeOutcome> {
  const question = {
    purpose: `auto-merge of merge request ${number} of ${shown}`,
    operation: 'enableAutoMerge',
  } as const
  try {
    await client.send({
      ...question,
      method: 'PUT',
      path: `${root}/merge_requests/${number}/merge`,
      body: {
        sha: headCommit,
        squash: method === 'squash',
        should_remove_source_branch: true,
        auto_merge: true,
        // of versions before 17.11
        merge_when_pipeline_succeeds: true,
      },
    })
    return 'enabled'
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === undefined) throw error
    // it says so of who may not merge
    if (refusal.status === 401) throw notPermitted(client, question, { said: refusal.message, cause: refusal })
    if (refusal.status === 409) return 'outdated'
    if (refusal.status === 405 || refusal.status === 406 || refusal.status === 422) return 'notAllowed'
    throw error
  }
}

async function look({ client, shown, root }: GitLabProject, number: number): Promise<Look> {
  const purpose = `the merge request ${number} of ${shown}`
  const { value } = await client.send({
    method: 'GET',
    path: `${root}/merge_requests/${number}`,
    purpose,
    operation: 'readPullRequests',
  })
  return client.read(purpose, () => {
    const map = mapOf(value, 'a merge request')
    const pipeline = map['head_pipeline']
    return {
      isEnabled: map['merge_when_pipeline_succeeds'] === true,
      status: optionalTextAt(map, 'detailed_merge_status'),
      pipeline: isMap(pipeline) ? optionalTextAt(pipeline, 'status') : '',
    }
  })
}
