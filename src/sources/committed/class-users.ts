import { readClassReference } from '../../model/class-reference.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { textAt } from '../../model/field.ts'
import { type ObjectName, objectPath, parseObjectPath } from '../../model/object-name.ts'
import { CLUSTERS, parseTreeFile } from '../../model/tree-path.ts'
import type { Value } from '../../model/value.ts'
import { readCommittedCluster } from './committed-cluster.ts'
import { parseOrNull } from './parse-committed.ts'
import { readCommit, readDisk, type Texts, type TreePorts } from './tree-files.ts'

/** A cluster that was written for classes, in what is rendered or in the last commit. */
export interface ClassUser {
  readonly cluster: ObjectName
  readonly in: 'tree' | 'commit'
  /** Names of the classes of its Cluster and of its addons. */
  readonly classes: ReadonlySet<string>
  /** Namespace of the classes; '' where nothing says it. */
  readonly namespace: string
}

/**
 * Every cluster in the output folder, and in the last commit of it and of the fleet's own files: also those whose files
 * are gone from the work tree. Files that hold no object use nothing; whoever renders says what is wrong.
 * @throws StackmasonError GIT_FAILED
 */
export async function readClassUsers(root: string, output: string, ports: TreePorts): Promise<readonly ClassUser[]> {
  const tree = { output, folder: CLUSTERS }
  const commit = { base: undefined, ports }
  const inputs = await readCommit({ output: root, folder: CLUSTERS }, isInput, commit)
  return [
    ...usersInTree(await readDisk(tree, isOfCluster, ports), 'tree'),
    ...[...inputs].flatMap(([path, text]) => {
      const { namespace, ...user } = userOf(parseOrNull(text))
      const cluster = parseObjectPath(path.slice(0, path.lastIndexOf('/')))
      return [{ cluster, in: 'commit' as const, namespace, ...user }]
    }),
    ...usersInTree(await readCommit(tree, isOfCluster, commit), 'commit'),
  ]
}

/** `<namespace>/<cluster>/cluster.yaml` */
function isInput(path: string): boolean {
  return /^[^/]+\/[^/]+\/cluster\.yaml$/.test(path)
}

function isOfCluster(path: string): boolean {
  return parseTreeFile(`${CLUSTERS}/${path}`)?.folder.kind === 'cluster'
}

function usersInTree(files: Texts, place: ClassUser['in']): readonly ClassUser[] {
  const clusters = new Map<string, Map<string, string>>()
  for (const [path, text] of files) {
    const { folder, file = '' } = parseTreeFile(`${CLUSTERS}/${path}`) ?? {}
    if (folder?.kind !== 'cluster') continue
    const key = objectPath(folder)
    clusters.set(key, (clusters.get(key) ?? new Map<string, string>()).set(file, text))
  }
  return [...clusters].flatMap(([key, own]) => {
    const cluster = parseObjectPath(key)
    const committed = readOrNothing(own, cluster)
    if (committed === undefined) return []
    const { className, addons, object = null } = committed
    const classes = new Set([className, addons].filter((name) => name !== undefined))
    return [{ cluster, in: place, classes, namespace: userOf(object).namespace }]
  })
}

function userOf(object: Value): Pick<ClassUser, 'classes' | 'namespace'> {
  const { name, namespace } = readClassReference(object)
  return { classes: new Set([name]), namespace: namespace || textAt(object, 'metadata', 'namespace') }
}

function readOrNothing(files: Texts, cluster: ObjectName): ReturnType<typeof readCommittedCluster> {
  try {
    return readCommittedCluster(files, cluster)
  } catch (error) {
    if (error instanceof StackmasonError) return undefined
    throw error
  }
}
