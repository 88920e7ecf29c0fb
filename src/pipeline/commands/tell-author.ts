import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { TreeRevision } from '../../sources/committed/tree-files.ts'
import type { Ports } from '../../model/ports.ts'
import { openForge } from '../../network/forges/open-forge.ts'
import type { PublishTarget } from '../../publish/choose-target.ts'
import type { PublishContext } from '../../publish/read-context.ts'
import { incompleteText } from '../../report/incomplete-text.ts'
import { distinct } from '../diagnostics.ts'
import { locateTarget } from '../publishing/locate-target.ts'
import type { FleetCheckout } from '../publishing/open-checkout.ts'
import type { PreparedSource } from '../publishing/prepare-source.ts'
import type { OpenForge } from '../publishing/forge-session.ts'
import { type JudgedFindings, tellFindings } from '../publishing/tell-findings.ts'
import type { Network } from '../resolve/open-source.ts'
import { judgeSource } from './judge-source.ts'

/** A run on a pull request. */
export interface AuthorRun {
  readonly mode: 'act' | 'plan'
  readonly context: PublishContext
  readonly checkout: FleetCheckout
  readonly prepared: PreparedSource
  readonly awaited?: TreeRevision['awaited']
  readonly options: {
    readonly network?: Network
    readonly mask: (text: string) => string
    readonly maskFinding?: (finding: Diagnostic) => Diagnostic
    readonly openForge?: OpenForge
  }
}

/** The result of publishing into a branch. */
interface Ended {
  readonly commit?: string | undefined
  readonly findings: readonly Diagnostic[]
}

/**
 * Publishes into a branch; where it is an author's, what a check finds there is shown beside the pull request.
 * @throws StackmasonError as `work`, and as `check`
 */
export async function tellingAuthor<Result extends Ended>(
  run: AuthorRun,
  { kind }: Pick<PublishTarget, 'kind'>,
  work: () => Promise<Result | 'outdated'>,
  ports: Ports,
): Promise<Result | 'outdated'> {
  const { mode, context, checkout, prepared, options } = run
  const { fleet, file, facts } = checkout
  const isSilent = mode === 'plan' || context.pullRequest === undefined || fleet.publish.findings === 'none'
  if (kind !== 'author' || isSilent) return work()
  try {
    const ended = await work()
    if (ended === 'outdated') return ended
    const { base, tree } = prepared
    const judged = await judgeSource(
      {
        tree,
        file,
        base,
        awaited: run.awaited,
        root: facts.root,
        network: options.network ?? 'online',
      },
      ports,
    )
    const untold = await tell(run, judged, ended.commit ?? prepared.source, ports)
    return { ...ended, findings: distinct([...ended.findings, ...untold]) }
  } catch (error) {
    // what cannot be rendered is for the author, what git or a server says for who reads the log
    if (error instanceof StackmasonError && error.diagnostics.some(({ at }) => at !== undefined)) {
      const incomplete = incompleteText(undefined)
      const judged = { fleet: fleet.name, isPassed: false, incomplete, findings: error.diagnostics }
      await tell(run, judged, prepared.source, ports)
    }
    throw error
  }
}

async function tell(
  { context: { pullRequest, runUrl }, checkout, options }: AuthorRun,
  judged: JudgedFindings,
  commit: string,
  ports: Ports,
): Promise<readonly Diagnostic[]> {
  const { publish } = checkout.fleet
  const { openForge: open = openForge, mask, maskFinding = (finding: Diagnostic) => finding } = options
  const forge = locateTarget(checkout.remote, publish, ports)
  if (forge === undefined || publish.findings === 'none') return []
  const { findings } = await tellFindings(
    () => open(forge, { ports, offline: false }),
    { ...judged, findings: judged.findings.map(maskFinding) },
    {
      root: checkout.facts.root,
      branchPrefix: publish.branchPrefix,
      file: checkout.file,
      form: publish.findings,
      weight: 'publish',
      commit,
      forge,
      mask,
      pullRequest: pullRequest?.number,
      url: runUrl,
    },
    ports,
  )
  return findings
}
