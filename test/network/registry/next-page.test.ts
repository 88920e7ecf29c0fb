import { expect, test } from 'vitest'
import { nextPage } from '../../../src/network/registry/next-page.ts'

const url = 'https://registry.example/v2/a/tags/list?n=2'
const cases: readonly {
  readonly name: string
  readonly header: string | undefined
  readonly want: string | undefined
}[] = [
  { name: 'no header', header: undefined, want: undefined },
  { name: 'empty', header: '', want: undefined },
  {
    name: 'relative path',
    header: '</v2/a/tags/list?n=2&last=b>; rel="next"',
    want: 'https://registry.example/v2/a/tags/list?n=2&last=b',
  },
  {
    name: 'query alone',
    header: '<?n=2&last=b>; rel="next"',
    want: 'https://registry.example/v2/a/tags/list?n=2&last=b',
  },
  { name: 'absolute', header: '<https://registry.example/x>; rel="next"', want: 'https://registry.example/x' },
  { name: 'without quotes', header: '</x>;rel=next', want: 'https://registry.example/x' },
  {
    name: 'other parameters around it',
    header: '</x>; title="a, b; c"; rel="next"; type="x"',
    want: 'https://registry.example/x',
  },
  { name: 'several relations of one link', header: '</x>; rel="last next"', want: 'https://registry.example/x' },
  { name: 'several links', header: '</a>; rel="prev", </b>; rel="next"', want: 'https://registry.example/b' },
  { name: 'only other links', header: '</a>; rel="prev", </b>; rel="nextish"', want: undefined },
  { name: 'in capitals', header: '</a>; REL="NEXT"', want: 'https://registry.example/a' },
  { name: 'to another host', header: '<https://evil.example/v2>; rel="next"', want: undefined },
  { name: 'to http', header: '<http://registry.example/v2>; rel="next"', want: undefined },
  { name: 'no address', header: '<https://[>; rel="next"', want: undefined },
  { name: 'without brackets', header: '/a; rel="next"', want: undefined },
  { name: 'never closed', header: '</a; rel="next"', want: undefined },
]

test.each(cases)('$name', ({ header, want }) => {
  expect(nextPage(header, url)).toBe(want)
})
