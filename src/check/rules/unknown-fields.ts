import { placeOfKey } from '../../model/manifest.ts'
import { shownObject } from '../../model/shown-name.ts'
import type { Rule } from '../rule.ts'
import { judgeObjects } from '../schema/judge-objects.ts'
import { problemText } from '../schema/problem-text.ts'

/** Fields that the schema of a kind does not have, mostly misspelt ones. */
export const unknownFields: Rule = {
  code: 'OBJECT_FIELD_UNKNOWN',
  severity: 'error',
  explanation: [
    'Flux and Argo CD apply objects on the server, which refuses one with a field that its kind does not have; in Flux that holds back the whole unit.',
    "Built-in kinds are checked against Kubernetes' own schemas at the cluster's minor, others against the CustomResourceDefinition: of the objects that go to the same cluster, or of the folders in `spec.check.schemas`.",
  ],
  begin: (inputs) => ({
    unit: (unit) =>
      judgeObjects(unit, inputs).flatMap(({ manifest, problems }) =>
        problems
          .filter(({ kind }) => kind === 'unknown-field')
          .map((problem) => ({
            message: `${shownObject({ ...manifest, namespace: manifest.namespace })}: ${problemText(problem)}`,
            ...placeOfKey(manifest, ...problem.path),
            hint: problem.says === '' ? undefined : `Did you mean ${problem.says}?`,
          })),
      ),
  }),
}
