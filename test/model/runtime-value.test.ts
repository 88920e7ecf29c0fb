import { expect, test } from 'vitest'
import { refuseRuntimeValue } from '../../src/model/runtime-value.ts'

const host = 'must be an address, or a name with a dot, dash or digit, without a port'

test.each([
  { text: '192.0.2.7', want: undefined },
  { text: 'api.example', want: undefined },
  { text: 'api-1', want: undefined },
  { text: '2001:db8::7', want: undefined },
  { text: '::1', want: undefined },
  { text: '[2001:db8::7]', want: undefined },
  { text: '::ffff:192.0.2.7', want: undefined },
  { text: 'api.example:6443', want: host },
  { text: '192.0.2.7:6443', want: host },
  { text: '[2001:db8::7]:6443', want: host },
  { text: 'api.example:', want: host },
  { text: ':6443', want: host },
  { text: 'auto', want: host },
  { text: '', want: host },
])('as a host, $text is one or is refused', ({ text, want }) => {
  expect(refuseRuntimeValue('host', text)).toBe(want)
})

const text = 'must be text without quotes, backslashes, line breaks and control characters'

// what Flux's own substitution makes of them: test/handoff/flux/substitution.test.ts
test.each<readonly [part: string, want: string | undefined]>([
  ['eu west \u00e4\u00a0\u{1f600}', undefined],
  ['a\ud7ffb\ue000\ufffd', undefined],
  ...['"', "'", '\\', '\n', '\t', '\u007f', '\u0080', '\u0085', '\u0090', '\u009f'].map(
    (part) => [part, text] as const,
  ),
  ...['\u2028', '\u2029', '\ufeff', '\ufffe', '\uffff', '\ud800', '\udfff'].map((part): [string, string] => [
    part,
    text,
  ]),
])('as a text, %j is one or is refused', (part, want) => {
  expect(refuseRuntimeValue('string', `eu${part}west`)).toBe(want)
})
