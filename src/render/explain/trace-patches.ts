import { spanOf } from '../../codec/yaml/positioned-yaml.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { fieldAt, pathOfPointer, type PathStep } from '../../model/field.ts'
import type { JsonPatchOperation, Patch } from '../../model/fleet.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { Span } from '../../model/source.ts'
import { Dict, type Value } from '../../model/value.ts'
import { applyPatch, matchesTarget } from '../stack/patch.ts'

/** Where a field of a patched object was before: in a patch, or at another path of the object as it was rendered. */
export type PatchedField = { readonly patch: Span } | { readonly path: readonly PathStep[] }

/**
 * Follows a field of a patched object back to the patch that set it, or to where it was when `rendered` was patched.
 */
export function tracePatches(rendered: Manifest, patches: readonly Patch[], path: readonly PathStep[]): PatchedField {
  let at = path
  for (const step of stepsOf(rendered, patches).toReversed()) {
    const before = step.operation === undefined ? beforeMerge(step, at) : beforeOperation(step, step.operation, at)
    if ('patch' in before) return before
    at = before.path
  }
  return { path: at }
}

/** One change of an object: a merge patch, or one operation of a JSON patch. */
interface Step {
  /** The object to change. */
  readonly object: Dict
  readonly patch: Patch
  readonly operation: (JsonPatchOperation & { readonly index: number }) | undefined
}

function stepsOf(rendered: Manifest, patches: readonly Patch[]): readonly Step[] {
  const steps: Step[] = []
  let manifest = rendered
  const take = (patch: Patch, operation?: Step['operation']): void => {
    const next = applyPatch(manifest, operation === undefined ? patch : { ...patch, jsonPatch: [operation] })
    steps.push({ object: manifest.object, patch, operation })
    manifest = next
  }
  for (const patch of patches) {
    if (!matchesTarget(manifest, patch.target)) continue
    try {
      if (patch.mergePatch !== undefined) take(patch)
      for (const [index, operation] of (patch.jsonPatch ?? []).entries()) take(patch, { ...operation, index })
    } catch (error) {
      // what does not apply has changed nothing
      if (!(error instanceof StackmasonError)) throw error
    }
  }
  return steps
}

function beforeMerge({ object, patch }: Step, path: readonly PathStep[]): PatchedField {
  let value: Value = patch.mergePatch ?? null
  for (const step of path) {
    if (!(value instanceof Dict)) break
    const next: Value | undefined = typeof step === 'string' ? value.get(step) : undefined
    if (next === undefined) return { path }
    value = next
  }
  const isMade = !(value instanceof Dict) || fieldAt(object, ...path) === undefined
  if (!isMade) return { path }
  return { patch: spanOf(patch.document, ['spec', 'mergePatch', ...path], partOf(value)) }
}

function beforeOperation(
  { object, patch }: Step,
  { op, path: pointer, from = '', value = null, index }: NonNullable<Step['operation']>,
  path: readonly PathStep[],
): PatchedField {
  const target = pathOfPointer(object, pointer)
  const inside = isAtOrBelow(path, target)
  const rest = path.slice(target.length)
  const ofValue = (): PatchedField => ({
    patch: spanOf(
      patch.document,
      ['spec', 'jsonPatch', index, 'value', ...rest],
      partOf(fieldAt(value, ...rest) ?? null),
    ),
  })
  switch (op) {
    case 'test':
      return { path }
    case 'replace':
      return inside ? ofValue() : { path }
    case 'add':
      return inside ? ofValue() : { path: shifted(path, target, -1) }
    case 'remove':
      return { path: shifted(path, target, 1) }
    case 'copy':
      return { path: inside ? [...pathOfPointer(object, from), ...rest] : shifted(path, target, -1) }
    case 'move': {
      const source = pathOfPointer(object, from)
      return { path: inside ? [...source, ...rest] : shifted(shifted(path, target, -1), source, 1) }
    }
    default:
      return op satisfies never
  }
}

/** A map or list stands where its key does. */
function partOf(value: Value): 'key' | 'value' {
  return value instanceof Dict || Array.isArray(value) ? 'key' : 'value'
}

function isAtOrBelow(path: readonly PathStep[], target: readonly PathStep[]): boolean {
  return target.every((step, index) => path[index] === step)
}

/** The path with its number in the list of `target` changed by `by`, when `target` is an item at or before it. */
function shifted(path: readonly PathStep[], target: readonly PathStep[], by: 1 | -1): readonly PathStep[] {
  const last = target.at(-1)
  const depth = target.length - 1
  const step = path[depth]
  if (typeof last !== 'number' || typeof step !== 'number' || step < last) return path
  if (!isAtOrBelow(path, target.slice(0, -1))) return path
  return [...path.slice(0, depth), step + by, ...path.slice(depth + 1)]
}
