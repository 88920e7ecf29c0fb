import { findUnread } from '../../check/rules/unread-values.ts'
import type { Chart } from '../../model/chart.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import type { Release, ReleaseAddon } from '../../model/release.ts'
import type { Source, Span } from '../../model/source.ts'
import { createTokenTable } from '../../model/token.ts'
import type { ValueReads } from '../../model/value-reads.ts'
import { Dict, type Value } from '../../model/value.ts'
import { spanInLayer } from '../../render/explain/values-place.ts'
import { defaultClassVariables } from '../../render/stack/class-variables.ts'
import { type ClusterOptions, renderCluster } from '../../render/stack/render-cluster.ts'
import { renderRuntimeValues } from '../../render/stack/runtime-values.ts'
import { diagnosticsOf } from '../diagnostics.ts'
import type { SampleCluster } from './sample-cluster.ts'

/** The inputs of a trial besides the addon. */
export interface AddonTrial {
  readonly release: Release
  /** Absent: the class could not be rendered. */
  readonly clusterClass: Dict | undefined
  readonly sample: SampleCluster
  readonly options: ClusterOptions
}

/**
 * Renders an addon of a release for a sample Cluster. An error is what no values of a cluster can mend; what they can
 * is a warning. Of a chart that lacks charts below it, which are fetched later, only its own templates are looked at.
 */
export function tryAddon(addon: ReleaseAddon, trial: AddonTrial): readonly Diagnostic[] {
  const given = addon.overwrite === undefined ? { problems: [] } : tryOverwrite(addon.overwrite, trial)
  // what is wrong with them is said once
  const isGiven = given.problems.every(({ severity }) => severity !== 'error')
  const rendered = renderAlone(isGiven ? addon : { name: addon.name, chart: addon.chart }, trial)
  const unread =
    given.values === undefined || rendered.reads === undefined
      ? []
      : findUnreadIn(given.values, addon.chart, rendered.reads)
  return [...given.problems, ...rendered.problems, ...unread].map((finding) => ({
    ...finding,
    about: { addon: addon.name },
  }))
}

/** Values as the template of an addon renders them. */
interface GivenValues {
  readonly source: Source
  readonly values: Dict
}

function tryOverwrite(
  source: Source,
  { sample, clusterClass, options }: AddonTrial,
): { readonly problems: readonly Diagnostic[]; readonly values?: GivenValues } {
  const { object } = sample.cluster
  try {
    const values = renderRuntimeValues(source, {
      cluster: clusterClass === undefined ? object : defaultClassVariables(object, clusterClass),
      supplied: new Map(),
      runtimeFields: 'bind',
      tokens: createTokenTable(),
      crypto: options.crypto,
      onFinding: () => undefined,
    })
    return { problems: unsetIn(values, []).map((path) => unsetField(source, values, path)), values: { source, values } }
  } catch (error) {
    const isCertain = (code: Code): boolean =>
      code === 'TEMPLATE_PARSE' ||
      // a variable that is made up may be of another form, and without its class nobody knows the variables
      (code === 'CHART_VALUES_INVALID' && clusterClass !== undefined && !sample.isMadeUp)
    return { problems: diagnosticsOf(error).map((finding) => (isCertain(finding.code) ? finding : inDoubt(finding))) }
  }
}

const NO_VALUE = '<no value>'

/** Paths of values that hold what a template prints of a field that is not there. */
function unsetIn(value: Value, path: readonly string[]): readonly (readonly string[])[] {
  if (typeof value === 'string') return value.includes(NO_VALUE) ? [path] : []
  if (Array.isArray(value)) return value.some((item) => unsetIn(item, path).length > 0) ? [path] : []
  return value instanceof Dict ? [...value].flatMap(([key, child]) => unsetIn(child, [...path, key])) : []
}

function unsetField(source: Source, values: Dict, path: readonly string[]): Diagnostic {
  return {
    code: 'CHART_VALUES_INVALID',
    severity: 'warning',
    message: `the template prints ${NO_VALUE} for ${path.join('.')}: a Cluster need not have the field that it reads`,
    at: keyIn({ source, values }, path),
    hint: 'Correct the name of the field, or say what holds without it: `{{ if … }}`, `default`.',
  }
}

function keyIn({ source, values }: GivenValues, path: readonly string[]): Span {
  return spanInLayer({ source, values, form: 'template', prefix: [], isOfFleet: false }, path, 'key')
}

/** Keys that the chart does not know: the operator takes them without a word, so they stop nothing. */
function findUnreadIn(given: GivenValues, chart: Chart, reads: ValueReads): readonly Diagnostic[] {
  const facts = { chart, values: [given], templates: undefined, reads: () => reads }
  return findUnread(facts, keyIn).map(({ message, at, hint }) => ({
    code: 'VALUES_KEY_UNREAD',
    severity: 'warning',
    message,
    at,
    hint: at !== undefined && isValuesText(given, at) ? VALUES_TEXT : hint,
  }))
}

const VALUES_TEXT =
  'Did you mean `values: |`? Under another name the text is one value of the chart, and no values file.'

/** True of a first key that holds a text of several lines, as `values` does. */
function isValuesText({ source, values }: GivenValues, { start }: Span): boolean {
  const key = /^([\w-]+):[ \t]*[|>]/.exec(source.text.slice(start))?.[1]
  return key !== undefined && typeof values.get(key) === 'string'
}

function renderAlone(
  addon: ReleaseAddon,
  { release, clusterClass, sample, options }: AddonTrial,
): { readonly problems: readonly Diagnostic[]; readonly reads?: ValueReads | undefined } {
  const missing = missingCharts(addon.chart)
  const chart = missing.length === 0 ? addon.chart : withoutCharts(addon.chart, missing)
  // by itself, also where no stage applies it
  const alone: Release = { ...release, form: 'single', addons: [{ ...addon, chart }], stages: {} }
  const inputs = { cluster: sample.cluster, release: alone, ownCharts: new Map(), ownTemplates: new Map() }
  try {
    const { locator } = renderCluster(clusterClass === undefined ? inputs : { ...inputs, clusterClass }, options)
    return { problems: [], reads: missing.length === 0 ? locator.readsOf(addon.name) : undefined }
  } catch (error) {
    const problems = diagnosticsOf(error).map((finding) =>
      isCertain(finding, addon.chart) ? finding : inDoubt(finding),
    )
    return { problems: missing.length === 0 ? problems : problems.filter(({ code }) => certain.has(code)) }
  }
}

/** Names of charts that are to be fetched. */
function missingCharts({ metadata, dependencies }: Chart): readonly string[] {
  const names = metadata.dependencies.map(({ name }) => name)
  return names.filter((name) => dependencies.every((chart) => chart.metadata.name !== name))
}

function withoutCharts(chart: Chart, missing: readonly string[]): Chart {
  const dependencies = chart.metadata.dependencies.filter(({ name }) => !missing.includes(name))
  return { ...chart, metadata: { ...chart.metadata, dependencies } }
}

/** Codes of what a chart is, whatever values it gets. */
const certain: ReadonlySet<Code> = new Set<Code>(['TEMPLATE_PARSE', 'CHART_NOT_INSTALLABLE', 'CHART_KUBE_VERSION'])

function isCertain({ code, message, trace = [] }: Diagnostic, chart: Chart): boolean {
  if (certain.has(code)) return true
  if (code !== 'TEMPLATE_EXECUTION' || !message.includes('no template has the name')) return false
  // a name that is written there, and that no chart has, not even one that values switch on
  const name = /<(?:.* )?include ("(?:[^"\\]|\\.)*") .*>$/.exec(trace[0]?.what ?? '')?.[1]
  return name !== undefined && !defines(chart, name)
}

function defines({ templates, dependencies }: Chart, quoted: string): boolean {
  const name = quoted.slice(1, -1)
  const isDefined = templates.some(
    ({ text }) => text.includes(`define ${quoted}`) || text.includes(`define \`${name}\``),
  )
  return isDefined || dependencies.some((chart) => defines(chart, quoted))
}

/** The warning about a problem that a cluster may mend by values of its own, or by fields that it has. */
function inDoubt(finding: Diagnostic): Diagnostic {
  return {
    ...finding,
    severity: 'warning',
    message: `without values of a cluster the addon cannot be rendered: ${finding.message}`,
    hint: `Every cluster has to give it values. Correct the addon if that is not meant.`,
  }
}
