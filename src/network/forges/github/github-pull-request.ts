import type { PullRequest } from '../../../model/forge.ts'
import { countAt, isMap, type JsonMap, mapOf, namesAt, optionalTextAt, textAt, webUrlAt } from '../forge-shape.ts'

/**
 * Reads a pull request of GitHub (OpenAPI schemas `pull-request` and `pull-request-simple`). @throws ForgeShapeError
 */
export function parseGitHubPullRequest(value: unknown): PullRequest {
  const map = mapOf(value, 'a pull request')
  const head = mapOf(map['head'], '"head"')
  const base = mapOf(map['base'], '"base"')
  return {
    number: countAt(map, 'number'),
    url: webUrlAt(map, 'html_url'),
    title: textAt(map, 'title'),
    body: optionalTextAt(map, 'body'),
    head: textAt(head, 'ref'),
    headCommit: textAt(head, 'sha'),
    isFromFork: isFromFork(head, base),
    base: textAt(base, 'ref'),
    isDraft: map['draft'] === true,
    state: stateOf(map),
    labels: namesAt(map, 'labels', 'name'),
  }
}

/** A fork that is gone has no repository. */
function isFromFork(head: JsonMap, base: JsonMap): boolean {
  const repository = head['repo']
  return !isMap(repository) || repository['id'] !== mapOf(base['repo'], '"base.repo"')['id']
}

function stateOf(map: JsonMap): PullRequest['state'] {
  if (textAt(map, 'state') === 'open') return 'open'
  return typeof map['merged_at'] === 'string' ? 'merged' : 'closed'
}
