import { formatGoJson } from '../../codec/json/go-json.ts'
import { utf8Length } from '../../codec/bytes/utf8.ts'
import type { ClusterBinding } from '../../model/binding.ts'
import type { Dict } from '../../model/value.ts'

/** The limits of the CRD of RuntimeValues (templates/crds/runtimevalues.yaml); a test compares the two. */
export const bindingLimits = {
  values: 64,
  assumptions: 64,
  generators: 128,
  secrets: 64,
  entries: 64,
  characters: 262_144,
} as const

/** A server takes no more for one object, and the status and what servers note of managers need room too. */
const mostBytes = 1_000_000

/** In which ways a binding is more than one object can hold, each as a sentence; none when the server will take it. */
export function exceededLimits({ values, generators, secrets }: ClusterBinding, object: Dict): readonly string[] {
  const bytes = utf8Length(formatGoJson(object))
  return [
    ...over('values', values.length, bindingLimits.values),
    ...over('generators', generators.length, bindingLimits.generators),
    ...over('Secrets', secrets.length, bindingLimits.secrets),
    ...values.flatMap(({ name, assumptions }) =>
      over(`assumptions about ${name}`, assumptions.length, bindingLimits.assumptions),
    ),
    ...secrets.flatMap(({ namespace, name, data }) => [
      ...over(`entries in Secret ${namespace}/${name}`, data.length, bindingLimits.entries),
      ...data.flatMap((entry) =>
        'template' in entry
          ? over(
              `characters in entry ${entry.key} of Secret ${namespace}/${name}`,
              entry.template.length,
              bindingLimits.characters,
            )
          : [],
      ),
    ]),
    ...over('bytes', bytes, mostBytes),
  ]
}

function over(what: string, found: number, most: number): readonly string[] {
  return found > most ? [`${String(found)} ${what}, where ${String(most)} are the most`] : []
}
