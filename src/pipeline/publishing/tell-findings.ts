import { dirName } from '../../codec/path.ts'
import type { CheckExceptions } from '../../model/check-exception.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { endAcknowledgements } from '../../model/end-acknowledgements.ts'
import type { Forge, ReportedFindings } from '../../model/forge.ts'
import type { Ports } from '../../model/ports.ts'
import { listExceptions } from '../../report/describe-exception.ts'
import { describeFinding } from '../../report/describe-finding.ts'
import { foldFindings } from '../../report/fold-findings.ts'
import { checkName } from '../../report/pull-request/check-name.ts'
import { findingsReport, type FindingsContext } from '../../report/pull-request/findings-report.ts'
import { createShortenPath } from '../../report/shorten-path.ts'

/** The findings about a fleet. */
export interface JudgedFindings {
  /** Its name. */
  readonly fleet: string
  /** The part of it that was judged; absent: all of it. */
  readonly part?: string | undefined
  readonly isPassed: boolean
  /** One sentence on the part that was not judged; absent: all was. */
  readonly incomplete?: string | undefined
  /** The exceptions of the fleet. */
  readonly exceptions?: CheckExceptions | undefined
  readonly findings: readonly Diagnostic[]
}

/** For whom it is told. */
export interface FindingsTelling extends Omit<FindingsContext, 'name'> {
  /** The beginning of the fleet's branches. */
  readonly branchPrefix: string
  /** Its stackmason.yaml, from the root of the repository. */
  readonly file: string
  /** The root of the repository on this machine; absolute. */
  readonly root: string
}

/** The outcome of showing findings on the forge: if they were not shown, warnings that say why. */
export interface ToldFindings {
  readonly reported?: ReportedFindings
  readonly findings: readonly Diagnostic[]
}

/**
 * Shows findings on a forge, at their lines where it can. What keeps them from being shown is no reason to fail: they
 * are in the output of the run as well.
 */
export async function tellFindings(
  openForge: () => Promise<Pick<Forge, 'reportFindings'>>,
  { fleet, part, isPassed, incomplete, exceptions, findings }: JudgedFindings,
  { root, branchPrefix, file, ...context }: FindingsTelling,
  { clock }: Pick<Ports, 'clock'>,
): Promise<ToldFindings> {
  const shorten = createShortenPath(root)
  const described = foldFindings(endAcknowledgements(findings, clock.now())).map((folded) =>
    describeFinding(folded, shorten),
  )
  const list = {
    title: part === undefined ? fleet : `${fleet}/${part}`,
    isPassed,
    incomplete,
    exceptions: listExceptions(exceptions, shorten),
    findings: described,
  }
  const name = checkName({ fleet, branchPrefix, folder: dirName(file), part })
  try {
    const forge = await openForge()
    return { reported: await forge.reportFindings(findingsReport(list, { ...context, name })), findings: [] }
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return { findings: error.diagnostics.map((problem) => ({ ...problem, severity: 'warning' as const })) }
  }
}
