import { countFindings } from '../../report/count-findings.ts'
import { countExceptions, describeException } from '../../report/describe-exception.ts'
import { plural } from '../../report/plural.ts'
import { printableLines } from '../../report/printable.ts'
import type { RuleDescription } from '../../pipeline/commands/check.ts'
import type { TextReport } from '../command.ts'
import { type CheckOutcome, incompleteText } from './outcome.ts'

/** The result of a check, for people: findings first, the sum last. */
export function checkText(outcome: CheckOutcome): TextReport {
  if (outcome.show !== 'findings') {
    const lines = outcome.show === 'rules' ? ruleLines(outcome.rules) : outcome.rules.flatMap(explain)
    return { output: printableLines(lines) }
  }
  const { result, findings, isQuiet } = outcome
  const shown = { findings: 'first', stream: 'output', closing: '' } as const
  const count = countFindings(findings)
  const incomplete = incompleteText(outcome)
  if (result === undefined) return { ...shown, output: printableLines([`${count}. ${incomplete ?? ''}`]) }
  const { clusters, objects, duration, exceptions } = result
  const added = exceptions.added.map((exception) => `New in this change: ${describeException(exception)}.`)
  const standing = countExceptions(exceptions)
  if (isQuiet)
    return { ...shown, output: printableLines([...(incomplete === undefined ? [] : [incomplete]), ...added]) }
  const what = `${plural(clusters, 'cluster')}, ${plural(objects, 'object')}`
  const isAnyListed = findings.some(({ severity, acknowledgement }) => severity !== 'note' && !acknowledgement)
  const seconds = `${(duration / 1000).toFixed(1)} s`
  const sum = `Checked ${what} in ${seconds}: ${count === '' ? 'nothing found' : count}.${isAnyListed ? ' docs/06-errors.md explains each code.' : ''}`
  return {
    ...shown,
    output: printableLines([
      sum,
      ...(incomplete === undefined ? [] : [incomplete]),
      ...(standing === undefined ? [] : [standing]),
      ...added,
    ]),
  }
}

function ruleLines(rules: readonly RuleDescription[]): readonly string[] {
  const width = Math.max(...rules.map(({ code }) => code.length))
  return rules.map(({ code, severity, isOptIn, summary }) => {
    const level = isOptIn === true ? 'off' : severity
    return `${code.padEnd(width)}  ${level.padEnd(7)}  ${summary}`
  })
}

function explain({ code, severity, isOptIn, summary, advice, explanation }: RuleDescription): readonly string[] {
  return [
    `${code} (${severity}${isOptIn === true ? ', off by default' : ''})`,
    '',
    summary,
    ...explanation.flatMap((paragraph) => ['', paragraph]),
    '',
    advice,
  ]
}
