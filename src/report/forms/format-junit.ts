import { formatPlace, type ReportedFinding } from '../describe-finding.ts'
import { formatSubjects } from '../format-subjects.ts'
import { exceptionTexts, type FindingList, type FormatList, openFindings } from './finding-list.ts'
import { xmlText } from './xml-text.ts'

/**
 * The findings as JUnit XML, as CI servers show tests: a suite for each rule, a failed test for each finding, one
 * that passed where a rule found nothing; where something was not judged, an error says so, and nothing has passed.
 * Errors are failures; warnings are, too, because JUnit knows no other way to show them: their type says which they
 * are. Notes and what the fleet acknowledges are no tests.
 */
export const formatJunit: FormatList = (list) => {
  const findings = openFindings(list).filter(({ severity }) => severity !== 'note')
  const { incomplete } = list
  const applied = incomplete === undefined ? list.rules.map(({ code }) => code) : []
  const codes = [...new Set([...applied, ...findings.map(({ code }) => code)])]
  const suites = codes.map((code) => {
    const found = findings.filter((finding) => finding.code === code)
    const cases = found.length === 0 ? [passed(code)] : found.map(failed)
    return { failures: found.length, tests: cases.length, code, cases }
  })
  const failures = findings.length
  const errors = incomplete === undefined ? 0 : 1
  const skipped = exceptionTexts(list).length
  const tests = suites.reduce((sum, suite) => sum + suite.tests, errors + skipped)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${xmlText(nameOf(list))}" tests="${String(tests)}" failures="${String(failures)}" errors="${String(errors)}">`,
    ...(incomplete === undefined ? [] : notWhole(incomplete)),
    ...exceptionSuite(exceptionTexts(list)),
    ...suites.flatMap((suite) => [
      `  <testsuite name="${suite.code}" tests="${String(suite.tests)}" failures="${String(suite.failures)}">`,
      ...suite.cases,
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n')
}

function notWhole(incomplete: string): readonly string[] {
  return [
    '  <testsuite name="incomplete" tests="1" failures="0" errors="1">',
    '    <testcase classname="incomplete" name="the whole fleet is judged">',
    `      <error type="incomplete" message="${xmlText(incomplete)}"/>`,
    '    </testcase>',
    '  </testsuite>',
  ]
}

/** Exceptions as tests that are skipped. */
function exceptionSuite(texts: readonly string[]): readonly string[] {
  if (texts.length === 0) return []
  return [
    `  <testsuite name="exceptions" tests="${String(texts.length)}" failures="0" skipped="${String(texts.length)}">`,
    ...texts.map((text) => `    <testcase classname="exceptions" name="${xmlText(text)}"><skipped/></testcase>`),
    '  </testsuite>',
  ]
}

function nameOf({ title }: FindingList): string {
  return title === '' ? 'stackmason check' : `stackmason check of ${title}`
}

function passed(code: string): string {
  return `    <testcase classname="${code}" name="nothing found"/>`
}

function failed(finding: ReportedFinding): string {
  const { code, severity, message, place, about, hint, docs } = finding
  const subjects = formatSubjects(about)
  const where = place === undefined ? '' : formatPlace(place)
  const lines = [where, message, ...(subjects === '' ? [] : [`About: ${subjects}`]), hint, `See ${docs}.`]
  const name = [message, where].filter((part) => part !== '').join(' at ')
  const file = place === undefined ? '' : ` file="${xmlText(place.file)}"`
  const line = place?.line === undefined ? '' : ` line="${String(place.line)}"`
  return [
    `    <testcase classname="${code}" name="${xmlText(name)}"${file}${line}>`,
    `      <failure type="${severity}" message="${xmlText(message)}">${lines
      .filter((text) => text !== '')
      .map(xmlText)
      .join('&#10;')}</failure>`,
    '    </testcase>',
  ].join('\n')
}
