import { expect, test } from 'vitest'
import { ipv4BlocksOverlap, isCidr } from '../../../src/codec/text/cidr.ts'

// as net.ParseCIDR of Go reads them
const rows: readonly (readonly [text: string, isOne: boolean])[] = [
  ['10.244.0.0/16', true],
  ['0.0.0.0/0', true],
  ['10.244.3.7/16', true],
  ['255.255.255.255/32', true],
  ['fd00::/108', true],
  ['::/0', true],
  ['2001:db8:1:2:3:4:5:6/128', true],
  ['::ffff:10.0.0.0/104', true],
  ['1::2:3:4:5:6:7/64', true],
  ['10.244.0.0', false],
  ['10.244.0.0/33', false],
  ['10.244.0.0/016', false],
  ['10.244.0/16', false],
  ['10.244.0.256/16', false],
  ['010.244.0.0/16', false],
  ['10.244.0.0/16/2', false],
  ['10.244.0.0/-1', false],
  ['10.244.0.0/ 16', false],
  ['fd00::/129', false],
  ['fd00::1::/64', false],
  ['1:2:3:4:5:6:7/64', false],
  ['1:2:3:4:5:6:7:8:9/64', false],
  ['1:2:3:4:5:6:7::8/64', false],
  ['fd0g::/64', false],
  ['fd00::%eth0/64', false],
  [':/64', false],
  ['::ffff:10.0.0/104', false],
  ['', false],
  ['/', false],
]

test.each(rows)('%j is a block of addresses: %j', (text, isOne) => {
  expect(isCidr(text)).toBe(isOne)
})

test.each([
  ['10.0.0.0/8', '10.1.0.0/16', true],
  ['10.1.0.0/16', '10.0.0.0/8', true],
  ['10.244.0.0/16', '10.244.255.255/32', true],
  ['0.0.0.0/0', '255.255.255.255/32', true],
  ['10.244.0.0/16', '10.245.0.0/16', false],
  ['10.96.0.0/12', '10.112.0.0/12', false],
  ['fd00::/8', 'fd00::/8', false],
  ['10.0.0.0', '10.0.0.0/8', false],
])('%s and %s have addresses in common: %s', (one, other, want) => {
  expect(ipv4BlocksOverlap(one, other)).toBe(want)
})
