import type { ReportedPlace } from '../describe-finding.ts'
import { printable } from '../printable.ts'
import { type FormatList, openFindings, messageOf } from './finding-list.ts'

const commands = { error: 'error', warning: 'warning', note: 'notice' } as const

/**
 * The findings as workflow commands of GitHub Actions, which shows them at their lines in a pull request: of one step
 * the first ten errors and the first ten warnings, so errors come first, and what is new before the rest. Notes are
 * left out, as they are on a terminal.
 */
export const formatGithub: FormatList = (list) => {
  const incomplete =
    list.incomplete === undefined
      ? []
      : [`::error file=${escapeProperty(list.file)},title=Incomplete::${escapeData(list.incomplete)}\n`]
  const { added, standing } = list.exceptions
  const exceptions = [
    ...added.map(({ text, place }) =>
      annotation(
        'warning',
        { ...(place ?? { file: list.file }), title: 'Check says less' },
        `New in this change: ${text}`,
      ),
    ),
    ...(standing === undefined
      ? []
      : [annotation('notice', { file: list.file, title: 'Rules that are off or lowered' }, standing)]),
  ]
  const open = openFindings(list)
  const lines = (['error', 'warning'] as const).flatMap((severity) =>
    open
      .filter((finding) => finding.severity === severity)
      .toSorted((one, other) => Number(other.isNew) - Number(one.isNew))
      .map((finding) => {
        const { code, place, hint } = finding
        const title = finding.isNew ? `${code} (new)` : code
        return annotation(
          commands[severity],
          { ...(place ?? { file: list.file }), title },
          `${messageOf(finding)}\n${hint}`,
        )
      }),
  )
  return [...incomplete, ...exceptions, ...lines].join('')
}

/** One command, which the runner shows at its line. */
function annotation(
  command: (typeof commands)[keyof typeof commands],
  { file, line, column, title }: ReportedPlace & { readonly title: string },
  text: string,
): string {
  const properties = [
    ['file', file] as const,
    ['line', line] as const,
    ['col', column] as const,
    ['title', title] as const,
  ]
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
  return `::${command} ${properties.join(',')}::${escapeData(text)}\n`
}

/** As the runner reads data: https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts. */
function escapeData(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => printable(line).replaceAll('%', '%25'))
    .join('%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
