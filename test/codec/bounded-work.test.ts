import { describe, expect, test } from 'vitest'
import { collectSecretTexts } from '../../src/codec/text/secret-texts.ts'
import { createHandlebars } from '../../src/codec/text/handlebars.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import { compileRegexp } from '../../src/codec/text/regexp.ts'
import { dict } from '../../src/model/value.ts'
import { nodeDeadline } from '../../src/system/node-deadline.ts'
import { wrapText } from '../../src/render/functions/text/text-layout.ts'

describe('work that no step counts', () => {
  test('a template of Handlebars that is too long is not read', () => {
    const text = `{{quote "${'x'.repeat(65_536)}"}}`
    expect(() => createHandlebars()({ name: 't', text }, { data: dict([]), code: 'HANDOFF_TEMPLATE' })).toThrow(
      'the template has more than 65536 characters',
    )
  })

  test('wrapping is charged before its lines are all there', () => {
    const charges: number[] = []
    const charge = (amount: number): void => {
      charges.push(amount)
      if (charges.length === 2) throw new Error('stopped')
    }
    const options = { width: 1, longWords: 'keep' as const, charge }
    expect(() => wrapText('a '.repeat(20_000), options)).toThrow('stopped')
    expect(charges).toEqual([131_072, 131_072])
  })

  test.each([
    ['one pass', 'a', 'a', 1],
    ['one pass, by a program of many steps', '(?:a|b|cd?)*', 'a', 1],
    ['each match looks as far as the end', 'a*b|a', 'a', 2],
    ['a fixed text that is far', 'x|a.*zz', 'xa', 2],
  ])('searches are charged by what they look at: %s', (_name, pattern, unit, power) => {
    const looks = [2000, 4000].map((size) => {
      let sum = 0
      compileRegexp(pattern).findAll(unit.repeat(size), -1, (amount) => (sum += amount))
      return sum
    })
    expect(Math.round(Math.log2((looks[1] ?? 0) / (looks[0] ?? 1)))).toBe(power)
  })

  test('a search ends when it may not go on, and the expression is as good as new', () => {
    const regexp = compileRegexp('a*b|a')
    const text = 'a'.repeat(50_000)
    let calls = 0
    const stop = (): void => {
      if (++calls === 3) throw new Error('stopped')
    }
    expect(() => regexp.findAll(text, -1, stop)).toThrow('stopped')
    expect(calls).toBe(3)
    expect(regexp.findAll('aab', -1)).toEqual([[0, 3]])
    expect(regexp.findAll(text.slice(0, 50), -1)).toHaveLength(50)
  })

  test.each([
    [
      'a list',
      { anyOf: Array.from({ length: 1001 }, (_, index) => dict([['const', String(index)]])) },
      '#/anyOf lists',
    ],
    [
      'maps',
      { properties: dict(Array.from({ length: 50_001 }, (_, index) => [`p${String(index)}`, dict([])])) },
      'it holds more than 50000 schemas',
    ],
  ])('a schema that is too large is not compiled: %s', (_name, schema, message) => {
    expect(() => compileSchema(dict(Object.entries(schema)))).toThrow(message)
  })

  test.each([
    ['colons', ':a'],
    ['addresses without end', '://a'],
    ['at signs', ':@'],
    ['at signs far from colons', 'aa@'],
    ['spaces', ' '],
    ['dashes', '- '],
    ['blank lines', '\n'],
    ['blank lines with spaces', ' \n'],
    ['maps of Secrets', '{kind: Secret, data: {'],
    ['open actions', 'password: {{'],
    ['open braces', '{'],
    ['keys without end', '{a: {'],
    ['open maps', 'password: {\n '],
    ['commas', ', '],
    ['braces', '{"a":{'],
    ['quotes', '"a: '],
    ['equals', 'a='],
    ['elements', '<password a="'],
    ['texts in three quotes', "token = '''\n"],
    ['pairs in quotes', '"a-token '],
    ['pairs in comments', '# token: '],
    ['blanks behind a name', 'x-token\t\t\t\t'],
    ['assignments of secrets', 'token="'],
    ['commands in quotes', `"--token '"`],
    ['key words', 'password: '],
    ['keys', '-----BEGIN PRIVATE KEY-----'],
    ['names', 'name: a, '],
    ['values', 'value: "a, '],
    ['documents', '---\n'],
  ])('a line of two hundred thousand %s is looked through for secrets at once', (_name, unit) => {
    const line = unit.repeat(Math.ceil(200_000 / unit.length))
    const collect = (): void => {
      for (const end of ['', 'x', '@', 'token']) collectSecretTexts(line + end, () => undefined)
    }
    expect(() => nodeDeadline.within(20_000, collect)).not.toThrow()
  })
})
