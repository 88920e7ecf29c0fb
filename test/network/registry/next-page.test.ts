import { expect, test } from 'vitest'
import { nextPage } from '../../../src/network/registry/next-page.ts'

const url = 'https://registry.example/v2/a/tags/list?n=2'
const unusable = 'its link to the next page is no address of a web server'
const cases: readonly {
  readonly name: string
  readonly header: string | undefined
  /** The address, or why there is none. */
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
  {
    name: 'to another host: asked here',
    header: '<https://other.example:8443/v2?last=b>; rel="next"',
    want: 'https://registry.example/v2?last=b',
  },
  {
    name: 'to http: asked as the page was',
    header: '<http://me:secret@registry.example/v2?last=b#x>; rel="next"',
    want: 'https://registry.example/v2?last=b',
  },
  {
    name: 'to the default port',
    header: '<https://registry.example:443/x>; rel="next"',
    want: 'https://registry.example/x',
  },
  {
    name: 'to a path with two slashes',
    header: '<https://other.example//x/y>; rel="next"',
    want: 'https://registry.example//x/y',
  },
  { name: 'no address', header: '<https://[>; rel="next"', want: unusable },
  { name: 'no address of the web', header: '<mailto:a@b.example>; rel="next"', want: unusable },
  { name: 'without brackets', header: '/a; rel="next"', want: unusable },
  { name: 'never closed', header: '</a; rel="next"', want: unusable },
  { name: 'never closed, and no next', header: '</a; rel="prev"', want: undefined },
]

test.each(cases)('$name', ({ header, want }) => {
  const outcome = nextPage(header, url)
  expect('value' in outcome ? outcome.value : outcome.reason).toBe(want)
})
