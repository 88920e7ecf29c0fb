import { printable } from '../printable.ts'
import { type FormatList, openFindings, messageOf } from './finding-list.ts'

const commands = { error: 'error', warning: 'warning', note: 'notice' } as const

/**
 * The findings as workflow commands of GitHub Actions, which shows them at their lines in a pull request: of one step
 * the first ten errors and the first ten warnings, so errors come first, and what is new before the rest. Notes are left out, as they are on a terminal.
 */
export const formatGithub: FormatList = (list) => {
  const incomplete =
    list.incomplete === undefined
      ? []
      : [`::error file=${escapeProperty(list.file)},title=Incomplete::${escapeData(list.incomplete)}\n`]
  const open = openFindings(list)
  const lines = (['error', 'warning'] as const).flatMap((severity) =>
    open
      .filter((finding) => finding.severity === severity)
      .toSorted((one, other) => Number(other.isNew) - Number(one.isNew))
      .map((finding) => {
        const { code, place, hint } = finding
        const properties = [
          ['file', place?.file ?? list.file],
          ['line', place?.line],
          ['col', place?.column],
          ['title', finding.isNew ? `${code} (new)` : code],
        ]
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => `${String(name)}=${escapeProperty(String(value))}`)
        return `::${commands[severity]} ${properties.join(',')}::${escapeData(`${messageOf(finding)}\n${hint}`)}\n`
      }),
  )
  return [...incomplete, ...lines].join('')
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
