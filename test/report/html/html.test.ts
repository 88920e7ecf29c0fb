import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageFolder } from '../../cli/run-cli.ts'
import { numberClusters } from '../../../src/report/html/cluster-ranges.ts'
import { type Html, html, writeHtml } from '../../../src/report/html/html.ts'

function written(content: Html, mask = (text: string): string => text): string {
  return [...writeHtml(content, mask)].join('')
}

test('texts are escaped wherever they stand, markup is not', () => {
  const nasty = `</script><img src=x onerror='a'>"&`
  const bold = html`<b>${1}</b>`
  expect(written(html`<p title="${nasty}">${nasty}${bold}${[bold, bold]}${undefined}</p>`)).toBe(
    '<p title="&lt;/script&gt;&lt;img src=x onerror=&#39;a&#39;&gt;&quot;&amp;">&lt;/script&gt;&lt;img src=x onerror=&#39;a&#39;&gt;&quot;&amp;<b>1</b><b>1</b><b>1</b></p>',
  )
})

test('what turns the direction of a text or is no character of it is made visible', () => {
  expect(written(html`${'a\u202Eb\nc\u0000'}`)).toBe(String.raw`a\u202eb\nc\x00`)
})

test('a secret is masked before it is escaped', () => {
  expect(written(html`<b>${'x pa<ss>&word y'}</b>`, (text) => text.replaceAll('pa<ss>&word', '***'))).toBe(
    '<b>x *** y</b>',
  )
})

test('how a template is indented is left out', () => {
  expect(
    written(html`
      <ul>
        ${[html`<li>${'  two\n  lines'}</li>`]}
      </ul>
    `),
  ).toBe('\n<ul>\n<li>  two\\n  lines</li>\n</ul>\n')
})

test('clusters are numbered in order, and named by ranges', () => {
  const named = ['d', 'a', 'c', 'b', 'a', 'f'].map((name) => ({ namespace: 'team', name }))
  const { clusters, ranges } = numberClusters(named)
  expect(clusters.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'f'])
  const of = (...names: readonly string[]): string | undefined =>
    ranges(names.map((name) => ({ namespace: 'team', name })))
  expect([of('c', 'a', 'b'), of('f', 'a'), of('a', 'b', 'f'), of()]).toEqual(['0-2', '0 4', '0-1 4', undefined])
})

test('templates are ASCII: a tag sees them as they are written, so that the bundle cannot escape them', () => {
  const folder = join(packageFolder, 'src/report/html')
  const other = readdirSync(folder).filter((name) => /[^\0-\x7f]/.test(readFileSync(join(folder, name), 'utf8')))
  expect(other).toEqual([])
})
