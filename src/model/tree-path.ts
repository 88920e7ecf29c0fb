import type { ObjectName } from './object-name.ts'

/** Who brings an addon: the release of the cluster, or the cluster itself. */
export type AddonOwner = 'release' | 'cluster'

/** A folder of the rendered tree that holds objects, by what it holds. */
export type TreeFolder =
  /** The class of a release in a namespace. */
  | { readonly kind: 'stack'; readonly namespace: string; readonly tag: string }
  /** A Cluster and what belongs beside it. */
  | { readonly kind: 'cluster'; readonly namespace: string; readonly name: string }
  /** The addons of one owner, or with `addon` the folder of one of them. */
  | {
      readonly kind: 'addons'
      readonly namespace: string
      readonly name: string
      readonly owner: AddonOwner
      readonly addon?: string | undefined
    }
  /** The GitOps tool's objects of a namespace; of one cluster, or of the stacks (`stacks`), with `of`. */
  | { readonly kind: 'handoff'; readonly namespace: string; readonly of?: string | undefined }

/** Top folders of the tree. */
export const STACKS = 'stacks'
export const CLUSTERS = 'clusters'
export const HANDOFF = 'handoff'

/** The file of each folder that says what lies in it. */
export const KUSTOMIZATION_FILE = 'kustomization.yaml'

/**
 * The file in the output folder that says whose tree it is. Not YAML by name: nothing that applies folders takes it for
 * an object.
 */
export const OWNER_FILE = '.stackmason-tree'

/**
 * The file in each folder of trees before version 0.2 that listed what stackmason wrote there. The next render takes it
 * away.
 */
export const OLD_INVENTORY = '.stackmason-inventory.yaml'

/** The folder of a Cluster, seen from the cluster's own. */
const CLUSTER = 'cluster'

const addonFolders: Readonly<Record<AddonOwner, string>> = { release: 'addons', cluster: 'addons-own' }

/** `stacks/<namespace>/<tag>` */
export function stackFolder(namespace: string, tag: string): string {
  return `${STACKS}/${namespace}/${tag}`
}

/** `clusters/<namespace>/<cluster>`: all that is rendered of a cluster. */
export function clusterTree({ namespace, name }: ObjectName): string {
  return `${CLUSTERS}/${namespace}/${name}`
}

/** `clusters/<namespace>/<cluster>/cluster` */
export function clusterFolder(cluster: ObjectName): string {
  return `${clusterTree(cluster)}/${CLUSTER}`
}

/** `clusters/<namespace>/<cluster>/addons` or `…/addons-own`, or the folder of one addon in it. */
export function addonFolder(cluster: ObjectName, owner: AddonOwner, addon?: string): string {
  const parent = `${clusterTree(cluster)}/${addonFolders[owner]}`
  return addon === undefined ? parent : `${parent}/${addon}`
}

/** `handoff/<namespace>`, or the folder of a cluster in it, or that of the namespace's stacks. */
export function handoffFolder(namespace: string, of?: string): string {
  return of === undefined ? `${HANDOFF}/${namespace}` : `${HANDOFF}/${namespace}/${of}`
}

/** The name of the folder of a namespace's stacks below `handoff/<namespace>`: a cluster of that name shares it. */
export const HANDOFF_STACKS = 'stacks'

/** The path of a folder that {@link parseTreeFolder} has read. */
export function formatTreeFolder(folder: TreeFolder): string {
  switch (folder.kind) {
    case 'stack':
      return stackFolder(folder.namespace, folder.tag)
    case 'cluster':
      return clusterFolder(folder)
    case 'addons':
      return addonFolder(folder, folder.owner, folder.addon)
    case 'handoff':
      return handoffFolder(folder.namespace, folder.of)
  }
}

/**
 * Parses the path of a folder of the tree, relative to the output folder; undefined for folders that hold no objects.
 */
export function parseTreeFolder(path: string): TreeFolder | undefined {
  const [top, namespace, ...rest] = path.split('/')
  if (namespace === undefined || [namespace, ...rest].includes('')) return undefined
  const [first, second, third, ...more] = rest
  if (more.length > 0) return undefined
  if (top === HANDOFF) return second === undefined ? { kind: 'handoff', namespace, of: first } : undefined
  if (first === undefined) return undefined
  if (top === STACKS) return second === undefined ? { kind: 'stack', namespace, tag: first } : undefined
  if (top !== CLUSTERS || second === undefined) return undefined
  const cluster = { namespace, name: first }
  if (second === CLUSTER) return third === undefined ? { kind: 'cluster', ...cluster } : undefined
  const owner = ownerOf(second)
  return owner === undefined ? undefined : { kind: 'addons', ...cluster, owner, addon: third }
}

/** The folder that was parsed last: files of one follow each other. */
let last: { readonly path: string; readonly folder: TreeFolder | undefined } = { path: '', folder: undefined }

/** A file of the tree: the folder that holds it, and its name; undefined where no folder with objects holds it. */
export function parseTreeFile(path: string): { readonly folder: TreeFolder; readonly file: string } | undefined {
  const slash = path.lastIndexOf('/')
  const parent = path.slice(0, Math.max(slash, 0))
  if (parent !== last.path) last = { path: parent, folder: parseTreeFolder(parent) }
  const { folder } = last
  const file = path.slice(slash + 1)
  return folder === undefined || file === '' ? undefined : { folder, file }
}

/** The path of a folder or file of a cluster, seen from the cluster's own folder in the tree. */
export function inClusterTree(path: string): string {
  return path.split('/').slice(3).join('/')
}

/** The file of a Cluster object: files are named after kind and name. */
export function clusterObjectFile(cluster: string): string {
  return `cluster-${cluster}.yaml`
}

function ownerOf(folder: string): AddonOwner | undefined {
  if (folder === addonFolders.release) return 'release'
  return folder === addonFolders.cluster ? 'cluster' : undefined
}
