import { GitError } from '../model/git.ts'
import type { RemoteAccess } from '../model/git-writer.ts'
import type { RepositoryFacts } from './node-git-facts.ts'

/** Settings that make git run a program for any remote. Who sets them for all his repositories means it. */
const PROGRAMS = ['core.gitproxy', 'core.alternaterefscommand']

/**
 * Refuses a remote for which git would run a program that the configuration of its repository names: whoever made the
 * repository may have written it. `core.sshCommand` and credential helpers stay, as deploy keys need them.
 * @throws GitError program
 */
export function refusePrograms({ remote, url }: RemoteAccess, { config, ownKeys }: RepositoryFacts): void {
  const ofRemote = [remote, url].flatMap((name) => [`remote.${name}.uploadpack`, `remote.${name}.receivepack`])
  const isProgram = (key: string): boolean => ofRemote.includes(key) || (PROGRAMS.includes(key) && ownKeys.has(key))
  const [key] = config.find(([name]) => isProgram(name)) ?? []
  if (key !== undefined) throw new GitError('program', `${key} in the configuration of git names a program`)
}
