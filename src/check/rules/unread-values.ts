import { spanInValues } from '../../codec/yaml/positioned-file.ts'
import type { Chart } from '../../model/chart.ts'
import type { ValuesFile } from '../../model/fleet.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { shownKey } from '../../model/shown-name.ts'
import type { Span } from '../../model/source.ts'
import { Dict } from '../../model/value.ts'
import type { ValueReads } from '../../model/value-reads.ts'
import { chartsOn, type KnownValues, valuesBelow, rootValues } from '../chart-values.ts'
import type { AddonFacts } from '../checked-unit.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'
import { actionsIn, wordsFor, wordsIn } from '../template-words.ts'

/** Keys of values that no template of their chart reads, mostly misspelt or from another version of the chart. */
export const unreadValues: Rule = unitRule(
  {
    code: 'VALUES_KEY_UNREAD',
    severity: 'warning',
    explanation: [
      'Helm takes any values without a word: what is misspelt, indented wrongly or known by another version of the chart only is not used. An error where a key of the chart has nearly that name, else a warning.',
      'A key of the values that the fleet gives an addon is reported only if all of this holds: the defaults (values.yaml) and the schema of its chart do not have it where its neighbours stand, and it names no chart below, condition, tag or global; no template action that could read it contains it as a word, in templates, in text files of the chart or in texts of values; and a render with these values shows that templates read the map around it key by key, and never as a whole (toYaml, range, merge and the like).',
      'So below a map that is empty by default, in lists, and below what no template looks at with these values nothing is reported.',
    ],
  },
  (unit) =>
    (unit.cluster?.addons ?? []).flatMap((addon) =>
      findUnread(addon).map((found) => ({ ...found, about: { addon: addon.name } })),
    ),
)

interface Candidate {
  readonly path: readonly string[]
  /** Of the keys beside it. */
  readonly near: string | undefined
}

/** Where a file of values has a key. */
type LocateKey = (file: ValuesFile, path: readonly string[]) => Span

/** The keys of values that an addon gets for nothing. `locate` is for values that are no file of YAML. */
export function findUnread(
  { chart, values, templates, reads }: Pick<AddonFacts, 'chart' | 'values' | 'templates' | 'reads'>,
  locate: LocateKey = ({ source }, path) => spanInValues(source, path, 'key'),
): readonly RuleFinding[] {
  if (values.length === 0) return []
  if (chart === undefined) return templates === undefined ? [] : unreadOfTemplates({ values, templates })
  const candidates = values.map((file) => ({ file, unknown: unknownIn(file.values, chart) }))
  if (candidates.every(({ unknown }) => unknown.length === 0)) return []
  const given = wordsIn(values.map(({ source }) => source.text)).words
  let noted: ValueReads | undefined | 'unasked' = 'unasked'
  return candidates.flatMap(({ file, unknown }) =>
    unknown.flatMap(({ path, near }): readonly RuleFinding[] => {
      const key = path.at(-1) ?? ''
      const charts = chartsOn(chart, path.slice(0, -1))
      const { words, takesAll } = wordsFor(charts)
      if (words.has(key) || given.has(key)) return []
      if (noted === 'unasked') noted = reads()
      if (noted === undefined || mayBeRead(path, noted, takesAll)) return []
      const below = charts.length === path.length ? chartWith(key, charts.at(-1) ?? chart) : undefined
      return [finding(path, { near, below, at: locate(file, path) })]
    }),
  )
}

/** The key of the chart below that knows a value: it was written one level too high. */
function chartWith(key: string, chart: Chart): string | undefined {
  return chart.dependencies
    .map(({ metadata }) => metadata.name)
    .find((name) => {
      const place = valuesBelow(rootValues(chart), name)
      return place?.kind === 'map' && key !== 'global' && place.keys.has(key)
    })
}

/** Of files of values, by chart: most are those of many clusters. */
const known = new WeakMap<Chart, WeakMap<Dict, readonly Candidate[]>>()

/** Keys that nothing in the chart knows, topmost only. */
function unknownIn(values: Dict, chart: Chart): readonly Candidate[] {
  const ofChart = known.get(chart) ?? new WeakMap<Dict, readonly Candidate[]>()
  known.set(chart, ofChart)
  const found = ofChart.get(values) ?? unknownKeys(values, rootValues(chart), [])
  ofChart.set(values, found)
  return found
}

function unknownKeys(values: Dict, place: KnownValues, path: readonly string[]): readonly Candidate[] {
  if (place.kind === 'open') return []
  return [...values].flatMap(([key, value]): readonly Candidate[] => {
    const below = valuesBelow(place, key)
    const own = [...path, key]
    if (below === undefined) return [{ path: own, near: nearestName(key, [...place.keys.keys()]) }]
    return value instanceof Dict ? unknownKeys(value, below, own) : []
  })
}

/** True unless templates read the map around the key, key by key. */
function mayBeRead(path: readonly string[], reads: ValueReads, takesAll: boolean): boolean {
  const around = path.slice(0, -1)
  const noted = reads(around)
  // a chart of charts only has no template that could read its own values
  if (noted === undefined) return around.length > 0 || takesAll
  return noted.isWhole || noted.keys.has(path.at(-1) ?? '')
}

/** Of a folder of Handlebars templates only the first keys are known, by the words in their actions. */
function unreadOfTemplates({
  values,
  templates,
}: Pick<AddonFacts, 'values'> & { readonly templates: NonNullable<AddonFacts['templates']> }): readonly RuleFinding[] {
  const actions = templates.flatMap(({ text }) => actionsIn(text))
  if (actions.some((action) => /(?<![.\w-])(?:@root\.)?values(?![.\w-])|\.\.\//.test(action))) return []
  const { words } = wordsIn(actions)
  return values.flatMap(({ source, values: given }) =>
    [...given.keys()]
      .filter((key) => !words.has(key))
      .map((key) =>
        finding([key], { near: nearestName(key, namesIn(actions)), at: spanInValues(source, [key], 'key') }),
      ),
  )
}

/** The first keys of values that actions name. */
function namesIn(actions: readonly string[]): readonly string[] {
  return actions.flatMap((action) =>
    [...action.matchAll(/(?<![\w-])values\.([A-Za-z0-9_-]+)/g)].flatMap(([, name]) => name ?? []),
  )
}

interface Unread extends Pick<Candidate, 'near'> {
  readonly at: Span
  readonly below?: string | undefined
}

function finding(path: readonly string[], { near, below, at }: Unread): RuleFinding {
  const [key = ''] = path.slice(-1)
  const around = path.slice(0, -1).map((step) => (/^[\w-]+$/.test(step) ? step : JSON.stringify(step)))
  const where = around.length === 0 ? '' : ` below ${around.join('.')}`
  const hints = [
    ...(near === undefined ? [] : [`Did you mean ${near}?`]),
    ...(below === undefined ? [] : [`The chart ${below} has it: write it below ${[...around, below].join('.')}.`]),
  ]
  return {
    severity: hints.length === 0 ? 'warning' : 'error',
    message: `no template reads the key ${shownKey(key)}${where}`,
    at,
    hint: hints.length === 0 ? 'Remove it, or look up its name in the values.yaml of the chart.' : hints.join(' '),
  }
}
