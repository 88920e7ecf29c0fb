import { describe, expect, it } from 'vitest'
import { schemaFormats } from '../../../src/codec/json-schema/json-schema-formats.ts'

// Rows follow what santhosh-tekuri/jsonschema v6.0.2 says (format.go).
const rows: readonly (readonly [format: string, accepted: readonly string[], refused: readonly string[]])[] = [
  ['regex', ['a+', ''], ['(', '(?=a)']],
  ['json-pointer', ['', '/', '/a~0~1'], ['a', '/~', '/~2']],
  ['relative-json-pointer', ['0', '1/a', '2#', '10/'], ['', '01', '-1', '0##']],
  [
    'uuid',
    ['2eb8aa08-aa98-11ea-b4aa-73b441d16380'],
    ['2eb8aa08', '2eb8aa08-aa98-11ea-b4aa73b441d16380', '2eb8aa08-aa98-11ea-b4aa-73b441d1638g'],
  ],
  [
    'duration',
    ['P1Y', 'P4DT12H30M5S', 'PT1M', 'P1W', 'P1M2D'],
    ['P', 'PT', 'P1', '1D', 'P1D2W', 'P2D1Y', 'PT1D', 'P1YT'],
  ],
  [
    'period',
    ['P1D/2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z/PT1H', '2024-01-01T00:00:00Z/2024-01-02T00:00:00Z'],
    ['P1D', 'P1D/P1D'],
  ],
  ['ipv4', ['0.0.0.0', '255.1.2.3'], ['256.0.0.1', '1.2.3', '01.2.3.4', '1.2.3.4.5', 'a.b.c.d']],
  [
    'ipv6',
    ['::', '::1', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4', '1::8'],
    ['1', ':1', '1:2:3:4:5:6:7', '1::2::3', '::12345', 'fe80::1%eth0', '1:2:3:4:5:6:7:8::'],
  ],
  ['hostname', ['a', 'a-b.c', 'a.'], ['', '-a', 'a-', 'a..b', 'a_b', 'x'.repeat(64)]],
  [
    'email',
    ['a@b', '"a b"@c', 'a@[1.2.3.4]', 'a@[IPv6:::1]'],
    ['a', '.a@b', 'a.@b', 'a..b@c', 'a b@c', 'a@[1.2.3]', 'a@-b'],
  ],
  ['date', ['2024-02-29', '2023-12-31'], ['2023-02-29', '2023-13-01', '2023-1-1', '1900-02-29', 'x']],
  [
    'time',
    ['12:00:00Z', '12:00:00.5+01:00', '23:59:60Z', '00:59:60+01:00'],
    ['12:00:00', '24:00:00Z', '12:60:00Z', '12:00:60Z', '12:00:00.Z', '12:00:00+24:00'],
  ],
  [
    'date-time',
    ['2024-01-01T12:00:00Z', '2024-01-01t12:00:00z'],
    ['2024-01-01 12:00:00Z', '2024-01-01T12:00:00', '2024-01-01'],
  ],
  [
    'uri',
    ['http://a/b?c#d', 'urn:x', 'http://[::1]:80/'],
    ['/a', 'a', 'http://a b/', 'http://[::1', 'http://a/%zz', 'http://a:b/'],
  ],
  ['uri-reference', ['/a', 'a/b', '#x', ''], ['\\a', 'http://a:b/', '%z', 'a:b:\u0001']],
  ['uri-template', ['http://a/{b}/c', '/x'], ['http://a/{b', 'http://a/b}']],
  ['semver', ['1.2.3', '1.0.0-rc.1+b.2'], ['1.2', 'v1.2.3', '01.2.3', '1.2.3-', '1.2.3+', '1.2.3-01']],
]

describe.each(rows)('%s', (format, accepted, refused) => {
  it.each(accepted)('takes %j', (text) => {
    expect(schemaFormats[format]?.(text)).toBe(true)
  })
  it.each(refused)('refuses %j', (text) => {
    expect(schemaFormats[format]?.(text)).toBe(false)
  })
})
