/**
 * Builds the documentation as a site that needs no server and no network: `npm run site` writes `site/`, which opens from the disk, too. `--edit-url URL` is
 * where the forge edits a file, for example `https://git.example.com/stackmason/edit/main/`.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { renderMarkdown, type RenderedPage } from './site/markdown.ts'
import { navigation } from './site/navigation.ts'
import { showPage } from './site/page-shell.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const decisions = 'docs/decisions/'
const schemas = 'schemas/'

/** Where a site is written, and where its pages are edited. */
interface SiteOptions {
  readonly folder: string
  readonly editUrl?: string
}

/** Where the site has the page of a Markdown file, and any other file. */
function siteFile(path: string): string {
  if (path === 'README.md') return 'index.html'
  if (path.endsWith('/')) return `${path}index.html`
  return path.endsWith('.md') ? path.replace(/\.md$/, '.html') : path
}

/** The Markdown of every page by its path; a folder is a page that lists what is in it. */
function readPages(): ReadonlyMap<string, string> {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const namesIn = (folder: string): readonly string[] => readdirSync(join(root, folder)).sort()
  const named = navigation.flatMap(({ pages }) => pages).filter((path) => !path.endsWith('/'))
  const records = namesIn(decisions).map((name) => `${decisions}${name}`)
  const titled = records.map((path) => `- [${/^# (.+)$/m.exec(read(path))?.[1] ?? path}](${posix.basename(path)})`)
  const described = namesIn(schemas).map((name) => {
    const { title = '' }: { readonly title?: string } = JSON.parse(read(`${schemas}${name}`))
    return `- [${name}](${name})${title === '' ? '' : `: ${title}`}`
  })
  return new Map([
    ...[...named, ...records].map((path) => [path, read(path)] as const),
    [decisions, `# Decisions\n\nWhy things are as they are.\n\n${titled.join('\n')}\n`],
    [schemas, `# JSON Schemas\n\nOf the files that people write, and of reports.\n\n${described.join('\n')}\n`],
  ])
}

/** Resolves a link of a page: the path of what it leads to, and its anchor with `#`. */
function resolveLink(link: string, from: string): { readonly path: string; readonly anchor: string } {
  const [target = '', anchor] = link.split('#')
  const path = target === '' ? from : posix.join(from.endsWith('/') ? from : posix.dirname(from), target)
  return { path, anchor: anchor === undefined ? '' : `#${anchor}` }
}

const isOutside = (link: string): boolean => /^[a-z]+:/.test(link)

/** Builds the site. Returns the files that were written, in order. */
export function buildSite({ folder, editUrl }: SiteOptions): readonly string[] {
  const texts = readPages()
  const written = new Map<string, string>()
  const copied = new Set<string>()
  const relative = (from: string, to: string): string => posix.relative(posix.dirname(siteFile(from)), siteFile(to))
  const pages = new Map<string, RenderedPage>()
  for (const [path, text] of texts) {
    const rendered = renderMarkdown(text, (link) => {
      if (isOutside(link)) return link
      const { path: target, anchor } = resolveLink(link, path)
      return target === path && anchor !== '' ? anchor : `${relative(path, target)}${anchor}`
    })
    pages.set(path, rendered)
    for (const link of rendered.links.filter((one) => !isOutside(one))) {
      const { path: target } = resolveLink(link, path)
      if (!texts.has(target)) copied.add(target)
    }
  }
  const order = [...new Set([...navigation.flatMap((group) => group.pages), ...pages.keys()])]
  const titleOf = (path: string): string => pages.get(path)?.title ?? path
  const linked = (path: string | undefined) => (path === undefined ? undefined : { path, title: titleOf(path) })
  for (const [index, path] of order.entries()) {
    const page = pages.get(path)
    if (page === undefined) throw new Error(`${path} is no page`)
    const html = showPage({
      ...page,
      path,
      groups: navigation,
      titleOf,
      previous: linked(order[index - 1]),
      next: linked(order[index + 1]),
      editUrl: editUrl === undefined || path.endsWith('/') ? undefined : `${editUrl}${path}`,
      linkTo: (target) => relative(path, target),
    })
    written.set(siteFile(path), html)
  }
  const index = [...pages].flatMap(([path, { title, sections }]) =>
    sections.map((section) => ({
      page: siteFile(path),
      title,
      ...section,
      anchor: section.depth === 1 ? '' : section.anchor,
    })),
  )
  // a script, for a browser fetches nothing for a page that is read from the disk
  written.set(
    'search.js',
    `window.searchIndex = ${JSON.stringify(index)}\nfor (const section of window.searchIndex) section.lower = section.text.toLowerCase()\n`,
  )
  for (const name of ['site.css', 'site.js', 'scheme.js'])
    written.set(name, readFileSync(join(root, 'tools/site', name), 'utf8'))
  rmSync(folder, { recursive: true, force: true })
  for (const [path, text] of written) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const path of copied) {
    if (!existsSync(join(root, path))) throw new Error(`a page links to ${path}, which is not there`)
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    copyFileSync(join(root, path), join(folder, path))
  }
  return [...written.keys(), ...copied].sort()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { 'edit-url': { type: 'string' } } })
  const folder = join(root, 'site')
  const files = buildSite({ folder, ...(values['edit-url'] === undefined ? {} : { editUrl: values['edit-url'] }) })
  process.stdout.write(`${String(files.length)} files in site/; open site/index.html\n`)
}
