import type {
  FailOn,
  FindingAnnotation,
  FindingsForm,
  FindingsReport,
  FindingsWeight,
  ForgeConfig,
} from '../../model/forge.ts'
import type { ReportedFinding } from '../describe-finding.ts'
import { messageOf, openFindings } from '../forms/finding-list.ts'
import { formatMarkdownList, type MarkdownList, sumOfFindings } from '../forms/format-markdown-list.ts'
import { printableLines } from '../printable.ts'
import { fileAddress, pathIn } from './file-address.ts'

/** The subject of a report of findings, and its readers. */
export interface FindingsContext {
  readonly form: FindingsForm
  /** The name of the check, as `checkName` gives it. */
  readonly name: string
  /** A verdict that weighs more stays: it may judge more, and fail on more. */
  readonly weight: FindingsWeight
  /** The level that fails it; absent: errors. */
  readonly failOn?: FailOn | undefined
  /** The commit that people look at. */
  readonly commit: string
  readonly pullRequest?: number | undefined
  /** The page of the run. */
  readonly url?: string | undefined
  /** The repository that the commit is of; absent: it has not the files that findings are about. */
  readonly forge?: Pick<ForgeConfig, 'kind' | 'url' | 'repository'> | undefined
  /** Hides secret values in a text. */
  readonly mask: (text: string) => string
}

const levels = { error: 'failure', warning: 'warning', note: 'notice' } as const

/**
 * The findings of a fleet for its forge: places are relative to the root of the repository. The same for equal findings
 * of a commit, whichever run found them.
 */
export function findingsReport(
  list: MarkdownList,
  { form, name, weight, failOn, commit, pullRequest, url, forge, mask }: FindingsContext,
): FindingsReport {
  const findings = list.findings.map((finding) => maskFinding(finding, mask))
  const incomplete = list.incomplete === undefined ? {} : { incomplete: mask(list.incomplete) }
  const masked = { ...list, ...incomplete, findings }
  const facts = { folder: '', run: { commit }, forge }
  const sum = sumOfFindings(masked).replace(/\.$/, '')
  return {
    form,
    commit,
    context: name,
    weight,
    ...(failOn !== undefined && { failOn }),
    conclusion: list.isPassed ? 'success' : 'failure',
    title: mask(list.incomplete === undefined ? sum : `Incomplete: ${sum}`),
    summary: mask(formatMarkdownList(masked, (place) => fileAddress(place, facts))),
    annotations: forge === undefined ? [] : annotationsOf(masked, mask),
    pullRequest,
    url,
  }
}

/** Notes are counted in the summary, and what the fleet acknowledges. */
function annotationsOf(list: MarkdownList, mask: (text: string) => string): readonly FindingAnnotation[] {
  return openFindings(list).flatMap((finding) => {
    const { severity, place, code, isNew, hint } = finding
    const path = place === undefined ? undefined : pathIn('', place.file)
    if (path === undefined || severity === 'note') return []
    return [
      {
        level: levels[severity],
        path: path.join('/'),
        line: place?.line ?? 1,
        title: isNew ? `${code} (new)` : code,
        message: mask(printableLines([...messageOf(finding).split(/\r?\n/), ...hint.split(/\r?\n/)]).trimEnd()),
      },
    ]
  })
}

function maskFinding(finding: ReportedFinding, mask: (text: string) => string): ReportedFinding {
  return { ...finding, message: mask(finding.message), hint: mask(finding.hint) }
}
