import { describe, expect, it } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import {
  compareVersions,
  formatClassName,
  formatTag,
  formatVersion,
  matchClassName,
  matchReleaseTag,
  matchVersion,
  parseClassName,
  parseReleaseTag,
  parseVersion,
  releasePrefix,
} from '../../src/model/release-name.ts'
import type { ReleaseVersion } from '../../src/model/release.ts'

const version = (major: number, channel: string = 'stable', patch: string = ''): ReleaseVersion => ({
  major,
  channel,
  patch,
})

describe('matchVersion', () => {
  const either =
    'a version is v<number> or v<number>-<channel>.<patch> (or with a dash for the dot), such as v3 or v0-sha.abc1234'
  const rows: readonly { readonly input: string; readonly want?: ReleaseVersion; readonly reason?: string }[] = [
    { input: 'v7', want: version(7) },
    { input: 'v0', want: version(0) },
    { input: 'v10', want: version(10) },
    { input: 'v007', want: version(7) },
    { input: 'v0-sha.hipstsw', want: version(0, 'sha', 'hipstsw') },
    { input: 'v0-sha-hipstsw', want: version(0, 'sha', 'hipstsw') },
    { input: 'v0-git.fa0e1d2', want: version(0, 'git', 'fa0e1d2') },
    { input: 'v0-ttl.1743500000', want: version(0, 'ttl', '1743500000') },
    { input: 'v1-alpha.0', want: version(1, 'alpha', '0') },
    { input: 'v1-al_pha.A_0', want: version(1, 'al_pha', 'A_0') },
    { input: 'v1-stable.3', want: version(1, 'stable', '3') },
    { input: 'v1-alpha', reason: either },
    { input: 'v1-alpha.', reason: either },
    { input: 'v1.0-alpha.1', reason: either },
    { input: 'v1-alpha-1.0', reason: either },
    { input: 'v1-alpha.1.0', reason: either },
    { input: '1', reason: either },
    { input: 'V1', reason: either },
    { input: 'v', reason: either },
    { input: 'v-1', reason: either },
    { input: 'v1\n', reason: either },
    { input: ' v1', reason: either },
    { input: '', reason: either },
    { input: 'v1-älpha.1', reason: either },
    { input: 'v99999999999999999999', reason: 'the number after v is too large' },
  ]
  it.each(rows)('$input', ({ input, want, reason }) => {
    expect(matchVersion(input)).toEqual(want === undefined ? { reason } : { value: want })
  })

  it('admits one spelling where one is asked for', () => {
    expect(matchVersion('v0-sha.a', 'dot')).toEqual({ value: version(0, 'sha', 'a') })
    expect(matchVersion('v0-sha-a', 'dash')).toEqual({ value: version(0, 'sha', 'a') })
    expect(matchVersion('v7', 'dot')).toEqual({ value: version(7) })
    expect(matchVersion('v7', 'dash')).toEqual({ value: version(7) })
    expect(matchVersion('v0-sha-a', 'dot')).toEqual({
      reason: 'a version is v<number> or v<number>-<channel>.<patch>, such as v3 or v0-sha.abc1234',
    })
    expect(matchVersion('v0-sha.a', 'dash')).toEqual({
      reason: 'a version is v<number> or v<number>-<channel>-<patch>, such as v3 or v0-sha-abc1234',
    })
  })
})

describe('names', () => {
  const rows: readonly { readonly tag: string; readonly className: string; readonly prefix: string }[] = [
    { tag: 'openstack-scs2-1-34-v2', className: 'openstack-scs2-1-34-v2', prefix: 'openstack-scs2-1-34' },
    {
      tag: 'docker-ferrol-1-27-v0-sha-hipstsw',
      className: 'docker-ferrol-1-27-v0-sha.hipstsw',
      prefix: 'docker-ferrol-1-27',
    },
    { tag: 'docker-scs-1-30-v0-git-fa0e1d2', className: 'docker-scs-1-30-v0-git.fa0e1d2', prefix: 'docker-scs-1-30' },
  ]
  it.each(rows)('$tag', ({ tag, className, prefix }) => {
    const name = parseReleaseTag(tag)
    expect(formatTag(name)).toBe(tag)
    expect(formatClassName(name)).toBe(className)
    expect(releasePrefix(name)).toBe(prefix)
    expect(parseClassName(className)).toEqual(name)
  })

  it('gives all parts', () => {
    expect(parseReleaseTag('docker-ferrol-1-27-v0-sha-hipstsw')).toEqual({
      provider: 'docker',
      stack: 'ferrol',
      kubernetes: { major: 1, minor: 27 },
      version: { major: 0, channel: 'sha', patch: 'hipstsw' },
    })
  })

  it('reads v1-stable.3 and prints v1, as upstream does', () => {
    const name = parseClassName('docker-scs-1-30-v1-stable.3')
    expect(name.version).toEqual(version(1, 'stable', '3'))
    expect(formatClassName(name)).toBe('docker-scs-1-30-v1')
    expect(formatTag(name)).toBe('docker-scs-1-30-v1')
    expect(formatVersion(name.version, 'dot')).toBe('v1')
  })

  const tagForm = '<provider>-<stack>-<major>-<minor>-<version>'
  const classForm = '<provider>-<stack>-<major>-<minor>-<version with a dot>'
  const badTags: readonly { readonly tag: string; readonly reason: string }[] = [
    { tag: 'openstack-scs-v5', reason: `it has 3 parts between dashes instead of 5 or 7, as in ${tagForm}` },
    { tag: 'openstack-scs-1-29-v2-test', reason: `it has 6 parts between dashes instead of 5 or 7, as in ${tagForm}` },
    { tag: 'openstack-csp-helper-v0.2.0', reason: `it has 4 parts between dashes instead of 5 or 7, as in ${tagForm}` },
    { tag: 'openstack', reason: `it has 1 part between dashes instead of 5 or 7, as in ${tagForm}` },
    {
      tag: 'docker-ferrol-1-27-v0-sha.hipstsw',
      reason: `it has 6 parts between dashes instead of 5 or 7, as in ${tagForm}`,
    },
    { tag: '-scs-1-30-v1', reason: 'the provider is empty' },
    { tag: 'docker--1-30-v1', reason: 'the stack is empty' },
    { tag: '../x-scs-1-30-v1', reason: 'the provider "../x" may hold only a-z and 0-9' },
    { tag: 'docker-s.cs-1-30-v1', reason: 'the stack "s.cs" may hold only a-z and 0-9' },
    { tag: 'Docker-scs-1-30-v1', reason: 'the provider "Docker" may hold only a-z and 0-9' },
    { tag: 'docker-scs-1-x-v1', reason: '"1-x" is not a Kubernetes version such as 1-34' },
    { tag: 'docker-scs-0-30-v1', reason: '"0-30" is not a Kubernetes version such as 1-34' },
    { tag: 'docker-scs-1-0-v1', reason: '"1-0" is not a Kubernetes version such as 1-34' },
    { tag: 'docker-scs-1--v1', reason: '"1-" is not a Kubernetes version such as 1-34' },
    {
      tag: 'docker-scs-1-30-latest',
      reason: 'a version is v<number> or v<number>-<channel>-<patch>, such as v3 or v0-sha-abc1234',
    },
  ]
  it.each(badTags)('refuses the tag $tag', ({ tag, reason }) => {
    expect(matchReleaseTag(tag)).toEqual({ reason })
  })

  const badClasses: readonly { readonly className: string; readonly reason: string }[] = [
    {
      className: 'docker-ferrol-1-27-v0-sha-hipstsw',
      reason: 'this is the release tag; the class is called "docker-ferrol-1-27-v0-sha.hipstsw"',
    },
    {
      className: 'my-provider-scs-1-30-v1-x-y',
      reason: `it has 8 parts between dashes instead of 5 or 6, as in ${classForm}`,
    },
    {
      className: 'docker-ferrol-1-27-v0-sha',
      reason: 'a version is v<number> or v<number>-<channel>.<patch>, such as v3 or v0-sha.abc1234',
    },
    { className: '', reason: `it has 1 part between dashes instead of 5 or 6, as in ${classForm}` },
  ]
  it.each(badClasses)('refuses the class $className', ({ className, reason }) => {
    expect(matchClassName(className)).toEqual({ reason })
  })
})

describe('errors', () => {
  const at = { source: { name: 'cluster.yaml', text: 'class: x' }, start: 7, end: 8 }
  const diagnosticOf = (run: () => unknown): unknown => {
    try {
      run()
    } catch (error) {
      return error instanceof StackmasonError ? error.diagnostics : error
    }
    return undefined
  }

  it('carry code, reason and place', () => {
    expect(diagnosticOf(() => parseClassName('x', { at }))).toEqual([
      {
        code: 'RELEASE_NAME_INVALID',
        severity: 'error',
        message:
          'cluster class name "x" is not valid: it has 1 part between dashes instead of 5 or 6, as in <provider>-<stack>-<major>-<minor>-<version with a dot>',
        at,
      },
    ])
    expect(diagnosticOf(() => parseVersion('v1-alpha', { file: 'a.yaml' }))).toMatchObject([{ file: 'a.yaml' }])
    expect(diagnosticOf(() => parseReleaseTag('a\nb'))).toMatchObject([
      { message: expect.stringMatching(/^release tag "a\\nb" is not valid: /) },
    ])
  })

  it('never hold more of the name than a line', () => {
    const [first] = diagnosticOf(() => parseReleaseTag('a'.repeat(100_000))) as readonly { readonly message: string }[]
    expect(first?.message.length).toBeLessThan(300)
  })
})

describe('compareVersions', () => {
  it('orders stable versions by number', () => {
    const sorted = ['v10', 'v9', 'v2', 'v1'].map((text) => parseVersion(text)).sort(compareVersions)
    expect(sorted.map(({ major }) => major)).toEqual([1, 2, 9, 10])
  })

  it('refuses to order anything else', () => {
    expect(() => compareVersions(version(0, 'sha', 'a'), version(1))).toThrow(RangeError)
    expect(() => compareVersions(version(1), version(0, 'sha', 'a'))).toThrow(RangeError)
  })
})
