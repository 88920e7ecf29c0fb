import type { FormatList } from './finding-list.ts'
import { formatListHtml } from '../html/format-list-html.ts'
import { formatCodeQuality } from './format-code-quality.ts'
import { formatGithub } from './format-github.ts'
import { formatJunit } from './format-junit.ts'
import { formatMarkdownList } from './format-markdown-list.ts'
import { formatSarif } from './format-sarif.ts'

/** The forms that a list of findings is shown in, besides text and JSON. */
export const findingForms: ReadonlyMap<string, FormatList> = new Map([
  ['markdown', (list) => formatMarkdownList(list)],
  ['html', formatListHtml],
  ['github', formatGithub],
  ['junit', formatJunit],
  ['sarif', formatSarif],
  ['code-quality', formatCodeQuality],
])
