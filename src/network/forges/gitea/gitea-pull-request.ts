import type { PullRequest } from '../../../model/forge.ts'
import { plainTitle } from '../draft-title.ts'
import { countAt, mapOf, namesAt, optionalTextAt, textAt, webUrlAt } from '../forge-shape.ts'

/** Reads a pull request of Gitea (its swagger's `PullRequest`). @throws ForgeShapeError */
export function parseGiteaPullRequest(value: unknown): PullRequest {
  const map = mapOf(value, 'a pull request')
  const head = mapOf(map['head'], '"head"')
  const base = mapOf(map['base'], '"base"')
  const title = textAt(map, 'title')
  // older versions tell it by the title alone
  const isDraft = map['draft'] === undefined ? plainTitle(title) !== title : map['draft'] === true
  const isOpen = textAt(map, 'state') === 'open'
  return {
    number: countAt(map, 'number'),
    url: webUrlAt(map, 'html_url'),
    title: isDraft ? plainTitle(title) : title,
    body: optionalTextAt(map, 'body'),
    // `ref` is another one once the branch is gone
    head: textAt(head, 'label'),
    headCommit: textAt(head, 'sha'),
    isFromFork: head['repo_id'] !== base['repo_id'],
    base: textAt(base, 'ref'),
    isDraft,
    state: isOpen ? 'open' : map['merged'] === true ? 'merged' : 'closed',
    labels: namesAt(map, 'labels', 'name'),
  }
}
