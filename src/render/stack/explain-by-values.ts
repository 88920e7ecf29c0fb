import type { Diagnostic } from '../../model/diagnostic.ts'
import { fieldAt } from '../../model/field.ts'
import type { Source } from '../../model/source.ts'
import { Dict, type Value } from '../../model/value.ts'
import { spanInLayer, type ValuesLayer, valuesPaths } from '../explain/values-place.ts'

/** The values of an addon of the fleet, and where people write them. */
export interface OwnValues {
  readonly values: Dict
  /** Nearest first. */
  readonly layers: readonly ValuesLayer[]
  /** The values file of the cluster, also where it is not there yet. */
  readonly file: string
}

/**
 * Says of a problem in a Handlebars template which values it comes from: the entry that is there, and the file to write
 * one that is not. A problem that no value takes part in stays as it is.
 */
export function explainByValues(problem: Diagnostic, template: Source, own: OwnValues): Diagnostic {
  const { at, code, trace = [] } = problem
  if (at === undefined || at.source !== template) return problem
  const named = valuesPaths({ template: template.name, source: template, offset: at.start })
  // a template fails over what is not there, or over what is no text; YAML over a text
  const path = named.find((names) => (code === 'ADDON_TEMPLATE') !== isScalar(fieldAt(own.values, ...names)))
  if (path === undefined) return problem
  const there = longestPrefix(own.values, path)
  const layer = own.layers.find(({ values }) => there.length > 0 && fieldAt(values, ...there) !== undefined)
  const entry = layer === undefined ? [] : [{ what: `values.${there.join('.')}`, at: spanInLayer(layer, there, 'key') }]
  const explained = { ...problem, trace: [...trace, ...entry] }
  if (there.length === path.length) {
    const [action = ''] = /^\{\{.*?\}\}/s.exec(template.text.slice(at.start, at.end)) ?? []
    const own = `values.${path.join('.')}`
    return code === 'OBJECT_INVALID' && action.includes(own)
      ? { ...explained, hint: `Write {{quote ${own}}} here, or correct the value.` }
      : explained
  }
  const [name, rest] = [there.join('.'), path.slice(there.length).join('.')]
  const way =
    there.length === 0 || fieldAt(own.values, ...there) instanceof Dict
      ? `Write ${path.join('.')} into ${own.file}, or put {{#if values.${path.join('.')}}} around it.`
      : `Make ${name} a map with ${rest} in ${layer?.source.name ?? own.file}, or read values.${name} here.`
  return { ...explained, hint: way }
}

function isScalar(value: Value | undefined): boolean {
  return value !== undefined && !(value instanceof Dict) && !Array.isArray(value)
}

/** The part of a path that leads to something. */
function longestPrefix(values: Dict, path: readonly string[]): readonly string[] {
  let length = path.length
  while (length > 0 && fieldAt(values, ...path.slice(0, length)) === undefined) length--
  return path.slice(0, length)
}
