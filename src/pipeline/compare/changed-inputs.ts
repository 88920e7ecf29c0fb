import { isInside, joinPath, relativePath } from '../../codec/path.ts'
import type { FileIds } from '../../diff/plan-reading.ts'
import type { Fleet } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import { CLUSTERS, STACKS } from '../../model/tree-path.ts'
import type { InputState } from '../fleet/find-exceptions.ts'
import { type BlobHash, blobId, hashOf, openFolder, openRevision } from './open-tree.ts'

type InputPorts = Pick<Ports, 'files' | 'git' | 'crypto'>

/** Files of a fleet besides its folders. */
const FILES = ['stackmason.yaml', 'stackmason.lock'] as const

/**
 * Files that rendering reads and that differ between two states of a fleet, by path relative to stackmason.yaml: the
 * tree may be the same because nobody has rendered since.
 * @throws StackmasonError BASE_UNKNOWN, GIT_FAILED, FILE_UNREADABLE
 */
export async function changedInputs(
  fleet: Pick<Fleet, 'root' | 'output' | 'sources'>,
  { before, after }: { readonly before: InputState; readonly after: InputState },
  ports: InputPorts,
): Promise<readonly string[]> {
  const { root } = fleet
  const committed = async (state: InputState): Promise<FileIds | undefined> =>
    state === 'disk' ? undefined : (await openRevision(root, state.revision, ports)).files
  const [old, now] = [await committed(before), await committed(after)]
  // before the first commit all of them are new
  if (old?.size === 0) return []
  const hash = hashOf(old ?? now ?? new Map())
  const folders = [CLUSTERS, STACKS, ...ownSources(fleet)]
  const [one, other] = [
    old ?? (await onDisk(root, folders, { hash, ports })),
    now ?? (await onDisk(root, folders, { hash, ports })),
  ]
  const isInput = (path: string): boolean =>
    FILES.some((name) => name === path) || folders.some((folder) => path.startsWith(`${folder}/`))
  const output = `${fleet.output}/`
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter((path) => isInput(path) && !path.startsWith(output) && one.get(path) !== other.get(path))
    .toSorted()
}

/** Folders of releases in the fleet. */
function ownSources({ root, sources }: Pick<Fleet, 'root' | 'sources'>): readonly string[] {
  return sources.flatMap((source) =>
    (source.type === 'directory' || source.type === 'providerDirectory') && isInside(root, source.path)
      ? [relativePath(root, source.path)]
      : [],
  )
}

async function onDisk(
  root: string,
  folders: readonly string[],
  { hash, ports }: { readonly hash: BlobHash; readonly ports: InputPorts },
): Promise<FileIds> {
  const found = new Map<string, string>()
  for (const folder of folders) {
    const { files } = await openFolder(joinPath(root, folder), { label: folder, hash, ports })
    for (const [path, id] of files) found.set(`${folder}/${path}`, id)
  }
  for (const name of FILES) {
    const path = joinPath(root, name)
    if ((await ports.files.stat(path)) !== undefined)
      found.set(name, blobId(await ports.files.read(path), { hash, ports }))
  }
  return found
}
