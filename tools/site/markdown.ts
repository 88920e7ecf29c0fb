import { Marked, type Token, type Tokens } from 'marked'
import { createAnchors } from './anchors.ts'

/** A heading and what stands below it, to the next one: what a search finds. */
export interface Section {
  /** Empty for what stands before the first heading. */
  readonly anchor: string
  readonly heading: string
  readonly depth: number
  readonly text: string
}

/** A page of Markdown as HTML. */
export interface RenderedPage {
  readonly title: string
  readonly html: string
  readonly sections: readonly Section[]
  /** Targets of its links and pictures, as they are written. */
  readonly links: readonly string[]
}

/** Text that is safe in elements and attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/**
 * Renders a page as forges do. HTML in it stays text, but comments go.
 * @throws Error for a page without a title
 */
export function renderMarkdown(text: string, target: (link: string) => string): RenderedPage {
  const anchorOf = createAnchors()
  const links: string[] = []
  const sections: { anchor: string; heading: string; depth: number; parts: string[] }[] = []
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: ({ text: raw }) => (raw.startsWith('<!--') ? '' : escapeHtml(raw)),
      heading({ tokens, depth }) {
        const heading = plainText(tokens)
        const anchor = anchorOf(heading)
        const level = String(depth)
        const link = `<a class="anchor" href="#${escapeHtml(anchor)}" aria-label="Link to ${escapeHtml(heading)}">#</a>`
        return `<h${level} id="${escapeHtml(anchor)}">${this.parser.parseInline(tokens)}${depth === 1 ? '' : link}</h${level}>\n`
      },
      link({ href, tokens }) {
        links.push(href)
        return `<a href="${escapeHtml(target(href))}">${this.parser.parseInline(tokens)}</a>`
      },
      image({ href, text: alternative }) {
        links.push(href)
        const image = `<img src="${escapeHtml(target(href))}" alt="${escapeHtml(alternative)}">`
        // on a phone it scrolls, for its words would be too small
        return `<span class="picture" tabindex="0">${image}</span>`
      },
      code({ text: code }) {
        return `<div class="code"><pre tabindex="0"><code>${escapeHtml(code)}\n</code></pre></div>\n`
      },
      table({ header, rows }) {
        const row = (cells: readonly Tokens.TableCell[], kind: 'td' | 'th'): string =>
          `<tr>${cells.map((cell) => cellHtml(this.parser.parseInline(cell.tokens), kind)).join('')}</tr>`
        const body = rows.map((cells) => row(cells, 'td')).join('\n')
        return `<div class="wide" tabindex="0"><table><thead>${row(header, 'th')}</thead><tbody>\n${body}\n</tbody></table></div>\n`
      },
    },
  })
  const tokens = marked.lexer(text)
  const titles = createAnchors()
  for (const token of tokens) {
    if (token.type === 'heading') {
      const heading = plainText(token.tokens ?? [])
      sections.push({ anchor: titles(heading), heading, depth: Number(token['depth']), parts: [] })
    } else {
      if (sections.length === 0) sections.push({ anchor: '', heading: '', depth: 1, parts: [] })
      sections.at(-1)?.parts.push(plainText([token]))
    }
  }
  const html = marked.parser(tokens)
  const title = sections.find(({ depth, heading }) => depth === 1 && heading !== '')?.heading
  if (title === undefined) throw new Error('a page has no title')
  return {
    title,
    html,
    links,
    sections: sections.map(({ parts, ...section }) => ({
      ...section,
      text: parts.join(' ').replaceAll(/\s+/g, ' ').trim(),
    })),
  }
}

/** A cell without text is no header: readers of the screen would announce nothing. */
function cellHtml(content: string, kind: 'td' | 'th'): string {
  return kind === 'th' && content !== '' ? `<th scope="col">${content}</th>` : `<td>${content}</td>`
}

/** The text of tokens as a reader sees it. */
function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'html') return token.raw.startsWith('<!--') ? '' : token.raw
      if (token.type === 'table') return tableText(token)
      if (token.type === 'list') return plainText(listItems(token))
      if ('tokens' in token && token.tokens !== undefined) {
        const inner = plainText(token.tokens)
        return isBlock(token.type) ? `${inner} ` : inner
      }
      return 'text' in token ? String(token.text) : ' '
    })
    .join('')
}

function isBlock(type: string): boolean {
  return type === 'paragraph' || type === 'list_item' || type === 'blockquote'
}

function tableText(token: Token): string {
  if (token.type !== 'table' || !('header' in token)) return ''
  const cells: readonly { readonly tokens: readonly Token[] }[] = [...token.header, ...token.rows.flat()]
  return cells.map((cell) => `${plainText(cell.tokens)} `).join('')
}

function listItems(token: Token): readonly Token[] {
  return 'items' in token ? token.items : []
}
