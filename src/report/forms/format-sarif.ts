import { docsPageOf } from '../../model/docs-address.ts'
import { type Code, errorCodes } from '../../model/error-codes.ts'
import type { ReportedPlace } from '../describe-finding.ts'
import { type FindingList, type FormatList, messageOf } from './finding-list.ts'
import { fingerprints } from './fingerprints.ts'
import { markdownText } from './markdown-text.ts'

const levels = { error: 'error', warning: 'warning', note: 'note' } as const
/** Code scanning takes so many of a run and no more: https://docs.github.com/code-security (SARIF support). */
const MOST_RESULTS = 5000

/**
 * The findings as SARIF 2.1.0, for code scanning and editors. What the fleet acknowledges is there as suppressed. A
 * result is known again by its rule, file, subject and message, not by its line.
 */
export const formatSarif: FormatList = (list) => {
  const rules = ruleIds(list)
  const indexes = new Map(rules.map(({ id }, index) => [id, index]))
  const fingerprint = fingerprints(list)
  const results = list.findings.map((finding) => {
    const { code, severity, place, trace, hint, acknowledgement, isNew } = finding
    return {
      ruleId: code,
      ruleIndex: indexes.get(code),
      level: levels[severity],
      properties: isNew ? { new: true } : undefined,
      message: { text: `${messageOf(finding)}\n${hint}` },
      locations: [{ physicalLocation: location(place ?? { file: list.file }) }],
      relatedLocations:
        trace.length === 0
          ? undefined
          : trace.flatMap((step, index) =>
              step.place === undefined
                ? []
                : [{ id: index + 1, message: { text: step.what }, physicalLocation: location(step.place) }],
            ),
      partialFingerprints: { 'stackmason/v1': fingerprint(finding) },
      suppressions: acknowledgement && [
        {
          kind: 'external',
          status: 'accepted',
          justification: `${acknowledgement.reason} (until ${acknowledgement.until})`,
        },
      ],
    }
  })
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'stackmason', semanticVersion: list.version, rules } },
        columnKind: 'utf16CodeUnits',
        // what a run that is no success does not list is not mended
        invocations: [
          {
            executionSuccessful: list.incomplete === undefined,
            toolExecutionNotifications:
              list.incomplete === undefined ? undefined : [{ level: 'error', message: { text: list.incomplete } }],
            ...configurationNotes(list),
          },
        ],
        // errors first: they must be among those that are taken
        results: [...results].sort((a, b) => rank(a.level) - rank(b.level)).slice(0, MOST_RESULTS),
      },
    ],
  }
  return `${JSON.stringify(log, undefined, 2)}\n`
}

/** Notes for the exceptions of the fleet. */
function configurationNotes({ exceptions: { added, standing }, file }: FindingList): object {
  const notes = [
    ...added.map(({ text, place }) => ({
      level: 'warning',
      message: { text: `New in this change: ${text}.` },
      locations: [{ physicalLocation: location(place ?? { file }) }],
    })),
    ...(standing === undefined ? [] : [{ level: 'note', message: { text: standing } }]),
  ]
  return notes.length === 0 ? {} : { toolConfigurationNotifications: notes }
}

function rank(level: (typeof levels)[keyof typeof levels]): number {
  return ['error', 'warning', 'note'].indexOf(level)
}

interface ListedCode {
  readonly id: Code
  readonly shortDescription: object
  readonly helpUri: string
  readonly help: object
}

/** The rules that were applied, and the codes of rendering that were found. */
function ruleIds({ rules, findings }: FindingList): readonly ListedCode[] {
  const listed = rules.map(({ code, severity, summary, advice }) => ({
    ...describeCode(code, summary, advice),
    defaultConfiguration: { level: levels[severity] },
  }))
  const known = new Set<string>(rules.map(({ code }) => code))
  const others = [...new Set(findings.map(({ code }) => code))].filter((code) => !known.has(code))
  return [...listed, ...others.map((code) => describeCode(code, errorCodes[code].summary, errorCodes[code].fix))]
}

function describeCode(code: Code, summary: string, advice: string): ListedCode {
  const page = docsPageOf(code)
  // code scanning shows the Markdown where it is there, and does not show helpUri
  const help = { text: `${advice}\n${page}`, markdown: `${markdownText(advice)}\n\n[${markdownText(code)}](${page})` }
  return { id: code, shortDescription: { text: summary }, helpUri: page, help }
}

function location({ file, line, column }: ReportedPlace): object {
  return {
    artifactLocation: file.startsWith('/')
      ? { uri: `file://${uriOf(file)}` }
      : { uri: uriOf(file), uriBaseId: '%SRCROOT%' },
    region: line === undefined ? undefined : { startLine: line, startColumn: column },
  }
}

function uriOf(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}
