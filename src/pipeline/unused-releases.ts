import { decodeUtf8 } from '../codec/bytes/utf8.ts'
import { parseGoYaml, YamlError } from '../codec/go-yaml/go-yaml-parse.ts'
import { joinPath } from '../codec/path.ts'
import { readClassReference } from '../model/class-reference.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { textAt } from '../model/field.ts'
import type { FleetRepository } from '../model/fleet.ts'
import type { Lock, LockedRelease } from '../model/lock.ts'
import { FileError, type Ports } from '../model/ports.ts'
import { formatClassName, formatTag, parseReleaseTag } from '../model/release-name.ts'
import { stackFolder, CLUSTERS } from '../model/tree-path.ts'
import type { Value } from '../model/value.ts'
import type { NeededRelease } from '../render/stack/select-releases.ts'
import { stackKey } from './select-locked.ts'

/** A release that the lock gives to ClusterStacks which do not need it any more. */
export interface UnusedRelease {
  readonly name: string
  /** `namespace/name`; empty when its ClusterStacks are gone. */
  readonly stacks: readonly string[]
  /** Folders of the output tree that go with it, relative to the output. */
  readonly folders: readonly string[]
  /** Set when something committed or rendered still uses it; then it cannot be pruned yet. */
  readonly usedBy?: string
}

/** The entries of the lock that nothing needs now, and whether what is committed or rendered still does. */
export async function findUnused(
  lock: Lock,
  needed: readonly NeededRelease[],
  { repository, ports }: { readonly repository: FleetRepository; readonly ports: Ports },
): Promise<readonly UnusedRelease[]> {
  const wanted = new Set(needed.map(({ clusterStack, name }) => `${stackKey(clusterStack)} ${formatTag(name)}`))
  const result: UnusedRelease[] = []
  for (const locked of lock.releases) {
    const stacks = locked.stacks.filter((stack) => !wanted.has(`${stack} ${locked.name}`))
    if (stacks.length === 0 && locked.stacks.length > 0) continue
    const namespaces = new Set(stacks.map((stack) => stack.slice(0, stack.indexOf('/'))))
    const usedBy = await committedUser(locked, namespaces, { repository, ports })
    result.push({
      name: locked.name,
      stacks,
      folders: [...namespaces].map((namespace) => stackFolder(namespace, locked.name)),
      ...(usedBy === undefined ? {} : { usedBy }),
    })
  }
  return result
}

/** The lock without the unused releases that can go. */
export function pruneLock(
  releases: readonly LockedRelease[],
  unused: readonly UnusedRelease[],
): readonly LockedRelease[] {
  return releases.flatMap((locked) => {
    const gone = unused.find(({ name, usedBy }) => name === locked.name && usedBy === undefined)
    if (gone === undefined) return [locked]
    const stacks = locked.stacks.filter((stack) => !gone.stacks.includes(stack))
    return stacks.length === 0 ? [] : [{ ...locked, stacks }]
  })
}

/** The warning for releases that have to stay until a commit. */
export function stillInUse({ name, usedBy }: UnusedRelease): Diagnostic {
  return {
    code: 'RELEASE_IN_USE',
    severity: 'warning',
    message: `release ${name} stays in the lock: ${usedBy ?? 'something'} still uses it`,
  }
}

/** A Cluster as the fleet or the output tree has it. */
const CLUSTER_FILE = /^([^/]+)\/([^/]+)\/(?:cluster\/cluster-[^/]+|cluster)\.yaml$/

/**
 * Who uses the release in what lies in the output folder or in the last commit. The last user has moved for good only when both say so: the engine applies
 * what is committed, and a class must outlive its clusters.
 */
async function committedUser(
  locked: LockedRelease,
  namespaces: ReadonlySet<string>,
  { repository, ports }: { readonly repository: FleetRepository; readonly ports: Ports },
): Promise<string | undefined> {
  const { fleet } = repository
  const className = formatClassName(parseReleaseTag(locked.name))
  const rendered = joinPath(fleet.root, fleet.output, CLUSTERS)
  for (const { namespace, name, path } of await renderedClusters(rendered, ports)) {
    if (uses(await ports.files.read(path), className, namespaces))
      return `${namespace}/${name} in the rendered tree (run \`stackmason render\`)`
  }
  // also clusters whose files are gone from the work tree
  for (const folder of [joinPath(fleet.root, 'clusters'), rendered]) {
    for (const [path, bytes] of await ports.git.readCommitted(folder, (name) => CLUSTER_FILE.test(name))) {
      const [, namespace = '', name = ''] = CLUSTER_FILE.exec(path) ?? []
      if (uses(bytes, className, namespaces)) return `${namespace}/${name} in the last commit (commit its move first)`
    }
  }
  return undefined
}

function uses(bytes: Uint8Array, className: string, namespaces: ReadonlySet<string>): boolean {
  const object = parsed(bytes)
  const used = readClassReference(object)
  const namespace = used.namespace || textAt(object, 'metadata', 'namespace')
  return used.name === className && (namespaces.size === 0 || namespace === '' || namespaces.has(namespace))
}

/** A file that is no YAML uses nothing; whoever reads it says what is wrong. */
function parsed(bytes: Uint8Array): Value {
  try {
    return parseGoYaml(decodeUtf8(bytes))
  } catch (error) {
    if (error instanceof YamlError) return null
    throw error
  }
}

interface RenderedCluster {
  readonly namespace: string
  readonly name: string
  readonly path: string
}

/** The Cluster objects in the `clusters` folder of the output. */
async function renderedClusters(root: string, ports: Ports): Promise<readonly RenderedCluster[]> {
  const found: RenderedCluster[] = []
  for (const namespace of await foldersIn(root, ports)) {
    for (const name of await foldersIn(joinPath(root, namespace), ports)) {
      const path = joinPath(root, namespace, name, 'cluster', `cluster-${name}.yaml`)
      if ((await ports.files.stat(path))?.type === 'file') found.push({ namespace, name, path })
    }
  }
  return found
}

async function foldersIn(folder: string, { files }: Ports): Promise<readonly string[]> {
  try {
    return (await files.entries(folder)).filter(({ type }) => type === 'directory').map(({ name }) => name)
  } catch (error) {
    if (error instanceof FileError && (error.reason === 'not-found' || error.reason === 'wrong-type')) return []
    throw error
  }
}
