import { nearestName } from '../../model/nearest-name.ts'
import type { GitRef } from '../../model/git.ts'

/** A ref of a remote, or why there is none. */
export type ChosenRef = { readonly ref: GitRef } | { readonly reason: string; readonly hint: string }

/** True if a ref is the whole id of a commit. */
export function isCommitId(ref: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref)
}

/** The ref that a fleet means: HEAD without a name, a full name (`refs/heads/main`), else a branch or a tag. */
export function chooseRef(refs: readonly GitRef[], wanted: string | undefined): ChosenRef {
  const named = (name: string): GitRef | undefined => refs.find((ref) => ref.name === name)
  if (wanted === undefined) {
    const head = named('HEAD')
    return head === undefined
      ? { reason: 'the repository has no HEAD', hint: 'Name a branch, tag or commit under ref of the source.' }
      : { ref: head }
  }
  const [branch, tag] = [named(`refs/heads/${wanted}`), named(`refs/tags/${wanted}`)]
  if (branch !== undefined && tag !== undefined && branch.commit !== tag.commit) {
    return {
      reason: `${JSON.stringify(wanted)} is a branch and a tag, at different commits`,
      hint: `Write refs/heads/${wanted} or refs/tags/${wanted}.`,
    }
  }
  const exact = wanted === 'HEAD' || wanted.startsWith('refs/') ? named(wanted) : undefined
  const ref = exact ?? tag ?? branch
  return ref === undefined ? missing(refs, wanted) : { ref }
}

function missing(refs: readonly GitRef[], wanted: string): ChosenRef {
  const reason = `there is no branch or tag ${JSON.stringify(wanted)}`
  if (/^[0-9a-f]{7,63}$/.test(wanted)) return { reason, hint: 'If it is a commit, write all 40 digits of its id.' }
  const names = refs.flatMap(({ name }) => /^refs\/(?:heads|tags)\/(.+)$/.exec(name)?.[1] ?? [])
  if (names.length === 0) return { reason, hint: 'The repository is empty.' }
  const near = nearestName(wanted, names)
  if (near !== undefined) return { reason, hint: `Did you mean ${near}?` }
  const shown = names.slice(0, 8).join(', ')
  return { reason, hint: names.length > 8 ? `There are ${shown} and ${names.length - 8} more.` : `There are ${shown}.` }
}
