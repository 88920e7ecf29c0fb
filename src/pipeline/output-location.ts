import { decodeUtf8 } from '../codec/bytes/utf8.ts'
import { baseName, dirName, joinPath, relativePath } from '../codec/path.ts'
import { positionedFile } from '../codec/yaml/positioned-file.ts'
import { checkHandoffPaths, type HandoffPlaces } from '../handoff/check-handoff-paths.ts'
import { type Diagnostic, StackmasonError } from '../model/diagnostic.ts'
import type { Fleet } from '../model/fleet.ts'
import { GitError } from '../model/git.ts'
import { gitopsToolNames } from '../model/gitops-tool.ts'
import type { Ports } from '../model/ports.ts'
import type { TreeRevision } from '../sources/committed/tree-files.ts'
import { OWNER_FILE, parseOwner } from '../write/tree-owner.ts'

type Access = Pick<Ports, 'files' | 'git'>

/**
 * Checks where the tree lies: that no tree of this fleet is committed elsewhere while there is none in the output folder, and that what points a GitOps tool
 * at the tree points there. `file` is the fleet's stackmason.yaml.
 * @throws StackmasonError OUTPUT_MOVED
 */
export async function checkOutputLocation(
  fleet: Fleet,
  { file, place }: { readonly file: string; readonly place: TreeRevision },
  ports: Access,
): Promise<{ readonly findings: readonly Diagnostic[] }> {
  if (fleet.handoff === undefined) return { findings: [] }
  const output = joinPath(fleet.root, fleet.output)
  if (!(await isThere(joinPath(output, OWNER_FILE), ports))) {
    const before = await committedElsewhere(fleet, { file, place, output }, ports)
    if (before !== undefined) throw new StackmasonError(moved(fleet, before))
  }
  const repository = await findRepository(fleet.root, ports)
  if (repository === undefined) return { findings: [] }
  return { findings: checkHandoffPaths(fleet, await placesOf(fleet, { repository, output }, ports)) }
}

/** The folder of a committed tree of this fleet, relative to its root, if none is committed in the output folder. */
async function committedElsewhere(
  { root, name }: Fleet,
  { file, place, output }: { readonly file: string; readonly place: TreeRevision; readonly output: string },
  { git }: Access,
): Promise<string | undefined> {
  const isOwner = (path: string): boolean => baseName(path) === OWNER_FILE
  try {
    const owners = await git.readCommitted(root, isOwner, place.base)
    const own = [...owners].flatMap(([path, bytes]) => {
      const owner = parseOwner(decodeUtf8(bytes))
      const folder = dirName(joinPath(root, path))
      return owner.name === name && joinPath(folder, owner.file ?? '') === file ? [folder] : []
    })
    const [first] = own
    return first === undefined || own.includes(output) ? undefined : relativePath(root, first)
  } catch (error) {
    // whoever reads the committed tree says what is wrong
    if (error instanceof GitError) return undefined
    throw error
  }
}

function moved({ handoff, handoffAt, outputAt, output }: Fleet, before: string): Diagnostic {
  const tool = handoff === undefined ? 'what applies it' : gitopsToolNames[handoff.tool]
  const at = outputAt ?? handoffAt
  return {
    code: 'OUTPUT_MOVED',
    severity: 'error',
    message:
      `spec.output.path is "${output}", but this fleet's tree is committed in "${before}": ` +
      `written anew, every cluster counts as new, and ${tool} goes on with the old folder`,
    ...(at !== undefined && { at }),
    hint: `Move the tree with \`git mv ${before} ${output}\`, then render and commit all of it: docs/02-fleet-repository.md, "The output folder".`,
  }
}

async function placesOf(
  { root, handoff }: Fleet,
  { repository, output }: { readonly repository: string; readonly output: string },
  ports: Access,
): Promise<HandoffPlaces> {
  const { tool = 'flux', path = '' } = handoff ?? {}
  const meant = joinPath(repository, path)
  const name = `bootstrap/${tool}.yaml`
  const bootstrap = joinPath(root, name)
  const isFolder = (await ports.files.stat(meant))?.type === 'directory'
  return {
    tree: relativePath(repository, output),
    isPlausible: isFolder && !(await isThere(joinPath(meant, OWNER_FILE), ports)),
    ...((await isThere(bootstrap, ports)) && {
      bootstrap: {
        name,
        documents: positionedFile({ name, path: bootstrap, text: decodeUtf8(await ports.files.read(bootstrap)) })
          .documents,
      },
    }),
  }
}

/** The folder with `.git` that a folder lies in. */
async function findRepository(folder: string, ports: Access): Promise<string | undefined> {
  if ((await ports.files.stat(joinPath(folder, '.git'))) !== undefined) return folder
  const parent = dirName(folder)
  return parent === folder || parent === '' ? undefined : findRepository(parent, ports)
}

async function isThere(path: string, { files }: Access): Promise<boolean> {
  return (await files.stat(path))?.type === 'file'
}
