import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildSite } from '../../tools/site.ts'
import { createAnchors } from '../../tools/site/anchors.ts'
import { renderMarkdown } from '../../tools/site/markdown.ts'
import { navigation } from '../../tools/site/navigation.ts'
import { packageFolder } from '../cli/run-cli.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'

const render = (text: string): string => renderMarkdown(text, (link) => link).html

describe('the site of the documentation', () => {
  const folder = join(tempFolderForFile(), 'site')
  let files: readonly string[]
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8')

  beforeAll(() => {
    files = buildSite({ folder, editUrl: 'https://git.example.com/stackmason/edit/main/' })
  })

  test('every page of docs/ stands in the navigation, once', () => {
    const named = navigation.flatMap(({ pages }) => pages).filter((path) => /^docs\/\d/.test(path))
    const there = readdirSync(join(packageFolder, 'docs')).filter((name) => name.endsWith('.md'))
    expect(named.toSorted()).toEqual(there.map((name) => `docs/${name}`).sort())
  })

  test('all links and their anchors lead somewhere', () => {
    const pages = files.filter((path) => path.endsWith('.html'))
    const anchors = new Map(
      pages.map((path) => [path, new Set(Array.from(read(path).matchAll(/ id="([^"]*)"/g), ([, id = '']) => id))]),
    )
    const broken = pages.flatMap((page) =>
      Array.from(read(page).matchAll(/ (?:href|src)="([^"]*)"/g), ([, link = '']) => link)
        .filter((link) => !/^(?:https|mailto):/.test(link))
        .filter((link) => {
          const [path = '', anchor] = link.split('#')
          const target = path === '' ? page : posix.join(posix.dirname(page), path)
          if (!files.includes(target)) return true
          return anchor !== undefined && anchors.get(target)?.has(anchor) !== true
        })
        .map((link) => `${page}: ${link}`),
    )
    expect(pages.length).toBeGreaterThan(70)
    expect(broken).toEqual([])
  })

  test('nothing is loaded from elsewhere', () => {
    const pages = files.filter((path) => path.endsWith('.html')).map(read)
    expect(pages.flatMap((html) => html.match(/<(?:script|link|img)[^>]*(?:https?:)?\/\/[^>]*>/g) ?? [])).toEqual([])
    expect(read('site.css')).not.toMatch(/url\(|@import/)
  })

  test('a page links to the one before, the one after, and its source', () => {
    expect(read('docs/15-flux.html')).toContain(
      [
        '<footer>',
        '<nav aria-label="Previous and next page"><a rel="prev" href="26-containers.html"><small>Previous</small> Containers</a><a rel="next" href="18-argocd.html"><small>Next</small> Argo CD</a></nav>',
        '<p><a class="edit" href="https://git.example.com/stackmason/edit/main/docs/15-flux.md">Edit this page</a></p>',
        '</footer>',
      ].join('\n'),
    )
  })

  test('the search has every section with its place', () => {
    const [first = ''] = read('search.js').split('\n')
    const index: readonly { page: string; anchor: string; heading: string; text: string }[] = JSON.parse(
      first.replace('window.searchIndex = ', ''),
    )
    const found = index.filter(({ heading }) => heading === 'OUTPUT_MOVED')
    expect(found.map(({ page, anchor }) => `${page}#${anchor}`)).toEqual(['docs/06-errors.html#output_moved'])
    expect(found[0]?.text).toContain('What to do:')
    expect(index.find(({ page, anchor }) => page === 'index.html' && anchor === '')?.text).toMatch(
      /^Stackmason turns Cluster Stack releases and their addons into plain Kubernetes manifests/,
    )
  })

  test('a second build is the same, byte for byte', () => {
    const again = join(folder, '../again')
    expect(buildSite({ folder: again, editUrl: 'https://git.example.com/stackmason/edit/main/' })).toEqual(files)
    expect(files.filter((path) => readFileSync(join(again, path), 'utf8') !== read(path))).toEqual([])
  })
})

describe('Markdown', () => {
  test.each([
    ['Plain words', 'plain-words'],
    ['`spec.handoff.flux`', 'spechandoffflux'],
    ['ADDON_NAME: what, and why?', 'addon_name-what-and-why'],
    ['Flux - Argo CD', 'flux---argo-cd'],
    ['Größe', 'größe'],
  ])('the heading %s has the anchor of forges', (heading, anchor) => {
    const [, id] = /id="([^"]*)"/.exec(render(`# ${heading}`)) ?? []
    expect(id).toBe(anchor)
  })

  test('equal headings get numbers', () => {
    expect(['Added', 'Fixed', 'Added', 'Added'].map(createAnchors())).toEqual(['added', 'fixed', 'added-1', 'added-2'])
  })

  test.each([
    ['text <name> & `<b>`', '<p>text &lt;name&gt; &amp; <code>&lt;b&gt;</code></p>\n'],
    ['<!-- Generated -->\n\ntext', '<p>text</p>\n'],
    ['```sh\na < b\n```', '<div class="code"><pre tabindex="0"><code>a &lt; b\n</code></pre></div>\n'],
    ['[x](<a"b.md>)', '<p><a href="a&quot;b.md">x</a></p>\n'],
    [
      '| a | |\n| --- | --- |\n| `b` | c |',
      '<div class="wide" tabindex="0"><table><thead><tr><th scope="col">a</th><td></td></tr></thead><tbody>\n<tr><td><code>b</code></td><td>c</td></tr>\n</tbody></table></div>\n',
    ],
  ])('%j', (text, html) => {
    expect(render(`# T\n\n${text}`).replace(/^<h1.*\n/, '')).toBe(html)
  })
})
