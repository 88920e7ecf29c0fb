import { spanOf } from '../../codec/yaml/positioned-yaml.ts'
import { STEP_FIELDS } from '../../model/class-reference.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { dictAt, fieldAt } from '../../model/field.ts'
import type { Patch } from '../../model/fleet.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { Span } from '../../model/source.ts'
import { shownKey } from '../../model/shown-name.ts'
import { Dict, type Value } from '../../model/value.ts'
import { sameJson } from './patch.ts'

type Path = readonly string[]

const stepFields: readonly Path[] = STEP_FIELDS.map((field) => ['spec', 'topology', field])

/** The fields that cluster.yaml may have; whatever else a patch brings there, it would be the first to see. */
const writable: readonly (readonly [parent: Path, keys: ReadonlySet<string>])[] = [
  [[], new Set(['apiVersion', 'kind', 'metadata', 'spec'])],
  [['metadata'], new Set(['name', 'namespace', 'labels', 'annotations', 'finalizers'])],
]

const SET_BY_SERVER: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
])

/**
 * Refuses what no patch may change of a cluster's own Cluster: class and version, which take the addons' release along
 * and change in steps, and what cluster.yaml may not have. An owner that is not there, for one, lets Kubernetes delete
 * the running cluster.
 * @throws StackmasonError PATCH_FAILED for each field, at the patch
 */
export function refuseDecidedFields(before: Manifest, after: Manifest, patch: Patch): void {
  const problems = dictAt(after.object, 'spec', 'topology')
    ? [...changedSteps(before, after), ...foreignFields(before, after)]
    : [
        {
          does: 'removes',
          path: ['spec', 'topology'],
          hint: 'Only Clusters that name a cluster class can be expanded.',
        },
      ]
  if (problems.length === 0) return
  throw new StackmasonError(
    problems.map(({ does, path, hint }): Diagnostic => ({
      code: 'PATCH_FAILED',
      severity: 'error',
      message: `the patch ${does} ${shownPath(path)} of the Cluster`,
      at: placeOfChange(patch, path),
      hint,
    })),
  )
}

interface Problem {
  readonly does: 'changes' | 'removes'
  readonly path: Path
  readonly hint: string
}

function changedSteps(before: Manifest, after: Manifest): readonly Problem[] {
  return stepFields
    .filter((path) => !isSame(fieldAt(before.object, ...path), fieldAt(after.object, ...path)))
    .map((path) => ({
      does: 'changes',
      path,
      hint: 'Write it in cluster.yaml: from there class and version change in steps, addons first.',
    }))
}

function foreignFields(before: Manifest, after: Manifest): readonly Problem[] {
  return writable.flatMap(([parent, keys]) => {
    const fields = fieldAt(after.object, ...parent)
    const foreign = fields instanceof Dict ? [...fields.keys()].filter((key) => !keys.has(key)) : []
    return foreign
      .map((key) => [...parent, key])
      .filter((path) => !isSame(fieldAt(before.object, ...path), fieldAt(after.object, ...path)))
      .map((path): Problem => {
        const isOfServer = parent.length > 0 && SET_BY_SERVER.has(path.at(-1) ?? '')
        const hint = isOfServer
          ? 'The API server sets it; remove it from the patch.'
          : 'Remove it from the patch: cluster.yaml has no such field.'
        return { does: 'changes', path, hint }
      })
  })
}

function isSame(a: Value | undefined, b: Value | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameJson(a, b)
}

/** The keys of a patch are the fleet's own text; one that is no field's name is told by its length. */
function shownPath(path: Path): string {
  return path.map((key) => (/^[A-Za-z]{1,63}$/.test(key) ? key : shownKey(key))).join('.')
}

/** The last operation that reached the field, or its place in a merge patch. */
function placeOfChange(patch: Patch, path: Path): Span {
  const isOn = (pointer: string | undefined): boolean => {
    const steps = pointer?.split('/').slice(1) ?? path
    return pointer !== undefined && steps.every((step, index) => index >= path.length || step === path[index])
  }
  const operation = patch.jsonPatch?.findLast(
    ({ op, path: target, from }) => op !== 'test' && (isOn(target) || (op === 'move' && isOn(from))),
  )
  if (operation !== undefined) return operation.at
  return patch.mergePatch === undefined ? patch.at : spanOf(patch.document, ['spec', 'mergePatch', ...path], 'key')
}
