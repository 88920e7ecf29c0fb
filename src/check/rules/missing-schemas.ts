import { shownApiVersion, shownKind } from '../../model/shown-name.ts'
import type { Rule, RuleFinding } from '../rule.ts'
import { judgeObjects } from '../schema/judge-objects.ts'

/** Kinds whose objects nothing here can check. */
export const missingSchemas: Rule = {
  code: 'SCHEMA_MISSING',
  severity: 'note',
  explanation: [
    'The fields of an object are checked where the definition of its kind is known: in the tree, among the objects that go to the same cluster, or in a folder that `spec.check.schemas` names. One note names all kinds without one. A folder for definitions that has none is a warning: a submodule may not be checked out.',
    'Objects that we write for the GitOps tool are not looked for.',
  ],
  begin: (inputs) => {
    const missing = new Set<string>()
    return {
      unit: (unit) => {
        if (unit.kind === 'handoff') return []
        for (const { manifest, lookup } of judgeObjects(unit, inputs))
          if (lookup.state === 'unknown')
            missing.add(`${shownApiVersion(manifest.apiVersion)} ${shownKind(manifest.kind)}`)
        return []
      },
      end: () => [...(inputs.withoutDefinitions ?? []).map(emptyFolder), ...kindsWithout(missing)],
    }
  },
}

/** A folder that nobody has filled, such as a submodule that is not checked out, has objects pass unchecked. */
function emptyFolder(folder: string): RuleFinding {
  return {
    severity: 'warning',
    message: `the folder ${folder} is read for definitions, and has no CustomResourceDefinition of apiextensions.k8s.io/v1`,
    hint: 'Put the definitions into it, as .yaml or .json; or do not name it in spec.check.schemas.',
  }
}

function kindsWithout(missing: ReadonlySet<string>): readonly RuleFinding[] {
  if (missing.size === 0) return []
  const kinds = [...missing].sort()
  const which = kinds.length === 1 ? 'a kind' : `${String(kinds.length)} kinds`
  return [{ message: `the fields of ${which} are not checked, for no definition is known: ${kinds.join(', ')}` }]
}
