import { shownApiVersion, shownKind } from '../../model/shown-name.ts'
import type { Rule } from '../rule.ts'
import { judgeObjects } from '../schema/judge-objects.ts'

/** Kinds whose objects nothing here can check. */
export const missingSchemas: Rule = {
  code: 'SCHEMA_MISSING',
  severity: 'note',
  explanation: [
    'The fields of an object are checked where the definition of its kind is known: in the tree, among the objects that go to the same cluster, or in a folder that `spec.check.schemas` names. One note names all kinds without one.',
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
      end: () => {
        if (missing.size === 0) return []
        const kinds = [...missing].sort()
        const which = kinds.length === 1 ? 'a kind' : `${String(kinds.length)} kinds`
        return [{ message: `the fields of ${which} are not checked, for no definition is known: ${kinds.join(', ')}` }]
      },
    }
  },
}
