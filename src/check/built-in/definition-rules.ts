import { textAt } from '../../model/field.ts'
import { none, problem, type RuleTable, whole } from './rule-parts.ts'

const name = whole((definition) =>
  textAt(definition, 'metadata', 'name') ===
  `${textAt(definition, 'spec', 'names', 'plural')}.${textAt(definition, 'spec', 'group')}`
    ? none
    : problem('spec.names.plural, a dot and spec.group', 'metadata', 'name'),
)

/** Definitions of custom resources. */
export const definitionRules: RuleTable = [
  ['apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition', { whole: [name] }],
]
