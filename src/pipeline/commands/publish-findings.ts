import { adviceOnForge, type ForgeHints } from '../../network/forges/locate-forge.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import { openForge } from '../../network/forges/open-forge.ts'
import type { PublishContext } from '../../publish/read-context.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { GitError } from '../../model/git.ts'
import { joinPath } from '../../codec/path.ts'
import type { FailOn, FindingsWeight } from '../../model/forge.ts'
import { judgedName, type JudgedSelection } from '../publishing/judged-name.ts'
import { locateTarget } from '../publishing/locate-target.ts'
import { type FleetCheckout, openCheckout } from '../publishing/open-checkout.ts'
import type { OpenForge } from '../publishing/forge-session.ts'
import { readRun } from '../publishing/read-run.ts'
import { type JudgedFindings, tellFindings, type ToldFindings } from '../publishing/tell-findings.ts'

/** Whose findings, and how they get to the forge. */
export interface FindingsOptions extends Omit<JudgedFindings, 'fleet' | 'part'> {
  readonly start: string
  /** stackmason.yaml. */
  readonly file?: string | undefined
  /** The revision that the fleet was compared with. */
  readonly base?: string | undefined
  /** The findings that fail the check. */
  readonly failOn: FailOn
  /** The part of the fleet that was asked for. */
  readonly selection: JudgedSelection
  /** Hides secret values in a text. */
  readonly mask: (text: string) => string
  /** Opens a repository on its forge; by default over the network. */
  readonly openForge?: OpenForge
}

/**
 * Shows the findings of a check beside the pull request that this run of CI is about, or else its commit, as
 * spec.publish.findings says. What keeps them from being shown is a warning.
 */
export async function publishFindings(options: FindingsOptions, ports: Ports): Promise<ToldFindings> {
  const { mask, failOn, openForge: open = openForge } = options
  try {
    const run = await readRun(ports)
    const { fleet, file, facts, remote } = await openReadable(options, run, ports)
    const { ci, pullRequest, commit = facts.commit, runUrl } = run
    const { findings: form, branchPrefix } = fleet.publish
    if (form === 'none') return { findings: [] }
    const config = ci === undefined ? undefined : locateTarget(remote, fleet.publish, ports)
    if (config === undefined || commit === undefined)
      throw noDestination(remote.url, ci === undefined ? undefined : fleet.publish.forge)
    const weight = await weightOf(options, facts.root, ports)
    const part = await judgedName(options.selection, joinPath(facts.root, file), ports)
    return await tellFindings(
      () => open(config, { ports, offline: false }),
      { ...options, fleet: fleet.name, part },
      {
        root: facts.root,
        branchPrefix,
        file,
        form,
        weight,
        failOn,
        commit,
        forge: config,
        mask,
        pullRequest: pullRequest?.number,
        url: runUrl,
      },
      ports,
    )
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return { findings: error.diagnostics.map((problem) => ({ ...problem, severity: 'warning' as const })) }
  }
}

/** Of a check that compares the commit with itself nobody learns what its change does. */
async function weightOf({ base }: FindingsOptions, root: string, { git }: Ports): Promise<FindingsWeight> {
  if (base === undefined) return 'alone'
  try {
    return (await git.stateOf(root)) === (await git.stateOf(root, base)) ? 'alone' : 'compared'
  } catch (error) {
    // that there is no such commit is what the check has found
    if (error instanceof GitError) return 'compared'
    throw error
  }
}

/**
 * The checkout with the settings of the commit; where that has none that can be read, of the revision it is compared
 * with: findings on what is wrong with them go where the ones before did.
 */
async function openReadable(
  { start, file, base }: FindingsOptions,
  { pullRequest }: PublishContext,
  ports: Ports,
): Promise<FleetCheckout> {
  const into = pullRequest === undefined ? undefined : `refs/remotes/origin/${pullRequest.base}`
  let first: StackmasonError | undefined
  for (const at of [undefined, base, into]) {
    if (first !== undefined && at === undefined) continue
    try {
      return await openCheckout({ start, fleet: file, ...(at !== undefined && { at }) }, ports)
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      first ??= error
    }
  }
  throw first ?? new Error('nothing was tried')
}

function noDestination(url: string, hints: ForgeHints | undefined): StackmasonError {
  return new StackmasonError({
    code: 'PUBLISH_NO_FORGE',
    severity: 'error',
    message:
      hints === undefined
        ? 'this is no run of CI, so nothing tells which commit findings are shown beside'
        : `nothing tells which forge ${shownUrl(url)} is on, so findings are shown nowhere else`,
    hint: hints === undefined ? 'Leave --publish-findings out.' : `${adviceOnForge(url, hints)}.`,
  })
}
