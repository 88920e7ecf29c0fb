import { baseName, joinPath, relativePath } from '../../codec/path.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { formatScalar } from '../../edit/format-value.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { programVersion } from '../program-version.ts'
import { controllerParts, type InitController } from './init-controller.ts'
import { FileError, type PackageFiles, type Ports } from '../../model/ports.ts'
import { realWay } from '../deliver/leads-out.ts'
import { createFiles, existing, refuseOutside } from '../deliver/new-files.ts'
import { findRepository } from '../../sources/committed/find-repository.ts'

/** The options of `stackmason init`. */
export interface InitOptions {
  /** Absolute; made when it is not there. */
  readonly folder: string
  /**
   * Folders below the package's `templates` with the files to start from, such as `fleet`; of files with the same path
   * that of the last folder is taken.
   */
  readonly templates: readonly string[]
  /** True for a fleet without any stack and cluster. */
  readonly isEmpty: boolean
  /** Name of the fleet and of the objects that point the tool at it; absent: `fleet`. */
  readonly name?: string
  /** Address of the repository that the tool reads, without credentials; takes the place of the one in the files. */
  readonly repository?: string
  /** Absent: the fleet has no controller of its own. */
  readonly controller?: InitController
}

/** The result of `stackmason init`. */
export interface InitResult {
  readonly folder: string
  /** The written files, relative to `folder`, in path order. */
  readonly files: readonly string[]
  /** Those of git that were there. */
  readonly kept: readonly KeptFile[]
  /** Where the fleet lies, relative to the root of the repository that it is in; empty: there, or in none yet. */
  readonly place: string
}

/** A file of git that is kept as it is. */
export interface KeptFile {
  readonly path: string
  /** The lines of a new fleet that it does not have. */
  readonly missing: readonly string[]
}

/** The text in the files that is replaced by the address of the repository. */
export const EXAMPLE_REPOSITORY = 'https://git.example.com/fleet.git'

/** Packages cannot carry files of these names as they are. */
const DOT_FILES: ReadonlyMap<string, string> = new Map([
  ['gitignore', '.gitignore'],
  ['gitattributes', '.gitattributes'],
])

/**
 * Writes a fleet repository that renders at once. Git's own files are kept as they are when they are there already.
 * @throws StackmasonError INIT_FILE_EXISTS for every file in the way (nothing is written then), WRITE_FAILED
 */
export async function initFleet(
  options: InitOptions,
  { files, packageFiles }: Pick<Ports, 'files' | 'packageFiles'>,
): Promise<InitResult> {
  const { folder, repository, name } = options
  const inTheWay: string[] = []
  const kept: KeptFile[] = []
  const plan: { readonly from: string; readonly path: string }[] = []
  const parts = options.controller === undefined ? undefined : await controllerParts(options.controller, packageFiles)
  for (const [template, from] of await listTemplates(options.templates, packageFiles)) {
    // the README tells of what is there
    if (options.isEmpty && /^(?:(?:providers|stacks|clusters)\/|README\.md$)/.test(template)) continue
    const path = joinPath(template, '..', DOT_FILES.get(baseName(template)) ?? baseName(template))
    const isThere = (await files.stat(joinPath(folder, path))) !== undefined
    if (!isThere) plan.push({ from, path })
    else if (!DOT_FILES.has(baseName(template))) inTheWay.push(joinPath(folder, path))
    else kept.push({ path, missing: await missingLines(joinPath(folder, path), await packageFiles.read(from), files) })
  }
  const made = [...(parts?.files ?? [])]
  for (const [path] of made) {
    if ((await files.stat(joinPath(folder, path))) !== undefined) inTheWay.push(joinPath(folder, path))
  }
  const config = joinPath(folder, 'stackmason.yaml')
  if (inTheWay.includes(config)) throw new StackmasonError(fleetIsThere(config))
  if (inTheWay.length > 0) throw new StackmasonError(inTheWay.map(existing))
  const place = await placeOf(folder, { files })
  if (options.templates.some((name) => name.startsWith('engine/')) && place.includes('\\'))
    throw new StackmasonError(unwritablePlace(place))
  const contents = new Map<string, Uint8Array>()
  const add = (path: string, bytes: Uint8Array): void => {
    const placed = place === '' || !isNaming(path) ? bytes : placeFleet(bytes, place)
    const named = name === undefined || !isNaming(path) ? placed : nameFleet(placed, name)
    contents.set(path, repository === undefined ? named : nameRepository(named, repository))
  }
  for (const { from, path } of plan) {
    const template = await packageFiles.read(from)
    if (path === 'stackmason.yaml')
      add(path, await withVersion(options.isEmpty ? withoutSources(template) : template, packageFiles))
    else if (parts === undefined || !path.startsWith('bootstrap/')) add(path, template)
    else add(path, encodeUtf8(parts.intoBootstrap(decodeUtf8(template))))
  }
  for (const [path, text] of made) add(path, encodeUtf8(text))
  await refuseOutside(
    folder,
    [...contents.keys()].map((path) => joinPath(folder, path)),
    { files },
  )
  await createFiles(folder, contents, { files })
  return {
    folder,
    kept,
    place,
    files: [...plan.map(({ path }) => path), ...made.map(([path]) => path)].toSorted(compareBytes),
  }
}

/** Where a folder lies in its repository as git has it, which follows no links; empty: at the root, or in none. */
async function placeOf(folder: string, ports: Pick<Ports, 'files'>): Promise<string> {
  const real = (await realWay(folder, ports)) ?? folder
  const root = (await findRepository(real, ports)) ?? real
  return root === real ? '' : relativePath(root, real)
}

/** The fleet file takes no such path. */
function unwritablePlace(place: string): Diagnostic {
  return {
    code: 'USAGE',
    severity: 'error',
    message: `the path "${place}" of the fleet in its repository has a backslash, and no GitOps tool is pointed at such a path`,
    hint: 'Choose a folder without a backslash.',
  }
}

/** The lines of a template, but for comments, that a file lacks; one without a slash at its begin or end counts. */
async function missingLines(file: string, template: Uint8Array, files: Ports['files']): Promise<readonly string[]> {
  const linesOf = (bytes: Uint8Array): readonly string[] =>
    decodeUtf8(bytes)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
  const plain = (line: string): string => line.replace(/^\/|\/(?=$|\s)/g, '').replaceAll(/\s+/g, ' ')
  const has = linesOf(await textOf(file, files)).map(plain)
  return linesOf(template).filter((line) => !has.includes(plain(line)))
}

/** A file; nothing where a folder or a link to nothing has its name. */
async function textOf(file: string, files: Ports['files']): Promise<Uint8Array> {
  try {
    return await files.read(file)
  } catch (error) {
    if (error instanceof FileError) return new Uint8Array()
    throw error
  }
}

function fleetIsThere(file: string): Diagnostic {
  return {
    code: 'INIT_FILE_EXISTS',
    severity: 'error',
    message: 'there is a fleet in this folder already',
    file,
    hint: 'Render it with `stackmason render`, or name another folder: `stackmason init <folder>`.',
  }
}

/** True for the files that name the fleet: those that the controller brings are its own. */
function isNaming(path: string): boolean {
  return path === 'stackmason.yaml' || /^bootstrap\/[^/]+$/.test(path)
}

/** Fleets of one Argo CD need an AppProject each for the Applications that hold Applications. */
function nameFleet(bytes: Uint8Array, name: string): Uint8Array {
  const text = decodeUtf8(bytes)
    .replaceAll(/\bname: fleet\b/g, () => `name: ${formatScalar(name, 'plain')}`)
    .replaceAll('create secret git fleet', () => `create secret git ${name}`)
    .replace(/^ {4}argocd:\n/m, (line) => `${line}      project: ${formatScalar(name, 'plain')}\n`)
  return encodeUtf8(text)
}

/** Paths for the GitOps tool count from the root of the repository; Argo CD's is said only where it is another. */
function placeFleet(bytes: Uint8Array, place: string): Uint8Array {
  const inPlace = (path: string, dot: string): string => formatScalar(`${dot}${place}/${path}`, 'plain')
  const text = decodeUtf8(bytes)
    .replaceAll(
      /^( +path: )(\.\/)?((?:rendered|bootstrap)(?:\/[a-z]+)?)$/gm,
      (_, key: string, dot: string | undefined, path: string) => `${key}${inPlace(path, dot ?? '')}`,
    )
    .replace(/^ {6}targetRevision: main\n/m, (line) => `${line}      path: ${inPlace('rendered', '')}\n`)
  return encodeUtf8(text)
}

function nameRepository(bytes: Uint8Array, repository: string): Uint8Array {
  return encodeUtf8(decodeUtf8(bytes).replaceAll(EXAMPLE_REPOSITORY, () => repository))
}

/** The sources, with the comments in them, are all lines below their key. */
function withoutSources(bytes: Uint8Array): Uint8Array {
  return encodeUtf8(decodeUtf8(bytes).replace(/^ {2}sources:\n(?: {4,}.*\n)*/m, '  sources: []\n'))
}

/** `spec`, the last key of the file, gets the version that renders it. */
async function withVersion(bytes: Uint8Array, packageFiles: PackageFiles): Promise<Uint8Array> {
  const version = await programVersion({ packageFiles })
  const lines = [
    '  # Other versions refuse to render. Raise it in a commit of its own, with what they render.',
    `  requiredVersion: ~${version}`,
    '',
  ]
  return encodeUtf8(decodeUtf8(bytes).trimEnd() + '\n' + lines.join('\n'))
}

/** Where each file of the folders is taken from, by its path. */
async function listTemplates(
  folders: readonly string[],
  packageFiles: PackageFiles,
): Promise<ReadonlyMap<string, string>> {
  const from = new Map<string, string>()
  for (const name of folders) {
    const folder = joinPath('templates', name)
    for (const path of await packageFiles.below(folder)) from.set(path, joinPath(folder, path))
  }
  return from
}
