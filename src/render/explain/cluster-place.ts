import { fieldAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import type { Span } from '../../model/source.ts'
import type { Dict, Value } from '../../model/value.ts'
import type { TemplatePlace } from './template-places.ts'
import { clusterPaths, scalarText } from './values-place.ts'

/** A Cluster as a template sees it, and the positions of its fields. */
export interface LocatedCluster {
  /** Reads it, with where its fields are written; asked for only where a template reads it. */
  readonly read: () => {
    readonly value: Dict
    readonly spanOf: (path: readonly PathStep[]) => Span | undefined
  }
  /** The value of the running cluster that is supplied for a field, by its path from `Cluster` on. */
  readonly supplied: (path: string) => { readonly value: string; readonly at: Span } | undefined
  /** Where the class writes the default of a variable. */
  readonly defaultOf: (variable: string) => { readonly value: Value; readonly at: Span } | undefined
}

const VARIABLES = ['spec', 'topology', 'variables'] as const

/**
 * The field of the Cluster, or the value supplied for it, that an action of a template names and whose value stands in
 * one of the texts; else, in a template that reads the class's variables, the only variable with exactly that value.
 */
export function findClusterPlace(
  place: TemplatePlace,
  texts: readonly string[],
  { read, supplied, defaultOf }: LocatedCluster,
): Span | undefined {
  for (const path of clusterPaths(place)) {
    const given = supplied(['Cluster', ...path].join('.'))
    if (given !== undefined && texts.some((whole) => whole.includes(given.value))) return given.at
    const { value, spanOf } = read()
    const text = scalarText(fieldAt(value, ...path) ?? null)
    const at = text !== '' && texts.some((whole) => whole.includes(text)) ? spanOf(path) : undefined
    if (at !== undefined) return at
  }
  const template = place.source.text
  if (!/topology\.variables/.test(template)) return undefined
  const isShown = (value: Value): boolean => {
    const text = scalarText(value)
    return text !== '' && texts.includes(text)
  }
  const { value: cluster, spanOf } = read()
  const set = itemsAt(cluster, ...VARIABLES)
  const shown = set.flatMap((item, index) =>
    isShown(fieldAt(item, 'value') ?? null) ? (spanOf([...VARIABLES, index, 'value']) ?? []) : [],
  )
  const names = new Set([...template.matchAll(/["']([A-Za-z0-9_.-]+)["']/g)].map((match) => match[1] ?? ''))
  const unset = [...names].filter((name) => !set.some((item) => textAt(item, 'name') === name))
  const defaults = unset.flatMap((name) => {
    const found = defaultOf(name)
    return found !== undefined && isShown(found.value) ? [found.at] : []
  })
  const [only, ...more] = [...shown, ...defaults]
  return more.length === 0 ? only : undefined
}
