import { placeOfKey } from '../../model/manifest.ts'
import { shownObject } from '../../model/shown-name.ts'
import type { Rule } from '../rule.ts'
import { templateField } from '../template-field.ts'
import { judgeObjects } from '../schema/judge-objects.ts'
import { problemText } from '../schema/problem-text.ts'

/** Fields that the schema of a kind does not have, mostly misspelt ones. */
export const unknownFields: Rule = {
  code: 'OBJECT_FIELD_UNKNOWN',
  severity: 'error',
  explanation: [
    'Flux and Argo CD apply objects on the server, which refuses one with a field that its kind does not have; in Flux that holds back the whole unit.',
    "Built-in kinds are checked against Kubernetes' own schemas at the cluster's minor, others against the CustomResourceDefinition: of the objects that go to the same cluster, or of the folders in `spec.check.schemas`.",
    'Kustomizations, Applications, ApplicationSets and AppProjects that the fleet makes with templates of its own are checked, too, against the definitions of Flux and Argo CD that came with this program: where yours know more fields, put their definitions into such a folder.',
  ],
  begin: (inputs) => ({
    unit: (unit) =>
      judgeObjects(unit, inputs).flatMap(({ manifest, problems }) =>
        problems
          .filter(({ kind }) => kind === 'unknown-field')
          .map((problem) => ({
            message: `${shownObject({ ...manifest, namespace: manifest.namespace })}: ${problemText(problem)}`,
            ...placeOfKey(manifest, ...problem.path),
            once: templateField(unit, manifest, problem.path),
            hint: problem.says === '' ? undefined : `Did you mean ${problem.says}?`,
          })),
      ),
  }),
}
