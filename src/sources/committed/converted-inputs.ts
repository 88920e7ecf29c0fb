import { isInside, joinPath } from '../../codec/path.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import { GitError } from '../../model/git.ts'
import type { Ports } from '../../model/ports.ts'
import { isInput, listInputs } from './read-inputs.ts'

/** Paths that a finding names. */
const MOST = 3

/**
 * Warns of inputs that git has checked out with CRLF where the commit has LF: they are read byte by byte, so a render
 * here may come to other objects than in any other checkout. A run that writes asks git only where what it has read
 * makes it likely: git has to read all files for an answer.
 */
export async function findConvertedInputs(
  repository: FleetRepository,
  { mode, git, files }: { readonly mode: 'write' | 'check' } & Pick<Ports, 'git' | 'files'>,
): Promise<{ readonly findings: readonly Diagnostic[] }> {
  if (mode === 'write' && !hasCrlf(repository)) return { findings: [] }
  const { root, output } = repository.fleet
  const converted = await listConverted(git, root, output)
  if (converted.length === 0) return { findings: [] }
  const inputs = await listInputs(repository, files)
  const found = converted.filter((path) => isInput(path, inputs) || isInFolder(joinPath(root, path), repository))
  return { findings: found.length === 0 ? [] : [describe(root, found)] }
}

/** True if a file of the fleet that was read has lines that end with CRLF. */
function hasCrlf({ clusters, clusterStacks }: FleetRepository): boolean {
  const sources = [
    ...clusters.flatMap(({ source, values }) => [source, ...[...values.values()].flat().map((one) => one.source)]),
    ...clusterStacks.map(({ at }) => at.source),
  ]
  return sources.some(({ text }) => text.includes('\r\n'))
}

/** True for a file of a release that is built from a folder, or of a chart, which may read any of its files. */
function isInFolder(path: string, { fleet, clusters }: FleetRepository): boolean {
  if (path.endsWith('.md')) return false
  const charts = clusters.flatMap(({ addons }) =>
    addons.flatMap(({ chart, remote }) => (chart === undefined || remote !== undefined ? [] : [chart])),
  )
  const sources = fleet.sources.flatMap((source) => (source.type === 'providerDirectory' ? [source.path] : []))
  return [...charts, ...sources].some((folder) => isInside(folder, path))
}

async function listConverted(git: Ports['git'], root: string, output: string): Promise<readonly string[]> {
  try {
    return await git.listConverted(root, output)
  } catch (error) {
    // whatever needs git says what is wrong
    if (error instanceof GitError) return []
    throw error
  }
}

function describe(root: string, paths: readonly string[]): Diagnostic {
  const [first = ''] = paths
  const more = paths.length - MOST
  const shown = `${paths.slice(0, MOST).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`
  return {
    code: 'INPUT_LINE_ENDS',
    severity: 'warning',
    message: `git has checked inputs out with CRLF, and the commit has LF: ${shown}. What they render to here may differ from what they render to in any other checkout`,
    file: joinPath(root, first),
    hint:
      'Do not commit what a render changes for that. Commit your own work on inputs; where .gitattributes lacks `* -text`, write it above the other lines, and commit that file. ' +
      'Then `git rm -rq --cached . && git reset -q --hard` checks all files out as they are committed.',
  }
}
