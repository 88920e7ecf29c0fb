import { describe, expect, test } from 'vitest'
import { fitLines } from '../../src/report/fit-lines.ts'
import { formatTable } from '../../src/report/format-table.ts'

describe('fitLines', () => {
  test.each([
    { what: 'short lines', text: 'one two\n  three\n', want: 'one two\n  three\n' },
    {
      what: 'a sentence',
      text: 'Rendered 1 cluster, 2 charts, 7 objects into rendered.\n',
      want: 'Rendered 1 cluster, 2 charts, 7\n  objects into rendered.\n',
    },
    {
      what: 'an item of a list',
      text: '  - Application web waits before it applies anything.\n',
      want: '  - Application web waits before\n    it applies anything.\n',
    },
    {
      what: 'a command in backticks',
      text: 'Confirm it with `kubectl -n argocd annotate application web` first, and only then.\n',
      want: 'Confirm it with\n  `kubectl -n argocd annotate application web`\n  first, and only then.\n',
    },
    {
      what: 'a command on its own line',
      text: '  kubectl apply --server-side -f "templates/crds"\n',
      want: '  kubectl apply --server-side -f "templates/crds"\n',
    },
    {
      what: 'a command after a colon',
      text: 'Next: cd my-fleet-of-clusters && stackmason render\n',
      want: 'Next:\n  cd my-fleet-of-clusters && stackmason render\n',
    },
    {
      what: 'a backtick alone',
      text: 'a text with a ` in it is no reason to stay whole\n',
      want: 'a text with a ` in it is no\n  reason to stay whole\n',
    },
  ])('breaks $what', ({ text, want }) => {
    expect(fitLines(text, 32)).toBe(want)
  })
})

describe('formatTable', () => {
  const rows = [
    ['NAME', 'RELEASES', 'SAID IN'],
    ['image-1', 'one-1-34-v1, two-1-34-v1', 'stackmason.yaml:11'],
    ['image-2', 'one-1-34-v1', 'images/a.yaml:3, images/b.yaml:4'],
  ]
  test.each([
    {
      what: 'whole where nothing limits it',
      width: undefined,
      want: `NAME     RELEASES                  SAID IN
image-1  one-1-34-v1, two-1-34-v1  stackmason.yaml:11
image-2  one-1-34-v1               images/a.yaml:3, images/b.yaml:4
`,
    },
    {
      what: 'with lists broken after commas',
      width: 44,
      want: `NAME     RELEASES      SAID IN
image-1  one-1-34-v1,  stackmason.yaml:11
         two-1-34-v1
image-2  one-1-34-v1   images/a.yaml:3,
                       images/b.yaml:4
`,
    },
    {
      what: 'as blocks where columns do not fit',
      width: 30,
      want: `NAME      image-1
RELEASES  one-1-34-v1,
          two-1-34-v1
SAID IN   stackmason.yaml:11

NAME      image-2
RELEASES  one-1-34-v1
SAID IN   images/a.yaml:3,
          images/b.yaml:4
`,
    },
  ])('is $what', ({ width, want }) => {
    expect(formatTable(rows, width)).toBe(want)
  })
})
