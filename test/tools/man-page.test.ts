import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { manPage } from '../../tools/man-page.ts'
import { packageFolder } from '../cli/run-cli.ts'

test('a verb is a section, and no text becomes an instruction', () => {
  const page = manPage(
    [
      {
        name: 'turn',
        summary: 'turn it',
        description: ['.hidden files stay; --all takes a\\b, well-known ones, too: \u2265 2.'],
        operands: [{ name: 'WAY', isOptional: true, isRepeated: true, summary: 'where to' }],
        options: [
          { name: 'no-op', short: 'n', type: 'value', placeholder: 'A-B', summary: "'none' of them" },
          { name: 'old', type: 'flag', isHidden: true, summary: 'not shown' },
        ],
        exitStatus: [],
        examples: [{ command: 'stackmason turn -n "a b"', summary: 'is it?' }],
      },
    ],
    '1.2.3',
  )
  expect(page).toContain('.TH STACKMASON 1 "" "stackmason 1.2.3" "Stackmason"\n')
  expect(page.slice(page.indexOf('.SS'), page.indexOf('.SH EXIT')))
    .toBe(String.raw`.SS stackmason turn [WAY...] [OPTIONS]
.PP
\&.hidden files stay; \-\-all takes a\eb, well-known ones, too: \[u2265] 2.
.TP
.B WAY
where to
.TP
.B \-n, \-\-no\-op A\-B
\&'none' of them
.PP
Is it?
.PP
.RS 4
.nf
stackmason turn \-n \(dqa b\(dq
.fi
.RE
`)
})

test('the page is one that groff has nothing to say against', () => {
  const file = join(packageFolder, 'man/stackmason.1')
  const { error, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z', file], { encoding: 'utf8' })
  const isThere = error === undefined
  if (!isThere) console.warn('SKIPPED, no groff: what it says of the manual page')
  expect(isThere ? stderr : '').toBe('')
  expect(readFileSync(file, 'utf8')).not.toMatch(/^\.(?!(?:TH|SH|SS|PP|TP|B|I|RI|RS|RE|nf|fi|\\") ?)/m)
})
