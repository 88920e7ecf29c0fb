import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { errorCodes } from '../../src/model/error-codes.ts'
import { packageFolder } from '../cli/run-cli.ts'

/** All files below a folder of the project whose name ends so. */
function textsBelow(folder: string, ending: string): readonly string[] {
  return readdirSync(join(packageFolder, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(packageFolder, folder, name))
    .filter((path) => !path.endsWith('error-codes.ts') && !path.endsWith('error-codes.test.ts'))
    .map((path) => readFileSync(path, 'utf8'))
}

const inSource = textsBelow('src', '.ts').join('\n')
const inTests = [...textsBelow('test', '.ts'), ...textsBelow('test/golden', '.txt')].join('\n')

describe('error codes', () => {
  test.each(Object.keys(errorCodes))('%s is reported somewhere and expected by a test', (code) => {
    const word = new RegExp(`\\b${code}\\b`)
    expect({ source: word.test(inSource), tests: word.test(inTests) }).toEqual({ source: true, tests: true })
  })

  test('are upper snake with the domain first; summary and fix are sentences', () => {
    expect(Object.keys(errorCodes).filter((code) => !/^[A-Z]+(?:_[A-Z]+)*$/.test(code))).toEqual([])
    const texts = Object.values(errorCodes).flatMap(({ summary, fix }) => [summary, fix])
    expect(texts.filter((text) => !/^\S.*\.$/.test(text))).toEqual([])
  })
})
