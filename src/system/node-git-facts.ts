import { decode, type WriterGit } from './node-git-run.ts'

/** What a run asks of a repository again and again, and git need be asked for once. */
export interface RepositoryFacts {
  /** Where the parts lie that its work trees share; absolute. */
  readonly commonFolder: string
  readonly isShallow: boolean
  /** What git is configured to, in its order, by its own names for keys; undefined: a key stands there without a value. */
  readonly config: readonly (readonly [key: string, value: string | undefined])[]
  /** The keys of the repository's own configuration, not the user's or the machine's. */
  readonly ownKeys: ReadonlySet<string>
}

/** Asks git, which looks at the configuration of the user and the machine, too. */
export async function readFacts(git: WriterGit): Promise<RepositoryFacts> {
  const words = ['rev-parse', '--path-format=absolute', '--git-common-dir', '--is-shallow-repository']
  const printed = decode((await git(words)).out).trimEnd()
  const cut = printed.lastIndexOf('\n')
  const parts = decode((await git(['config', '--null', '--show-scope', '--list'])).out).split('\0')
  const config: (readonly [string, string | undefined])[] = []
  const ownKeys = new Set<string>()
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [scope = '', entry = ''] = parts.slice(at, at + 2)
    const end = entry.indexOf('\n')
    const key = end === -1 ? entry : entry.slice(0, end)
    config.push([key, end === -1 ? undefined : entry.slice(end + 1)])
    if (scope === 'local' || scope === 'worktree') ownKeys.add(key)
  }
  return { commonFolder: printed.slice(0, cut), isShallow: printed.slice(cut + 1) === 'true', config, ownKeys }
}
