import { formatHex } from '../../codec/bytes/hex.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { createHandlebars } from '../../codec/text/handlebars.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { measureText } from '../../model/forge.ts'
import type { Crypto } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'
import type { ReportedFinding } from '../describe-finding.ts'
import { markdownText, plainText } from '../forms/markdown-text.ts'
import { maskChange } from '../tree-change/mask-change.ts'
import { findMark, formatBlock, mergeBody, textOutside } from './body-block.ts'
import { digestChange } from './change-digest.ts'
import { commitText } from './commit-text.ts'
import { cutText, formatHeadline, headlineParts } from './headline.ts'
import { type Measure, packSections, type Section } from './pack-sections.ts'
import type {
  PublishedChange,
  PublishTemplates,
  PullRequestFacts,
  PullRequestText,
  TextLimits,
} from './pull-request-facts.ts'
import { isAddress, reportAddress } from './report-pointer.ts'
import { renderTemplate } from './render-template.ts'
import { bodySections, type SectionName, sectionNames } from './sections.ts'
import { type TemplateData, templateDict } from './template-fields.ts'

/** Characters of a title, and of the subject of a commit. */
const TITLE = 72
/** Of these the name of what is published. */
const PREFIX = 32
/** The least room of our block, whatever people have written around it. */
const LEAST = 1000
/** More of it would keep nobody reading, and forges from showing it. */
const MOST = 200_000
/** Hexadecimal digits of a fingerprint. */
const DIGITS = 32
const CODE = 'PUBLISH_TEMPLATE'

/** How a pull request is written. */
export interface PullRequestOptions {
  readonly templates: PublishTemplates
  readonly limits: TextLimits
  /** The body that the pull request has now; absent: there is none. */
  readonly existing?: string | undefined
  /** Hides secret values in a text. */
  readonly mask: (text: string) => string
  readonly crypto: Pick<Crypto, 'hash'>
}

/**
 * Writes what a pull request says, and the commit that it holds: what is dangerous first, and never longer than the
 * forge takes. The same input gives the same bytes.
 * @throws StackmasonError PUBLISH_TEMPLATE
 */
export function writePullRequest(
  published: PublishedChange,
  facts: PullRequestFacts,
  options: PullRequestOptions,
): PullRequestText {
  const { crypto, existing = '' } = options
  const masked = maskPublished(published, options.mask)
  const writer = new PullRequestWriter(masked, options)
  const title = writer.title(facts)
  // what differs from run to run is no reason to write it again, nor is what people write
  const lasting = withoutRun(facts)
  // which secrets are known differs from run to run, too; a digest tells none
  const plain = new PullRequestWriter(published, { ...options, mask: (text) => text })
  const said = JSON.stringify([
    plain.title(lasting),
    plain.body(lasting, { fingerprint: '', outside: '' }),
    digestChange(published.change, crypto),
  ])
  const fingerprint = formatHex(crypto.hash('sha256', encodeUtf8(said))).slice(0, DIGITS)
  return {
    fingerprint,
    title,
    body: mergeBody(existing, writer.body(facts, { fingerprint, outside: textOutside(existing) })),
    commitMessage: writer.commitMessage(facts),
  }
}

/** The same facts in each run. */
function withoutRun({ run, ...facts }: PullRequestFacts): PullRequestFacts {
  const { report } = run
  return {
    ...facts,
    run: {
      version: '0',
      commit: '0'.repeat(40),
      report: report === undefined ? undefined : isAddress(report) ? 'https://report' : report,
    },
  }
}

/** The parts of a body around our text. */
interface BodySurroundings {
  readonly fingerprint: string
  /** The text that people have written. */
  readonly outside: string
}

class PullRequestWriter {
  readonly #published: PublishedChange
  readonly #options: PullRequestOptions
  readonly #measure: Measure
  readonly #render = createHandlebars()

  constructor(published: PublishedChange, options: PullRequestOptions) {
    this.#published = published
    this.#options = options
    this.#measure = (text) => measureText(text, options.limits.unit)
  }

  title(facts: PullRequestFacts): string {
    const { templates, limits } = this.#options
    const own = this.#ownTitle(facts)
    const data = { ...this.#data(facts, plainText), title: own }
    const text = templates.title === undefined ? own : oneLine(this.#rendered(templates.title, data))
    return this.#cut(text === '' ? own : text, limits.maxTitle)
  }

  commitMessage(facts: PullRequestFacts): string {
    const data = { ...this.#data(facts, plainText), title: this.#ownTitle(facts) }
    const text = this.#rendered(this.#options.templates.commit, data).trim()
    return `${text === '' ? data.title : text}\n`
  }

  /** Our block of the body. */
  body(facts: PullRequestFacts, { fingerprint, outside }: BodySurroundings): string {
    const { templates, limits, mask } = this.#options
    const isDraft = facts.draft !== undefined
    const mark = { group: facts.group, fingerprint: fingerprint.padEnd(DIGITS, '0'), isDraft }
    const block = Math.max(LEAST, Math.min(MOST, limits.maxBody - this.#measure(outside)))
    const room = block - this.#measure(formatBlock('', mark))
    const sections = new Map(
      [...bodySections(this.#published, facts)].map(([name, section]) => [name, maskSection(section, mask)]),
    )
    const data = { ...this.#data(facts, markdownText), title: markdownText(this.title(facts)), footer: footerOf(facts) }
    const render = (texts: ReadonlyMap<SectionName, string>): string =>
      this.#rendered(templates.pullRequest, { ...data, ...sectionData(texts) }).trim()
    const text = this.#fit(sections, room, render)
    if (text === undefined)
      throw templateProblem(
        templates.pullRequest,
        0,
        `without any section the template makes more than the ${String(room)} ${limits.unit} that there is room for`,
      )
    const line = findMark(text)
    if (line !== undefined)
      throw templateProblem(
        templates.pullRequest,
        Math.max(0, templates.pullRequest.text.indexOf('stackmason:')),
        'the template writes a mark of stackmason, by which its text is found again',
      )
    return formatBlock(text, mark)
  }

  /** Undefined: it never fits. */
  #fit(
    sections: ReadonlyMap<SectionName, Section>,
    room: number,
    render: (texts: ReadonlyMap<SectionName, string>) => string,
  ): string | undefined {
    const around = this.#measure(render(new Map(sectionNames.map((name) => [name, '-'])))) - sectionNames.length
    const attempt = (most: number): string | undefined => {
      const text = render(packSections(sections, Math.max(0, most), this.#measure))
      return this.#measure(text) <= room ? text : undefined
    }
    const first = attempt(room - around)
    if (first !== undefined) return first
    // a template may write a section twice, or none where another is
    let [fits, low, high]: [string | undefined, number, number] = [attempt(0), 0, room]
    while (fits !== undefined && high - low > 64) {
      const middle = Math.floor((low + high) / 2)
      const text = attempt(middle)
      if (text === undefined) high = middle
      else [fits, low] = [text, middle]
    }
    return fits
  }

  #ownTitle({ fleet, group, draft }: PullRequestFacts): string {
    const { change, steps } = this.#published
    const [kind, stack, wave] = group.split('/')
    // what a wave moves, and where, follows
    const part =
      kind === 'rollout' && wave !== undefined ? `wave ${wave} of ${stack ?? ''}` : group.slice(group.indexOf('/') + 1)
    const prefix = cutText(plainText(group === 'fleet' ? fleet : `${fleet} ${part}`), PREFIX)
    const most = TITLE - Array.from(prefix).length - 2
    if (draft !== undefined) return this.#options.mask(`${prefix}: ${cutText(plainText(draft), most)}`)
    const headline = formatHeadline(
      headlineParts(change, steps).map(({ forms, short }) => ({
        forms: forms.map(plainText),
        short: short === undefined ? undefined : plainText(short),
      })),
      most,
    )
    return this.#options.mask(`${prefix}: ${headline}`)
  }

  #data(facts: PullRequestFacts, shown: (text: string) => string): TemplateData {
    const { change, findings } = this.#published
    const { added, removed, changed, unchanged } = change.facts.clusters
    const { fleet, group, base, head, lock = '', run } = facts
    const open = findings.filter(({ acknowledgement }) => acknowledgement === undefined)
    return {
      title: '',
      summary: '',
      effects: '',
      clusters: '',
      versions: '',
      findings: '',
      undo: '',
      changes: '',
      reproduce: '',
      steps: '',
      footer: '',
      text: this.#options.mask(commitText(this.#published, shown)),
      fleet: shown(fleet),
      group: shown(group),
      base: shown(base),
      head: shown(head),
      commit: shown(run.commit),
      version: shown(run.version),
      lock: shown(lock),
      report: shown(run.report ?? ''),
      changed,
      added: added.length,
      removed: removed.length,
      unchanged,
      objects: change.changes.length,
      errors: open.filter(({ severity }) => severity === 'error').length,
      warnings: open.filter(({ severity }) => severity === 'warning').length,
      acknowledged: findings.length - open.length,
    }
  }

  #rendered(template: Source, data: TemplateData): string {
    return renderTemplate(this.#render, template, templateDict(data))
  }

  #cut(text: string, most: number): string {
    let length = Math.min(Array.from(text).length, most)
    while (length > 0 && this.#measure(cutText(text, length)) > most) length--
    return cutText(text, length)
  }
}

function sectionData(texts: ReadonlyMap<SectionName, string>): Readonly<Record<SectionName, string>> {
  const textOf = (name: SectionName): string => (texts.get(name) ?? '').trimEnd()
  return {
    summary: textOf('summary'),
    effects: textOf('effects'),
    clusters: textOf('clusters'),
    versions: textOf('versions'),
    findings: textOf('findings'),
    undo: textOf('undo'),
    changes: textOf('changes'),
    reproduce: textOf('reproduce'),
    steps: textOf('steps'),
  }
}

function footerOf(facts: PullRequestFacts): string {
  return `<sub>The whole change is ${reportAddress(facts)}. Text above and below this block stays when it is written anew.</sub>`
}

function oneLine(text: string): string {
  return plainText(text.trim().split(/\s+/).join(' '))
}

function templateProblem(template: Source, start: number, message: string): StackmasonError {
  return new StackmasonError({ code: CODE, severity: 'error', message, at: { source: template, start, end: start } })
}

/**
 * Secrets are hidden before a value is cut, folded or escaped: of one that is cut in two neither part would be found.
 */
function maskPublished({ change, findings, steps }: PublishedChange, mask: (text: string) => string): PublishedChange {
  return { change: maskChange(change, mask), findings: findings.map((finding) => maskFinding(finding, mask)), steps }
}

function maskFinding(finding: ReportedFinding, mask: (text: string) => string): ReportedFinding {
  return { ...finding, message: mask(finding.message), hint: mask(finding.hint) }
}

function maskSection(section: Section, mask: (text: string) => string): Section {
  return {
    ...section,
    entries: section.entries.map((forms) => forms.map(({ rank, text }) => ({ rank, text: mask(text) }))),
  }
}
