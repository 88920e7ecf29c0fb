import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { toPlain } from '../../codec/json/plain-value.ts'
import { fieldAt, listField, textField } from '../json-field.ts'

/** Parses the text of a kubeconfig as kubectl does; undefined where it is no YAML. */
export function parseDocument(text: string): { readonly config: unknown } | undefined {
  try {
    return { config: toPlain(parseGoYaml(text)) }
  } catch (error) {
    // its words may repeat the text
    if (error instanceof YamlError) return undefined
    throw error
  }
}

/** The lists of a kubeconfig, and what each item of them has beside its name. */
const parts = { contexts: 'context', clusters: 'cluster', users: 'user' } as const

/** The items of a name in a list of a kubeconfig. */
export function itemsNamed(config: unknown, list: keyof typeof parts, name: string): readonly unknown[] {
  return listField(config, list)
    .filter((item) => textField(item, 'name') === name)
    .map((item) => fieldAt(item, parts[list]))
}
