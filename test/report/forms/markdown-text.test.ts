import { expect, test } from 'vitest'
import { htmlInMarkdown, markdownBlock, markdownCode, markdownText } from '../../../src/report/forms/markdown-text.ts'

const NOTHING = '\u200B'

test.each([
  ['*a* _b_ ~c~ [d](e) `f` |', String.raw`\*a\* \_b\_ \~c\~ \[d\](e) \`f\` \|`],
  ['<b> &amp; <!-- x -->', String.raw`&lt;b&gt; &amp;amp; &lt;\!-- x --&gt;`],
  ['- a', String.raw`\- a`],
  ['1. a', String.raw`1\. a`],
  ['# a', '&#35; a'],
  ['/close', '&#47;close'],
  ['a\n/merge', 'a<br>&#47;merge'],
  // people
  ['@all', '&#64;&#8203;all'],
  ['(@team/a)', '(&#64;&#8203;team/a)'],
  ['nginx@sha256:0', 'nginx&#64;sha256:0'],
  ['a@example.org', 'a&#64;example.org'],
  // issues, merge requests, snippets, and words that close
  ['#1 !2 $3 %4 &5', String.raw`&#35;&#8203;1 \!&#8203;2 \$&#8203;3 %&#8203;4 &amp;&#8203;5`],
  ['GH-7', 'GH&#8203;-7'],
  ['fixes #1', 'fixes &#35;&#8203;1'],
  ['Closes: org/repo#1', 'Closes: org/repo&#35;&#8203;1'],
  ['resolved https://example.org/issues/1', 'resolved &#8203;https://example.org/issues/1'],
  ['Implements issue #1', 'Implements issue &#35;&#8203;1'],
  ['fixes ABC-1', 'fixes &#8203;ABC-1'],
  ['fixes the end', 'fixes the end'],
  // what is not seen
  ['v1\u200B.2\u2060\uFEFF', String.raw`v1\\u200b.2\\u2060\\ufeff`],
  ['a\u202Eb\u2066', String.raw`a\\u202eb\\u2066`],
  ['a\u{E0041}', String.raw`a\\ue0041`],
])('%j is plain words', (text, markdown) => {
  expect(markdownText(text)).toBe(markdown)
})

test.each([
  ['fixes #1 for @me', `\`fixes #${NOTHING}1 for @${NOTHING}me\``],
  ['a`b``c', '```a`b``c```'],
  ['`a', '`` `a ``'],
  ['a\u200Bb', String.raw`\`a\u200bb\``.replaceAll('\\`', '`')],
])('%j is code in a line', (text, markdown) => {
  expect(markdownCode(text)).toBe(markdown)
})

test('lines are code in a block that none of them ends', () => {
  expect(markdownBlock(['+ closes #1', '````', ' image: a@sha256:0', ' owner: @me'], 'diff')).toEqual([
    '`````diff',
    `+ closes #${NOTHING}1`,
    '````',
    ' image: a@sha256:0',
    ` owner: @${NOTHING}me`,
    '`````',
  ])
})

test('a title in HTML has no line, no tag and no person', () => {
  expect(htmlInMarkdown('<i>\n@me fixes #1')).toBe('&lt;i&gt; &#64;&#8203;me fixes &#35;&#8203;1')
})
