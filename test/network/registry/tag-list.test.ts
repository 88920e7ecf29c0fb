import { expect, test } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { collectTags } from '../../../src/network/registry/tag-list.ts'

interface Page {
  readonly tags: unknown
  readonly link?: string
  readonly isGone?: boolean
}

const url = 'https://registry.example/v2/a/tags/list'
const thousand = Array.from({ length: 1000 }, (_, index) => `t${index}`)

const cases: readonly {
  readonly name: string
  /** By query, the last one for any other. */
  readonly pages: Readonly<Record<string, Page>>
  readonly want: readonly string[] | string
  readonly requests: number
}[] = [
  { name: 'one page', pages: { 'n=1000': { tags: ['b', 'a'] } }, want: ['b', 'a'], requests: 1 },
  { name: 'no tags at all', pages: { 'n=1000': { tags: null } }, want: [], requests: 1 },
  { name: 'tags left out', pages: { 'n=1000': { tags: undefined } }, want: [], requests: 1 },
  {
    name: 'three pages by Link',
    pages: {
      'n=1000': { tags: ['a'], link: '</v2/a/tags/list?n=1000&last=a>; rel="next"' },
      'n=1000&last=a': { tags: ['b'], link: `<${url}?last=b>; rel="next"` },
      'last=b': { tags: ['c'] },
    },
    want: ['a', 'b', 'c'],
    requests: 3,
  },
  {
    name: 'a link to another host or to http is asked on this one',
    pages: {
      'n=1000': { tags: ['a'], link: '<http://registry.example/v2/a/tags/list?last=a>; rel="next"' },
      'last=a': { tags: ['b'], link: '<https://registry.internal/v2/a/tags/list?last=b>; rel="next"' },
      'last=b': { tags: ['c'] },
    },
    want: ['a', 'b', 'c'],
    requests: 3,
  },
  {
    name: 'a link that cannot be used',
    pages: { 'n=1000': { tags: ['a'], link: '<https://[>; rel="next"' } },
    want: 'its link to the next page is no address of a web server',
    requests: 1,
  },
  {
    name: 'a full page needs no link',
    pages: { 'n=1000': { tags: thousand, link: '<https://[>; rel="next"' }, 'n=1000&last=t999': { tags: ['u'] } },
    want: [...thousand, 'u'],
    requests: 2,
  },
  {
    name: 'a linked page that is not there',
    pages: { 'n=1000': { tags: ['a'], link: '<?gone>; rel="next"' }, gone: { tags: [], isGone: true } },
    want: 'it refuses to give the next page',
    requests: 2,
  },
  {
    name: 'an empty page in between',
    pages: {
      'n=1000': { tags: ['a'], link: '<?p=2>; rel="next"' },
      'p=2': { tags: [], link: '<?p=3>; rel="next"' },
      'p=3': { tags: ['b'] },
    },
    want: ['a', 'b'],
    requests: 3,
  },
  {
    name: 'a link to the page itself',
    pages: { 'n=1000': { tags: ['a'], link: '<?n=1000>; rel="next"' } },
    want: ['a'],
    requests: 1,
  },
  {
    name: 'two pages that lead to each other',
    pages: {
      'n=1000': { tags: ['a'], link: '<?p=2>; rel="next"' },
      'p=2': { tags: ['b'], link: '<?n=1000>; rel="next"' },
    },
    want: ['a', 'b'],
    requests: 2,
  },
  {
    name: 'a full page without Link is asked on by its last tag',
    pages: { 'n=1000': { tags: thousand }, 'n=1000&last=t999': { tags: ['u'] } },
    want: [...thousand, 'u'],
    requests: 2,
  },
  {
    name: 'a registry that does not know `last` repeats its page',
    pages: { 'n=1000': { tags: thousand }, 'n=1000&last=t999': { tags: thousand } },
    want: thousand,
    requests: 2,
  },
  {
    name: 'what is not a tag is left out',
    pages: { 'n=1000': { tags: ['a', '../b', 7, null, 'c d', '', 'a'] } },
    want: ['a'],
    requests: 1,
  },
  {
    name: 'tags that are not a list',
    pages: { 'n=1000': { tags: { a: 1 } } },
    want: 'its tags are not a list',
    requests: 1,
  },
]

test.each(cases)('$name', async ({ pages, want, requests }) => {
  const asked: string[] = []
  const outcome = await collectTags(url, async (page) => {
    asked.push(page)
    const found = pages[new URL(page).search.slice(1)]
    if (found === undefined) throw new Error(`asked for ${page}`)
    if (found.isGone === true) return undefined
    expect(page.startsWith(url)).toBe(true)
    const headers = new Map(found.link === undefined ? [] : [['link', found.link]])
    return { status: 200, headers, body: encodeUtf8(JSON.stringify({ name: 'a', tags: found.tags })) }
  })
  expect('value' in outcome ? outcome.value : outcome.reason).toEqual(want)
  expect(asked.length).toBe(requests)
})

test('a registry that repeats its tags under new addresses comes to an end', async () => {
  let count = 0
  const outcome = await collectTags(url, async () => {
    count++
    const headers = new Map([['link', `<?last=a&again=${count}>; rel="next"`]])
    return { status: 200, headers, body: encodeUtf8('{"tags":["a"]}') }
  })
  expect([outcome, count]).toEqual([{ value: ['a'] }, 2])
})

test('a registry that goes on for ever is refused', async () => {
  let count = 0
  const outcome = await collectTags(url, async () => {
    count++
    const headers = new Map([['link', `<?page=${count}>; rel="next"`]])
    return { status: 200, headers, body: encodeUtf8(`{"tags":["a${count}"]}`) }
  })
  expect(outcome).toEqual({ reason: 'its list of tags has more than 1000 pages', code: 'FETCH_TOO_LARGE' })
})

test.each([
  { name: 'tags', size: 0, count: 100_000, want: '500000 tags', requests: 6 },
  { name: 'bytes', size: 20 * 1024 * 1024, count: 1, want: '67108864 bytes', requests: 4 },
])('a list with too many $name is refused, long before its last page', async ({ size, count, want, requests }) => {
  let asked = 0
  const outcome = await collectTags(url, async () => {
    const page = ++asked
    const headers = new Map([['link', `<?page=${page}>; rel="next"`]])
    const tags = Array.from({ length: count }, (_, index) => `t${page}-${index}`)
    return { status: 200, headers, body: encodeUtf8(`${JSON.stringify({ tags })}${' '.repeat(size)}`) }
  })
  expect(outcome).toEqual({ reason: `its list of tags has more than ${want}`, code: 'FETCH_TOO_LARGE' })
  expect(asked).toBe(requests)
})

test('a list that is not JSON is refused', async () => {
  const outcome = await collectTags(url, async () => ({ status: 200, headers: new Map(), body: encodeUtf8('<html>') }))
  expect('reason' in outcome && outcome.reason).toMatch(/^it is not JSON: /)
})

test('a registry that gives only fewer tags at once is asked without a number', async () => {
  const asked: string[] = []
  const outcome = await collectTags(url, async (page) => {
    asked.push(page)
    const isFirst = asked.length === 1
    return { status: isFirst ? 400 : 200, headers: new Map(), body: encodeUtf8(isFirst ? '{}' : '{"tags":["a"]}') }
  })
  expect([outcome, asked]).toEqual([{ value: ['a'] }, [`${url}?n=1000`, url]])
})

test('a registry that always says 400 is refused', async () => {
  const outcome = await collectTags(url, async () => ({ status: 400, headers: new Map(), body: encodeUtf8('{}') }))
  expect(outcome).toEqual({ reason: 'it refuses to give the next page' })
})

test('a repository that is not there has no list', async () => {
  expect(await collectTags(url, async () => undefined)).toEqual({ value: undefined })
})
