import type { Code } from '../../model/error-codes.ts'
import { parseObjectPath } from '../../model/object-name.ts'
import type { Span } from '../../model/source.ts'
import { formatPlace, type ReportedFinding } from '../describe-finding.ts'
import { excerptOf } from '../excerpt.ts'
import { exceptionTexts, type FindingList, openFindings } from '../forms/finding-list.ts'
import { formatSubjects } from '../format-subjects.ts'
import { plural } from '../plural.ts'
import type { ClusterNumbers } from './cluster-ranges.ts'
import { type Html, html } from './html.ts'
import type { PagePart } from './page.ts'

/** Findings of one rule, and of all rules: more help nobody. */
const [OF_RULE, OF_ALL] = [200, 3000]

const titles = { error: 'Errors', warning: 'Warnings', note: 'Notes' } as const
const kinds = ['error', 'warning', 'note'] as const

/** Findings as parts of a page: by severity, and in each by rule; what the fleet acknowledges last. */
export function findingParts(list: FindingList, numbers: ClusterNumbers): readonly PagePart[] {
  const open = openFindings(list)
  let room = OF_ALL
  const entriesOf = (findings: readonly ReportedFinding[], isOpen: boolean): Html =>
    html`${byRule(findings, list).map(([code, same]) => {
      const shown = same.slice(0, Math.min(OF_RULE, room))
      room -= shown.length
      return ruleEntry(
        { code, shown, left: same.length - shown.length, isOpen: isOpen || isAlarming(same) },
        { list, numbers },
      )
    })}`
  const parts = kinds.flatMap((kind): readonly PagePart[] => {
    const found = open.filter(({ severity }) => severity === kind)
    if (found.length === 0) return []
    const content = entriesOf(found, kind === 'error')
    return [{ id: `${kind}s`, title: titles[kind], count: String(found.length), content }]
  })
  const accepted = list.findings.filter(({ acknowledgement }) => acknowledgement !== undefined)
  if (accepted.length === 0) return parts
  const content = entriesOf(accepted, false)
  return [...parts, { id: 'acknowledged', title: 'Acknowledged', count: String(accepted.length), content }]
}

function isAlarming(findings: readonly ReportedFinding[]): boolean {
  return findings.some(({ isNew, severity, acknowledgement }) => isNew && severity === 'warning' && !acknowledgement)
}

/** The sum of the findings: what keeps a check from passing first. */
export function sumOfFindings(list: FindingList): Html {
  const open = openFindings(list)
  const counts = kinds.flatMap((kind) => {
    const count = open.filter(({ severity }) => severity === kind).length
    return count === 0 ? [] : [plural(count, kind)]
  })
  const accepted = list.findings.length - open.length
  const all = accepted === 0 ? counts : [...counts, `${String(accepted)} acknowledged`]
  return html`<span class="badge ${list.isPassed ? 'good' : 'danger'}">${list.isPassed ? 'passed' : 'failed'}</span>
    ${all.length === 0 ? 'Nothing found.' : all.join(', ')}${
      list.incomplete === undefined ? undefined : html`<br /><strong>${list.incomplete}</strong>`
    }${exceptionTexts(list).map((text) => html`<br />${text}`)}`
}

/** In the order of the rules, which begin with what destroys; others behind them as they were met. */
function byRule(
  findings: readonly ReportedFinding[],
  { rules }: FindingList,
): readonly (readonly [Code, readonly ReportedFinding[]])[] {
  const found = new Map<Code, ReportedFinding[]>()
  for (const finding of findings) {
    const same = found.get(finding.code)
    if (same === undefined) found.set(finding.code, [finding])
    else same.push(finding)
  }
  const places = new Map(rules.map(({ code }, index) => [code, index]))
  const place = (code: Code): number => places.get(code) ?? rules.length
  return [...found].toSorted(([a], [b]) => place(a) - place(b))
}

interface RuleEntry {
  readonly code: Code
  readonly shown: readonly ReportedFinding[]
  readonly left: number
  readonly isOpen: boolean
}

interface Context {
  readonly list: FindingList
  readonly numbers: ClusterNumbers
}

function ruleEntry({ code, shown, left, isOpen }: RuleEntry, context: Context): Html {
  const summary = context.list.rules.find((rule) => rule.code === code)?.summary
  // a hint that all have stands once
  const hints = new Set(shown.map(({ hint }) => hint))
  const [common] = shown.length > 1 && hints.size === 1 ? hints : []
  return html`<details class="entry" data-part ${isOpen ? html`open` : undefined}>
    <summary>
      <h3>${code}</h3>
      <span class="meta">${shown.length + left} ${summary === undefined ? undefined : html`&middot; ${summary}`}</span>
    </summary>
    <div class="body">
      ${common === undefined ? undefined : html`<p class="hint">${common}</p>`}
      <ul class="findings">
        ${shown.map((finding) => findingItem(finding, { ...context, isHintKnown: common !== undefined }))}
      </ul>
      ${left > 0 ? moreText(left) : undefined}
    </div>
  </details> `
}

function moreText(left: number): Html {
  return html`<p class="more">
    &hellip; and ${plural(left, 'more finding')}: <code>stackmason check -o json</code> has all.
  </p>`
}

function findingItem(
  finding: ReportedFinding,
  { list, numbers, isHintKnown }: Context & { readonly isHintKnown: boolean },
): Html {
  const { message, place, at, trace, about, hint, acknowledgement, isNew } = finding
  const subjects = formatSubjects(about)
  const ranges = numbers.ranges(
    about.flatMap(({ cluster }) => (cluster === undefined ? [] : [parseObjectPath(cluster)])),
  )
  const clusters = ranges === undefined ? undefined : html`data-clusters="${ranges}"`
  return html`<li data-entry ${clusters}>
    <p class="message">${isNew ? html`<span class="badge warning">new</span> ` : undefined}${lines(message)}</p>
    ${place === undefined ? undefined : html`<p><code>${formatPlace(place)}</code></p>`}
    ${at === undefined ? undefined : excerpt(at, list.mask)}
    ${
      trace.length === 0
        ? undefined
        : html`<ul class="trace meta">
            ${trace.map(
              (step) =>
                html`<li>
                  in
                  ${step.what}${step.place === undefined ? undefined : html` at <code>${formatPlace(step.place)}</code>`}
                </li> `,
            )}
          </ul>`
    }
    ${subjects === '' ? undefined : html`<p class="meta">${subjects}</p>`}
    ${isHintKnown ? undefined : html`<p class="hint">${lines(hint)}</p>`}
    ${
      acknowledgement === undefined
        ? undefined
        : html`<p class="meta">Acknowledged until ${acknowledgement.until}: ${acknowledgement.reason}</p>`
    }
  </li> `
}

/** Lines of a text, each of them escaped. */
function lines(text: string): Html {
  const [first = '', ...others] = text.trimEnd().split('\n')
  return html`${first}${others.map((line) => html`<br />${line}`)}`
}

/** The line that a finding points to, with what it is about marked, unless a secret may go across the ends of that. */
function excerpt(at: Span, mask: (text: string) => string): Html | undefined {
  const found = excerptOf(at)
  if (found === undefined) return undefined
  const { line, text, start, length } = found
  const number = html`<span class="number">${line} | </span>`
  if (mask(text) !== text) return html`<pre class="excerpt">${number}${text}</pre>`
  const [before, marked, after] = [text.slice(0, start), text.slice(start, start + length), text.slice(start + length)]
  return html`<pre class="excerpt">${number}${before}<mark>${marked}</mark>${after}</pre>`
}
