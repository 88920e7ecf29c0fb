import { fieldAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { shownKey, shownKind, shownName } from '../../model/shown-name.ts'
import { Dict, type Value } from '../../model/value.ts'
import { judgedClasses } from '../classes/judged-classes.ts'
import { findPatchedField } from '../classes/patched-field.ts'
import { below, type ClassProblem } from '../classes/class-problem.ts'
import type { Rule, RuleFinding } from '../rule.ts'
import { fieldText } from '../schema/field-text.ts'
import { judgeObjects } from '../schema/judge-objects.ts'
import { valueProblemText } from '../schema/problem-text.ts'
import type { SchemaNode } from '../schema/schema-node.ts'
import { type SchemaProblem, validateValue } from '../schema/validate-value.ts'

/** The schemas of templates by apiVersion and kind. */
type Schemas = ReadonlyMap<string, SchemaNode>

/** Patches of a class that set a field which the kind of the template does not have, or a value that it does not take. */
export const invalidClassPatches: Rule = {
  code: 'CLASS_PATCH_INVALID',
  severity: 'error',
  explanation: [
    'Cluster API applies the patches of a class to its templates when it reconciles a Cluster, and the API server refuses what comes out: the Cluster stays as it is, and TopologyReconciled says why. The webhook of the class does not look at it.',
    "The path of each patch, and a value that stands in the patch, are compared with the CustomResourceDefinition of the template's kind, where that is known: among the objects for the management cluster, or in the folders of `spec.check.schemas`. Values from variables and templates are not known here. Whether a field above the path is there when the patch is applied is not looked at: webhooks of the provider may add it.",
  ],
  begin: (inputs) => ({
    unit: (unit) => {
      const classes = judgedClasses(unit, inputs)
      if (classes.length === 0) return []
      const schemas = new Map(
        judgeObjects(unit, inputs).flatMap(({ manifest: { apiVersion, kind }, lookup }) =>
          lookup.state === 'known' ? [[`${apiVersion} ${kind}`, lookup.schema.node] as const] : [],
        ),
      )
      return classes.flatMap(({ manifest }) => findingsOf(manifest, schemas))
    },
  }),
}

function findingsOf(manifest: Manifest, schemas: Schemas): readonly RuleFinding[] {
  return itemsAt(manifest.object, 'spec', 'patches').flatMap((patch, at) =>
    itemsAt(patch, 'definitions').flatMap((definition, index) => {
      const [apiVersion, kind] = [textAt(definition, 'selector', 'apiVersion'), textAt(definition, 'selector', 'kind')]
      const schema = schemas.get(`${apiVersion} ${kind}`)
      if (schema === undefined) return []
      return itemsAt(definition, 'jsonPatches').flatMap((entry, entryAt) =>
        below(
          ['spec', 'patches', at, 'definitions', index, 'jsonPatches', entryAt],
          entryProblems(entry, schema, kind),
        ).map(({ says, path, hint }): RuleFinding => ({
          message: `ClusterClass ${shownName(manifest.name)}: patch ${shownKey(textAt(patch, 'name'))} ${says}`,
          ...placeIn(manifest, ...path),
          hint,
        })),
      )
    }),
  )
}

function entryProblems(entry: Value, schema: SchemaNode, kind: string): readonly ClassProblem[] {
  const pointer = textAt(entry, 'path')
  // the webhook refuses every other path: CLASS_INVALID
  if (!pointer.startsWith('/spec/')) return []
  const field = findPatchedField(schema, pointer)
  if (field.state === 'open') return []
  if (field.state === 'unknown') {
    const { name, near } = field
    return [
      {
        says: `changes a field that ${shownKind(kind)} does not have: ${shownKey(name)}`,
        path: ['path'],
        hint: near === undefined ? undefined : `Did you mean ${near}?`,
      },
    ]
  }
  const value = fieldAt(entry, 'value')
  if (value === undefined || value === null || textAt(entry, 'op') === 'remove') return []
  return validateValue(value, field.node)
    .filter((problem) => !mayBeCompleted(problem, value))
    .map((problem): ClassProblem => {
      const what = problem.path.length === 0 ? 'a value' : fieldText(problem.path)
      const isUnknown = problem.kind === 'unknown-field'
      return {
        says: `sets ${what} that ${shownKind(kind)} does not take: ${isUnknown ? 'there is no such field' : valueProblemText(problem)}`,
        path: ['value', ...problem.path],
        hint: isUnknown && problem.says !== '' ? `Did you mean ${problem.says}?` : undefined,
      }
    })
}

/** True where another patch may add to a map or a list what it lacks. */
function mayBeCompleted({ kind, path }: SchemaProblem, value: Value): boolean {
  return kind === 'missing' || (kind === 'not-allowed' && !isScalar(value, path))
}

function isScalar(value: Value, path: readonly PathStep[]): boolean {
  const at = fieldAt(value, ...path)
  return !(at instanceof Dict) && !Array.isArray(at)
}
