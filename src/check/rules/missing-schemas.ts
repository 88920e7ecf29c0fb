import { placeIn } from '../../model/manifest.ts'
import { shownApiVersion, shownKind } from '../../model/shown-name.ts'
import type { Rule } from '../rule.ts'
import { judgeObjects } from '../schema/judge-objects.ts'

/** Kinds whose objects nothing here can check. */
export const missingSchemas: Rule = {
  code: 'SCHEMA_MISSING',
  severity: 'note',
  explanation: [
    'The fields of an object are checked where the definition of its kind is known: in the tree, among the objects that go to the same cluster, or in a folder that `spec.check.schemas` names. Each kind without one is noted once.',
    'Objects that we write for the GitOps tool are not noted.',
  ],
  begin: (inputs) => {
    const noted = new Set<string>()
    return {
      unit: (unit) =>
        judgeObjects(unit, inputs).flatMap(({ manifest, lookup }) => {
          const type = `${shownApiVersion(manifest.apiVersion)} ${shownKind(manifest.kind)}`
          if (unit.kind === 'handoff' || lookup.state !== 'unknown' || noted.has(type)) return []
          noted.add(type)
          return [
            {
              message: `no schema of ${type} is known: the fields of its objects are not checked`,
              ...placeIn(manifest, 'kind'),
            },
          ]
        }),
    }
  },
}
