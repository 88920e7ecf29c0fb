import type { PullRequest } from '../../../model/forge.ts'
import { plainTitle } from '../draft-title.ts'
import { countAt, ForgeShapeError, listOf, mapOf, optionalTextAt, textAt, webUrlAt } from '../forge-shape.ts'

/** GitLab's states; `locked` is what is being merged right now. */
const states: ReadonlyMap<string, PullRequest['state']> = new Map([
  ['opened', 'open'],
  ['locked', 'open'],
  ['merged', 'merged'],
  ['closed', 'closed'],
])

/** Reads a merge request of GitLab (docs.gitlab.com/api/merge_requests). @throws ForgeShapeError */
export function parseGitLabMergeRequest(value: unknown): PullRequest {
  const map = mapOf(value, 'a merge request')
  const state = states.get(textAt(map, 'state'))
  if (state === undefined) throw new ForgeShapeError('"state" is none of a merge request')
  const title = textAt(map, 'title')
  const isDraft = map['draft'] === true
  return {
    number: countAt(map, 'iid'),
    url: webUrlAt(map, 'web_url'),
    title: isDraft ? plainTitle(title) : title,
    body: optionalTextAt(map, 'description'),
    head: textAt(map, 'source_branch'),
    // null for a moment, and once the branch is gone
    headCommit: optionalTextAt(map, 'sha'),
    isFromFork: map['source_project_id'] !== map['target_project_id'],
    base: textAt(map, 'target_branch'),
    isDraft,
    state,
    labels: listOf(map['labels'], '"labels"').map(String),
  }
}
