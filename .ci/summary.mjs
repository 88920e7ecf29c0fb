// Prints what failed besides tests, then "N passed, N failed" as the last line. Arguments: exit status of the checks, and the names of the runs on other
// versions of Node, each of which must have left its results.
import { existsSync, readFileSync } from 'node:fs'

const checks = Number(process.argv[2])
const legs = process.argv.slice(3)
const results = '.cache/test-results.json'
let passed = 0
let failed = 0
const problems = []

for (const [file, missing] of [
  [results, 'no test was run'],
  ...legs.map((leg) => [`.cache/test-results-${leg}.json`, `no test was run on Node ${leg}`]),
]) {
  if (!existsSync(file)) {
    problems.push(missing)
    continue
  }
  const report = JSON.parse(readFileSync(file, 'utf8'))
  passed += report.numPassedTests
  failed += report.numFailedTests
  for (const { name, status, assertionResults } of report.testResults) {
    if (status === 'failed' && assertionResults.every((result) => result.status !== 'failed')) {
      problems.push(`${name} could not be run`)
    }
  }
}

// Tests on real charts and stacks skip themselves where the data is missing; here that would hide a failure.
const shared = process.env.STACKMASON_SHARED ?? '../shared'
const isNamed = process.env.STACKMASON_SHARED !== undefined || existsSync(shared)
if (isNamed && !existsSync('.cache/shared-used')) problems.push(`the shared data in ${shared} was used by no test`)

if (checks !== 0 && failed === 0 && problems.length === 0) problems.push('a check failed')
for (const problem of problems) process.stdout.write(`FAILED ${problem}\n`)
failed += problems.length
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 ? 1 : 0
