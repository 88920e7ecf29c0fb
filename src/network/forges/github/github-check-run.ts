import { formatHex } from '../../../codec/bytes/hex.ts'
import { encodeUtf8 } from '../../../codec/bytes/utf8.ts'
import { StackmasonError } from '../../../model/diagnostic.ts'
import { type FindingAnnotation, type FindingsReport, type ReportedFindings } from '../../../model/forge.ts'
import { isOutweighed, rankOf, type VerdictRank, verdictRanks } from '../findings-weight.ts'
import { type ForgePurpose, requireLength } from '../forge-client.ts'
import { countAt, mapOf } from '../forge-shape.ts'
import { askGitHub, type GitHubRepository } from './github-client.ts'
import { latestGitHubCheckRun } from './github-status.ts'

/** The limits of an annotation in the API ("Create a check run": 64 KB, 255 characters). */
const MAX_MESSAGE = 16_000
const MAX_TITLE = 255

/** How the id of a check run begins; what is the default is left out, and a digest comes after it. */
function startOf({ weight, failOn }: VerdictRank): string {
  const words = ['stackmason', ...(weight === 'compared' ? [] : [weight]), ...(failOn === 'error' ? [] : [failOn])]
  return `${words.join(' ')} `
}

/**
 * Writes findings as a check run, unless the newest one of this name tells the same, or counts more. It is complete
 * only once all annotations are there.
 * @returns undefined when the token may not: only apps may, such as GitHub Actions
 */
export async function writeGitHubCheckRun(
  repository: GitHubRepository,
  report: FindingsReport,
): Promise<ReportedFindings | undefined> {
  const { client } = repository
  const { maxAnnotations, annotationsPerCall, maxComment } = client.abilities
  requireLength(client, report.summary, { what: 'the summary of the findings', most: maxComment - 1 })
  const annotations = report.annotations.slice(0, maxAnnotations)
  const leftOut = report.annotations.length - annotations.length
  const digest = client.ports.crypto.hash(
    'sha256',
    encodeUtf8(JSON.stringify({ ...report, url: undefined, pullRequest: undefined })),
  )
  const externalId = `${startOf(rankOf(report))}${formatHex(digest)}`
  try {
    const newest = await latestGitHubCheckRun(repository, report)
    const isLeft = newest !== undefined && isOutweighed(report, { ...newest, ...rankOfId(newest.externalId) })
    if (isLeft || (newest?.isCompleted === true && newest.externalId === externalId))
      return { as: 'checkRun', outcome: 'unchanged', leftOut }
    const pages = inPages(annotations.map(annotationOf), annotationsPerCall)
    await write(repository, { report, externalId, pages })
    return { as: 'checkRun', outcome: newest === undefined ? 'created' : 'updated', leftOut }
  } catch (error) {
    const isForbidden =
      error instanceof StackmasonError && error.diagnostics.some(({ code }) => code === 'PUBLISH_PERMISSION')
    if (isForbidden) return undefined
    throw error
  }
}

/** `publish` leaves one of somebody else, too. */
function rankOfId(id: string): VerdictRank {
  const start = id.slice(0, id.lastIndexOf(' ') + 1)
  return verdictRanks.find((one) => startOf(one) === start) ?? rankOf({ weight: 'alone' })
}

interface CheckRun {
  readonly report: FindingsReport
  readonly externalId: string
  /** At least one. */
  readonly pages: readonly (readonly GitHubAnnotation[])[]
}

async function write(
  { client, owner, repo }: GitHubRepository,
  { report, externalId, pages }: CheckRun,
): Promise<void> {
  const { commit, context, conclusion, title, summary, url } = report
  const question: ForgePurpose & { readonly repeatable: true } = {
    purpose: `the check run ${context} of ${commit} in ${owner}/${repo}`,
    operation: 'reportFindings',
    repeatable: true,
  }
  const done = { status: 'completed', conclusion } as const
  const [first = [], ...rest] = pages
  const output = (
    annotations: readonly GitHubAnnotation[],
  ): { title: string; summary: string; annotations: GitHubAnnotation[] } => ({
    title: title.slice(0, MAX_TITLE),
    summary,
    annotations: [...annotations],
  })
  const made = await askGitHub(client, question, (octokit) =>
    octokit.request('POST /repos/{owner}/{repo}/check-runs', {
      owner,
      repo,
      name: context,
      head_sha: commit,
      external_id: externalId,
      ...(url !== undefined && { details_url: url }),
      ...(rest.length === 0 ? done : { status: 'in_progress' }),
      output: output(first),
    }),
  )
  const id = client.read(question.purpose, () => countAt(mapOf(made, 'a check run'), 'id'))
  for (const [index, annotations] of rest.entries()) {
    // annotations are added to those that are there: one call is one page
    await askGitHub(client, { ...question, repeatable: false }, (octokit) =>
      octokit.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
        owner,
        repo,
        check_run_id: id,
        ...(index === rest.length - 1 && done),
        output: output(annotations),
      }),
    )
  }
}

interface GitHubAnnotation {
  path: string
  start_line: number
  end_line: number
  annotation_level: FindingAnnotation['level']
  title: string
  message: string
}

function annotationOf({ path, line, level, title, message }: FindingAnnotation): GitHubAnnotation {
  return {
    path,
    start_line: line,
    end_line: line,
    annotation_level: level,
    title: title.slice(0, MAX_TITLE),
    message: message.slice(0, MAX_MESSAGE),
  }
}

function inPages<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.max(Math.ceil(items.length / size), 1) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}
