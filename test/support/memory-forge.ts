import { type CommitStatus, type Forge, forgeAbilities, type PullRequest } from '../../src/model/forge.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { gitShell } from '../../tools/servers/git-server.ts'

/** A forge in memory, whose repository people reach through a clone of theirs. */
export class MemoryForge {
  readonly pullRequests: PullRequest[] = []
  /** What was written, in words. */
  readonly writes: string[] = []
  /** Of commits: the states of statuses by their names. */
  readonly statuses: Map<string, Map<string, Exclude<CommitStatus, 'missing'>>> = new Map()
  readonly #clone: FleetFolder

  /** @param repository the path of the repository: a server in this process could not answer */
  constructor(clone: FleetFolder, repository: string) {
    this.#clone = clone
    this.#git(['remote', 'set-url', 'origin', repository])
  }

  /** The newest commit of main, as the repository has it. */
  main(): string {
    this.#git(['fetch', '--quiet', 'origin'])
    return this.#git(['rev-parse', 'origin/main'])
  }

  /** A tool reports on the newest commit, or another. */
  report(context: string, state: Exclude<CommitStatus, 'missing'>, commit: string = this.main()): void {
    const known = this.statuses.get(commit) ?? new Map<string, Exclude<CommitStatus, 'missing'>>()
    this.statuses.set(commit, known.set(context, state))
  }

  /** Merges a pull request, as forges do: by a commit of their own, made at that time. */
  merge(number: number, date?: string): string {
    const pullRequest = this.#find(number)
    this.#git(['fetch', '--quiet', 'origin'])
    this.#git(['checkout', '--quiet', '--detach', 'origin/main'])
    this.#git(
      ['merge', '--quiet', '--no-ff', '-m', `Merge pull request ${String(number)}`, `origin/${pullRequest.head}`],
      date,
    )
    this.#git(['push', '--quiet', 'origin', 'HEAD:main', `:${pullRequest.head}`])
    this.#replace(number, { state: 'merged' })
    return this.#git(['rev-parse', 'HEAD'])
  }

  /** The open pull requests, by number. */
  open(): readonly PullRequest[] {
    return this.pullRequests.filter(({ state }) => state === 'open')
  }

  /** What programs see of it. */
  readonly forge: Forge = {
    abilities: forgeAbilities.gitea,
    defaultBranch: () => Promise.resolve('main'),
    openPullRequests: (prefix) => Promise.resolve(this.open().filter(({ head }) => head.startsWith(prefix))),
    pullRequest: (number) => Promise.resolve(this.pullRequests.find((one) => one.number === number)),
    latestPullRequest: (head, isWanted = () => true) =>
      Promise.resolve(this.pullRequests.findLast((one) => one.head === head && isWanted(one))),
    createPullRequest: (wanted) => {
      this.writes.push(`create ${wanted.head} into ${wanted.base}`)
      const number = this.pullRequests.length + 1
      const url = `https://forge.example/pulls/${String(number)}`
      const made: PullRequest = { ...wanted, number, url, headCommit: '', isFromFork: false, state: 'open', labels: [] }
      this.pullRequests.push(made)
      return Promise.resolve({ pullRequest: made, outcome: 'created' })
    },
    updatePullRequest: (number, changed) => {
      this.writes.push(`update ${String(number)}: ${Object.keys(changed).sort().join(', ')}`)
      return Promise.resolve(this.#replace(number, changed))
    },
    closePullRequest: (number, body) => {
      this.writes.push(`close ${String(number)}`)
      this.#replace(number, { state: 'closed', ...(body !== undefined && { body }) })
      return Promise.resolve()
    },
    isClosedByDeletion: () => Promise.resolve(false),
    addLabels: () => Promise.resolve(),
    addAssignees: () => Promise.resolve([]),
    requestReviewers: () => Promise.resolve([]),
    enableAutoMerge: (number, { method }) => {
      this.writes.push(`merge ${String(number)} by ${method}`)
      return Promise.resolve('enabled')
    },
    upsertComment: () => Promise.resolve('unchanged'),
    statusOf: (commit, context) => Promise.resolve(this.statuses.get(commit)?.get(context) ?? 'missing'),
    statusesOf: (commit) =>
      Promise.resolve(Array.from(this.statuses.get(commit) ?? [], ([context, state]) => ({ context, state }))),
    reportFindings: () => Promise.resolve({ as: 'status', outcome: 'unchanged', leftOut: 0 }),
  }

  #find(number: number): PullRequest {
    const found = this.pullRequests.find((one) => one.number === number)
    if (found === undefined) throw new Error(`there is no pull request ${String(number)}`)
    return found
  }

  #replace(number: number, change: Partial<PullRequest>): PullRequest {
    const changed = { ...this.#find(number), ...change }
    this.pullRequests[number - 1] = changed
    return changed
  }

  #git(words: readonly string[], date?: string): string {
    const dated = date === undefined ? '' : `export GIT_COMMITTER_DATE='${date}' GIT_AUTHOR_DATE='${date}'; `
    return gitShell.run(`${dated}exec git "$@"`, words, this.#clone.folder).trimEnd()
  }
}
