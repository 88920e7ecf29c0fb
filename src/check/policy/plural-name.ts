import { textAt } from '../../model/field.ts'
import type { Dict } from '../../model/value.ts'

/** Kinds of Kubernetes whose plural is not made by the rule. */
const irregular: Readonly<Record<string, string>> = { Endpoints: 'endpoints' }

/** The plural of a kind of Kubernetes itself, or of one that no definition tells. */
export function guessedPlural(kind: string): string {
  const singular = kind.toLowerCase()
  if (/(?:s|x|ch|sh)$/.test(singular)) return irregular[kind] ?? `${singular}es`
  return /[^aeiou]y$/.test(singular) ? `${singular.slice(0, -1)}ies` : `${singular}s`
}

/** The plural of kinds by `group kind`, as definitions have it. */
export function definedPlurals(definitions: Iterable<Dict>): ReadonlyMap<string, string> {
  const plurals = new Map<string, string>()
  for (const definition of definitions)
    plurals.set(
      `${textAt(definition, 'spec', 'group')} ${textAt(definition, 'spec', 'names', 'kind')}`,
      textAt(definition, 'spec', 'names', 'plural'),
    )
  return plurals
}
