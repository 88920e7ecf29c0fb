import { decode, type WriterGit } from './node-git-run.ts'

/** What a run asks of a repository again and again, and git need be asked for once. */
export interface RepositoryFacts {
  /** Where the parts lie that its work trees share; absolute. */
  readonly commonFolder: string
  readonly isShallow: boolean
  /** What git is configured to, in its order, by its own names for keys; undefined: a key stands there without a value. */
  readonly config: readonly (readonly [key: string, value: string | undefined])[]
}

/** Asks git, which looks at the configuration of the user and the machine, too. */
export async function readFacts(git: WriterGit): Promise<RepositoryFacts> {
  const words = ['rev-parse', '--path-format=absolute', '--git-common-dir', '--is-shallow-repository']
  const printed = decode((await git(words)).out).trimEnd()
  const cut = printed.lastIndexOf('\n')
  const config = decode((await git(['config', '--null', '--list'])).out)
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const end = entry.indexOf('\n')
      return end === -1 ? ([entry, undefined] as const) : ([entry.slice(0, end), entry.slice(end + 1)] as const)
    })
  return { commonFolder: printed.slice(0, cut), isShallow: printed.slice(cut + 1) === 'true', config }
}
