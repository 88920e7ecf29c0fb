import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { baseName, dirName, joinPath, resolvePath } from '../../codec/path.ts'
import { textAt } from '../../model/field.ts'
import type { Ports } from '../../model/ports.ts'
import type { Value } from '../../model/value.ts'
import type { FleetCheckout } from './open-checkout.ts'

/** Earlier versions of stackmason.yaml that are looked at. */
const VERSIONS = 30

const CLUSTER = /^(?:(.+)\/)?(clusters\/(?:.+\/)?cluster\.yaml)$/

/** Where a tree goes, as some version of stackmason.yaml says. */
export interface TreePlace {
  readonly url: string
  /** Absent: the default branch there. */
  readonly branch: string | undefined
  /** '' is the root. */
  readonly path: string
  /** The name that the fleet had. */
  readonly fleet: string
}

/** The fleet whose places are looked for, and from where on. */
export interface PlacesQuestion {
  readonly checkout: Pick<FleetCheckout, 'file' | 'fleet' | 'output' | 'remote'>
  /** The commit of the inputs. */
  readonly source: string
  /** Of the fleet's own repository. */
  readonly defaultBranch: string | undefined
  /** The commit that the tree of the target was published from: only places that came after it. */
  readonly since: string | undefined
}

/**
 * Places that earlier versions of stackmason.yaml name, the newest first, also where it lay in another folder; without
 * `since` the output folder beside the inputs as the last one.
 */
export async function formerPlaces(
  { checkout: { file, fleet, output, remote }, source, defaultBranch, since }: PlacesQuestion,
  { git, gitWriter }: Pick<Ports, 'git' | 'gitWriter'>,
): Promise<readonly TreePlace[]> {
  const { repository, url: home } = remote
  const places: TreePlace[] = []
  const complete = async (commit: string, folder: string): Promise<void> =>
    gitWriter.complete(remote, commit, { folder, history: VERSIONS })
  await complete(source, file)
  let at: string | undefined = source
  let path = file
  for (let version = 0; at !== undefined && version < VERSIONS; version++) {
    const changed = await gitWriter.lastChange(repository, at, path)
    if (changed === undefined) break
    if (since !== undefined && (await gitWriter.mergeBase(repository, changed, since)) === changed) return places
    const id = await gitWriter.treeOf(repository, changed, path)
    const text = id === undefined ? undefined : (await git.readBlobs(repository, [id])).get(id)
    if (text !== undefined) places.push(...placeIn(decodeUtf8(text), { file: path, home, defaultBranch }))
    const [commit] = await gitWriter.commitsBetween(repository, { from: undefined, to: changed, limit: 1 })
    at = commit?.parents[0]
    if (at === undefined || (await gitWriter.treeOf(repository, at, path)) !== undefined) continue
    const before = await fileBefore({ repository, path, changed, parent: at }, { git })
    if (before === undefined) break
    path = before
    await complete(at, path)
  }
  if (since !== undefined) return places
  return [...places, { url: home, branch: fleet.publish.base ?? defaultBranch, path: output, fleet: fleet.name }]
}

/** The place that stackmason.yaml of a commit names; undefined where it cannot be read. */
export async function placeNamedBy(
  commit: string,
  { checkout: { file, remote }, defaultBranch }: Pick<PlacesQuestion, 'checkout' | 'defaultBranch'>,
  { git, gitWriter }: Pick<Ports, 'git' | 'gitWriter'>,
): Promise<TreePlace | undefined> {
  await gitWriter.complete(remote, commit, { folder: file, history: 1 })
  const id = await gitWriter.treeOf(remote.repository, commit, file)
  const text = id === undefined ? undefined : (await git.readBlobs(remote.repository, [id])).get(id)
  return text === undefined ? undefined : placeIn(decodeUtf8(text), { file, home: remote.url, defaultBranch })[0]
}

/** The stackmason.yaml that a commit has moved: one that is gone from there, and had clusters of the same folders. */
async function fileBefore(
  {
    repository,
    path,
    changed,
    parent,
  }: { readonly repository: string; readonly path: string; readonly changed: string; readonly parent: string },
  { git }: Pick<Ports, 'git'>,
): Promise<string | undefined> {
  const [before, after] = await Promise.all([parent, changed].map((one) => git.listCommitted(repository, one)))
  if (before === undefined || after === undefined) return undefined
  const own = clustersIn(after).get(dirName(path))
  const clusters = clustersIn(before)
  const gone = [...before.keys()].filter((one) => baseName(one) === baseName(path) && !after.has(one))
  const alike = gone.filter((one) => [...(clusters.get(dirName(one)) ?? [])].some((name) => own?.has(name) === true))
  // of several that a commit moves, the one whose folder keeps its name
  return alike.length > 1 ? alike.find((one) => baseName(dirName(one)) === baseName(dirName(path))) : alike[0]
}

/** The cluster.yaml files of a commit, from the folder of their fleet, by that. */
function clustersIn(files: ReadonlyMap<string, string>): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const path of files.keys()) {
    const [, folder = '.', name] = CLUSTER.exec(path) ?? []
    if (name !== undefined) found.set(folder, (found.get(folder) ?? new Set<string>()).add(name))
  }
  return found
}

/** The place that the text of a stackmason.yaml names, whichever version of the program it is for. */
function placeIn(
  text: string,
  {
    file,
    home,
    defaultBranch,
  }: { readonly file: string; readonly home: string; readonly defaultBranch: string | undefined },
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
