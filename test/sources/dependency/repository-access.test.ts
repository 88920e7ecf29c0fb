import { describe, expect, test } from 'vitest'
import type { ChartRepository } from '../../../src/model/fleet.ts'
import { reachOf, signerOf } from '../../../src/sources/dependency/repository-access.ts'

const at = { source: { name: 'stackmason.yaml', text: '' }, start: 0, end: 0 }
const plain: ChartRepository = { url: 'https://charts.example/stable', plainHttp: false, publicKeys: [], at }
const deeper: ChartRepository = { ...plain, url: 'https://charts.example/stable/deeper', plainHttp: true }
const mirrored: ChartRepository = { ...plain, url: 'https://far.example', mirror: 'http://near.example:8080/far/' }
const registry: ChartRepository = { ...plain, url: 'oci://registry.example/charts', mirror: 'oci://near.example/all' }
const all = [plain, deeper, mirrored, registry]

describe('reachOf', () => {
  test.each([
    { url: 'https://charts.example/stable/index.yaml', to: undefined, entry: plain, isOwn: true },
    { url: 'https://charts.example/stable', to: undefined, entry: plain, isOwn: true },
    { url: 'https://charts.example/stable?x=1', to: undefined, entry: plain, isOwn: true },
    { url: 'HTTPS://Charts.Example/stable/a.tgz', to: undefined, entry: plain, isOwn: true },
    { url: 'https://charts.example/stable/deeper/a.tgz', to: undefined, entry: deeper, isOwn: true },
    // Elsewhere on the repository's own host.
    { url: 'https://charts.example/archives/a.tgz', to: undefined, entry: plain, isOwn: true },
    { url: 'https://charts.example/stable2/a.tgz', to: undefined, entry: plain, isOwn: true },
    // Another host, port or scheme.
    { url: 'https://charts.example.evil.example/stable/a.tgz', to: undefined, entry: undefined, isOwn: false },
    { url: 'https://charts.example:8443/stable/a.tgz', to: undefined, entry: undefined, isOwn: false },
    { url: 'http://charts.example/stable/a.tgz', to: undefined, entry: undefined, isOwn: false },
    { url: 'https://charts.example@evil.example/stable/a.tgz', to: undefined, entry: undefined, isOwn: false },
    {
      url: 'https://far.example/a.tgz?x=1',
      to: 'http://near.example:8080/far/a.tgz?x=1',
      entry: mirrored,
      isOwn: true,
    },
    { url: 'http://near.example:8080/far/a.tgz', to: undefined, entry: mirrored, isOwn: true },
    {
      url: 'oci://registry.example/charts/app:1.0.0',
      to: 'oci://near.example/all/app:1.0.0',
      entry: registry,
      isOwn: true,
    },
    // Other spellings of the same.
    { url: 'https://charts.example:443/stable/a.tgz', to: undefined, entry: plain, isOwn: true },
    { url: 'https://charts.example./x/..//stable/a.tgz', to: undefined, entry: plain, isOwn: true },
    {
      url: 'https://far.example:0443//a.tgz?x=1',
      to: 'http://near.example:8080/far/a.tgz?x=1',
      entry: mirrored,
      isOwn: true,
    },
    {
      url: 'oci://REGISTRY.example:443/charts/app:1.0.0',
      to: 'oci://near.example/all/app:1.0.0',
      entry: registry,
      isOwn: true,
    },
    { url: 'oci://registry.example:80/charts/app:1.0.0', to: undefined, entry: undefined, isOwn: false },
    { url: 'oci://registry.example/other/app:1.0.0', to: undefined, entry: undefined, isOwn: false },
  ])('$url', ({ url, to, entry, isOwn }) => {
    const reach = reachOf(url, 'https://charts.example/stable', all)
    expect(reach).toEqual({
      url: to ?? url,
      access: entry ?? { plainHttp: false },
      isOwn,
      ...(entry === undefined ? {} : { repository: entry }),
    })
  })

  test('needs no entry for a repository that its address is enough for', () => {
    const own = { access: { plainHttp: false }, isOwn: true }
    expect(reachOf('https://a.example/x/index.yaml', 'https://a.example/x', [])).toMatchObject(own)
    expect(reachOf('https://b.example/a.tgz', 'https://a.example/x', [])).toMatchObject({ ...own, isOwn: false })
  })

  test.each([
    { url: 'https://far.example/a.tgz?token=x', to: 'http://near.example:8080/far/a.tgz' },
    { url: 'https://far.example?token=x', to: 'http://near.example:8080/far' },
    { url: 'https://FAR.example:443/index.yaml?token=x', to: 'http://near.example:8080/far/index.yaml' },
    // what an index writes
    { url: 'https://far.example/a.tgz?token=y', to: 'http://near.example:8080/far/a.tgz?token=y' },
    { url: 'https://same.example/a/a.tgz?token=x', to: 'https://same.example/b/a.tgz?token=x' },
  ])('shows a mirror no query of the repository: $url', ({ url, to }) => {
    const same: ChartRepository = { ...plain, url: 'https://same.example/a', mirror: 'https://same.example/b' }
    expect(reachOf(url, `${new URL(url).origin}/?token=x`, [...all, same]).url).toBe(to)
  })

  test('does not take the host behind a mirror for the repository', () => {
    const other = reachOf('https://far.example.net/a.tgz', 'https://far.example', all)
    expect(other).toMatchObject({ access: { plainHttp: false }, isOwn: false })
    const onMirror = reachOf('http://near.example:8080/else/a.tgz', 'https://far.example', all)
    expect(onMirror).toMatchObject({ access: mirrored, isOwn: true })
  })
})

describe('signerOf', () => {
  const spellings = [
    'oci://reg.example/charts',
    'oci://reg.example:443/charts',
    'oci://REG.EXAMPLE:443/charts/',
    'oci://reg.example:0443/charts',
    'OCI://reg.example./charts',
  ]
  const pairs = spellings.flatMap((written) => spellings.map((asked) => ({ written, asked })))

  test.each(pairs)('keys for $written count for $asked', ({ written, asked }) => {
    const signed: ChartRepository = { ...plain, url: written, publicKeys: ['a.pub'] }
    const url = `${asked.replace(/\/$/, '')}/app:1.0.0`
    expect(signerOf({ url, repository: asked }, [signed])).toBe(signed)
    // an index leads there
    expect(signerOf({ url, repository: 'https://charts.example/stable' }, [plain, signed])).toBe(signed)
  })

  test('an entry without keys takes away no demand, whether it lies deeper or stands first', () => {
    const signed: ChartRepository = { ...plain, url: 'oci://reg.example/charts', publicKeys: ['a.pub'] }
    const deeper: ChartRepository = { ...plain, url: 'oci://reg.example/charts/team', plainHttp: true }
    const mirror: ChartRepository = { ...plain, url: 'https://helm.example/x', mirror: 'oci://reg.example/charts' }
    const url = 'oci://reg.example/charts/team/app:1.0.0'
    const repository = 'oci://reg.example/charts/team'
    for (const entries of [
      [signed, deeper],
      [deeper, signed],
      [mirror, signed],
      [signed, mirror],
      [mirror, deeper, signed],
    ])
      expect(signerOf({ url, repository }, entries)).toBe(signed)
    const nearer: ChartRepository = { ...deeper, publicKeys: ['b.pub'] }
    expect(signerOf({ url, repository }, [signed, nearer])).toBe(nearer)
    // an index that leads to a place with an entry for access
    const index: ChartRepository = { ...signed, url: 'https://charts.example/signed', mirror: 'oci://near.example/all' }
    const led = { url: 'oci://reg.example/charts/app:1.0.0', repository: 'https://charts.example/signed' }
    expect(signerOf(led, [index, { ...signed, publicKeys: [] }])).toBe(index)
  })

  test.each([
    { url: 'oci://reg.example', plainHttp: true, asked: 'oci://reg.example:80/app', isSigned: true },
    { url: 'oci://reg.example', plainHttp: true, asked: 'oci://reg.example:443/app', isSigned: false },
    { url: 'oci://reg.example', plainHttp: false, asked: 'oci://reg.example:80/app', isSigned: false },
    { url: 'oci://docker.io/org', plainHttp: false, asked: 'oci://registry-1.docker.io/org/app', isSigned: true },
    { url: 'oci://reg.example/a', plainHttp: false, asked: 'oci://reg.example/ab', isSigned: false },
  ])('$url by plain http: $plainHttp, $asked', ({ url, plainHttp, asked, isSigned }) => {
    const signed: ChartRepository = { ...plain, url, plainHttp, publicKeys: ['a.pub'] }
    expect(signerOf({ url: asked, repository: asked }, [signed])).toBe(isSigned ? signed : undefined)
  })
})
