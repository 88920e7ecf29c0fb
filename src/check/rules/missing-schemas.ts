import type { Diagnostic } from '../../model/diagnostic.ts'
import { shownApiVersion, shownKind } from '../../model/shown-name.ts'
import type { CheckInputs } from '../check-inputs.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import type { Noted, Rule, RuleFinding } from '../rule.ts'
import { judgeObjects } from '../schema/judge-objects.ts'

/** Kinds whose objects nothing here can check. */
export const missingSchemas: Rule = {
  code: 'SCHEMA_MISSING',
  severity: 'note',
  explanation: [
    'The fields of an object are checked where the definition of its kind is known: in the tree, among the objects that go to the same cluster, or in a folder that `spec.check.schemas` names. One note names all kinds without one. A folder for definitions that has none is a warning: a submodule may not be checked out. So is a document in one that is no YAML: it may be a definition.',
    'Objects that we write for the GitOps tool are not looked for.',
  ],
  begin: (inputs) => ({
    note: (unit): readonly string[] | undefined => {
      const missing = unit.kind === 'handoff' ? [] : kindsUnknown(unit, inputs)
      return missing.length === 0 ? undefined : missing
    },
    end: (notes: readonly Noted<readonly string[]>[]) => [
      ...(inputs.withoutDefinitions ?? []).map(emptyFolder),
      ...(inputs.unreadDocuments ?? []).map(unreadDocument),
      ...kindsWithout(new Set(notes.flatMap(({ note }) => note))),
    ],
  }),
}

function kindsUnknown(unit: CheckedUnit, inputs: CheckInputs): readonly string[] {
  const unknown = judgeObjects(unit, inputs).filter(({ lookup }) => lookup.state === 'unknown')
  return [
    ...new Set(unknown.map(({ manifest }) => `${shownApiVersion(manifest.apiVersion)} ${shownKind(manifest.kind)}`)),
  ]
}

/** A folder that nobody has filled, such as a submodule that is not checked out, has objects pass unchecked. */
function emptyFolder(folder: string): RuleFinding {
  return {
    severity: 'warning',
    message: `the folder ${folder} is read for definitions, and has no CustomResourceDefinition of apiextensions.k8s.io/v1`,
    hint: 'Put the definitions into it, as .yaml or .json; or do not name it in spec.check.schemas.',
  }
}

function unreadDocument({ message, at }: Pick<Diagnostic, 'message' | 'at'>): RuleFinding {
  return {
    severity: 'warning',
    message: `this is not read for definitions: ${message}`,
    at,
    hint: 'Correct the YAML, or move the file out of the folder.',
  }
}

function kindsWithout(missing: ReadonlySet<string>): readonly RuleFinding[] {
  if (missing.size === 0) return []
  const kinds = [...missing].sort()
  const which = kinds.length === 1 ? 'a kind' : `${String(kinds.length)} kinds`
  return [{ message: `the fields of ${which} are not checked, for no definition is known: ${kinds.join(', ')}` }]
}
