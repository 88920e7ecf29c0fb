import { OWNER_FILE } from '../../model/tree-path.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { baseName, dirName, joinPath, relativePath } from '../../codec/path.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import { positionedFile } from '../../codec/yaml/positioned-file.ts'
import { type Bootstrap, checkLeftBootstrap } from '../../handoff/check-bootstrap.ts'
import { checkHandoffPaths, type ComparedPaths } from '../../handoff/check-handoff-paths.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Fleet, FleetRepository } from '../../model/fleet.ts'
import { type GitopsTool, gitopsToolNames } from '../../model/gitops-tool.ts'
import type { Ports } from '../../model/ports.ts'
import { findRepository } from '../../sources/committed/find-repository.ts'
import type { TreeRevision } from '../../sources/committed/tree-files.ts'
import { findCommittedTree, findSecondTree } from '../fleet/find-committed-tree.ts'
import { CONTROL_FOLDER } from '../../write/control-folder.ts'
import { leadsOutOf } from './leads-out.ts'
import { adviseMove } from './move-advice.ts'
import { findTreelessBase } from './treeless-base.ts'

type Access = Pick<Ports, 'files' | 'git'>

const TOOLS: readonly GitopsTool[] = ['flux', 'argocd']

/**
 * Checks where the tree lies: in a repository, if the fleet is in one; that no tree of this fleet is committed
 * elsewhere while there is none in the output folder; and that what points a GitOps tool at the tree points there, for
 * the tool of the fleet. `file` is the fleet's stackmason.yaml.
 * @throws StackmasonError OUTPUT_OUTSIDE, OUTPUT_MOVED
 */
export async function checkOutputLocation(
  repository: FleetRepository,
  { file, revision }: { readonly file: string; readonly revision: TreeRevision },
  ports: Access,
): Promise<{ readonly findings: readonly Diagnostic[] }> {
  const { fleet } = repository
  const output = joinPath(fleet.root, fleet.output)
  const left = await findLeft(fleet, output, ports)
  if (fleet.handoff === undefined) return { findings: left }
  const home = await findRepository(fleet.root, ports)
  const root = await findRepository(await realFolder(output, ports), ports)
  if (home !== undefined && root === undefined) {
    throw new StackmasonError(outside(fleet, await resolveLinks(output, ports)))
  }
  // the branch that is published to may have its tree in another folder than a render writes it to
  const isPublished = (folder: string): boolean =>
    revision.base !== undefined &&
    fleet.publish.path !== undefined &&
    folder === joinPath(home ?? '', fleet.publish.path)
  const isWithinRepository = home !== undefined && root === (await ports.files.realPath(home))
  if (!(await isThere(joinPath(output, OWNER_FILE), ports))) {
    const before = await findCommittedTree(repository, { file, revision, output }, ports)
    if (before !== undefined && !isPublished(before)) {
      const move = { from: before, to: output, isWithinRepository, revision: revision.base ?? 'HEAD' }
      throw new StackmasonError(moved(fleet, before, await adviseMove(move, ports.files)))
    }
  }
  // what lies in another repository is not seen from here
  if (!isWithinRepository) return { findings: left }
  if (revision.from === 'disk' && revision.base !== undefined) {
    const before = await findCommittedTree(repository, { file, revision, output }, ports)
    if (before !== undefined && !isPublished(before) && (await holdsFiles(before, ports)))
      throw new StackmasonError(leftBehind(fleet, before))
  }
  if (revision.from === 'disk') {
    const second = await findSecondTree(fleet, { file, output }, ports)
    if (second !== undefined) throw new StackmasonError(twoTrees(fleet, second))
  }
  const paths = checkHandoffPaths(fleet, await placesOf(fleet, { repository: home, output }, ports))
  return { findings: [...paths, ...left, ...(await findTreelessBase(repository, { file, revision }, ports))] }
}

/** Where the nearest folder that is there really lies: git takes no notice of the links that lead to it. */
async function realFolder(folder: string, ports: Access): Promise<string> {
  if ((await ports.files.stat(folder)) !== undefined || dirName(folder) === folder || dirName(folder) === '')
    return ports.files.realPath(folder)
  return realFolder(dirName(folder), ports)
}

/** The folder with all links resolved, also those that lead to a folder that is not there yet. */
async function resolveLinks(folder: string, ports: Access): Promise<string> {
  if ((await ports.files.stat(folder)) !== undefined || dirName(folder) === folder || dirName(folder) === '')
    return ports.files.realPath(folder)
  return joinPath(await resolveLinks(dirName(folder), ports), baseName(folder))
}

function outside(fleet: Fleet, real: string): Diagnostic {
  const { handoff, handoffAt, outputWritten } = fleet
  const tool = handoff === undefined ? 'a GitOps tool' : gitopsToolNames[handoff.tool]
  const at = outputWritten?.at ?? handoffAt
  const resolved = outputWritten?.path === real ? '' : `, that is "${real}"`
  return {
    code: 'OUTPUT_OUTSIDE',
    severity: 'error',
    message:
      `${outputOf(fleet)}${resolved}, which lies in no git repository: ` +
      `the last commit tells what ${tool} has applied of each cluster, and there every one would count as new each time`,
    at,
    hint:
      outputWritten === undefined
        ? 'Choose a folder of the fleet\'s repository, such as "rendered", or one of another repository.'
        : 'Remove spec.output, so that the tree lies in "rendered" beside stackmason.yaml, or choose a folder of this or another repository.',
  }
}

function moved(fleet: Fleet, before: string, hint: string): Diagnostic {
  const { handoff, handoffAt, outputWritten, root } = fleet
  const tool = handoff === undefined ? 'what applies it' : gitopsToolNames[handoff.tool]
  const at = outputWritten?.at ?? handoffAt
  return {
    code: 'OUTPUT_MOVED',
    severity: 'error',
    message:
      `${outputOf(fleet)}, but this fleet's tree is committed in "${relativePath(root, before)}": ` +
      `written anew, every cluster counts as new, and ${tool} goes on with the old folder`,
    at,
    hint,
  }
}

/** A tool reads the folder that its own objects name, which lie in the cluster and not in the commit. */
function leftBehind(fleet: Fleet, before: string): Diagnostic {
  const { handoff, handoffAt, outputWritten, root } = fleet
  const tool = handoff === undefined ? 'what applies it' : gitopsToolNames[handoff.tool]
  return {
    code: 'OUTPUT_MOVED',
    severity: 'error',
    message:
      `${outputOf(fleet)}, and the tree of the base is in "${relativePath(root, before)}", where files are left: ` +
      `nothing renders or checks them, and ${tool} goes on with them until it is told of the new folder`,
    at: outputWritten?.at ?? handoffAt,
    hint: 'Move the tree as a whole with `git mv`, and leave nothing behind.',
  }
}

/** Whoever sets the path back later goes on from a state that is over. */
function twoTrees(fleet: Fleet, second: string): Diagnostic {
  const path = relativePath(fleet.root, second)
  return {
    code: 'OUTPUT_MOVED',
    severity: 'error',
    message: `${outputOf(fleet)}, and "${path}" holds a second tree of this fleet: nothing renders or checks that one`,
    at: fleet.outputWritten?.at ?? fleet.handoffAt,
    hint: `Remove it: \`git rm -r ${shellWord(path)}\`. A tree moves with \`git mv\`: docs/02-fleet-repository.md, "The output folder".`,
  }
}

/** True if a folder has files, but for traces of runs. */
async function holdsFiles(folder: string, { files }: Pick<Ports, 'files'>): Promise<boolean> {
  if ((await files.stat(folder))?.type !== 'directory') return false
  for (const { name, type } of await files.entries(folder)) {
    if (name === CONTROL_FOLDER) continue
    if (type !== 'directory' || (await holdsFiles(joinPath(folder, name), { files }))) return true
  }
  return false
}

/** The output folder as the fleet file names it. */
function outputOf({ output, outputWritten }: Fleet): string {
  return outputWritten === undefined
    ? `spec.output.path is not set, so it is "${output}"`
    : `spec.output.path is "${outputWritten.path}"`
}

async function placesOf(
  { root, handoff, publish }: Fleet,
  { repository, output }: { readonly repository: string; readonly output: string },
  ports: Access,
): Promise<ComparedPaths> {
  const { tool = 'flux', path = '' } = handoff ?? {}
  const isPublished = publish.path !== undefined
  const meant = joinPath(repository, path)
  const isFolder = (await ports.files.stat(meant))?.type === 'directory'
  return {
    tree: isPublished ? publish.path || '.' : await placeOf(output, root, ports),
    isPublished,
    // what another branch or repository holds is not seen from here
    isPlausible: !isPublished && isFolder && !(await isThere(joinPath(meant, OWNER_FILE), ports)),
    bootstrap: await readBootstrap(root, tool, ports),
  }
}

/** Warnings for the file that pointed another tool at the tree. */
async function findLeft(fleet: Fleet, output: string, ports: Access): Promise<readonly Diagnostic[]> {
  const { handoff, publish, root } = fleet
  const found: Diagnostic[] = []
  for (const tool of TOOLS.filter((other) => other !== handoff?.tool)) {
    const file = await readBootstrap(root, tool, ports)
    if (file === undefined) continue
    const used = handoff === undefined ? undefined : await readBootstrap(root, handoff.tool, ports)
    const published = publish.path === undefined ? [] : [publish.path || '.']
    const trees = [await placeOf(output, root, ports), ...published]
    found.push(...checkLeftBootstrap(fleet, { tool, file, trees, used }))
  }
  return found
}

/** Where the tree lies, from the root of its repository as git has it; where it is in none, from the fleet. */
async function placeOf(output: string, fleet: string, ports: Access): Promise<string> {
  const real = await resolveLinks(output, ports)
  const repository = await findRepository(real, ports)
  return repository === undefined ? relativePath(fleet, output) : relativePath(repository, real)
}

/** The file that points a tool at the tree, as `init` writes it; undefined where the fleet has none. */
async function readBootstrap(root: string, tool: GitopsTool, ports: Access): Promise<Bootstrap | undefined> {
  const name = `bootstrap/${tool}.yaml`
  const path = joinPath(root, name)
  if (!(await isThere(path, ports)) || (await leadsOutOf(root, path, ports))) return undefined
  return { name, documents: positionedFile({ name, path, text: decodeUtf8(await ports.files.read(path)) }).documents }
}

/** The folder with `.git` that a folder lies in. */
async function isThere(path: string, { files }: Access): Promise<boolean> {
  return (await files.stat(path))?.type === 'file'
}
