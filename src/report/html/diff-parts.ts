import type { FieldChange, FoldedChange, FoldedObject, TreeChange, UnreadFile } from '../../model/tree-change.ts'
import { plural } from '../plural.ts'
import { objectTitle, partTitle, riskWords, wordWeights } from '../tree-change/describe-risk.ts'
import { isSameButName, shownGroups, signs } from '../tree-change/format-diff.ts'
import { factSections, type FactSection } from '../tree-change/format-facts.ts'
import { contentLines, ONE_OF_MANY } from '../tree-change/content-lines.ts'
import {
  describeField,
  differingParts,
  foldAlike,
  HIDDEN,
  isReordering,
  valueText,
} from '../tree-change/format-field.ts'
import { type HunkLine, lineHunks } from '../tree-change/line-hunks.ts'
import { createClusterNames } from '../tree-change/name-clusters.ts'
import type { ClusterNumbers } from './cluster-ranges.ts'
import { type Html, html } from './html.ts'
import type { PagePart } from './page.ts'

/**
 * Limits of what one change shows: objects, fields of an object, lines of a text, characters of a value; files not
 * compared.
 */
const most = { objects: 200, fields: 60, lines: 60, characters: 600, files: 200 } as const
/** Fields on a page, and changes: more make a browser slow. */
const [ALL_FIELDS, ALL_CHANGES] = [20_000, 2000]
/** Changes are open where all of them fit some screens. */
const OPEN_FIELDS = 40

/** The difference as parts of a page: facts in the order of the text, each change once, what was not compared. */
export function diffParts(change: TreeChange, numbers: ClusterNumbers): readonly PagePart[] {
  return [...factParts(change), ...changeParts(change, numbers)]
}

/** The facts that a reviewer must know first. */
export function factParts(change: TreeChange): readonly PagePart[] {
  const short = { detail: 'short', name: createClusterNames('short') } as const
  const all = factSections(change, { detail: 'all', name: createClusterNames('all') })
  return factSections(change, short).map((section, index) => factPart(section, all[index] ?? section))
}

/** Each change once, and what was not compared. */
export function changeParts({ groups, facts }: TreeChange, numbers: ClusterNumbers): readonly PagePart[] {
  return [...changePart(shownGroups(groups), numbers), ...(facts.unread.length === 0 ? [] : [unreadPart(facts.unread)])]
}

function factPart(section: FactSection, whole: FactSection): PagePart {
  const { title, rows, more } = section
  const count = rows.length + more
  return {
    id: title.toLowerCase().replaceAll(' ', '-'),
    title,
    count: count > 3 ? String(count) : undefined,
    content: html`<ul class="card facts">
      ${rows.map(factRow)}${more > 0 ? wholeList(whole) : undefined}
    </ul>`,
  }
}

function wholeList({ rows }: FactSection): Html {
  return html`<li class="wide">
    <details>
      <summary>All ${rows.length}, in full</summary>
      <ul class="facts">
        ${rows.map(factRow)}
      </ul>
    </details>
  </li>`
}

function factRow([what, text]: FactSection['rows'][number]): Html {
  const weight = wordWeights[what]
  const head = weight === undefined ? html`<b>${what}</b>` : badge(what)
  return html`<li>${head} <span>${text}</span></li> `
}

/** A word of an effect, as loud as it is dangerous. */
function badge(word: string): Html {
  return html`<span class="badge ${wordWeights[word]}">${word}</span>`
}

function changePart(groups: readonly FoldedChange[], numbers: ClusterNumbers): readonly PagePart[] {
  if (groups.length === 0) return []
  const fields = (of: readonly FoldedChange[]): number =>
    of.reduce((sum, group) => sum + shownObjects(group).reduce((own, object) => own + roomOf(object), 0), 0)
  const isOpen = fields(groups) <= OPEN_FIELDS
  let room = ALL_FIELDS
  const shown = groups.slice(0, ALL_CHANGES).map((group) => {
    room -= Math.max(1, fields([group]))
    return changeEntry(group, { numbers, isOpen, hasRoom: room >= 0 })
  })
  const left = groups.length - shown.length
  return [
    {
      id: 'changes',
      title: 'Changes',
      count: String(groups.length),
      content: html`${shown}${left > 0 ? moreText(plural(left, 'more change')) : undefined}`,
    },
  ]
}

interface EntryContext {
  readonly numbers: ClusterNumbers
  readonly isOpen: boolean
  /** False: the page is full, and the change is named only. */
  readonly hasRoom: boolean
}

function changeEntry(group: FoldedChange, { numbers, isOpen, hasRoom }: EntryContext): Html {
  const { part, clusters, others } = group
  const objects = differentObjects(group)
  const renamed = group.objects.length - objects.length
  const risks = [...new Set(objects.flatMap((object) => object.risks))].map((risk) => riskWords[risk])
  const shown = shownObjects(group)
  const left = objects.length - shown.length
  const who = createClusterNames('short')(clusters)
  const everybody = createClusterNames('all')(clusters)
  const ranges = numbers.ranges(clusters)
  const body = html`${everybody === who ? undefined : html`<p class="names">${everybody}</p>`}${oddOnes(others)}
    <ul class="objects">
      ${shown.map(objectItem)}
    </ul>
    ${left > 0 ? moreText(plural(left, 'more object')) : undefined}${
      renamed > 0 ? html`<p class="more">${plural(renamed, 'object')} with no difference but the name</p>` : undefined
    }`
  return html`<details
    class="entry"
    data-entry${ranges === undefined ? undefined : html` data-clusters="${ranges}"`}${isOpen ? html` open` : undefined}
  >
    <summary>
      <h3>${partTitle(part)}${who === '' ? undefined : html`: ${who}`}</h3>
      ${risks.map((risk) => html`${badge(risk)} `)}<span class="meta">${plural(objects.length, 'object')}</span>
    </summary>
    <div class="body">${hasRoom ? body : moreText(plural(objects.length, 'object'))}</div>
  </details> `
}

function differentObjects({ objects }: FoldedChange): readonly FoldedObject[] {
  return objects.filter((object) => !isSameButName(object))
}

function shownObjects(group: FoldedChange): readonly FoldedObject[] {
  return differentObjects(group).slice(0, most.objects)
}

/** Content counts like fields, so that a page with many new objects stays one that a browser can show. */
function roomOf({ fields, content }: FoldedObject): number {
  return fields.length + (content === undefined ? 0 : OPEN_FIELDS / 4)
}

function moreText(what: string): Html {
  return html`<p class="more">&hellip; and ${what}: <code>stackmason diff --all</code> shows everything.</p>`
}

function oddOnes(others: FoldedChange['others']): Html | undefined {
  if (others === undefined) return undefined
  const name = createClusterNames('all')
  const line = (clusters: FoldedChange['clusters'], why: string): Html | undefined =>
    clusters.length === 0 ? undefined : html`<p class="names"><b>Not</b> ${name(clusters)}: ${why}</p>`
  return html`${line(others.unchanged, 'unchanged there')}${line(others.different, 'another change there')}`
}

const words: Readonly<Record<FoldedObject['change'], string>> = {
  added: 'added',
  removed: 'removed',
  changed: 'changed',
  renamed: 'renamed',
}

function objectItem(object: FoldedObject): Html {
  const { change, fields, risks, units } = object
  const alike = foldAlike(fields)
  const shown = alike.slice(0, most.fields)
  const left = alike.slice(most.fields).reduce((sum, { others }) => sum + others + 1, 0)
  const sign = change === 'added' || change === 'removed' ? html`<b>${words[change]}</b> ` : undefined
  return html`<li>
    <p class="object">
      <span class="sign" aria-hidden="true">${signs[change]}</span>${sign}${objectTitle(object)}
      ${risks.map((risk) => html`${badge(riskWords[risk])} `)}
    </p>
    ${units === undefined ? undefined : html`<p class="meta">unit: ${units.before} &rarr; ${units.after}</p>`}${
      shown.length === 0
        ? undefined
        : html`<ul class="fields">
            ${shown.map(({ field, others }) => fieldItem(field, others))}
          </ul>`
    }${left > 0 ? html`<p class="more">&hellip; and ${plural(left, 'more field')}</p>` : undefined}${contentOf(object)}
  </li> `
}

/** A new object as it is, in YAML. */
function contentOf(object: FoldedObject): Html | undefined {
  const { lines, more } = contentLines(object, most.lines)
  if (lines.length === 0) return undefined
  return html`${object.isOneOfMany === true ? html`<p class="meta">${ONE_OF_MANY}</p>` : undefined}
    <pre class="lines">${lines.map((line) => hunkLine({ sign: '+', line }))}</pre>
    ${more > 0 ? html`<p class="more">&hellip; and ${plural(more, 'more line')}</p>` : undefined}`
}

function fieldItem(field: FieldChange, others: number): Html {
  const described = describeField(field)
  const alike = others === 0 ? undefined : html` <span class="meta">and ${plural(others, 'more field')} alike</span>`
  return html`<li><code class="path">${described.name}</code> ${valuesOf(described)}${alike}</li> `
}

function valuesOf(described: ReturnType<typeof describeField>): Html {
  switch (described.what) {
    case 'reordered':
      return html`<span class="meta">in another order</span>`
    case 'hidden':
      return html`<span class="meta">${HIDDEN}</span>`
    case 'item':
    case 'field':
      return described.sign === '+' ? added(valueText(described.value)) : removed(valueText(described.value))
    case 'value': {
      const texts = [valueText(described.before), valueText(described.after)] as const
      const [before, after] = differingParts(...texts, most.characters)
      return html`<del class="mono">${before}</del> &rarr; <ins class="mono">${after}</ins>`
    }
    case 'lines':
      return html`${linesOf(described)}${described.isHidden ? html`<span class="meta">lines with secrets: ${HIDDEN}</span>` : undefined}`
  }
}

function linesOf(texts: { readonly before: string; readonly after: string }): Html {
  if (isReordering(texts)) return html`<span class="meta">the same lines in another order</span>`
  const { lines, more } = lineHunks(texts, { most: most.lines, context: 3 })
  return html`<pre class="lines">${lines.map(hunkLine)}</pre>
    ${more > 0 ? html`<span class="more">&hellip; and ${plural(more, 'more line')}</span>` : undefined}`
}

function hunkLine({ sign, line }: HunkLine): Html {
  switch (sign) {
    case '-':
      return html`<del>- ${cut(line)}</del>`
    case '+':
      return html`<ins>+ ${cut(line)}</ins>`
    case ' ':
      return html`<span>${'  '}${cut(line)}</span>`
    case 'gap':
      return html`<span>&hellip;</span>`
  }
}

function removed(text: string): Html {
  return html`<del class="mono">${cut(text)}</del>`
}

function added(text: string): Html {
  return html`<ins class="mono">${cut(text)}</ins>`
}

function cut(text: string): string {
  return text.length <= most.characters
    ? text
    : `${text.slice(0, most.characters)}\u2026 (${plural(text.length - most.characters, 'more character')})`
}

function unreadPart(unread: readonly UnreadFile[]): PagePart {
  const shown = unread.slice(0, most.files)
  const left = unread.length - shown.length
  return {
    id: 'not-compared',
    title: 'Not compared',
    count: String(unread.length),
    content: html`<ul class="card facts">
        ${shown.map(
          ({ path, change, reason }) =>
            html`<li data-entry>
              <b>${change}</b> <span><code>${path}</code>: ${reason}</span>
            </li> `,
        )}
      </ul>
      ${left > 0 ? html`<p class="more">&hellip; and ${plural(left, 'more file')}</p>` : undefined}`,
  }
}
