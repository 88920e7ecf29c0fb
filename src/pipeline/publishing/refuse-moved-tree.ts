import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { joinPath } from '../../codec/path.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { gitopsToolNames } from '../../model/gitops-tool.ts'
import { shortCommit } from '../../model/git.ts'
import type { RemoteAccess, RemoteRefs } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import { HANDOFF, OWNER_FILE } from '../../model/tree-path.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { trailerOf, trailers } from '../../publish/own-commits.ts'
import type { PublishTarget } from '../../publish/choose-target.ts'
import { parseOwner } from '../../write/tree-owner.ts'
import { formerPlaces, placeNamedBy, type TreePlace } from './former-places.ts'
import { accessTo, type FleetCheckout, HISTORY } from './open-checkout.ts'
import type { PreparedSource } from './prepare-source.ts'
import { askingGit } from './publish-problem.ts'

/** The target of a run, and how it was chosen. */
export interface MovedTreeQuestion {
  readonly checkout: FleetCheckout
  readonly target: PublishTarget
  readonly prepared: Pick<PreparedSource, 'source' | 'target' | 'branch' | 'path' | 'remote'>
  /** The branches of the fleet's own repository. */
  readonly refs: RemoteRefs
}

/** A place whose branch is known. */
type KnownPlace = TreePlace & { readonly branch: string }

/** A place with a tree, and the commit that this was published from, where it says one. */
type FoundTree = KnownPlace & {
  readonly source: string | undefined
  /** Absent: the tree is there. */
  readonly removed?: RemovedTree
}

/** A tree that is no more. */
interface RemovedTree {
  /** The commit that removed the file of its owner. */
  readonly by: string
  /** The last one that has it. */
  readonly last: string
  /** True: of all files that alone, as the pages say of a tree of which nothing runs. */
  readonly isGivenUp: boolean
}

/**
 * Refuses to begin a tree where none is while that of the fleet is where an earlier version of stackmason.yaml says, or
 * beside the inputs, or was removed there: every cluster would count as new, past the steps of its upgrade or
 * decommission. So is one that is older than the tree in such a place: a switch of places was taken back. Warns of a
 * place that cannot be looked at.
 * @throws StackmasonError OUTPUT_MOVED
 */
export async function refuseMovedTree(question: MovedTreeQuestion, ports: Ports): Promise<readonly Diagnostic[]> {
  const { checkout, target, prepared } = question
  const { repository, url: home } = checkout.remote
  const { handoff } = checkout.fleet
  // without a GitOps tool there are no steps, and on the author's branch they go on from the base
  if (handoff === undefined || target.kind === 'author') return []
  const isBegun =
    prepared.target !== undefined && (await readOwner(repository, prepared.target, prepared.path, ports)) !== undefined
  const begun = isBegun
    ? await askingGit(home, () => sourceAt({ ...prepared, commit: prepared.target }, ports))
    : undefined
  // a tree that somebody has brought there
  if (isBegun && begun === undefined) return []
  const now: KnownPlace = {
    url: prepared.remote.url,
    branch: prepared.branch,
    path: prepared.path,
    fleet: checkout.fleet.name,
  }
  const warnings: Diagnostic[] = []
  const told = new Set<string>()
  let hasOther = false
  const asked = { checkout, source: prepared.source, defaultBranch: question.refs.defaultBranch, since: begun }
  const places = await askingGit(home, () => formerPlaces(asked, ports))
  for (const place of places) {
    const name = JSON.stringify([place.url, place.branch, place.path, place.fleet])
    if (told.has(name)) continue
    told.add(name)
    const found = await findTree(place, question, ports).catch((error: unknown) => {
      if (!(error instanceof StackmasonError) || place.url === home) throw error
      warnings.push(unseen(place, error, question))
      return undefined
    })
    if (found === undefined || isSame(found, now)) continue
    // what was removed in a place before the last one was over by then
    const isOver = found.removed !== undefined && (hasOther || found.removed.isGivenUp)
    hasOther = true
    if (isOver) continue
    if (begun !== undefined && !(await isLater(found.source, begun, question, ports))) continue
    throw new StackmasonError(moved(found, now, { ...question, tool: gitopsToolNames[handoff.tool], isBegun }))
  }
  // a pull request shows what begins anew, and has a tree on a branch of its own
  const isAsked = !isBegun && target.kind === 'branch' && target.elsewhere !== undefined
  const strayed = isAsked ? await askingGit(now.url, () => findStrayed(now, places, question, ports)) : undefined
  if (strayed !== undefined)
    throw new StackmasonError(moved(strayed, now, { ...question, tool: gitopsToolNames[handoff.tool], isBegun }))
  return warnings
}

/** Branches that are looked at for a tree. */
const BRANCHES = 2000

/**
 * The tree that was published by the same `spec.publish`, or by an earlier one of `places`, and lies in another branch by
 * now: its branch was renamed, or another one is the default branch.
 */
async function findStrayed(
  now: KnownPlace,
  places: readonly TreePlace[],
  { checkout, prepared, refs: ownRefs }: MovedTreeQuestion,
  ports: Ports,
): Promise<FoundTree | undefined> {
  const { gitWriter } = ports
  const { remote } = prepared
  const asked = { checkout, defaultBranch: ownRefs.defaultBranch }
  const home = checkout.remote.repository
  const wanted = [...places, (await placeNamedBy(prepared.source, asked, ports)) ?? now]
  const { refs } = remote.url === checkout.remote.url ? ownRefs : await gitWriter.listRemote(remote)
  const own = `refs/heads/${now.branch}`
  const names = [...refs.keys()].filter((name) => name !== own).toSorted(compareBytes)
  const commits = await gitWriter.fetch(remote, names.slice(0, BRANCHES), HISTORY)
  for (const [name, commit] of commits) {
    await gitWriter.complete(remote, commit, { folder: ownerFileOf(now), history: 1 })
    if ((await readOwner(remote.repository, commit, now.path, ports)) !== now.fleet) continue
    const source = await sourceAt({ ...prepared, commit }, ports)
    if (source === undefined || (await gitWriter.mergeBase(home, source, prepared.source)) !== source) continue
    const before = await placeNamedBy(source, asked, ports)
    if (before !== undefined && wanted.some((place) => isOne(place, before)))
      return { ...now, branch: name.slice('refs/heads/'.length), source }
  }
  return undefined
}

/** The place with its branch, if the fleet's tree is or was there. @throws StackmasonError FETCH_*, GIT_FAILED */
async function findTree(
  place: TreePlace,
  { checkout, prepared, refs: ownRefs }: MovedTreeQuestion,
  ports: Ports,
): Promise<FoundTree | undefined> {
  const { gitWriter } = ports
  const isHome = place.url === checkout.remote.url
  const access = isHome ? checkout.remote : await accessTo(place.url, checkout, ports)
  return askingGit(access.url, async () => {
    const { refs, defaultBranch } = isHome ? ownRefs : await gitWriter.listRemote(access)
    const branch = place.branch ?? defaultBranch
    const ref = `refs/heads/${branch ?? ''}`
    if (branch === undefined || !refs.has(ref)) return undefined
    const commit = (await gitWriter.fetch(access, [ref], HISTORY)).get(ref)
    if (commit === undefined) return undefined
    const ownerAt = async (at: string): Promise<string | undefined> => {
      await gitWriter.complete(access, at, { folder: ownerFileOf(place), history: 1 })
      return readOwner(access.repository, at, place.path, ports)
    }
    const here = await ownerAt(commit)
    const removed = here === undefined ? await findRemoval(access, { commit, path: place.path }, ports) : undefined
    const owner = removed === undefined ? here : await ownerAt(removed.last)
    if (owner === undefined || (owner !== place.fleet && owner !== checkout.fleet.name)) return undefined
    const source = await sourceAt({ ...prepared, commit: removed?.last ?? commit, path: place.path }, ports)
    return { ...place, branch, source, ...(removed !== undefined && { removed }) }
  })
}

/** The removal of a tree that a folder of a branch had; undefined where its history shows none. */
async function findRemoval(
  { repository }: Pick<RemoteAccess, 'repository'>,
  { commit, path }: { readonly commit: string; readonly path: string },
  { gitWriter }: Pick<Ports, 'gitWriter'>,
): Promise<RemovedTree | undefined> {
  const by = await gitWriter.lastChange(repository, commit, ownerFileOf({ path }))
  if (by === undefined) return undefined
  const [change] = await gitWriter.commitsBetween(repository, { from: undefined, to: by, limit: 1 })
  const last = change?.parents[0]
  if (last === undefined) return undefined
  const handoff = path === '' ? HANDOFF : joinPath(path, HANDOFF)
  return { by, last, isGivenUp: (await gitWriter.treeOf(repository, by, handoff)) !== undefined }
}

/** The fleet whose tree a folder of a commit holds, '' where it does not say; undefined where there is none. */
async function readOwner(
  repository: string,
  commit: string,
  path: string,
  { git, gitWriter }: Pick<Ports, 'git' | 'gitWriter'>,
): Promise<string | undefined> {
  const id = await gitWriter.treeOf(repository, commit, ownerFileOf({ path }))
  if (id === undefined) return undefined
  const text = (await git.readBlobs(repository, [id])).get(id)
  return text === undefined ? undefined : (parseOwner(decodeUtf8(text)).name ?? '')
}

/** The commit of inputs that a tree is of: what its last change names, or that itself where people commit the tree. */
async function sourceAt(
  {
    commit,
    path,
    source,
    remote: { repository },
  }: Pick<PreparedSource, 'path' | 'source' | 'remote'> & { readonly commit: string | undefined },
  { gitWriter }: Pick<Ports, 'gitWriter'>,
): Promise<string | undefined> {
  const last = commit === undefined ? undefined : await gitWriter.lastChange(repository, commit, path)
  if (last === undefined) return undefined
  const [change] = await gitWriter.commitsBetween(repository, { from: undefined, to: last, limit: 1 })
  const named = change === undefined ? undefined : trailerOf(change.message, trailers.source)
  return named ?? ((await gitWriter.mergeBase(repository, last, source)) === last ? last : undefined)
}

/** True if a tree was published from a later commit of the inputs than the one of the target: that is over then. */
async function isLater(
  source: string | undefined,
  begun: string,
  { checkout }: MovedTreeQuestion,
  { gitWriter }: Pick<Ports, 'gitWriter'>,
): Promise<boolean> {
  if (source === undefined || source === begun) return false
  const { repository, url } = checkout.remote
  return (await askingGit(url, () => gitWriter.mergeBase(repository, begun, source))) === begun
}

/** As isSame, where the default branch is a name of its own. */
function isOne(a: TreePlace, b: TreePlace): boolean {
  return a.url === b.url && a.branch === b.branch && a.path === b.path
}

function isSame(a: KnownPlace, b: KnownPlace): boolean {
  return a.url === b.url && a.branch === b.branch && a.path === b.path
}

function moved(
  from: FoundTree,
  to: KnownPlace,
  { checkout, prepared, tool, isBegun }: MovedTreeQuestion & { readonly tool: string; readonly isBegun: boolean },
): Diagnostic {
  const { facts, file, remote } = checkout
  const { removed } = from
  const where = shownPlace(from, remote.url)
  const lay = removed === undefined ? `is in ${where}` : `was in ${where} until ${shortCommit(removed.by)} removed it`
  const mark = ownerFileOf(from)
  return {
    code: 'OUTPUT_MOVED',
    severity: 'error',
    message:
      `${shownPlace(to, remote.url)} holds ${isBegun ? 'an older tree' : 'no tree'}, but this fleet's tree ${lay}: ` +
      (isBegun
        ? `clusters would go back to what the older one has of them`
        : `written anew, every cluster counts as new${removed === undefined ? `, and ${tool} goes on with the old tree` : ''}`),
    file: joinPath(facts.root, file),
    hint:
      `${advise(from, to, { isThere: prepared.target !== undefined, home: remote.url })} If nothing runs that it describes, ` +
      (removed === undefined
        ? `remove ${mark} there instead.`
        : `bring it back where it was, and remove ${mark} alone in a commit of its own instead.`) +
      (prepared.target === undefined && from.branch !== to.branch
        ? ` If branch ${to.branch} had the tree before and is gone, push its last commit again, and if it is misspelt, correct spec.publish: what is here is older.`
        : '') +
      ` docs/29-publish.md, "Moving the tree", has all steps.`,
  }
}

function advise(
  from: FoundTree,
  to: KnownPlace,
  { isThere, home }: { readonly isThere: boolean; readonly home: string },
): string {
  const isInOne = from.url === to.url
  const { removed } = from
  if (removed === undefined && isInOne && from.branch === to.branch)
    return `Move all of the tree first, ${ownerFileOf(from)} included, in a commit of its own on ${from.branch}.`
  if (isInOne && from.url === home && to.path === '' && !isThere) {
    const commit = removed === undefined ? `origin/${from.branch}` : shortCommit(removed.last)
    const tree = from.path === '' ? `${commit}^{tree}` : `${commit}:${from.path}`
    return `Bring the tree there first: \`git fetch origin && git push origin "$(git commit-tree -p ${shellWord(commit)} -m 'Move the tree' ${shellWord(tree)})":${shellWord(`refs/heads/${to.branch}`)}\`.`
  }
  const copied = removed === undefined ? 'it is' : `commit ${shortCommit(removed.last)} has it`
  return `Bring the tree there first: copy it as ${copied}, ${ownerFileOf(from)} included, commit and push it.`
}

function ownerFileOf({ path }: Pick<TreePlace, 'path'>): string {
  return path === '' ? OWNER_FILE : joinPath(path, OWNER_FILE)
}

function shownPlace({ url, branch, path }: TreePlace, home: string): string {
  const where = branch === undefined ? 'the default branch' : `branch ${branch}`
  return `${path === '' ? 'the root' : `"${path}"`} of ${where}${url === home ? '' : ` of ${shownUrl(url)}`}`
}

function unseen(place: TreePlace, error: StackmasonError, { checkout }: MovedTreeQuestion): Diagnostic {
  const problem = error.diagnostics.map(({ message }) => message).join('; ')
  return {
    code: 'OUTPUT_MOVED',
    severity: 'warning',
    message: `an earlier stackmason.yaml names ${shownPlace(place, checkout.remote.url)}; whether this fleet's tree is there is not known: ${problem}`,
    file: joinPath(checkout.facts.root, checkout.file),
    hint: 'If clusters run that it describes, bring it to the new place before you publish: here every cluster counts as new.',
  }
}
