import { joinPath } from '../../codec/path.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { ARTIFACTS } from '../../model/artifact-unit.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { isInertName } from '../../model/inert-name.ts'
import type { FileType, Ports } from '../../model/ports.ts'
import { OWNER_FILE } from '../../model/tree-path.ts'

/** The files of the tree that a run knows. */
export interface KnownOutput {
  /** Paths of files that are rendered, relative to the output folder. */
  readonly rendered: ReadonlySet<string>
  /** Those that lie there and are ours, though they are not rendered any more. */
  readonly stale: ReadonlySet<string>
  /** The folders that it is about, relative to the output folder; undefined for all. */
  readonly folders: readonly string[] | undefined
  /** The folder of a run's own records, which no commit is to hold. */
  readonly control: string
}

/** Where the tree lies. */
export interface JudgedOutput {
  /** The output folder, absolute. */
  readonly output: string
  /**
   * Files of the last commit below it, as {@link Ports.git} lists them; undefined outside of a repository. Those that a
   * sparse checkout leaves out are refused elsewhere.
   */
  readonly committed: Iterable<string> | undefined
}

/**
 * Finds what lies in the tree and is none of it. Of a file beside ours nobody can say that it is not applied: Argo CD
 * takes settings from `.argocd-source.yaml`, kustomize fails at a second list, Flux takes all files of a folder
 * whose kustomization.yaml a .sourceignore hides.
 */
export async function findForeignOutput(
  { output, committed }: JudgedOutput,
  known: KnownOutput,
  { files }: Pick<Ports, 'files'>,
): Promise<readonly Diagnostic[]> {
  const paths = committed ?? (await listAll({ output, but: known.control }, files))
  const foreign: string[] = []
  for (const path of paths) {
    const found = judgeName(path, known)
    if (found === 'ours') continue
    const type = (await files.stat(joinPath(output, path)))?.type
    if (type === undefined && goesWithItsFile(path, known)) continue
    // a link of any name leads somewhere, and Argo CD refuses a repository with one that leads out of it
    if (found === 'foreign' || type === 'link') foreign.push(path)
  }
  return foreign.toSorted(compareBytes).map((path) => tellForeign(joinPath(output, path), path, known))
}

/**
 * True if what is gone from the disk goes with the next commit. A run itself removes files of the control folder; a
 * submodule need not be there, and a name that is no text is found on no disk.
 */
function goesWithItsFile(path: string, { control }: KnownOutput): boolean {
  return !isIn(path, control) && !path.endsWith('/') && !path.includes('\u{fffd}')
}

function judgeName(path: string, { rendered, stale, folders, control }: KnownOutput): 'ours' | 'inert' | 'foreign' {
  if (path === OWNER_FILE || rendered.has(path) || stale.has(path)) return 'ours'
  // pins have a check of their own
  if (isIn(path, ARTIFACTS) || folders?.some((folder) => isIn(path, folder)) === false) return 'ours'
  return isIn(path, control) || !isInertName(path.slice(path.lastIndexOf('/') + 1)) ? 'foreign' : 'inert'
}

function isIn(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}

function tellForeign(file: string, path: string, { control }: KnownOutput): Diagnostic {
  const common = { code: 'OUTPUT_FOREIGN', severity: 'error', file } as const
  if (isIn(path, control))
    return {
      ...common,
      message: `the commit holds a file of ${control}, which each run keeps for itself: it could stop or mislead the next one`,
      hint: `\`git rm -r --cached -- ${shellWord(file)}\`, and commit.`,
    }
  const name = path.slice(path.lastIndexOf('/', path.length - 2) + 1)
  const what = path.endsWith('/') ? 'a submodule lies' : 'a file that stackmason did not write lies'
  return {
    ...common,
    message: `${what} in the rendered tree${effectOf(name)}`,
    hint: 'Move it out of the output folder; what is to be applied belongs into an own addon, a patch or another folder.',
  }
}

function effectOf(name: string): string {
  if (/^\.argocd-source.*\.yaml$/.test(name)) return ': Argo CD takes settings of an Application from it'
  if (name === '.sourceignore') return ': Flux leaves files out by it'
  if (name === 'kustomization.yml' || name === 'Kustomization') return ': beside a kustomization.yaml the build fails'
  return ', where a GitOps tool may apply it'
}

/** All files and links below a folder, but for one in it; none where it is not there. */
async function listAll(
  { output, but }: { readonly output: string; readonly but: string },
  files: Ports['files'],
): Promise<readonly string[]> {
  const found: string[] = []
  const walk = async (folder: string): Promise<void> => {
    for (const { name, type } of await files.entries(joinPath(output, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`
      if (!isFolder(type)) found.push(path)
      else if (path !== but) await walk(path)
    }
  }
  if (isFolder((await files.stat(output))?.type)) await walk('')
  return found
}

function isFolder(type: FileType | undefined): boolean {
  return type === 'directory'
}
