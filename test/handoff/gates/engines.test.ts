import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { gatesProgram } from '../../../tools/gates.ts'
import { applicationPhases } from './application-phases.ts'
import type { Health } from './health.ts'
import { argoNames, gateRows, readScript } from './rows.ts'

/** kstatus' words. */
const fluxNames: Readonly<Record<Health, string>> = {
  current: 'Current',
  inProgress: 'InProgress',
  failed: 'Failed',
  unknown: 'Unknown',
}

/** Path of the program, or undefined with one loud line. @throws Error in CI without it */
function findProgram(): string | undefined {
  const path = gatesProgram()
  if (path !== undefined) return path
  const message = 'gates before the engines of Flux and Argo CD: npx tsx tools/gates.ts builds what that needs'
  if (process.env['CI'] !== undefined) throw new Error(message)
  console.warn(`SKIPPED, ${message}`)
  return undefined
}

const program = findProgram()

/** Asks the program about all of them at once. */
function ask(questions: readonly object[]): readonly unknown[] {
  const input = questions.map((question) => `${JSON.stringify(question)}\n`).join('')
  const output = execFileSync(program ?? '', { input, encoding: 'utf8', maxBuffer: 1e8 })
  return output
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
}

describe.runIf(program !== undefined)('the engines of Flux and Argo CD', () => {
  test('judge every phase as the engines from npm do', () => {
    const answers = ask(
      gateRows.map(({ object, expr: { current, inProgress, failed }, script }) => ({
        object,
        expressions: { current, inProgress, failed },
        lua: script,
      })),
    )
    const found = gateRows.map(({ name }, index) => ({ name, ...Object(answers[index]) }))
    expect(found).toEqual(gateRows.map(({ name, want }) => ({ name, flux: fluxNames[want], argo: argoNames[want] })))
  })

  test('judge every Application as the engine from npm does', () => {
    const script = readScript('argoproj.io_Application')
    const answers = ask(applicationPhases.map(({ object }) => ({ object, lua: script })))
    expect(answers).toEqual(applicationPhases.map(({ argo }) => ({ argo })))
  })
})
