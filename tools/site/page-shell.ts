import { escapeHtml, type Section } from './markdown.ts'
import type { PageGroup } from './navigation.ts'

/** A page to show, or to link to. */
export interface LinkedPage {
  /** Of the Markdown, from the root of the project. */
  readonly path: string
  readonly title: string
}

/** A page and what stands around it. */
export interface ShownPage extends LinkedPage {
  readonly html: string
  readonly sections: readonly Section[]
  readonly groups: readonly PageGroup[]
  readonly titleOf: (path: string) => string
  readonly previous: LinkedPage | undefined
  readonly next: LinkedPage | undefined
  /** Where its Markdown is edited; undefined where no forge is known. */
  readonly editUrl: string | undefined
  /** A relative link from it to the page of a Markdown file, or to any other file of the site. */
  readonly linkTo: (path: string) => string
}

/** A whole page of the site. */
export function showPage(page: ShownPage): string {
  const { title, html, linkTo } = page
  const name = title === 'Stackmason' ? title : `${title} - Stackmason`
  const root = linkTo('site.css').slice(0, -'site.css'.length)
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(name)}</title>
<link rel="stylesheet" href="${root}site.css">
<script src="${root}scheme.js"></script>
<script src="${root}site.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="menu" href="#navigation">Menu</a>
<a class="brand" href="${escapeHtml(linkTo('README.md'))}">Stackmason</a>
<form id="finder" role="search" hidden>
<label for="search">Search</label>
<input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="Search ( / )">
<div id="results" hidden><p id="found" role="status"></p><ol></ol></div>
</form>
<button id="scheme" type="button" hidden>Dark colours</button>
</header>
<div class="columns">
<nav id="navigation" aria-label="Pages">
<a class="close" href="#content">Close</a>
${page.groups.map((group) => groupHtml(group, page)).join('\n')}
</nav>
<main id="content" tabindex="-1">
${html}${footHtml(page)}
</main>
${contentsHtml(page.sections)}</div>
</body>
</html>
`
}

function groupHtml({ title, pages }: PageGroup, { path: own, titleOf, linkTo }: ShownPage): string {
  const links = pages.map((path) => {
    const current = path === own ? ' aria-current="page"' : ''
    return `<li><a href="${escapeHtml(linkTo(path))}"${current}>${escapeHtml(titleOf(path))}</a></li>`
  })
  return `<h2>${escapeHtml(title)}</h2>\n<ul>${links.join('\n')}</ul>`
}

function footHtml({ previous, next, editUrl, path, linkTo }: ShownPage): string {
  const link = (rel: string, words: string, to: LinkedPage | undefined): string =>
    to === undefined
      ? ''
      : `<a rel="${rel}" href="${escapeHtml(linkTo(to.path))}"><small>${words}</small> ${escapeHtml(to.title)}</a>`
  const edit =
    editUrl === undefined
      ? `Source: <code>${escapeHtml(path)}</code>`
      : `<a class="edit" href="${escapeHtml(editUrl)}">Edit this page</a>`
  const around =
    previous === undefined && next === undefined
      ? ''
      : `<nav aria-label="Previous and next page">${link('prev', 'Previous', previous)}${link('next', 'Next', next)}</nav>\n`
  return `<footer>
${around}<p>${edit}</p>
</footer>`
}

function contentsHtml(sections: readonly Section[]): string {
  const shown = sections.filter(({ depth, anchor }) => depth === 2 && anchor !== '')
  if (shown.length < 2) return ''
  const links = shown.map(
    ({ anchor, heading }) => `<li><a href="#${escapeHtml(anchor)}">${escapeHtml(heading)}</a></li>`,
  )
  return `<nav id="contents" aria-label="On this page"><h2>On this page</h2>\n<ul>${links.join('\n')}</ul></nav>\n`
}
