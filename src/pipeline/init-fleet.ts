import { baseName, joinPath } from '../codec/path.ts'
import { compareBytes } from '../codec/text-order.ts'
import { type Diagnostic, StackmasonError } from '../model/diagnostic.ts'
import { FileError, type Files, type Ports } from '../model/ports.ts'

/** What `stackmason init` was asked for. */
export interface InitOptions {
  /** Absolute; made when it is not there. */
  readonly folder: string
  /** The folder of the files to start from, absolute. */
  readonly templates: string
}

/** What `stackmason init` wrote. */
export interface InitResult {
  readonly folder: string
  /** What was written, relative to `folder`, in path order. */
  readonly files: readonly string[]
}

/** Packages cannot carry files of these names as they are. */
const DOT_FILES: ReadonlyMap<string, string> = new Map([
  ['gitignore', '.gitignore'],
  ['gitattributes', '.gitattributes'],
])

/**
 * Writes a fleet repository that renders at once. Git's own files are kept as they are when they are there already.
 * @throws StackmasonError INIT_FILE_EXISTS for every file in the way (nothing is written then), WRITE_FAILED
 */
export async function initFleet(options: InitOptions, { files }: Pick<Ports, 'files'>): Promise<InitResult> {
  const { folder, templates } = options
  const inTheWay: string[] = []
  const plan: { readonly from: string; readonly path: string }[] = []
  for (const template of await listFiles(templates, files)) {
    const path = joinPath(template, '..', DOT_FILES.get(baseName(template)) ?? baseName(template))
    const isThere = (await files.stat(joinPath(folder, path))) !== undefined
    if (!isThere) plan.push({ from: joinPath(templates, template), path })
    else if (!DOT_FILES.has(baseName(template))) inTheWay.push(joinPath(folder, path))
  }
  if (inTheWay.length > 0) throw new StackmasonError(inTheWay.map(existing))
  for (const { from, path } of plan) {
    const target = joinPath(folder, path)
    try {
      await files.write(target, await files.read(from))
    } catch (cause) {
      if (!(cause instanceof FileError)) throw cause
      const message = `the file could not be written: ${cause.reason}`
      throw new StackmasonError({ code: 'WRITE_FAILED', severity: 'error', message, file: target }, { cause })
    }
  }
  return { folder, files: plan.map(({ path }) => path).toSorted(compareBytes) }
}

function existing(file: string): Diagnostic {
  return { code: 'INIT_FILE_EXISTS', severity: 'error', message: 'the file is there already', file }
}

async function listFiles(folder: string, files: Files, prefix = ''): Promise<readonly string[]> {
  const found: string[] = []
  for (const entry of await files.entries(joinPath(folder, prefix))) {
    const path = joinPath(prefix, entry.name)
    if (entry.type === 'directory') found.push(...(await listFiles(folder, files, path)))
    else found.push(path)
  }
  return found
}
