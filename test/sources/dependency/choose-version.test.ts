import { describe, expect, test } from 'vitest'
import { SemverError } from '../../../src/codec/semver/semver-version.ts'
import {
  chooseVersion,
  findVersion,
  isSameVersion,
  sortVersions,
} from '../../../src/sources/dependency/choose-version.ts'

const many = '1.0.0 1.1.0 1.2.0 1.2.3 1.10.0 2.0.0 2.0.0-rc.1 2.1.0-beta.2 2.1.0-beta.10 0.9.0 0.9.9 0.0.3'.split(' ')
const prereleases = '1.0.0-alpha 1.0.0-alpha.1 1.0.0-beta'.split(' ')
const withV = 'v1.0.0 v1.2.0 1.1.0'.split(' ')
const builds = '1.0.0+up1 1.0.0+up2 1.0.0 0.9.0+x'.split(' ')
const odd = '1.2 1 1.2.3.4 latest 1.1.9 01.2.0 1.02.0'.split(' ')

function versioned(versions: readonly string[]): readonly { readonly version: string }[] {
  return versions.map((version) => ({ version }))
}

/** The version, or what the request is refused with. */
function chosen(offered: readonly string[], request: string): string | undefined | { readonly error: string } {
  try {
    return chooseVersion(versioned(offered), request)?.version
  } catch (error) {
    if (error instanceof SemverError) return { error: error.message }
    throw error
  }
}

describe('chooseVersion', () => {
  // What Helm 4.1.4's resolver answers; but for the two rows of `builds` where it takes 1.0.0+up1, the first of equal
  // ones.
  const rows: readonly (readonly [string, readonly string[], string | undefined | { readonly error: string }])[] = [
    ['1.2.3', many, '1.2.3'],
    ['=1.2.3', many, '1.2.3'],
    ['==1.2.3', many, { error: 'improper constraint: ==1.2.3' }],
    ['v1.2.3', many, '1.2.3'],
    ['1.2', many, '1.2.3'],
    ['1', many, '1.10.0'],
    ['1.x', many, '1.10.0'],
    ['1.2.x', many, '1.2.3'],
    ['1.X', many, '1.10.0'],
    ['1.*', many, '1.10.0'],
    ['*', many, '2.0.0'],
    ['x', many, '2.0.0'],
    ['', many, { error: 'improper constraint: ' }],
    ['^1', many, '1.10.0'],
    ['^1.2', many, '1.10.0'],
    ['^1.2.3', many, '1.10.0'],
    ['^0.9', many, '0.9.9'],
    ['^0.9.0', many, '0.9.9'],
    ['^0.0.3', many, '0.0.3'],
    ['^0', many, '0.9.9'],
    ['~1', many, '1.10.0'],
    ['~1.2', many, '1.2.3'],
    ['~1.2.0', many, '1.2.3'],
    ['~>1.2', many, '1.2.3'],
    ['>1', many, '2.0.0'],
    ['>1.2', many, '2.0.0'],
    ['>=1.2', many, '2.0.0'],
    ['<1.2', many, '1.1.0'],
    ['<=1.2', many, '1.2.3'],
    ['<2', many, '1.10.0'],
    ['<=2', many, '2.0.0'],
    ['<2.0.0-0', many, '1.10.0'],
    ['!=2.0.0', many, '1.10.0'],
    ['!=1.x', many, '2.0.0'],
    ['>=1.0.0 <2.0.0', many, '1.10.0'],
    ['>=1.0.0, <1.2.0', many, '1.1.0'],
    ['1.0.0 - 1.2.0', many, '1.2.0'],
    ['1 - 2', many, '2.0.0'],
    ['^1 || ^2', many, '2.0.0'],
    ['^3 || 0.9.x', many, '0.9.9'],
    ['^3', many, undefined],
    ['>2.0.0', many, undefined],
    ['>2.0.0-0', many, '2.1.0-beta.10'],
    ['^2.0.0-0', many, '2.1.0-beta.10'],
    ['~2.1.0-0', many, '2.1.0-beta.10'],
    ['2.1.0-beta.2', many, '2.1.0-beta.2'],
    ['>=2.1.0-beta.1', many, '2.1.0-beta.10'],
    ['>=1.0.0-0', many, '2.1.0-beta.10'],
    ['=2', many, '2.0.0'],
    ['latest', many, { error: 'improper constraint: latest' }],
    ['1.2.3.4', many, { error: 'improper constraint: 1.2.3.4' }],
    ['1.2.3-', many, { error: 'improper constraint: 1.2.3-' }],
    ['^1.2 ^2', many, undefined],
    ['>= 1.0.0', many, '2.0.0'],
    ['=> 1.1.0', many, '2.0.0'],
    ['=< 1.1.0', many, '1.1.0'],
    [' ^1.0.0 ', many, '1.10.0'],
    ['^1.0.0,', many, { error: 'improper constraint: ^1.0.0,' }],
    ['1.2.3 1.2.0', many, undefined],
    ['*', prereleases, undefined],
    ['^1.0.0', prereleases, undefined],
    ['^1.0.0-0', prereleases, '1.0.0-beta'],
    ['>=0.0.0-0', prereleases, '1.0.0-beta'],
    ['1.0.0-alpha', prereleases, '1.0.0-alpha'],
    ['>1.0.0-alpha.1', prereleases, '1.0.0-beta'],
    ['1.0.0', prereleases, undefined],
    ['1.0.0', withV, 'v1.0.0'],
    ['v1.0.0', withV, 'v1.0.0'],
    ['^1', withV, 'v1.2.0'],
    ['1.2', withV, 'v1.2.0'],
    ['1.0.0', builds, '1.0.0'],
    ['1.0.0+up2', builds, '1.0.0+up2'],
    ['^0.9', builds, '0.9.0+x'],
    ['0.9.0', builds, '0.9.0+x'],
    ['~1.0', builds, '1.0.0+up1'],
    ['1', odd, '1.2'],
    ['1.2', odd, '1.2'],
    ['~1.1', odd, '1.1.9'],
    ['^1.0.0', odd, '1.2'],
    ['*', odd, '1.2'],
    ['1.2.0', odd, '1.2'],
    ['1.2.3', odd, undefined],
    ['^1', [], undefined],
    ['1.x', ['2.0.0'], undefined],
  ]
  test.each(rows)('%s of %s', (request, offered, want) => {
    expect(chosen(offered, request)).toEqual(want)
  })

  test('takes the first of entries with one version', () => {
    const offered = [
      { version: '1.0.0', url: 'a' },
      { version: '1.0.0', url: 'b' },
    ]
    expect(chooseVersion(offered, '^1')).toEqual({ version: '1.0.0', url: 'a' })
  })

  test('says that a request is not a range even when nothing is offered', () => {
    expect(() => chooseVersion([], 'newest')).toThrow(SemverError)
  })
})

describe('findVersion', () => {
  test.each([
    ['1.2.3', many, '1.2.3'],
    ['v1.2.3', many, '1.2.3'],
    ['1.0.0+up2', builds, '1.0.0+up2'],
    ['1.0.0+up9', builds, '1.0.0+up1'],
    ['1.0.0', withV, 'v1.0.0'],
    ['1.2.0', odd, '1.2'],
    ['latest', odd, 'latest'],
    ['2.0.1', many, undefined],
    ['2.1.0-beta.2', many, '2.1.0-beta.2'],
  ] as const)('%s of %s', (version, offered, want) => {
    expect(findVersion(versioned(offered), version)?.version).toBe(want)
  })
})

test('sortVersions puts the greatest first and leaves out what is not a version', () => {
  expect(
    sortVersions(versioned(['1.0.0', 'x', '1.10.0', '1.9.0-rc.1', '1.9.0'])).map(({ version }) => version),
  ).toEqual(['1.10.0', '1.9.0', '1.9.0-rc.1', '1.0.0'])
})

test.each([
  ['1.0.0', 'v1.0.0', true],
  ['1.0', '1.0.0', true],
  ['1.0.0+a', '1.0.0+b', true],
  ['1.0.0', '1.0.1', false],
  ['x', 'x', true],
  ['x', '1.0.0', false],
])('isSameVersion of %s and %s', (a, b, want) => {
  expect(isSameVersion(a, b)).toBe(want)
})
