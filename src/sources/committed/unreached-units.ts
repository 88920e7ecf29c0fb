import { dirName, joinPath } from '../../codec/path.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { type ObjectName, objectPath } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import { HANDOFF, handoffFolder, HANDOFF_STACKS } from '../../model/tree-path.ts'
import type { Break } from './find-broken.ts'
import { createReachFinder } from './find-unreached.ts'
import { readDisk } from './tree-files.ts'

/** The parts of a tree that a GitOps tool must get to. */
export interface WrittenPart {
  readonly clusters: readonly ObjectName[]
  /** The folders of stacks, and their namespaces. */
  readonly stacks: readonly { readonly namespace: string; readonly path: string }[]
}

/** Findings that one run gives of this. */
const MOST = 10

/**
 * Finds what keeps a GitOps tool from what a run of a part of the fleet wrote: such a run leaves the lists above its
 * folders and the files of others as they lie on disk.
 */
export async function findUnreached(
  output: string,
  { clusters, stacks }: WrittenPart,
  ports: Pick<Ports, 'files'>,
): Promise<{ readonly findings: readonly Diagnostic[] }> {
  const texts = await readDisk({ output, folder: HANDOFF }, (path) => path.endsWith('.yaml'), ports)
  const files = new Map([...texts].map(([path, text]) => [`${HANDOFF}/${path}`, text]))
  const find = createReachFinder(files, (path) => joinPath(output, path))
  const isThere = (folder: string): boolean => [...files.keys()].some((path) => path.startsWith(`${folder}/`))
  const found = new Map<string, Break & { readonly of: string[] }>()
  const add = (breaks: readonly Break[], of: string): void => {
    for (const one of breaks) {
      const key = `${one.path} ${one.reason}`
      const known = found.get(key) ?? { ...one, of: [] }
      found.set(key, known)
      known.of.push(of)
    }
  }
  for (const cluster of clusters) {
    const { namespace, name } = cluster
    const isShared = name === HANDOFF_STACKS
    const own = handoffFolder(namespace, name)
    // of one that ended nothing is left to get to
    if (isShared || isThere(own)) add(find.folder(own), objectPath(cluster))
    else for (const above of [dirName(own)].filter(isThere)) add(find.folder(above), objectPath(cluster))
  }
  for (const { namespace, path } of stacks)
    add(find.target(path, handoffFolder(namespace)), path.slice(path.indexOf('/') + 1))
  const findings = [...found.values()]
    .slice(0, MOST)
    .map(({ path, reason, of: [first = '', ...others] }): Diagnostic => ({
      code: 'HANDOFF_UNREACHED',
      severity: 'warning',
      message:
        `no GitOps tool gets to the units of ${first}${others.length === 0 ? '' : ` and ${String(others.length)} more`}: ` +
        reason,
      file: joinPath(output, path),
      hint: 'This run leaves that file as it is. Run `stackmason render` without --cluster and --stack, and commit what it writes.',
    }))
  return { findings }
}
