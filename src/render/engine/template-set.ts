import type { Definition, ParsedTemplate } from './ast.ts'

/** Templates by name, as one execution sees them. A set inside `tpl` lies over the set around it. */
export interface TemplateSet {
  readonly find: (name: string) => Definition | undefined
}

/**
 * Makes a set of `templates` in that order: the last definition of a name wins, but a blank one never replaces another
 * (text/template, Template.associate). `outer` is the set that a `tpl` was called in.
 */
export function createTemplateSet(templates: readonly ParsedTemplate[], outer?: TemplateSet): TemplateSet {
  const definitions = new Map<string, Definition>()
  const find = (name: string): Definition | undefined => definitions.get(name) ?? outer?.find(name)
  for (const { definitions: parsed } of templates) {
    for (const definition of parsed) {
      if (definition.isEmpty && find(definition.name) !== undefined) continue
      definitions.set(definition.name, definition)
    }
  }
  return { find }
}
