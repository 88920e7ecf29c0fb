import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { comparedAddress, comparedHost, type Reached } from '../../../src/network/transport/compared-address.ts'

interface Row {
  readonly address: string
  readonly want: string
  readonly reached: Reached | undefined
}

function rows(given: readonly (readonly [string, string, Reached?])[]): readonly Row[] {
  return given.map(([address, want, reached]) => ({ address, want, reached }))
}

describe('comparedAddress', () => {
  test.each(
    rows([
      ['oci://reg.example.com/charts', 'oci://reg.example.com/charts'],
      ['oci://reg.example.com:443/charts', 'oci://reg.example.com/charts'],
      ['OCI://REG.EXAMPLE.COM:0443/charts//', 'oci://reg.example.com/charts'],
      ['oci://reg.example.com./charts', 'oci://reg.example.com/charts'],
      ['oci://reg.example.com:80/charts', 'oci://reg.example.com:80/charts'],
      ['oci://reg.example.com:80/charts', 'oci://reg.example.com/charts', 'http'],
      ['oci://reg.example.com:443/charts', 'oci://reg.example.com:443/charts', 'http'],
      ['oci://reg.example.com:5000/charts/app:1.0.0', 'oci://reg.example.com:5000/charts/app:1.0.0'],
      ['oci://[0:0::1]:443/charts', 'oci://[::1]/charts'],
      ['oci://127.1/charts', 'oci://127.0.0.1/charts'],
      ['oci://docker.io/bitnamicharts', 'oci://index.docker.io/bitnamicharts'],
      ['oci://registry-1.docker.io:443/bitnamicharts', 'oci://index.docker.io/bitnamicharts'],
      ['https://docker.io/x', 'https://docker.io/x'],
      ['https://charts.example:443/stable/', 'https://charts.example/stable'],
      ['http://charts.example:80/stable', 'http://charts.example/stable'],
      ['http://charts.example:443/stable', 'http://charts.example:443/stable'],
      ['https://charts.example/a/../stable/./%73//x%2fy?b=C', 'https://charts.example/stable/s/x%2Fy?b=C'],
      ['https://me:secret@charts.example/stable#x', 'https://charts.example/stable'],
      ['https://Charts.Example/Stable', 'https://charts.example/Stable'],
      ['https://bücher.example/', 'https://xn--bcher-kva.example'],
      ['oci://reg.example.com:99999/x/', 'oci://reg.example.com:99999/x'],
      ['no address/', 'no address'],
    ]),
  )('$address $reached', ({ address, want, reached }) => {
    expect(comparedAddress(address, reached)).toBe(want)
  })

  test('every spelling of an address is compared by the same', () => {
    const letters = fc.stringMatching(/^[a-z][a-z0-9]{0,7}$/)
    const host = fc.array(letters, { minLength: 2, maxLength: 3 }).map((labels) => `${labels.join('.')}.example`)
    const scheme = fc.constantFrom('oci', 'https', 'http')
    const path = fc.array(letters, { minLength: 1, maxLength: 3 })
    const choices = fc.record({
      isUpper: fc.boolean(),
      isDotted: fc.boolean(),
      port: fc.constantFrom('', 'PORT', '0PORT', '00PORT'),
      slashes: fc.constantFrom('', '/', '///'),
      between: fc.constantFrom('/', '//', '/./', '/x/../'),
      escapes: fc.boolean(),
    })
    fc.assert(
      fc.property(scheme, host, path, choices, (kind, name, parts, choice) => {
        const port = choice.port.replace('PORT', kind === 'http' ? '80' : '443')
        const start = `${kind}://${name}${choice.isDotted ? '.' : ''}${port === '' ? '' : `:${port}`}`
        const shown = parts.map((part) =>
          choice.escapes ? `%${part.charCodeAt(0).toString(16)}${part.slice(1)}` : part,
        )
        const spelling = `${choice.isUpper ? start.toUpperCase() : start}/${shown.join(choice.between)}${choice.slashes}`
        const compared = comparedAddress(spelling)
        expect(compared).toBe(`${kind}://${name}/${parts.join('/')}`)
        expect(comparedAddress(compared)).toBe(compared)
      }),
      { seed: 1, numRuns: 500 },
    )
  })
})

test.each(
  rows([
    ['Reg.Example:0443', 'reg.example'],
    ['reg.example:443', 'reg.example:443', 'http'],
    ['reg.example:80', 'reg.example', 'http'],
    ['reg.example.:5000', 'reg.example:5000'],
    ['No Host', 'no host'],
    ['', ''],
  ]),
)('comparedHost $address $reached', ({ address, want, reached }) => {
  expect(comparedHost(address, reached)).toBe(want)
})
