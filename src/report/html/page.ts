import { encodeBase64 } from '../../codec/bytes/base64.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { type ObjectName, objectPath } from '../../model/object-name.ts'
import type { Crypto } from '../../model/ports.ts'
import { Html, html, writeHtml } from './html.ts'
import { script } from './script.ts'
import { style } from './style.ts'

/** A part of a page, which its table of contents names. */
export interface PagePart {
  readonly id: string
  readonly title: string
  /** Beside the title: how many. */
  readonly count?: string | undefined
  readonly content: Html
}

/** The content of a page. */
export interface PageContent {
  /** Of the window. */
  readonly title: string
  readonly heading: Html
  /** One sentence: the sum. */
  readonly sum: Html
  readonly parts: readonly PagePart[]
  /** That its entries are about, sorted; the reader may filter by them. */
  readonly clusters: readonly ObjectName[]
}

/** The facts that a page is made with. */
export interface PageMaker {
  /** Of this program. */
  readonly version: string
  readonly crypto: Pick<Crypto, 'hash'>
  /** Hides secret values in a text. */
  readonly mask: (text: string) => string
}

/**
 * One file that loads nothing: its own style and its own script are allowed by their hashes, and nothing else. The same
 * content gives the same page.
 */
export function formatPage(content: PageContent, maker: PageMaker): string {
  return [...writeHtml(page(content, maker), maker.mask)].join('')
}

function page({ title, heading, sum, parts, clusters }: PageContent, { version, crypto }: PageMaker): Html {
  const hashOf = (text: string): string => `'sha256-${encodeBase64(crypto.hash('sha256', encodeUtf8(text)))}'`
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${trusted(policy)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        ${trusted(`<style>${style}</style>`)}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <p class="brand">stackmason</p>
          <h1>${heading}</h1>
          <p class="sum">${sum}</p>
          ${contents(parts)}
        </header>
        ${toolbar(clusters)}
        <main id="content" tabindex="-1">
          ${parts.map(
            ({ id, title: name, count, content }) =>
              html`<section id="${id}" aria-labelledby="${id}-title" data-part>
                <h2 id="${id}-title">
                  ${name}${count === undefined ? undefined : html` <span class="count">${count}</span>`}
                </h2>
                ${content}
              </section> `,
          )}
        </main>
        <footer>
          <p>
            Made by stackmason ${version}. This file loads nothing from elsewhere; secret values are left out of it.
          </p>
        </footer>
        ${trusted(`<script>${script}</script>`)}
      </body>
    </html> `
}

/** A text of ours that is markup, style or script already. */
function trusted(text: string): Html {
  return new Html([text], [])
}

function contents(parts: readonly PagePart[]): Html | undefined {
  if (parts.length < 2) return undefined
  const links = parts.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)
  return html`<nav aria-label="Contents">
    <ul class="contents">
      ${links}
    </ul>
  </nav>`
}

/** Hidden where no script runs: it could do nothing. */
function toolbar(clusters: readonly ObjectName[]): Html {
  const options = clusters.map((cluster, index) => html`<option value="${index}">${objectPath(cluster)}</option>`)
  const filter = html`<span class="field"
    ><label for="cluster">Cluster</label>
    <select id="cluster">
      <option value="">all</option>
      ${options}
    </select></span
  >`
  return html`<div id="tools" class="tools" role="search" hidden>
    <form>
      <span class="field search"
        ><label for="search">Search</label> <input id="search" type="search" autocomplete="off" spellcheck="false"
      /></span>
      ${clusters.length > 1 ? filter : undefined}
      <button id="unfold" type="button">Open all</button>
      <button id="scheme" type="button">Dark colours</button>
      <p id="found" class="found" role="status"></p>
    </form>
  </div>`
}
