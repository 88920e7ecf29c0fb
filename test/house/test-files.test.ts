import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageFolder } from '../cli/run-cli.ts'

const files = readdirSync(join(packageFolder, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .sort()
  .map((name) => ({ path: `test/${name}`, text: readFileSync(join(packageFolder, 'test', name), 'utf8') }))

const matching = (pattern: RegExp): readonly string[] =>
  files.filter(({ text }) => pattern.test(text)).map(({ path }) => path)

describe('tests', () => {
  test('compare with no clock: what something costs is counted', () => {
    expect(matching(/^(?!.*matching).*performance\.now\(/m)).toEqual([])
  })

  test('take random values from a seed, so that every run is the same', () => {
    const count = (text: string, pattern: RegExp): number => Array.from(text.matchAll(pattern)).length
    const unseeded = files.filter(
      ({ text }) => count(text, /\bfc\.(?:assert|check)\(/g) > count(text, /\bseed\b|^ +parameters,$|, parameters\)/gm),
    )
    expect(unseeded.map(({ path }) => path)).toEqual([])
    expect(matching(/^(?!.*matching).*\bMath\.random\(/m)).toEqual([])
  })

  test('that count work have a process of their own', () => {
    const config = readFileSync(join(packageFolder, 'vitest.config.ts'), 'utf8')
    expect(
      matching(/support\/(?:count-work|growth)\.ts'/).filter(
        (path) => !/(?:\/|-)growth\.test\.ts$/.test(path) && !config.includes(`'${path}'`),
      ),
    ).toEqual([])
  })
})
