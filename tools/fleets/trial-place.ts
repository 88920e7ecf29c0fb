import { forgeTokens, type HeldPullRequest } from '../servers/forge-state.ts'
import { type GitHubForge, startGitHubForge } from '../servers/github-forge.ts'
import type { TestRepository } from '../servers/git-server.ts'
import { type PublishedFleet, servePublishedFleet } from './published-fleet.ts'

/** How many pull requests a fleet gets; `branch`: none, the tree goes straight into the branch. */
export type TrialForm = 'branch' | 'fleet' | 'cluster'

/** Where publishers are tried: a fleet on a git server, and the forge that its pull requests are on. */
export interface TrialPlace {
  readonly fleet: PublishedFleet
  /** What a publisher has in its environment. */
  readonly variables: Readonly<Record<string, string>>
  /** Merges a pull request as the forge would, if one is open. */
  readonly mergeOne: (random: () => number) => void
  /** Merges all of them, in any order. */
  readonly mergeAll: (random: () => number) => void
  /** The forge; undefined where the tree goes straight into a branch. */
  readonly forge: GitHubForge | undefined
  /** What is wrong with the branches of pull requests, in words. */
  readonly faults: () => readonly string[]
  readonly close: () => Promise<void>
}

/** Puts something between publishers and the forge at an address; the address that publishers ask. */
export type ForgeFront = (url: string) => Promise<string>

/** Serves a fleet whose tree goes into its branch, or into pull requests. */
export async function openTrialPlace(
  root: string,
  form: TrialForm,
  front: ForgeFront = (url) => Promise.resolve(url),
): Promise<TrialPlace> {
  if (form === 'branch') {
    const fleet = await servePublishedFleet(root, { spec: ['publish: {into: branch}'] })
    const nothing = (): void => undefined
    const variables = { CI: 'true' }
    const { close } = fleet.server
    return { fleet, variables, mergeOne: nothing, mergeAll: nothing, forge: undefined, faults: () => [], close }
  }
  const branches = new RepositoryBranches()
  const forge = await startGitHubForge({ branches })
  const url = await front(forge.url)
  const fleet = await servePublishedFleet(root, {
    path: 'acme/fleet.git',
    spec: [
      `publish: {forge: {kind: github, url: "${url}", plainHttp: true, credentialsFrom: {token: FORGE_TOKEN}}, pullRequest: {grouping: ${form}}}`,
      'handoff: {flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}}}',
    ],
  })
  branches.of = fleet.repository
  const open = (): HeldPullRequest[] => forge.state.pullRequests.filter(({ state }) => state === 'open')
  const mergeOne: TrialPlace['mergeOne'] = (random) => {
    const all = open()
    const held = all[Math.floor(random() * all.length)]
    if (held !== undefined) merge(fleet.repository, held)
  }
  return {
    fleet,
    variables: { CI: 'true', FORGE_TOKEN: forgeTokens.write },
    mergeOne,
    mergeAll: (random) => {
      while (open().length > 0) mergeOne(random)
    },
    forge,
    faults: () => faultsOf(fleet.repository, forge),
    close: async () => {
      await fleet.server.close()
      await forge.close()
    },
  }
}

/** The branches of a repository, as a forge sees them. */
class RepositoryBranches extends Map<string, string> {
  of: TestRepository | undefined

  override get(name: string): string | undefined {
    return this.of?.git(['for-each-ref', '--format=%(objectname)', `refs/heads/${name}`]) || undefined
  }

  override has(name: string): boolean {
    return this.get(name) !== undefined
  }
}

/** As a forge does: a commit with two parents, and the branch is gone. */
function merge({ git }: TestRepository, held: HeldPullRequest): void {
  const [base, head] = ['main', held.head].map((name) => git(['rev-parse', `refs/heads/${name}`]))
  const tree = git(['merge-tree', '--write-tree', '--no-messages', base ?? '', head ?? ''])
  const made = git(['commit-tree', tree, '-p', base ?? '', '-p', head ?? '', '-m', `Merge ${held.head}`])
  git(['update-ref', 'refs/heads/main', made, base ?? ''])
  git(['update-ref', '-d', `refs/heads/${held.head}`, head ?? ''])
  held.state = 'merged'
}

function faultsOf({ git }: TestRepository, forge: GitHubForge): readonly string[] {
  const faults = [...forge.problems]
  const open = forge.state.pullRequests.filter(({ state }) => state === 'open')
  const heads = git(['for-each-ref', '--format=%(refname:short)', 'refs/heads/stackmason']).split('\n')
  for (const head of heads.filter((name) => name !== '')) {
    const commits = git(['rev-list', '--count', `main..${head}`])
    if (commits !== '1') faults.push(`${head} has ${commits} commits`)
    const [tree, said] = git([
      'log',
      '-1',
      '--format=%T %(trailers:key=Stackmason-Tree,valueonly,separator=)',
      head,
    ]).split(' ')
    if (tree !== said) faults.push(`${head} has another tree than its commit says`)
    const count = open.filter((held) => held.head === head).length
    if (count !== 1) faults.push(`${head} has ${String(count)} open pull requests`)
  }
  for (const held of open)
    if (!heads.includes(held.head)) faults.push(`pull request ${String(held.number)} has no branch`)
  return faults
}
