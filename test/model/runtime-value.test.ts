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
