import { countFindings } from '../../report/count-findings.ts'
import { plural } from '../../report/plural.ts'
import { printableLines } from '../../report/printable.ts'
import type { RuleDescription } from '../../pipeline/commands/check.ts'
import type { TextReport } from '../command.ts'
import type { CheckOutcome } from './outcome.ts'

/** The result of a check, for people: findings first, the sum last. */
export function checkText(outcome: CheckOutcome): TextReport {
  if (outcome.show !== 'findings') {
    const lines = outcome.show === 'rules' ? ruleLines(outcome.rules) : outcome.rules.flatMap(explain)
    return { output: printableLines(lines) }
  }
  const { result, findings, isQuiet } = outcome
  if (isQuiet) return { output: '', findings: 'first' }
  const count = countFindings(findings)
  if (result === undefined) return { output: '', findings: 'first', closing: `${count}; nothing else was checked.\n` }
  const { clusters, objects, duration } = result
  const what = `${plural(clusters, 'cluster')}, ${plural(objects, 'object')}`
  const seconds = `${(duration / 1000).toFixed(1)} s`
  return {
    output: printableLines([`Checked ${what} in ${seconds}: ${count === '' ? 'nothing found' : count}.`]),
    findings: 'first',
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
