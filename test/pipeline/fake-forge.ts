import { type Forge, forgeAbilities, type PullRequest } from '../../src/model/forge.ts'

/** A forge in memory, and what was done to it. */
export interface FakeForge {
  readonly forge: Forge
  /** What was written, in words. */
  readonly writes: string[]
  readonly pullRequests: PullRequest[]
  /** Numbers of those that the deletion of their branch has closed. */
  readonly deleted: Set<number>
  /** Changes a pull request as people do; the first, unless they say which. */
  readonly edit: (change: Partial<PullRequest>, number?: number) => void
}

/** A forge in memory. */
export function fakeForge(headCommit: (head: string) => string): FakeForge {
  const pullRequests: PullRequest[] = []
  const writes: string[] = []
  const deleted = new Set<number>()
  const replace = (number: number, change: Partial<PullRequest>): PullRequest => {
    const at = pullRequests.findIndex((one) => one.number === number)
    const [found] = pullRequests.slice(at, at + 1)
    if (found === undefined) throw new Error(`there is no pull request ${String(number)}`)
    const changed = { ...found, ...change }
    pullRequests[at] = changed
    return changed
  }
  const notAsked = (): never => {
    throw new Error('nobody asks for this')
  }
  return {
    writes,
    pullRequests,
    deleted,
    edit: (change, number = 1) => replace(number, change),
    forge: {
      abilities: forgeAbilities.gitea,
      defaultBranch: notAsked,
      openPullRequests: async (prefix) =>
        pullRequests.filter(({ head, state }) => state === 'open' && head.startsWith(prefix)),
      pullRequest: async (number) => pullRequests.find((one) => one.number === number),
      latestPullRequest: async (head, isWanted = () => true) =>
        pullRequests.findLast((one) => one.head === head && isWanted(one)),
      createPullRequest: async (wanted) => {
        writes.push(`create ${wanted.head} into ${wanted.base}`)
        const number = pullRequests.length + 1
        const made: PullRequest = {
          ...wanted,
          number,
          url: `https://forge.example/pulls/${String(number)}`,
          headCommit: headCommit(wanted.head),
          isFromFork: false,
          state: 'open',
          labels: [],
        }
        pullRequests.push(made)
        return { pullRequest: made, outcome: 'created' }
      },
      updatePullRequest: async (number, changed) => {
        writes.push(`update ${String(number)}: ${Object.keys(changed).sort().join(', ')}`)
        return replace(number, changed)
      },
      closePullRequest: async (number, body) => {
        writes.push(`close ${String(number)}`)
        replace(number, { state: 'closed', ...(body !== undefined && { body }) })
      },
      isClosedByDeletion: async (number) => deleted.has(number),
      addLabels: async (number, labels) => {
        writes.push(`label ${String(number)}: ${labels.join(', ')}`)
      },
      addAssignees: notAsked,
      requestReviewers: async (number, { users, teams }) => {
        writes.push(`ask ${String(number)}: ${[...users, ...teams].join(', ')}`)
        return users.filter((user) => user === 'nobody')
      },
      enableAutoMerge: async (number, { method }) => {
        writes.push(`merge ${String(number)} by ${method}`)
        return 'nothingToWaitFor'
      },
      upsertComment: notAsked,
      statusOf: notAsked,
      statusesOf: notAsked,
      reportFindings: () => Promise.resolve({ as: 'status', outcome: 'unchanged', leftOut: 0 }),
    },
  }
}
