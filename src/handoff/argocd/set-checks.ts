import { Dict, type Value } from '../../model/value.ts'
import type { DemandCheck } from '../demand.ts'

/** A later option takes the place of one before it (text/template). */
export function refuseOptions(found: Value | undefined): string | undefined {
  const others = Array.isArray(found) ? found.filter((option) => option !== 'missingkey=error') : []
  return others.length === 0 ? undefined : 'may hold nothing but missingkey=error'
}

/** Fields of generators that hold data of people. */
const GIVEN: ReadonlySet<string> = new Set(['elements', 'values'])

/** Refuses the templates of generators: each is merged over that of the ApplicationSet. */
export function refuseOverrides(found: Value | undefined): string | undefined {
  const children = Array.isArray(found) ? found.map((item) => ['', item] as const) : found instanceof Dict ? found : []
  for (const [key, child] of children) {
    if (GIVEN.has(key)) continue
    if (key === 'template' && child instanceof Dict) return 'may not have templates of their own'
    const below = refuseOverrides(child)
    if (below !== undefined) return below
  }
  return undefined
}

/**
 * A check of the template of Applications. Argo CD evaluates every text and key of it before it sees what they say, so
 * there may be none to evaluate but those that are `planned`, and in labels and annotations that say nothing to it.
 */
export function refuseExpressions(planned: Value): DemandCheck {
  const known = new Set(expressionsIn(planned, []))
  return (found = null) => {
    const other = expressionsIn(found, []).find((text) => !known.has(text))
    return other === undefined ? undefined : `may not have the expression ${other}`
  }
}

function expressionsIn(value: Value, path: readonly string[]): readonly string[] {
  if (typeof value === 'string') return value.includes('{{') && !isFree(path) ? [value] : []
  if (Array.isArray(value)) return value.flatMap((item) => expressionsIn(item, [...path, '']))
  if (!(value instanceof Dict)) return []
  return [...value].flatMap(([key, child]) => [
    ...(key.includes('{{') ? [key] : []),
    ...expressionsIn(child, [...path, key]),
  ])
}

function isFree([field, part, key = '', ...rest]: readonly string[]): boolean {
  const isOfMetadata = field === 'metadata' && (part === 'labels' || part === 'annotations') && rest.length === 0
  return isOfMetadata && key !== '' && !key.startsWith('argocd.argoproj.io/')
}
