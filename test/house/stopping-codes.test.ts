import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isRuleCode } from '../../src/model/error-codes.ts'
import { stoppingCodes } from '../../src/model/stopping-codes.ts'
import { packageFolder } from '../cli/run-cli.ts'

/** A text of source around each place that names a code, within one pair of braces. */
function findingsIn(text: string): readonly string[] {
  return [...text.matchAll(/\{[^{}]*(?:\$\{[^{}]*\}[^{}]*)*\}/g)].map(([found]) => found)
}

test('what stops rendering is nowhere a warning, a note or a rule of check', () => {
  const lenient = readdirSync(join(packageFolder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => findingsIn(readFileSync(join(packageFolder, 'src', name), 'utf8')))
    .filter((text) => /severity: '(?:warning|note)'/.test(text))
  const found = [...stoppingCodes].filter(
    (code) => isRuleCode(code) || lenient.some((text) => text.includes(`'${code}'`)),
  )
  expect(found).toEqual([])
})
