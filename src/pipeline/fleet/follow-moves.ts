import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { baseName, dirName, isInside, joinPath, relativePath } from '../../codec/path.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import { type EarlierFile, type Git, GitError, type HistoryBounds } from '../../model/git.ts'
import { objectPath } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import { OWNER_FILE } from '../../model/tree-path.ts'
import { findRepository } from '../../sources/committed/find-repository.ts'
import { CLUSTER_OBJECT, findCommittedTree } from './find-committed-tree.ts'
import { parseOwner } from '../../write/tree-owner.ts'

type History = ReadonlyMap<string, readonly EarlierFile[]>

/**
 * Ports to which the tree of a fleet lies in its output folder in each commit that is named, and in the history that
 * `followsTree` asks for, wherever it was before it moved. Without that every cluster of a moved tree counts as new.
 */
export function followMoves(repository: Pick<FleetRepository, 'fleet' | 'clusters'>, ports: Ports): Ports {
  const { fleet } = repository
  // without a GitOps tool no step follows on another
  if (fleet.handoff === undefined) return ports
  const { git } = ports
  const output = joinPath(fleet.root, fleet.output)
  const file = joinPath(fleet.root, 'stackmason.yaml')
  const places = new Map<string, Promise<string>>()
  const locate = async (revision: string): Promise<string> => {
    const marks = await git.readCommitted(output, isOwnMark, revision)
    if (marks.size > 0) return output
    const moved = await findCommittedTree(repository, { file, revision: { base: revision }, output }, ports)
    if (moved !== undefined) return moved
    return (await findLeftTree(revision, { repository, file, output }, ports)) ?? output
  }
  const placeIn = (revision: string): Promise<string> => {
    const known = places.get(revision) ?? locate(revision)
    places.set(revision, known)
    return known
  }
  const below = (root: string, folder: string): string =>
    folder === output ? root : joinPath(root, relativePath(output, folder))
  const placed = async (folder: string, revision: string | undefined): Promise<string> =>
    revision === undefined || !isInside(output, folder) ? folder : below(await placeIn(revision), folder)
  const roots = new Map<string, Promise<readonly string[]>>()
  const keyOf = ({ commits, revision = '' }: HistoryBounds): string => `${commits} ${revision}`
  const rootsBefore = (bounds: HistoryBounds, own?: readonly EarlierFile[]): Promise<readonly string[]> => {
    const known = roots.get(keyOf(bounds)) ?? formerRoots({ repository, file, output, own, placeIn }, bounds, ports)
    roots.set(keyOf(bounds), known)
    return known
  }
  const elsewhere = new Map<string | undefined, Promise<boolean>>()
  const isElsewhere = (revision: string | undefined): Promise<boolean> => {
    const find = async (): Promise<boolean> => {
      const folder = revision === undefined ? output : await placeIn(revision)
      return isPublishedElsewhere(fleet, { output, folder, revision }, ports)
    }
    const known = elsewhere.get(revision) ?? find()
    elsewhere.set(revision, known)
    return known
  }
  const followed: Git = {
    ...git,
    readCommitted: async (folder, isWanted, revision) =>
      git.readCommitted(await placed(folder, revision), isWanted, revision),
    listCommitted: async (folder, revision, within) =>
      git.listCommitted(await placed(folder, revision), revision, within),
    readEarlier: async (folder, isWanted, bounds) => {
      if (bounds.followsTree !== true || !isInside(output, folder)) return git.readEarlier(folder, isWanted, bounds)
      if (await isElsewhere(bounds.revision)) return new Map()
      const asked = { output, folder, isWanted, bounds }
      const { found, own } = roots.has(keyOf(bounds))
        ? { found: await git.readEarlier(folder, isWanted, bounds) }
        : await readWithMark(asked, git)
      const before: History[] = []
      for (const root of await rootsBefore(bounds, own))
        before.push(await git.readEarlier(below(root, folder), isWanted, bounds))
      return before.length === 0 ? found : joinHistories([found, ...before])
    },
    sideLines: async (folder, isWanted, bounds) => {
      if (bounds.followsTree === true && isInside(output, folder) && (await isElsewhere(bounds.revision))) return []
      const found = [...(await git.sideLines(folder, isWanted, bounds))]
      if (bounds.followsTree !== true || !isInside(output, folder)) return found
      for (const root of await rootsBefore(bounds))
        found.push(...(await git.sideLines(below(root, folder), isWanted, bounds)))
      return found
    },
  }
  return withGit(ports, followed)
}

/**
 * True if a commit, the last one by default, has no tree of the fleet in the folder, and the branch that the fleet
 * publishes to has it, as far as it was fetched. What the commits before had has gone there: they tell nothing.
 */
export async function isPublishedElsewhere(
  { root: home, publish: { branch, path, repository } }: FleetRepository['fleet'],
  {
    output,
    folder = output,
    revision,
  }: { readonly output: string; readonly folder?: string; readonly revision?: string | undefined },
  ports: Pick<Ports, 'files' | 'git'>,
): Promise<boolean> {
  if (branch === undefined || repository !== undefined) return false
  const hasMark = async (at: string, of?: string): Promise<boolean> =>
    orNone(
      ports.git.readCommitted(at, isOwnMark, of).then(({ size }) => size > 0),
      false,
    )
  if (await hasMark(folder, revision)) return false
  const root = await findRepository(output, ports)
  if (root === undefined) return false
  const there = `origin/${branch}`
  // a branch of inputs is no other place
  const inputs = ports.git.readCommitted(home, (name) => name === 'stackmason.yaml', there)
  const hasInputs = await orNone(
    inputs.then(({ size }) => size > 0),
    true,
  )
  return !hasInputs && hasMark(path === undefined ? output : joinPath(root, path), there)
}

/** The ports with another git. None of the others is touched: who observes them notes which are used. */
function withGit(ports: Ports, git: Git): Ports {
  const described = { ...Object.getOwnPropertyDescriptors(ports), git: { value: git, enumerable: true } }
  return Object.defineProperties({} as Ports, described)
}

/** True for the file that says whose a tree is, of whichever tree. */
function isMark(path: string): boolean {
  return baseName(path) === OWNER_FILE
}

function isOwnMark(path: string): boolean {
  return path === OWNER_FILE
}

/** A fleet, its stackmason.yaml, and its output folder. */
interface MovedFleet {
  readonly repository: Pick<FleetRepository, 'fleet' | 'clusters'>
  readonly file: string
  readonly output: string
}

/**
 * The tree that a fleet has left in a commit by moving as a whole: one whose stackmason.yaml is there no more, of its
 * name, or, where it is renamed, with clusters of its own. One that was left before that commit, and still lies there,
 * is what a retired fleet had: of another name it is no other fleet's.
 * @throws StackmasonError OUTPUT_MOVED where it may be one of several
 */
async function findLeftTree(
  revision: string,
  { repository: { fleet, clusters }, file, output }: MovedFleet,
  ports: Pick<Ports, 'files' | 'git'>,
): Promise<string | undefined> {
  const root = await findRepository(output, ports)
  if (root === undefined) return undefined
  const names = new Set(clusters.map(objectPath))
  const sharing = new Set<string>()
  const marks = await ports.git.readCommitted(
    root,
    (path) => {
      const [, tree = '', name = ''] = CLUSTER_OBJECT.exec(path) ?? []
      if (names.has(name)) sharing.add(joinPath(root, tree))
      return isMark(path)
    },
    revision,
  )
  const left: LeftTree[] = []
  for (const [path, bytes] of marks) {
    const folder = dirName(joinPath(root, path))
    const owner = parseOwner(decodeUtf8(bytes))
    const written = joinPath(folder, owner.file ?? '')
    if (written !== file && (await ports.files.stat(written))?.type !== 'file')
      left.push({ folder, name: owner.name, fleet: dirName(written) })
  }
  const named = left.filter(({ name }) => name === fleet.name)
  const found = [...named]
  if (named.length === 0)
    for (const one of left) if (sharing.has(one.folder) && !(await isRetired(one, revision, ports))) found.push(one)
  const alike = found.length > 1 ? found.filter((one) => baseName(one.fleet) === baseName(fleet.root)) : found
  if (found.length > 0 && alike.length !== 1) throw new StackmasonError(severalLeft(revision, found.length, file))
  return alike[0]?.folder
}

/** A tree whose stackmason.yaml is gone from where it says, and the folder that this lay in. */
interface LeftTree {
  readonly folder: string
  readonly name: string | undefined
  readonly fleet: string
}

/** True if a tree lies where it did in a commit that had no stackmason.yaml for it any more. */
async function isRetired(
  { folder, fleet }: LeftTree,
  revision: string,
  { files, git }: Pick<Ports, 'files' | 'git'>,
): Promise<boolean> {
  if ((await files.stat(joinPath(folder, OWNER_FILE)))?.type !== 'file') return false
  const there = await git.readCommitted(fleet, (path) => path === 'stackmason.yaml', revision)
  return there.size === 0
}

function severalLeft(revision: string, count: number, file: string): Diagnostic {
  return {
    code: 'OUTPUT_MOVED',
    severity: 'error',
    message: `${revision} has ${String(count)} trees of fleets whose stackmason.yaml has gone from there; which of them this fleet's is does not show, and by the wrong one its clusters would go back`,
    file,
    hint: 'Move one fleet at a time, or keep the names of their folders; a metadata.name of its own for each, in a commit before the move, tells them apart.',
  }
}

/** A question about the history of a folder in the output folder. */
interface AskedHistory {
  readonly output: string
  readonly folder: string
  readonly isWanted: (path: string) => boolean
  readonly bounds: HistoryBounds
}

/** A history, and with the same question, where that can be, the one of the file of the tree's owner. */
async function readWithMark(
  { output, folder, isWanted, bounds }: AskedHistory,
  git: Git,
): Promise<{ readonly found: History; readonly own?: readonly EarlierFile[] }> {
  const { among, line } = bounds
  if (among === undefined || line !== undefined || folder === output)
    return { found: await git.readEarlier(folder, isWanted, bounds) }
  const prefix = `${relativePath(output, folder)}/`
  const all = await git.readEarlier(
    output,
    (path) => isOwnMark(path) || (path.startsWith(prefix) && isWanted(path.slice(prefix.length))),
    { ...bounds, among: [OWNER_FILE, ...among.map((pattern) => `${prefix}${pattern}`)] },
  )
  const own = (all.get(OWNER_FILE) ?? []).filter(({ isDropped }) => isDropped !== true)
  const ofFolder = [...all].filter(([path]) => path !== OWNER_FILE)
  return { found: new Map(ofFolder.map(([path, files]) => [path.slice(prefix.length), files])), own }
}

/** The folders in which the tree lay in the commits of a history; none where it never left the output folder. */
async function formerRoots(
  {
    repository,
    file,
    output,
    own: read,
    placeIn,
  }: MovedFleet & {
    /** The history of the file of its owner, where it was read. */
    readonly own: readonly EarlierFile[] | undefined
    /** Where the tree lies in a commit. */
    readonly placeIn: (revision: string) => Promise<string>
  },
  { commits, revision }: HistoryBounds,
  ports: Pick<Ports, 'files' | 'git'>,
): Promise<readonly string[]> {
  const { git } = ports
  const bounds = { commits, ...(revision !== undefined && { revision }) }
  const isThere = (await git.readCommitted(output, isOwnMark, revision)).size > 0
  const own =
    read ?? (await git.readEarlier(output, isOwnMark, { ...bounds, among: [OWNER_FILE] })).get(OWNER_FILE) ?? []
  // before the very first commit there was no tree anywhere
  if (isThere && own.every(({ bytes, commit }) => bytes !== undefined || commit === '')) return []
  const root = await findRepository(output, ports)
  if (root === undefined) return []
  const marks = await git.readEarlier(root, isMark, { ...bounds, among: [`**/${OWNER_FILE}`] })
  const home = dirName(file)
  const here: Root[] = []
  const left: LeftRoot[] = []
  for (const [path, states] of marks) {
    const folder = dirName(joinPath(root, path))
    const bytes = states.find((state) => state.bytes !== undefined)?.bytes
    if (bytes === undefined || folder === output) continue
    const owner = parseOwner(decodeUtf8(bytes))
    const written = joinPath(folder, owner.file ?? '')
    if (written === file) here.push({ folder, at: home, states })
    else if ((await ports.files.stat(written))?.type !== 'file')
      left.push({ folder, at: dirName(written), states, name: owner.name })
  }
  const named = left.filter(({ name }) => name === repository.fleet.name)
  // of fleets of one name that were there at once, only one can be this one
  const ours = named.some((a) => named.some((b) => a.at !== b.at && wereTogether(a, b)))
    ? named.filter(({ at }) => baseName(at) === baseName(home))
    : named
  const known: Root[] = [...here, ...ours]
  // where the last commit has it elsewhere, the move is not committed
  const last = isThere ? output : await orNone(placeIn(revision ?? 'HEAD'), output)
  if (last !== output && !known.some(({ folder }) => folder === last))
    known.push(left.find(({ folder }) => folder === last) ?? { folder: last, at: dirName(last), states: [] })
  // a fleet may have moved several times: this grows while it is walked
  const all: Root[] = [{ folder: output, at: home, states: own }, ...known]
  for (const one of all) all.push(...cameFrom(one, left).filter((other) => !all.includes(other)))
  return all.slice(1).map(({ folder }) => folder)
}

/** The answer of a commit; where there is none yet, something else. */
async function orNone<Result>(asked: Promise<Result>, none: Result): Promise<Result> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof GitError && error.reason === 'no-such-ref') return none
    throw error
  }
}

/** A folder in which a tree lay, the folder of its fleet, and the states of the file of its owner. */
interface Root {
  readonly folder: string
  readonly at: string
  readonly states: readonly EarlierFile[]
}

/** A tree of a fleet whose stackmason.yaml is no more where that tree says. */
interface LeftRoot extends Root {
  readonly name: string | undefined
}

/**
 * The tree that left its folder in the commit that brought another one, whatever it was called: none where their names
 * or those of their folders do not tell of several which it was.
 */
function cameFrom({ at, states }: Root, left: readonly LeftRoot[]): readonly LeftRoot[] {
  const ages = new Set(states.filter(({ bytes }) => bytes === undefined).map(({ age }) => age))
  const gone = left.filter((one) => one.states.some(({ age, bytes }) => bytes !== undefined && ages.has(age)))
  return gone.length > 1 ? gone.filter((one) => baseName(one.at) === baseName(at)) : gone
}

/** True if a commit had both. */
function wereTogether(one: Root, other: Root): boolean {
  const isThere = ({ states }: Root, age: number): boolean =>
    states.findLast((state) => state.age <= age)?.bytes !== undefined
  return [...one.states, ...other.states].some(({ age }) => isThere(one, age) && isThere(other, age))
}

/** One history of the files of a tree from those of the folders in which it lay, its own first. */
function joinHistories(histories: readonly History[]): History {
  const paths = new Set(histories.flatMap((history) => [...history.keys()]))
  return new Map([...paths].map((path) => [path, joinStates(histories.map((history) => history.get(path) ?? []))]))
}

/**
 * The states of one file. In its own folder it is, before the first of them, as it is now; in the others it is not
 * there.
 */
function joinStates([own = [], ...others]: readonly (readonly EarlierFile[])[]): readonly EarlierFile[] {
  const all = [own, ...others]
  const lines = all.map((states) => states.filter(({ isDropped }) => isDropped !== true))
  const [first] = lines[0] ?? []
  const turns = new Map(lines.flat().map((state) => [state.age, state]))
  const joined = [...turns.values()]
    .sort((one, other) => one.age - other.age)
    .filter(({ age }) => first === undefined || age >= first.age)
    .map(({ commit, age }): EarlierFile => {
      const states = lines.map((line) => line.findLast((state) => state.age <= age)?.bytes)
      return { commit, age, bytes: states.find((bytes) => bytes !== undefined) }
    })
  return [...all.flat().filter(({ isDropped }) => isDropped === true), ...joined]
}
