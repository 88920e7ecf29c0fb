import { formatReference, referencesOf } from '../../generate/value-template.ts'
import type { ClusterBinding, Placeholder } from '../../model/binding.ts'
import { chartRootOf } from '../../model/class-reference.ts'
import type { RuntimeAssumption } from '../../model/token.ts'

/**
 * Compares what manifests wait for with what the binding gives: every name in a placeholder is a value, every value
 * fills a placeholder, goes into a Secret, or holds an assumption; what must be a number is one; every part that
 * something is made of has its generator, and every generator is of use. Returns the differences, each as a sentence.
 */
export function checkBinding(
  placeholders: readonly Placeholder[],
  { values, generators, secrets }: ClusterBinding,
  assumptions: readonly RuntimeAssumption[],
): readonly string[] {
  const wanted = new Set(placeholders.flatMap(({ names }) => names))
  const given = new Set(values.map(({ name }) => name))
  const numbers = new Set(values.flatMap(({ name, type }) => (type === 'port' || type === 'integer' ? [name] : [])))
  const made = new Set(generators.map(({ name }) => name))
  const texts = [
    ...generators.flatMap((generator) => generator.arguments),
    ...secrets.flatMap(({ data }) => data.flatMap((entry) => ('template' in entry ? [entry.template] : []))),
  ]
  const referred = texts.flatMap(referencesOf)
  const parts = new Set([
    ...values.flatMap(({ from }) => ('generator' in from ? [from.generator] : [])),
    ...secrets.flatMap(({ data }) => data.flatMap((entry) => ('generator' in entry ? [entry.generator] : []))),
    ...referred.flatMap(({ name, part }) => (part === undefined ? [] : [name])),
  ])
  const used = new Set([...wanted, ...referred.flatMap(({ name, part }) => (part === undefined ? [name] : []))])
  const assumed = new Set(assumptions.map(({ path }) => path))
  const held = new Set(
    values.flatMap(({ name, from, assumptions: own }) => {
      if (!('fieldPath' in from)) return []
      const path = `${chartRootOf(from.kind)}.${from.fieldPath}`
      return assumed.has(path) && own.length > 0 ? [name, path] : []
    }),
  )
  return [
    ...placeholders.flatMap(({ object, pointer, text, names }) =>
      names.length === 0 || names.some((name) => !text.includes(formatReference({ name })))
        ? [`${object.kind} ${object.name} ${pointer}: the text has none of its names`]
        : [],
    ),
    ...placeholders.flatMap(({ object, pointer, names, isInteger }) =>
      isInteger === true && names.some((name) => !numbers.has(name))
        ? [`${object.kind} ${object.name} ${pointer}: the object needs a number, and ${names.join(', ')} is none`]
        : [],
    ),
    ...missing(wanted, given).map((name) => `no value has the name ${name}, which a placeholder waits for`),
    ...missing(given, new Set([...used, ...held])).map((name) => `nothing waits for the value ${name}`),
    ...missing(parts, made).map((name) => `no generator has the name ${name}`),
    ...missing(made, parts).map((name) => `nothing is made of the generator ${name}`),
    ...missing(assumed, held).map((path) => `no value holds the assumptions about ${path}`),
  ]
}

function missing(from: ReadonlySet<string>, there: ReadonlySet<string>): readonly string[] {
  return [...from].filter((name) => !there.has(name))
}
