import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { GoInt, GoObject, goInt, goInt64, type Value } from '../../../src/model/value.ts'
import { formatFloat, formatValue } from '../../../src/render/engine/format.ts'
import { FunctionError } from '../../../src/render/engine/function.ts'
import { dateFunctions } from '../../../src/render/functions/dates.ts'
import { formatDuration, parseDuration, roundDuration } from '../../../src/render/functions/go/go-duration.ts'
import { formatTime } from '../../../src/render/functions/go/go-time-layout.ts'
import { parseTime } from '../../../src/render/functions/go/go-time-parse.ts'
import type { GoTime } from '../../../src/render/functions/go/go-time.ts'
import { chartFunctions, runtimeFunctions } from '../../../src/render/functions/registry.ts'
import { TimeObject } from '../../../src/render/functions/time-object.ts'
import { recordingContext, type Recorded } from './recording-context.ts'
import { createTemplateRunner } from './template-runner.ts'

function call(recorded: Recorded, name: string, ...args: readonly Value[]): Value {
  const found = dateFunctions.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no function ${name}`)
  return found.call(args, recorded.context)
}

function method(object: Value, name: string, ...args: readonly Value[]): Value {
  const found = object instanceof GoObject ? object.method(name) : undefined
  if (found === undefined) throw new Error(`no method ${name}`)
  return found.call(args)
}

/** Kind and fields, as the Go program wrote them; the wanted result stands last. */
function parseRow(line: string): readonly [kind: string, fields: readonly string[]] {
  const row: unknown = JSON.parse(line)
  if (!Array.isArray(row)) throw new TypeError('not a row')
  const [kind = '', ...fields] = row.map((field) => (Array.isArray(field) ? field.join(',') : String(field)))
  return [kind, fields]
}

function time(seconds: string, nanos: string, name: string, offset: string): GoTime {
  return { seconds: BigInt(seconds), nanos: Number(nanos), zone: { name, offset: Number(offset) } }
}

function describeDuration(nanoseconds: bigint): string {
  const units = (size: bigint): string =>
    formatFloat(Number(nanoseconds / size) + Number(nanoseconds % size) / Number(size))
  const rounded = formatDuration(roundDuration(nanoseconds, 1_000_000_000n))
  return [nanoseconds, formatDuration(nanoseconds), rounded, units(3_600_000_000_000n), units(1_000_000_000n)].join(' ')
}

function answer(kind: string, fields: readonly string[]): readonly string[] {
  const [a = '', b = '', c = '', d = '', e = '', , f = ''] = fields
  switch (kind) {
    case 'format': {
      const object = new TimeObject(time(a, b, c, d))
      return [formatTime(object.time, e), object.toText(), formatValue(method(object, 'Weekday'))]
    }
    case 'parse': {
      const parsed = parseTime(a, b)
      return [`${formatTime(parsed, '2006-01-02T15:04:05.999999999 -07:00:00 MST')} ${parsed.seconds}`]
    }
    case 'duration':
      return [describeDuration(parseDuration(a))]
    case 'arith': {
      const object = new TimeObject(time(a, b, c, d))
      const dates = f.split(',').map((number) => goInt(Number(number)))
      const moved = method(object, 'Add', new GoInt(BigInt(e)))
      const shown = [moved, method(object, 'AddDate', ...dates), method(object, 'YearDay')].map((value) =>
        formatValue(value),
      )
      return [shown[0] ?? '', f, ...shown.slice(1)]
    }
    case 'durationRound':
      return [formatValue(call(recordingContext(), 'durationRound', a))]
    case 'durationText':
      return [formatValue(call(recordingContext(), 'duration', a))]
    default:
      return [formatValue(call(recordingContext(), 'dateInZone', a, goInt64(BigInt(b)), c))]
  }
}

function outcome(kind: string, fields: readonly string[]): readonly string[] {
  try {
    return answer(kind, fields)
  } catch (error) {
    if (error instanceof FunctionError) return [`ERR ${error.text.go}`]
    throw error
  }
}

// Written by a Go program with package time and sprig v3.3.0.
describe('times and durations are what Go gives', () => {
  const rows = readFileSync(new URL('./dates.rows.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map(parseRow)
  test('the table is there', () => {
    expect(rows.length).toBeGreaterThan(600)
  })
  test.each(rows)('%s %j', (kind, fields) => {
    const got = outcome(kind, fields)
    expect(got).toEqual(fields.slice(-got.length))
  })
})

const epoch = '1970-01-01 00:00:00 +0000 UTC'

describe('there is no clock', () => {
  test('now is a fixed instant with a finding', () => {
    const recorded = recordingContext()
    expect(formatValue(call(recorded, 'now'))).toBe(epoch)
    expect(recorded.findings).toMatchObject([{ code: 'TEMPLATE_NOT_DETERMINISTIC', severity: 'warning' }])
    expect(recorded.findings[0]?.message).toContain('now ')
  })

  test.each([
    ['date', ['2006', 5.5], '1970'],
    ['date', ['2006', null], '1970'],
    ['date', ['2006', 'text'], '1970'],
    ['dateInZone', ['2006', 1e9, 'UTC'], '1970'],
    ['htmlDate', [2], '1970-01-01'],
    ['ago', [null], '0s'],
    ['ago', [goInt(60)], '-1m0s'],
    ['ago', [goInt64(-3600)], '1h0m0s'],
  ] satisfies [string, Value[], string][])(
    '%s reads it for what is not a time, with a finding: %#',
    (name, args, want) => {
      const recorded = recordingContext()
      expect(call(recorded, name, ...args)).toBe(want)
      expect(recorded.findings).toMatchObject([{ code: 'TEMPLATE_NOT_DETERMINISTIC' }])
    },
  )

  test.each([
    ['date', ['2006-01-02 15:04', goInt(1e9)], '2001-09-09 01:46'],
    ['date', ['Mon', new GoInt(0n, 'int32')], 'Thu'],
    ['htmlDate', [goInt(0)], '1970-01-01'],
    ['htmlDateInZone', [goInt(0), 'Etc/GMT+1'], '1969-12-31'],
    ['date_in_zone', ['15:04 MST', goInt64(0), 'Etc/GMT-3'], '03:00 +03'],
    ['duration', ['95'], '1m35s'],
    ['duration', [goInt64(3600)], '1h0m0s'],
    ['duration', [goInt(3600)], '0s'],
    ['durationRound', ['2h10m5s'], '2h'],
    ['durationRound', ['-75h'], '3d'],
    ['durationRound', [goInt64(5_000_000_000n)], '5s'],
    ['durationRound', [5], '0s'],
  ] satisfies [string, Value[], string][])('%s of known values needs none: %#', (name, args, want) => {
    const recorded = recordingContext()
    expect(call(recorded, name, ...args)).toBe(want)
    expect(recorded.findings).toEqual([])
  })
})

test('a zone that only the machine knows is UTC with a finding', () => {
  const recorded = recordingContext()
  expect(call(recorded, 'dateInZone', '15:04 MST', goInt(0), 'Europe/Berlin')).toBe('00:00 UTC')
  expect(recorded.findings).toMatchObject([{ code: 'TEMPLATE_NOT_DETERMINISTIC' }])
})

describe('times as values', () => {
  const parsed = call(recordingContext(), 'toDate', '2006-01-02 15:04:05 -0700', '2024-02-29 23:59:59 +0530')

  test('print as Go prints them', () => {
    expect(formatValue(parsed)).toBe('2024-02-29 23:59:59 +0530 +0530')
    expect(parsed instanceof GoObject ? parsed.toValue() : undefined).toBe('2024-02-29T23:59:59+05:30')
    expect(parsed instanceof GoObject ? parsed.goType : undefined).toBe('time.Time')
  })

  test.each([
    ['Year', '2024'],
    ['Month', 'February'],
    ['Day', '29'],
    ['Weekday', 'Thursday'],
    ['YearDay', '60'],
    ['Hour', '23'],
    ['Minute', '59'],
    ['Second', '59'],
    ['Nanosecond', '0'],
    ['Unix', '1709231399'],
    ['UnixMilli', '1709231399000'],
    ['UnixNano', '1709231399000000000'],
    ['UTC', '2024-02-29 18:29:59 +0000 UTC'],
    ['IsZero', 'false'],
  ])('%s is %s', (name, want) => {
    expect(formatValue(method(parsed, name))).toBe(want)
  })

  test('take arguments', () => {
    expect(method(parsed, 'Format', 'Jan 2')).toBe('Feb 29')
    const later = method(parsed, 'AddDate', goInt(1), goInt(0), goInt(0))
    expect(formatValue(later)).toBe('2025-03-01 23:59:59 +0530 +0530')
    expect(method(later, 'After', parsed)).toBe(true)
    expect(formatValue(method(later, 'Sub', parsed))).toBe('8784h0m0s')
    expect(method(method(later, 'Sub', parsed), 'Hours')).toBe(8784)
    expect(formatValue(method(parsed, 'Add', method(later, 'Sub', parsed)))).toBe(formatValue(later))
    expect(() => method(parsed, 'After', 'x')).toThrow('wrong type for value; expected time.Time; got string')
  })

  test('have no other members', () => {
    expect(parsed instanceof GoObject ? parsed.method('constructor') : 0).toBeUndefined()
    expect(parsed instanceof GoObject ? parsed.field('seconds') : 0).toBeUndefined()
  })
})

describe('modifying', () => {
  const at = call(recordingContext(), 'toDate', '2006-01-02', '2024-02-28')

  test.each(['dateModify', 'date_modify', 'mustDateModify', 'must_date_modify'])('%s moves a time', (name) => {
    expect(formatValue(call(recordingContext(), name, '36h', at))).toBe('2024-02-29 12:00:00 +0000 UTC')
  })

  test('a bad duration leaves the time, or fails where it must', () => {
    expect(formatValue(call(recordingContext(), 'dateModify', 'x', at))).toBe('2024-02-28 00:00:00 +0000 UTC')
    expect(() => call(recordingContext(), 'mustDateModify', 'x', at)).toThrow(
      'time: invalid duration a text of 1 character',
    )
  })

  test('a date that does not parse is the zero time, or fails where it must', () => {
    expect(formatValue(call(recordingContext(), 'toDate', '2006', 'x'))).toBe('0001-01-01 00:00:00 +0000 UTC')
    expect(() => call(recordingContext(), 'mustToDate', '2006', 'x')).toThrow(
      'parsing time a text of 1 character: it does not have the layout a text of 4 characters',
    )
  })

  test('unixEpoch is text', () => {
    expect(call(recordingContext(), 'unixEpoch', at)).toBe('1709078400')
  })
})

test('each function refuses tokens but now, which takes nothing', () => {
  expect(dateFunctions.filter((one) => one.tokens !== 'refuse').map((one) => one.name)).toEqual(['now'])
})

describe('a finding about now comes when something sees the time', () => {
  const run = createTemplateRunner(chartFunctions)

  test.each([
    ['only checks a duration', '{{ $_ := now | mustDateModify "1h" }}1h', '1h', 0],
    ['compares with the same reading', '{{ $n := now }}{{ ne $n ($n | dateModify "1h") }}', 'true', 0],
    ['compares equal times of one reading', '{{ $n := now }}{{ ne $n ($n | dateModify "0s") }}', 'false', 0],
    ['moves back and forth', '{{ $n := now }}{{ eq $n ($n | dateModify "1h" | dateModify "-1h") }}', 'true', 0],
    ['asks whether it is set, as every time is', '{{ if now }}a{{ end }}', 'a', 0],
    ['asks for its type', '{{ typeOf now }}', 'time.Time', 0],
    ['compares two readings', '{{ ne now (now | dateModify "1h") }}', 'true', 2],
    ['compares with another time', '{{ eq now (toDate "2006" "1970") }}', 'true', 1],
    ['prints it', '{{ now }}', epoch, 1],
    ['prints it moved', '{{ now | dateModify "1s" | date "5" }}', '1', 1],
    ['prints it within a list', '{{ list now | toJson }}', '["1970-01-01T00:00:00Z"]', 1],
    ['writes it as YAML', '{{ dict "a" now | toYaml }}', 'a: "1970-01-01T00:00:00Z"', 1],
    ['writes it as TOML', '{{ dict "a" now | toToml }}', 'a = 1970-01-01T00:00:00Z\n', 1],
    ['formats it', '{{ now | date "2006" }}', '1970', 1],
    ['takes seconds', '{{ now | unixEpoch }}', '0', 1],
    ['asks a method', '{{ now.Year }}', '1970', 1],
    ['asks a method to move it', '{{ (now.AddDate 0 0 1).Day }}', '2', 1],
    ['decides with a method', '{{ if now.IsZero }}a{{ end }}', '', 1],
    ['compares by a method', '{{ $n := now }}{{ $n.Equal $n }}', 'true', 1],
    ['makes text of it', '{{ $_ := now | toString }}', '', 1],
    ['compares deeply', '{{ deepEqual (list now) (list (toDate "2006" "2020")) }}', 'false', 1],
  ])('%s', (_, text, output, count) => {
    const seen = run(text, null)
    expect({ output: seen.output, error: seen.error }).toEqual({ output, error: undefined })
    expect(seen.findings.map(({ code, at }) => [code, text.slice(at?.start, (at?.start ?? 0) + 3)])).toEqual(
      Array.from({ length: count }, () => ['TEMPLATE_NOT_DETERMINISTIC', 'now']),
    )
  })

  test('for overwrite.yaml it is an error then', () => {
    const runtime = createTemplateRunner(runtimeFunctions)
    expect(runtime('{{ $_ := now }}', null).findings).toEqual([])
    expect(runtime('{{ now }}', null).findings).toMatchObject([{ severity: 'error' }])
  })
})
