import type { ForgeKind } from '../../model/forge.ts'
import type { ReportedPlace } from '../describe-finding.ts'
import { printable } from '../printable.ts'
import type { PullRequestFacts } from './pull-request-facts.ts'

/** The part of an address between the repository and the path of a file in a commit. */
const forms: Readonly<Record<ForgeKind, (commit: string) => string>> = {
  github: (commit) => `blob/${commit}`,
  gitea: (commit) => `src/commit/${commit}`,
  gitlab: (commit) => `-/blob/${commit}`,
}

/** The address of a line for a browser; undefined where the file is none of the repository. */
export function fileAddress(
  { file, line }: ReportedPlace,
  {
    forge,
    folder,
    run,
  }: Pick<PullRequestFacts, 'forge' | 'folder'> & { readonly run: Pick<PullRequestFacts['run'], 'commit'> },
): string | undefined {
  const path = pathIn(folder, file)
  if (forge === undefined || path === undefined) return undefined
  const segments = [...forge.repository.split('/'), forms[forge.kind](run.commit), ...path.map(encoded)]
  return `${forge.url}/${segments.join('/')}${line === undefined ? '' : `#L${String(line)}`}`
}

/** The segments of a path from the root of the repository; undefined: it lies in an archive, or elsewhere. */
export function pathIn(folder: string, file: string): readonly string[] | undefined {
  if (printable(file) !== file || file === '' || file.startsWith('/') || file.includes('!/') || /^[A-Za-z]:/.test(file))
    return undefined
  const path: string[] = []
  for (const segment of `${folder}/${file}`.split('/')) {
    if (segment === '..' && path.pop() === undefined) return undefined
    if (segment !== '' && segment !== '.' && segment !== '..') path.push(segment)
  }
  return path
}

function encoded(segment: string): string {
  return encodeURIComponent(segment).replaceAll(/[()'*!]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
}
