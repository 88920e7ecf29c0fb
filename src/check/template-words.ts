import { decodeUtf8 } from '../codec/bytes/utf8.ts'
import type { Chart } from '../model/chart.ts'

/** The words in the actions of texts, and whether one of them takes all values of a chart at once. */
export interface TemplateWords {
  readonly words: ReadonlySet<string>
  readonly takesAll: boolean
}

interface ChartWords {
  readonly own: TemplateWords
  /** Of the files from which any chart may include: `_helpers.tpl` and the like. */
  readonly partial: TemplateWords
}

const known = new WeakMap<Chart, ChartWords>()

const NOTHING: TemplateWords = { words: new Set(), takesAll: false }

/**
 * The words by which templates can read the values of the last chart of `charts`, which stand each below the one
 * before: its own, those of the charts above it, and what they may include from anywhere below `charts[0]`.
 */
export function wordsFor(charts: readonly Chart[]): TemplateWords {
  const [root] = charts
  // who has no templates includes none
  if (root === undefined || charts.every(({ templates }) => templates.length === 0)) return NOTHING
  const partials: TemplateWords[] = []
  const walk = (chart: Chart): void => {
    partials.push(wordsOf(chart).partial)
    chart.dependencies.forEach(walk)
  }
  walk(root)
  const all = [...charts.map((chart) => wordsOf(chart).own), ...partials]
  return {
    words: new Set(all.flatMap(({ words }) => [...words])),
    takesAll: all.some(({ takesAll }) => takesAll),
  }
}

function wordsOf(chart: Chart): ChartWords {
  const before = known.get(chart)
  if (before !== undefined) return before
  const { templates, files, valuesFile } = chart
  const partials = templates.filter(({ name }) => name.slice(name.lastIndexOf('/') + 1).startsWith('_'))
  const found = {
    // tpl may get any text
    own: wordsIn([
      ...templates.map(({ text }) => text),
      ...files.map(({ bytes }) => decodeUtf8(bytes)),
      valuesFile?.text ?? '',
    ]),
    partial: wordsIn(partials.map(({ text }) => text)),
  }
  known.set(chart, found)
  return found
}

/** The words in the actions of texts. */
export function wordsIn(texts: readonly string[]): TemplateWords {
  const words = new Set<string>()
  let takesAll = false
  for (const action of texts.flatMap(actionsIn)) {
    for (const [word] of action.matchAll(/[A-Za-z0-9_-]+/g)) words.add(word)
    takesAll ||= /\.Values(?!\.?[A-Za-z0-9_])/.test(action)
  }
  return { words, takesAll }
}

/** The actions of a template: `{{ … }}`. */
export function actionsIn(text: string): readonly string[] {
  return [...text.matchAll(/\{\{(?:[^}]|\}(?!\}))*\}\}/g)].map(([action]) => action)
}
