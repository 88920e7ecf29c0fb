import { dirName, isInside, joinPath, relativePath } from '../../codec/path.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Fleet, FleetRepository, LocalSourceConfig, SourceConfig } from '../../model/fleet.ts'
import { GitError } from '../../model/git.ts'
import type { Ports } from '../../model/ports.ts'
import { CLUSTER_ADDON } from '../release/cluster-addon.ts'
import { CONFIG_NAMES } from '../release/stack-config.ts'
import { findIgnoredInputs } from './ignored-inputs.ts'

/** Paths that a finding names. */
const MOST = 3

/**
 * Warns of sources in folders that git ignores, of parts of them, and of other files of the fleet: it renders here, and
 * in no other checkout of it, such as that of CI.
 */
export async function findIgnored(
  repository: FleetRepository,
  { git, files }: Pick<Ports, 'git' | 'files'>,
): Promise<{ readonly findings: readonly Diagnostic[] }> {
  const { root, sources } = repository.fleet
  const ignored = new Map<string, Promise<readonly string[]>>()
  const findings: Diagnostic[] = []
  for (const source of sources.filter(isLocal)) {
    const folder = isInside(root, source.path) ? root : dirName(source.path)
    const paths = ignored.get(folder) ?? listIgnored(folder, git)
    ignored.set(folder, paths)
    const path = `${relativePath(folder, source.path)}/`
    if ((await paths).some((one) => one === ALL || (one.endsWith('/') && path.startsWith(one))))
      findings.push(describe(source, root))
    const inside = (await paths).flatMap((one) => (one.startsWith(path) ? [one.slice(path.length)] : []))
    // git lists a folder that holds nothing else beside what it holds
    const parts = inside.filter(
      (one) => isOfReleases(one, source.type) && !inside.some((other) => other !== one && other.startsWith(one)),
    )
    if (parts.length > 0) findings.push(describeParts(source, parts))
  }
  const own = (await (ignored.get(root) ?? listIgnored(root, git))).filter(
    (path) => !isOfSource(path, repository.fleet),
  )
  return { findings: [...findings, ...(await findIgnoredInputs(repository, { ignored: own, files }))] }
}

/** True if a folder holds sources: these are told by themselves. */
function isOfSource(path: string, { root, sources }: Fleet): boolean {
  return path === ALL || sources.some((one) => isLocal(one) && `${relativePath(root, one.path)}/`.startsWith(path))
}

/** The parts of a provider directory. */
const PROVIDER_PARTS: readonly string[] = [
  'cluster-class',
  'cluster-addon',
  'node-images',
  CLUSTER_ADDON,
  ...CONFIG_NAMES,
]

/** True for what releases are made of: neither the files of an editor or a system, nor what lies beside a provider. */
function isOfReleases(path: string, type: LocalSourceConfig['type']): boolean {
  const names = path.replace(/\/$/, '').split('/')
  const isOfProvider = type === 'directory' || PROVIDER_PARTS.includes(names[0] ?? '')
  return (
    isOfProvider &&
    !names.some((name) => name.startsWith('.') || /~$|\.(?:swp|bak|orig|log)$|^node_modules$/.test(name))
  )
}

/** All of the folder that git was asked about. */
const ALL = './'

function isLocal(source: SourceConfig): source is LocalSourceConfig {
  return source.type === 'directory' || source.type === 'providerDirectory'
}

async function listIgnored(folder: string, git: Ports['git']): Promise<readonly string[]> {
  try {
    return await git.findUntracked(folder, 'ignored')
  } catch (error) {
    // whatever needs git says what is wrong
    if (error instanceof GitError) return []
    throw error
  }
}

function describeParts({ name, path, at }: LocalSourceConfig, parts: readonly string[]): Diagnostic {
  const [first = ''] = parts
  const more = parts.length - MOST
  const shown = `${parts.slice(0, MOST).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`
  return {
    code: 'CONFIG_REFERENCE',
    severity: 'warning',
    message: `git ignores parts of the releases of source "${name}": ${shown}. No other checkout of the fleet has them, as that of CI`,
    at,
    hint: `\`git check-ignore -v ${shellWord(joinPath(path, first))}\` names the line that does it. Take it out, or add \`!\` lines for these files, and commit them.`,
  }
}

function describe({ name, path, at }: LocalSourceConfig, root: string): Diagnostic {
  return {
    code: 'CONFIG_REFERENCE',
    severity: 'warning',
    message: `git ignores ${relativePath(root, path)}, the folder of source "${name}": no other checkout of the fleet has it, as that of CI`,
    at,
    hint: `\`git check-ignore -v ${shellWord(path)}\` names the line that does it. Take it out and commit the folder, or move the releases to one that git has.`,
  }
}
