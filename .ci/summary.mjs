// Prints what failed besides tests, then "N passed, N failed" as the last line. Argument: exit status of the checks.
import { existsSync, readFileSync } from 'node:fs'

const checks = Number(process.argv[2])
const results = '.cache/test-results.json'
let passed = 0
let failed = 0
const problems = []

if (existsSync(results)) {
  const report = JSON.parse(readFileSync(results, 'utf8'))
  passed = report.numPassedTests
  failed = report.numFailedTests
  for (const file of report.testResults) {
    if (file.status === 'failed' && file.assertionResults.every((result) => result.status !== 'failed')) {
      problems.push(`${file.name} could not be run`)
    }
  }
} else problems.push('no test was run')

// Tests on real charts and stacks skip themselves where the data is missing; here that would hide a failure.
const shared = process.env.STACKMASON_SHARED ?? '../shared'
const isNamed = process.env.STACKMASON_SHARED !== undefined || existsSync(shared)
if (isNamed && !existsSync('.cache/shared-used')) problems.push(`the shared data in ${shared} was used by no test`)

if (checks !== 0 && failed === 0 && problems.length === 0) problems.push('a check failed')
for (const problem of problems) process.stdout.write(`FAILED ${problem}\n`)
failed += problems.length
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 ? 1 : 0
