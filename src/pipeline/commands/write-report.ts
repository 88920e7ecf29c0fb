import { OWNER_FILE } from '../../model/tree-path.ts'
import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { dirName, joinPath } from '../../codec/path.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { unwritable } from '../../model/file-problem.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { looksLikeReport } from '../../report/forms/looks-like-report.ts'
import { leadsOut, realWay } from '../deliver/leads-out.ts'

type FilePort = Pick<Ports, 'files'>

const OTHER = 'is there already, and is no report'
/** Files that people write, or that this program does: never reports. */
const NO_REPORT = /(?:\.(?:ya?ml|lock|tgz|hbs|tpl)|(?:^|\/)(?:Chart|stackmason)\.[a-z]+)$/
/** Names that runs and git read wherever they lie: a report there would be taken for an input. */
const READ_NAME = /(?:^|\/)(?:stackmason\.(?:lock|ya?ml)|\.git(?:ignore|attributes|modules)|\.sourceignore)$/i
/** Folders of a fleet that hold what people write. */
const INPUTS: ReadonlySet<string> = new Set([
  'clusters',
  'stacks',
  'templates',
  'addons',
  'hooks',
  'policies',
  'releases',
])

/**
 * Why no report may be written to a file (absolute): it would change what is rendered, is there as an input or has the
 * name of one, or lies in the fleet or a repository of git and was not written by an earlier run; or
 * {@link linkProblem}.
 */
export async function reportProblem(file: string, ports: FilePort): Promise<string | undefined> {
  if (isStream(file)) return undefined
  const problem = (await problemAt(file, ports)) ?? (await linkProblem(file, ports))
  if (problem !== undefined) return problem
  // folders that are links to others of the repository are followed
  const written = await realWay(file, ports)
  return written === undefined || written === file ? undefined : problemAt(written, ports)
}

/**
 * Why nothing may be written to a file (absolute) for its links: one in its place is not followed, wherever it leads,
 * nor are folders that lead out of the repository; whoever made the commit may have made them.
 */
export async function linkProblem(file: string, ports: FilePort): Promise<string | undefined> {
  if (isStream(file)) return undefined
  if ((await ports.files.stat(file))?.type === 'link') return 'is a link, which is not followed'
  return (await leadsOut(file, ports)) ? 'leads out of the repository through a link' : undefined
}

/** Standard output, whatever it is. */
function isStream(file: string): boolean {
  return /^\/(?:dev\/(?:std(?:out|err)|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/.test(file)
}

async function problemAt(file: string, { files }: FilePort): Promise<string | undefined> {
  if (NO_REPORT.test(file) && (await files.stat(file)) !== undefined) return OTHER
  if (READ_NAME.test(file)) return 'is the name of an input'
  for (let folder = dirName(file), below = ''; ;) {
    const name = folder.slice(folder.lastIndexOf('/') + 1)
    if (name === '.git') return 'is in a folder of git'
    if ((await files.stat(joinPath(folder, OWNER_FILE))) !== undefined) return 'is in the rendered tree'
    if ((await files.stat(joinPath(folder, 'stackmason.yaml'))) !== undefined) {
      if (INPUTS.has(below)) return 'is among the inputs of the fleet'
      return (await isOther(file, { files })) ? OTHER : undefined
    }
    // the fleet may be a folder of its repository
    if ((await files.stat(joinPath(folder, '.git'))) !== undefined && (await isOther(file, { files }))) return OTHER
    const parent = dirName(folder)
    if (parent === folder) return undefined
    below = name
    folder = parent
  }
}

/** True for a file that holds something else than a report. */
async function isOther(file: string, { files }: FilePort): Promise<boolean> {
  const stat = await files.stat(file)
  if (stat?.type !== 'file') return false
  try {
    return !looksLikeReport(decodeUtf8(await files.read(file)))
  } catch (error) {
    // nobody knows what it holds
    if (error instanceof FileError) return true
    throw error
  }
}

/**
 * Writes a report into a file, in place of what it held.
 * @throws StackmasonError WRITE_FAILED
 */
export async function writeReport(file: string, parts: Iterable<string>, { files }: FilePort): Promise<void> {
  await writeAll(file, [...parts].map(encodeUtf8), { files })
}

/**
 * Writes a report behind what a file holds.
 * @throws StackmasonError WRITE_FAILED
 */
export async function addToReport(file: string, parts: Iterable<string>, { files }: FilePort): Promise<void> {
  const before = (await files.stat(file)) === undefined ? [] : [await files.read(file)]
  await writeAll(file, [...before, ...[...parts].map(encodeUtf8)], { files })
}

async function writeAll(file: string, parts: readonly Uint8Array[], { files }: FilePort): Promise<void> {
  try {
    await files.write(file, parts)
  } catch (cause) {
    if (!(cause instanceof FileError)) throw cause
    throw new StackmasonError(unwritable(cause, file), { cause })
  }
}
