import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { dirName, joinPath, resolvePath } from '../../codec/path.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { textAt } from '../../model/field.ts'
import { gitopsToolNames } from '../../model/gitops-tool.ts'
import type { RemoteRefs } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import { OWNER_FILE } from '../../model/tree-path.ts'
import type { Value } from '../../model/value.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { trailerOf, trailers } from '../../publish/own-commits.ts'
import type { PublishTarget } from '../../publish/choose-target.ts'
import { parseOwner } from '../../write/tree-owner.ts'
import { accessTo, type FleetCheckout, HISTORY } from './open-checkout.ts'
import type { PreparedSource } from './prepare-source.ts'
import { askingGit } from './publish-problem.ts'

/** Earlier versions of stackmason.yaml that are looked at. */
const VERSIONS = 30

/** The target of a run, and how it was chosen. */
export interface MovedTreeQuestion {
  readonly checkout: FleetCheckout
  readonly target: PublishTarget
  readonly prepared: Pick<PreparedSource, 'source' | 'target' | 'branch' | 'path' | 'remote'>
  /** The branches of the fleet's own repository. */
  readonly refs: RemoteRefs
}

/** Where a tree goes, as some version of stackmason.yaml says. */
interface TreePlace {
  readonly url: string
  /** Absent: the default branch there. */
  readonly branch: string | undefined
  /** '' is the root. */
  readonly path: string
  /** The name that the fleet had. */
  readonly fleet: string
}

/** A place whose branch is known. */
type KnownPlace = TreePlace & { readonly branch: string }

/** A place with a tree, and the commit that this was published from, where it says one. */
type FoundTree = KnownPlace & { readonly source: string | undefined }

/**
 * Refuses to begin a tree where none is while that of the fleet is where an earlier version of stackmason.yaml says, or
 * beside the inputs: every cluster would count as new, past the steps of its upgrade or decommission. So is one that is
 * older than the tree in such a place: a switch of places was taken back. Warns of a place
 * that cannot be looked at.
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
  for (const place of await askingGit(home, () => formerPlaces(question, begun, ports))) {
    const name = JSON.stringify([place.url, place.branch, place.path, place.fleet])
    if (told.has(name)) continue
    told.add(name)
    const found = await findTree(place, question, ports).catch((error: unknown) => {
      if (!(error instanceof StackmasonError) || place.url === home) throw error
      warnings.push(unseen(place, error, question))
      return undefined
    })
    if (found === undefined || isSame(found, now)) continue
    if (begun !== undefined && !(await isLater(found.source, begun, question, ports))) continue
    throw new StackmasonError(moved(found, now, { ...question, tool: gitopsToolNames[handoff.tool], isBegun }))
  }
  return warnings
}

/**
 * Places that earlier versions of stackmason.yaml name, the newest first, and the output folder beside the inputs.
 * Where the target has a tree that was published from the commit `since`, only those that came after it.
 */
async function formerPlaces(
  { checkout, prepared, refs }: MovedTreeQuestion,
  since: string | undefined,
  { git, gitWriter }: Pick<Ports, 'git' | 'gitWriter'>,
): Promise<readonly TreePlace[]> {
  const { file, fleet, output, remote } = checkout
  const { repository, url: home } = remote
  const base = fleet.publish.base ?? refs.defaultBranch
  const places: TreePlace[] = []
  await gitWriter.complete(remote, prepared.source, { folder: file, history: VERSIONS })
  let at: string | undefined = prepared.source
  for (let version = 0; at !== undefined && version < VERSIONS; version++) {
    const changed = await gitWriter.lastChange(repository, at, file)
    if (changed === undefined) break
    if (since !== undefined && (await gitWriter.mergeBase(repository, changed, since)) === changed) return places
    const id = await gitWriter.treeOf(repository, changed, file)
    const text = id === undefined ? undefined : (await git.readBlobs(repository, [id])).get(id)
    if (text !== undefined) places.push(...placeIn(decodeUtf8(text), { file, home, defaultBranch: refs.defaultBranch }))
    const [commit] = await gitWriter.commitsBetween(repository, { from: undefined, to: changed, limit: 1 })
    at = commit?.parents[0]
  }
  if (since !== undefined) return places
  return [...places, { url: home, branch: base, path: output, fleet: fleet.name }]
}

/** The place that the text of a stackmason.yaml names, whichever version of the program it is for. */
function placeIn(
  text: string,
  {
    file,
    home,
    defaultBranch,
  }: { readonly file: string; readonly home: string; readonly defaultBranch?: string | undefined },
): readonly TreePlace[] {
  let fleet: Value
  try {
    fleet = parseGoYaml(text)
  } catch (error) {
    if (error instanceof YamlError) return []
    throw error
  }
  const setting = (name: string): string => textAt(fleet, 'spec', 'publish', name)
  const inRepository = (path: string): string => resolvePath('/', path).slice(1)
  const url = setting('repository') || home
  const base = setting('base') || defaultBranch
  const output = inRepository(joinPath(dirName(file), textAt(fleet, 'spec', 'output', 'path') || 'rendered'))
  return [
    {
      url,
      branch: setting('branch') || (url === home ? base : undefined),
      path: setting('path') === '' ? output : inRepository(setting('path')),
      fleet: textAt(fleet, 'metadata', 'name'),
    },
  ]
}

/** The place with its branch, if the tree of the fleet is there. @throws StackmasonError FETCH_*, GIT_FAILED */
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
    await gitWriter.complete(access, commit, { folder: ownerFileOf(place), history: 1 })
    const owner = await readOwner(access.repository, commit, place.path, ports)
    return owner === undefined || (owner !== place.fleet && owner !== checkout.fleet.name)
      ? undefined
      : { ...place, branch, source: await sourceAt({ ...prepared, commit, path: place.path }, ports) }
  })
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

function isSame(a: KnownPlace, b: KnownPlace): boolean {
  return a.url === b.url && a.branch === b.branch && a.path === b.path
}

function moved(
  from: KnownPlace,
  to: KnownPlace,
  { checkout, prepared, tool, isBegun }: MovedTreeQuestion & { readonly tool: string; readonly isBegun: boolean },
): Diagnostic {
  const { facts, file, remote } = checkout
  return {
    code: 'OUTPUT_MOVED',
    severity: 'error',
    message:
      `${shownPlace(to, remote.url)} holds ${isBegun ? 'an older tree' : 'no tree'}, but this fleet's tree is in ${shownPlace(from, remote.url)}: ` +
      (isBegun
        ? `clusters would go back to what the older one has of them`
        : `written anew, every cluster counts as new, and ${tool} goes on with the old tree`),
    file: joinPath(facts.root, file),
    hint: `${advise(from, to, { isThere: prepared.target !== undefined, home: remote.url })} If nothing runs that it describes, remove ${ownerFileOf(from)} there instead. docs/29-publish.md, "Moving the tree", has all steps.`,
  }
}

function advise(
  from: KnownPlace,
  to: KnownPlace,
  { isThere, home }: { readonly isThere: boolean; readonly home: string },
): string {
  const isInOne = from.url === to.url
  if (isInOne && from.branch === to.branch)
    return `Move all of the tree first, ${ownerFileOf(from)} included, in a commit of its own on ${from.branch}.`
  if (isInOne && from.url === home && to.path === '' && !isThere) {
    const tree = from.path === '' ? `origin/${from.branch}^{tree}` : `origin/${from.branch}:${from.path}`
    return `Bring the tree there first: \`git fetch origin && git push origin "$(git commit-tree -m 'Move the tree' ${shellWord(tree)})":${shellWord(`refs/heads/${to.branch}`)}\`.`
  }
  return `Bring the tree there first: copy it as it is, ${ownerFileOf(from)} included, commit and push it.`
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
