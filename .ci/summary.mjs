// Prints what failed besides tests, then "N passed, N failed" as the last line, from what .ci/run.mjs and .ci/reporter.mjs have left in .cache/ci.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

const folder = '.cache/ci'
let passed = 0
let failed = 0
const problems = existsSync(`${folder}/problems`)
  ? readFileSync(`${folder}/problems`, 'utf8').trimEnd().split('\n')
  : []

function linesOf(file) {
  const lines = readFileSync(`${folder}/${file}`, 'utf8').trimEnd().split('\n')
  return lines.flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line)]
    } catch {
      problems.push(`${file}: its run was stopped while it wrote`)
      return []
    }
  })
}

const results = existsSync(folder)
  ? readdirSync(folder)
      .filter((file) => file.endsWith('.results'))
      .sort()
  : []
for (const file of results) {
  const run = file.slice(0, -'.results'.length)
  const lines = linesOf(file)
  const of = (event) => lines.filter((line) => line.event === event)
  const ended = of('end')
  const known = failed + problems.length
  const [{ files } = { files: 0 }] = of('start')
  for (const line of ended) {
    passed += line.passed
    failed += line.failed
    if (!line.ok && line.failed === 0) problems.push(`${run}: ${line.file} could not be run`)
  }
  for (const error of of('stop').flatMap(({ errors }) => errors)) problems.push(`${run}: ${error}`)
  const left = of('begin').filter((begun) => !ended.some((line) => line.file === begun.file))
  for (const line of left) problems.push(`${run}: ${line.file} did not end`)
  if (files === 0) problems.push(`${run}: no test was run`)
  else if (ended.length + left.length < files) {
    problems.push(`${run}: ${files - ended.length - left.length} of ${files} test files were not run`)
  }
  for (const { status } of of('status')) {
    if (failed + problems.length === known) problems.push(`${run}: ended with status ${status}`)
  }
}
if (results.length === 0) problems.push('no test was run')

// Tests on real charts and stacks skip themselves where the data is missing; here that would hide a failure.
const shared = process.env.STACKMASON_SHARED ?? '../shared'
const isNamed = process.env.STACKMASON_SHARED !== undefined || existsSync(shared)
// one of several machines may have none of those that use it
const isAll = (process.env.STACKMASON_CI_SHARD ?? '1/1') === '1/1'
if (isAll && isNamed && !existsSync('.cache/shared-used'))
  problems.push(`the shared data in ${shared} was used by no test`)

for (const problem of problems) process.stdout.write(`FAILED ${problem}\n`)
failed += problems.length
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 ? 1 : 0
