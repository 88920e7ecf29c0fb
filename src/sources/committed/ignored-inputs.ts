import { joinPath } from '../../codec/path.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { FleetRepository } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import { findRead } from './read-inputs.ts'

/** Paths that a finding names. */
const MOST = 3

/**
 * Warns of files that a fleet is read from and that git ignores, `ignored` as git tells it of the fleet's folder: a
 * render here has them, and in any other checkout it comes to something else, or fails. What nothing reads is passed
 * over, and so is what lies in a source: its owner knows.
 */
export async function findIgnoredInputs(
  repository: FleetRepository,
  { ignored, files }: { readonly ignored: readonly string[]; readonly files: Ports['files'] },
): Promise<readonly Diagnostic[]> {
  const found = await findRead(repository, ignored, { files, among: 'listed' })
  return found.length === 0 ? [] : [describe(repository.fleet.root, found)]
}

function describe(root: string, paths: readonly string[]): Diagnostic {
  const [first = ''] = paths
  const file = joinPath(root, first)
  const more = paths.length - MOST
  const shown = `${paths.slice(0, MOST).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`
  return {
    code: 'CONFIG_REFERENCE',
    severity: 'warning',
    message: `git ignores what the fleet is read from: ${shown}. No other checkout of the fleet has that, as that of CI`,
    file,
    hint: `\`git check-ignore -v ${shellWord(file)}\` names the line that does it. Take it out, or add \`!\` lines for what the fleet needs, and commit the files.`,
  }
}
