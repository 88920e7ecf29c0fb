import { isInside, joinPath, relativePath } from '../../codec/path.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import { GitError, type LeftOutPath } from '../../model/git.ts'
import type { Files, Ports } from '../../model/ports.ts'
import { findRepository } from '../../sources/committed/find-repository.ts'

/** Parts of a fleet's folder that are read without being named anywhere. */
const PARTS = ['stackmason.lock', 'stacks', 'clusters', 'templates'] as const

/** Files that a command for single ones names. */
const MOST = 10

/** Codes that a file which is not there may be the reason of. */
const absenceCodes: ReadonlySet<Code> = new Set<Code>(['CONFIG_REFERENCE', 'FILE_UNREADABLE'])

/** The files that git keeps out of the work tree around a fleet. */
export interface LeftOutFiles {
  /** @throws StackmasonError INPUT_NOT_CHECKED_OUT where the folder of the fleet lacks inputs */
  readonly refuseParts: () => void
  /** The same for what the fleet names: its sources, charts and templates, and the output folder. */
  readonly refuseNamed: (repository: FleetRepository) => void
  /** Reads the fleet; adds to an error that may come of it those that were asked for and lack. */
  readonly reading: <T>(read: (ports: Ports) => Promise<T>) => Promise<T>
}

/**
 * Asks what git leaves out of the work tree around a fleet's folder. To a run a file that is not there is one that was
 * deleted: a cluster whose folder a sparse checkout leaves out would be orphaned, and values be lost without a word.
 */
export async function findLeftOut(root: string, ports: Ports): Promise<LeftOutFiles> {
  const found = await leftOut(root, ports)
  const home = found.length === 0 ? undefined : await findRepository(await ports.files.realPath(root), ports)
  const realRoot = found.length === 0 ? root : await ports.files.realPath(root)
  const places = { home: home ?? realRoot, root, realRoot }
  const real = (path: string): string => joinPath(realRoot, relativePath(root, path))
  const isAmong = (inputs: readonly string[], path: string): boolean =>
    inputs.some((input) => isInside(real(input), path) || isInside(path, real(input)))
  const refuse = (inputs: readonly string[], output?: string): void => {
    const lacking = found.filter(
      ({ path, by }) =>
        isAmong(inputs, path) ||
        // one in the output folder is none of ours, and said to be foreign
        (output !== undefined && by !== 'submodule' && isInside(real(output), path)),
    )
    if (lacking.length > 0) throw new StackmasonError(describe(lacking, places))
  }
  return {
    reading: async (read) => {
      if (found.length === 0) return read(ports)
      const absent: string[] = []
      try {
        return await read({ ...ports, files: noteAbsent(ports.files, absent) })
      } catch (error) {
        if (!(error instanceof StackmasonError)) throw error
        if (!error.diagnostics.some(({ code }) => absenceCodes.has(code))) throw error
        const lacking = found.filter(({ path }) => isAmong(absent, path))
        throw new StackmasonError([...error.diagnostics, ...describe(lacking, places)], { cause: error })
      }
    },
    refuseParts: () => {
      refuse(PARTS.map((part) => joinPath(root, part)))
    },
    refuseNamed: ({ fleet, clusters }) => {
      const brought = clusters.flatMap(({ addons }) =>
        addons.flatMap(({ chart, templates, remote }) =>
          remote === undefined ? [chart ?? templates ?? []].flat() : [],
        ),
      )
      const sources = fleet.sources.flatMap((source) =>
        source.type === 'directory' || source.type === 'providerDirectory' ? [source.path] : [],
      )
      refuse([...sources, ...brought], joinPath(root, fleet.output))
    },
  }
}

/** The same files; `absent` gets the paths of what is asked for and is not there. */
function noteAbsent(files: Files, absent: string[]): Files {
  const noted = async <T>(path: string, work: Promise<T>): Promise<T> => {
    try {
      const result = await work
      if (result === undefined) absent.push(path)
      return result
    } catch (error) {
      absent.push(path)
      throw error
    }
  }
  return {
    ...files,
    stat: (path) => noted(path, files.stat(path)),
    read: (path, from) => noted(path, files.read(path, from)),
    realPath: (path) => noted(path, files.realPath(path)),
  }
}

async function leftOut(root: string, { git }: Pick<Ports, 'git'>): Promise<readonly LeftOutPath[]> {
  try {
    return await git.listLeftOut(root)
  } catch (error) {
    // whoever needs the commits says what is wrong
    if (error instanceof GitError) return []
    throw error
  }
}

interface Places {
  readonly home: string
  readonly root: string
  readonly realRoot: string
}

function describe(lacking: readonly LeftOutPath[], { home, root, realRoot }: Places): readonly Diagnostic[] {
  return (['sparse', 'flag', 'submodule'] as const).flatMap((by): readonly Diagnostic[] => {
    const paths = lacking.filter((one) => one.by === by).map(({ path }) => path)
    const [first] = paths
    if (first === undefined) return []
    const others = paths.length - 1
    const counted = others === 0 ? '' : `, and ${String(others)} more`
    const words = (all: readonly string[]): string => all.map((path) => shellWord(relativePath(home, path))).join(' ')
    const tops = [...new Set(paths.map((path) => topOf(path, realRoot)))].toSorted(compareBytes)
    return [
      {
        code: 'INPUT_NOT_CHECKED_OUT',
        severity: 'error',
        message: {
          sparse: `a sparse checkout leaves this file${counted && `${counted},`} out of the work tree: what is left out would count as deleted`,
          flag: `git is told to pass over this file${counted && `${counted},`} which is not there (skip-worktree): what is passed over would count as deleted`,
          submodule: `this submodule${counted && `${counted},`} is not checked out: the files in it would count as deleted`,
        }[by],
        file: joinPath(root, relativePath(realRoot, first)),
        hint: {
          sparse: `Run \`git sparse-checkout add ${words(tops)}\` at the root of the repository, or \`git sparse-checkout disable\`.`,
          flag:
            `Run \`git update-index --no-skip-worktree ${words(paths.slice(0, MOST))}\` at the root of the repository, and \`git restore\` for the same. ` +
            '`git ls-files -t` marks such files with S. Those that are meant to go must be deleted with `git rm`.',
          submodule: `Run \`git submodule update --init ${words(paths)}\` at the root of the repository. In CI, check out submodules, too.`,
        }[by],
      },
    ]
  })
}

/** The folder below the fleet's in which a path lies; elsewhere the path itself. */
function topOf(path: string, root: string): string {
  const below = relativePath(root, path)
  return below.startsWith('../') ? path : joinPath(root, below.split('/')[0] ?? '')
}
