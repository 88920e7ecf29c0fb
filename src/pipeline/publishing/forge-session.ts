import { adviceOnForge, type ForgeHints } from '../../network/forges/locate-forge.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { type Forge, forgeAbilities, type ForgeConfig, type PullRequest } from '../../model/forge.ts'
import type { Ports } from '../../model/ports.ts'
import { openForge } from '../../network/forges/open-forge.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { type HeadBranches, headBranch, isNamesake, kindOfHead } from '../../publish/head-branch.ts'
import { readMark } from '../../report/pull-request/body-block.ts'
import { findOpenOne, findPullRequests, isOurs, type KnownPullRequests } from './keep-pull-request.ts'
import { locateTarget } from './locate-target.ts'
import type { FleetCheckout } from './open-checkout.ts'
import type { PreparedSource } from './prepare-source.ts'

/** As many proposals are looked at, and pushed, before the pull requests of the next are. */
export const PROPOSALS_AT_ONCE = 50

/** Opens a repository on its forge. */
export type OpenForge = (
  config: ForgeConfig,
  context: { readonly ports: Ports; readonly offline: boolean },
) => Promise<Forge>

/** The forge of a run, asked once for what all proposals need. */
export interface ForgeSession {
  /** Undefined: nobody knows which. */
  readonly location: ForgeConfig | undefined
  readonly findings: readonly Diagnostic[]
  /** As many branches as may be pushed together. */
  readonly branchesPerPush: number
  readonly forge: () => Promise<Forge | undefined>
  /** The pull requests of a branch. */
  readonly find: (head: string) => Promise<KnownPullRequests>
  /** How many of the fleet's are open, as far as this run knows. */
  readonly countOpen: () => Promise<number>
  /** Notes that one was opened or closed, or would be. */
  readonly note: (action: 'create' | 'close', head: string) => void
  /** The open one of a branch, as far as this run knows. */
  readonly findOpen: (head: string) => Promise<PullRequest | undefined>
  /** An open one of a branch that somebody else wants merged elsewhere. */
  readonly findOther: (head: string) => Promise<PullRequest | undefined>
}

/**
 * Begins to talk with the forge of a repository; nothing is asked before somebody wants to know. What it is asked then
 * may throw WRITE_OTHER_FLEET.
 */
export function beginForgeSession(
  { prepared, checkout, branches }: ForgeSessionOptions,
  open: OpenForge | undefined,
  ports: Ports,
): ForgeSession {
  const { remote } = prepared
  const { base } = branches
  const location = locateTarget(remote, checkout.fleet.publish, ports)
  let opened: Promise<Forge> | undefined
  let listed: Promise<readonly PullRequest[]> | undefined
  let more = 0
  const closed = new Set<string>()
  const forge = async (): Promise<Forge | undefined> =>
    location && (opened ??= (open ?? openForge)(location, { ports, offline: false }))
  const list = async (): Promise<readonly PullRequest[]> => {
    const found = await forge()
    return found === undefined ? [] : (listed ??= openOnes(found, branches))
  }
  return {
    location,
    findings: location === undefined ? [noForge(remote.url, checkout.fleet.publish.forge)] : [],
    branchesPerPush: location === undefined ? PROPOSALS_AT_ONCE : forgeAbilities[location.kind].branchesPerPush,
    forge,
    find: async (head) => {
      const found = await forge()
      if (found === undefined) return { open: undefined, last: undefined }
      return findPullRequests(found, await list(), { head, base })
    },
    countOpen: async () => {
      const ours = (await list()).filter((one) => isOurs(one, branches) && kindOfHead(branches, one.head) !== undefined)
      return ours.length + more
    },
    note: (action, head) => {
      more += action === 'create' ? 1 : -1
      if (action === 'close') closed.add(head)
    },
    findOpen: async (head) => (closed.has(head) ? undefined : findOpenOne(await list(), { head, base })),
    findOther: async (head) =>
      (await list()).find((one) => one.head === head && !one.isFromFork && !isOurs(one, branches)),
  }
}

/** The options of a session. */
interface ForgeSessionOptions {
  readonly prepared: PreparedSource
  readonly checkout: FleetCheckout
  readonly branches: HeadBranches
}

/** Two bases may give branches one name: then the first to have a pull request keeps them. */
async function openOnes(forge: Forge, branches: HeadBranches): Promise<readonly PullRequest[]> {
  const open = await forge.openPullRequests(headBranch(branches, 'fleet'))
  const other = open.find(
    ({ head, isFromFork, base, body }) =>
      !isFromFork &&
      isNamesake(branches.base, base) &&
      kindOfHead(branches, head) !== undefined &&
      readMark(body) !== undefined,
  )
  if (other === undefined) return open
  throw new StackmasonError({
    code: 'WRITE_OTHER_FLEET',
    severity: 'error',
    message: `branch ${other.head} is that of pull request ${String(other.number)} into ${other.base}, and would be that of one into ${branches.base}, too: the names of these bases differ in / and - only`,
    hint: `Set another spec.publish.branchPrefix on one of ${other.base} and ${branches.base}, or rename one of them.`,
  })
}

function noForge(url: string, hints: ForgeHints): Diagnostic {
  return {
    code: 'PUBLISH_NO_FORGE',
    severity: 'warning',
    message: `nothing tells which forge ${shownUrl(url)} is on, so no pull request is opened for the branch`,
    hint: `${adviceOnForge(url, hints)}, or set into: branch.`,
  }
}
