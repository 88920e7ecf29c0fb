import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { generatePages } from '../../tools/docs.ts'
import { createAnchors } from '../../tools/site/anchors.ts'
import { packageFolder } from '../cli/run-cli.ts'

const pages: readonly string[] = [
  ...readdirSync(packageFolder).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(packageFolder, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
].sort()

const read = (path: string): string => readFileSync(join(packageFolder, path), 'utf8')

/** The anchors that a page's headings get. */
function anchorsOf(page: string): readonly string[] {
  return Array.from(read(page).matchAll(/^#+ (.+)$/gm), ([, heading = '']) => heading.replaceAll('`', '')).map(
    createAnchors(),
  )
}

/** What is wrong with the links of a page. */
function brokenLinks(page: string): readonly string[] {
  const text = read(page)
    .replaceAll(/^```.*?^```/gms, '')
    .replaceAll(/`[^`\n]*`/g, '')
  return Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link).filter((link) => {
    if (/^(?:https:|mailto:)/.test(link)) return false
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : join(dirname(page), path)
    if (!existsSync(join(packageFolder, target))) return true
    return anchor !== undefined && !anchorsOf(target).includes(anchor)
  })
}

describe('documentation', () => {
  test.each(pages)('links of %s lead somewhere', (page) => {
    expect(brokenLinks(page)).toEqual([])
  })

  test('the README lists every page of docs/', () => {
    const listed = Array.from(
      read('README.md').matchAll(/^\d+\. \[.*?\]\(docs\/(\d\d-[^)]+)\)/gm),
      ([, name]) => `docs/${name ?? ''}`,
    )
    expect(listed).toEqual(pages.filter((page) => /^docs\/\d\d-/.test(page)))
  })

  test('decisions are numbered one by one, and say their number', () => {
    const records = pages.flatMap((page) => /^docs\/decisions\/(\d{4})-/.exec(page)?.[1] ?? [])
    expect(records.length).toBeGreaterThan(25)
    expect(records).toEqual(Array.from(records, (_, index) => String(index + 1).padStart(4, '0')))
    const said = pages
      .filter((page) => page.startsWith('docs/decisions/'))
      .map((page) => /^# (\d+)\. /.exec(read(page))?.[1])
    expect(said).toEqual(records.map((number) => String(Number(number))))
  })

  test('the table of bench/ lists every script, each once', () => {
    const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(read('package.json'))
    const listed = Array.from(
      read('bench/README.md').matchAll(/^\| `(npx|npm run) ([^`]+)`/gm),
      ([, by, words = '']) => {
        const command = by === 'npx' ? words : (scripts[words.split(' ')[0] ?? ''] ?? '')
        return command.split(' ')[1] ?? ''
      },
    )
    const there = readdirSync(join(packageFolder, 'bench')).filter((name) => name.endsWith('.ts'))
    expect(listed.sort()).toEqual(there.map((name) => `bench/${name}`).sort())
  })

  test('generated pages are current; if not: npm run docs', async () => {
    const generated = await generatePages()
    expect([...generated].filter(([path, text]) => read(path) !== text).map(([path]) => path)).toEqual([])
  })
})
