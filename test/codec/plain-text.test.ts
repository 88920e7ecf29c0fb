import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { PlainReceiver, PlainSender, readPlain, writeIdentity, writePlain } from '../../src/codec/plain-text.ts'
import { dict, elementType, GoBytes, GoInt, typedList } from '../../src/model/value.ts'

describe('a plain value as text', () => {
  test.each([
    { name: 'numbers', value: [0, -0, 1.5, NaN, Infinity, -Infinity, 1e21] },
    { name: 'texts, with tokens and bytes that are no UTF-8', value: ['', 'é', '\uDBFF\uE000', '\uDCFF'] },
    { name: 'fields that are undefined', value: { a: undefined, b: null, c: true } },
    {
      name: 'Go values',
      value: dict([
        ['b', new GoInt(2n ** 63n, 'uint64')],
        ['a', new GoBytes(Uint8Array.of(0, 255))],
      ]),
    },
    { name: 'maps, sets, bytes', value: [new Map([['b', 1]]), new Set(['b', 'a']), Uint8Array.of(1, 2, 3, 4)] },
    { name: 'a field of an odd name', value: JSON.parse('{"__proto__": 1}') as unknown },
  ])('keeps $name', ({ value }) => {
    const text = writePlain(value)
    expect(readPlain(text)).toStrictEqual(value)
    expect(writePlain(readPlain(text))).toBe(text)
  })

  test('keeps the types of maps and lists', () => {
    const typed = dict()
    typed.goType = 'common.Values'
    const read = readPlain(writePlain([typed, typedList('string', ['a'])]))
    expect(read).toStrictEqual([typed, ['a']])
    expect(Array.isArray(read) ? elementType(read[1] as []) : undefined).toBe('string')
  })

  test('writes fields in one order, and entries of maps in theirs', () => {
    expect(writePlain({ b: 1, a: 2 })).toBe(writePlain({ a: 2, b: 1 }))
    expect(Object.keys(Object(readPlain(writePlain({ b: 1, a: 2 }, 'kept'))))).toEqual(['b', 'a'])
    const maps = [
      dict([
        ['a', 1],
        ['b', 2],
      ]),
      dict([
        ['b', 2],
        ['a', 1],
      ]),
    ]
    expect(new Set(maps.map((one) => writePlain(one))).size).toBe(2)
  })

  test('writes what stands in several places once, and reads it as one', () => {
    const source = { name: 'x.yaml', text: 'x'.repeat(100) }
    const text = writePlain({ a: source, b: [source] })
    expect(text.split(source.text)).toHaveLength(2)
    const read = readPlain(text) as { readonly a: unknown; readonly b: readonly unknown[] }
    expect(read.b[0]).toBe(read.a)
    expect(writePlain([new GoInt(1n), new GoInt(1n)])).toBe(writePlain(Array.from({ length: 2 }).fill(new GoInt(1n))))
  })

  test('says by hashes which value it is', () => {
    const hashed: (string | Uint8Array)[] = []
    const identity = (value: unknown): string => writeIdentity(value, (part) => `#${String(hashed.push(part))}`)
    const long = 'x'.repeat(129)
    expect(identity({ b: long, a: Uint8Array.of(1), c: 'x'.repeat(128) })).toBe(
      `["object",3,"a","bytes","#1","b","hash","#2","c","text","${'x'.repeat(128)}"]`,
    )
    expect(hashed).toEqual([Uint8Array.of(1), `"${long}"`])
    // a text that is the hash of another, and bytes that are no UTF-8 beside the character that they would be
    const sha = (part: string | Uint8Array): string => createHash('sha256').update(part).digest('hex')
    const values = [long, sha(`"${long}"`), `${long}é`, `${long}\uDCC3\uDCA9`, [long], new TextEncoder().encode(long)]
    expect(new Set(values.map((value) => writeIdentity(value, sha))).size).toBe(values.length)
  })

  test.each([
    { value: { a: [new Map([['b', () => 0]])] }, at: '.a[0].b' },
    { value: { a: ['', { b: [new Set([Symbol('x')])] }] }, at: '.a[1].b[0]' },
    { value: { a: new Date(0) }, at: '.a' },
    { value: [new (class Own extends Map {})()], at: '[0]' },
    { value: { a: Symbol('x') }, at: '.a' },
  ])('refuses what is none: $at', ({ value, at }) => {
    expect(() => writePlain(value)).toThrow(`${at} is no plain value`)
  })

  test.each([
    '',
    '{',
    '{}',
    '[]',
    '["text"]',
    '["is",null,1]',
    '["other"]',
    '["int","float","1"]',
    '["bytes","!"]',
    '["list","x","1"]',
  ])('refuses another text: %s', (text) => {
    expect(() => readPlain(text)).toThrow('not the text of a plain value')
  })
})

describe('plain values that follow each other', () => {
  const sent = (...values: readonly unknown[]): readonly unknown[] => {
    const [sender, receiver] = [new PlainSender(), new PlainReceiver()]
    return values.map((value) => receiver.receive(sender.send(value)))
  }

  test('keep what they have in common, which is sent twice at most', () => {
    const shared = { name: 'x.yaml', text: 'x'.repeat(100), bytes: Uint8Array.of(1, 2) }
    const values = Array.from({ length: 4 }, (_, index) => ({ index, inner: [shared, new Map([['a', shared.bytes]])] }))
    const sender = new PlainSender()
    const messages = values.map((value) => sender.send(value))
    expect(messages.map(({ text, parts }) => [text.includes(shared.text), parts.length])).toEqual([
      [true, 1],
      [true, 1],
      [false, 0],
      [false, 0],
    ])
    const receiver = new PlainReceiver()
    const read = messages.map((message) => receiver.receive(message)) as (typeof values)[number][]
    expect(read).toStrictEqual(values)
    expect(read[2]?.inner[0]).toBe(read[1]?.inner[0])
    expect(read[3]?.inner[0]).toBe(read[1]?.inner[0])
  })

  test('forget what comes again late, and keep what came twice', () => {
    const sender = new PlainSender()
    const receiver = new PlainReceiver()
    const [once, twice] = [{ text: 'once' }, { text: 'twice' }]
    const between = (): void => {
      for (let index = 0; index < 70; index++) receiver.receive(sender.send([index]))
    }
    const received = (value: object): readonly [unknown, boolean] => {
      const message = sender.send([value])
      return [receiver.receive(message), message.text.includes('"text"')]
    }
    expect([received(once), received(twice), received(twice)].map(([, isWhole]) => isWhole)).toEqual([true, true, true])
    between()
    // as for the first time
    expect(received(once)).toEqual([[once], true])
    expect(received(twice)).toEqual([[twice], false])
    expect(received(once)).toEqual([[once], true])
    between()
    expect(received(once)).toEqual([[once], false])
  })

  test('have what lasts at once', () => {
    const list = ['a', { b: new GoBytes(Uint8Array.of(1)) }]
    const [sender, receiver] = [new PlainSender(), new PlainReceiver()]
    const first = receiver.receive(sender.send({ list }, 'lasting')) as { readonly list: unknown }
    expect(receiver.receive(sender.send([list, new Set([list])]))).toStrictEqual([first.list, new Set([first.list])])
    expect(sender.send(list[1]).text).toBe('["shared",2]')
  })

  test('keep the order of fields', () => {
    const [read = {}] = sent({ b: 1, a: 2 })
    expect(Object.keys(Object(read))).toEqual(['b', 'a'])
  })

  test('bring no more of a buffer than they hold', () => {
    const buffer = Uint8Array.of(1, 2, 3, 4)
    const { parts } = new PlainSender().send([buffer.subarray(1, 3)])
    expect(parts.map((part) => [[...part], part.buffer.byteLength])).toEqual([[[2, 3], 2]])
  })

  test('are refused where a value is not plain', () => {
    expect(() => new PlainSender().send({ a: () => 0 })).toThrow('.a is no plain value')
    expect(() => new PlainReceiver().receive({ text: '["bytes",1]', parts: [] })).toThrow(
      'not the text of a plain value',
    )
  })
})
