import type { Diagnostic } from '../../model/diagnostic.ts'
import { dictAt, fieldAt, formatPointer, itemsAt, type PathStep } from '../../model/field.ts'
import { isItemList } from '../../model/item-list.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { shownKey } from '../../model/shown-name.ts'
import { Dict, GoInt, type Value } from '../../model/value.ts'
import { describeManifest } from './patch.ts'

/** A range of whole numbers, its ends included. */
interface Range {
  readonly least: number
  readonly most?: number
}

const ANY_COUNT: Range = { least: 0 }
const PORT: Range = { least: 1, most: 65_535 }

/** Numbers of built-in kinds, by group and kind, as k8s.io/kubernetes/pkg/apis validates them; `*` is every item. */
const numbers: ReadonlyMap<string, readonly (readonly [path: string, range: Range])[]> = new Map([
  ['apps/Deployment', counts('spec.replicas', 'spec.minReadySeconds', 'spec.revisionHistoryLimit')],
  ['apps/StatefulSet', counts('spec.replicas', 'spec.minReadySeconds')],
  ['apps/ReplicaSet', counts('spec.replicas', 'spec.minReadySeconds')],
  ['apps/DaemonSet', counts('spec.minReadySeconds', 'spec.revisionHistoryLimit')],
  ['batch/Job', counts('spec.parallelism', 'spec.completions', 'spec.backoffLimit')],
  ['batch/CronJob', counts('spec.successfulJobsHistoryLimit', 'spec.failedJobsHistoryLimit')],
  ['/Service', [['spec.ports.*.port', PORT]]],
])

/** Where the pod of a kind stands. */
const pods: ReadonlyMap<string, string> = new Map([
  ['/Pod', 'spec'],
  ['apps/Deployment', 'spec.template.spec'],
  ['apps/StatefulSet', 'spec.template.spec'],
  ['apps/ReplicaSet', 'spec.template.spec'],
  ['apps/DaemonSet', 'spec.template.spec'],
  ['batch/Job', 'spec.template.spec'],
  ['batch/CronJob', 'spec.jobTemplate.spec.template.spec'],
])

/** Numbers of every pod. */
const ofPods: readonly (readonly [path: string, range: Range])[] = [
  ['containers.*.ports.*.containerPort', PORT],
  ['initContainers.*.ports.*.containerPort', PORT],
]

function counts(...paths: readonly string[]): readonly (readonly [string, Range])[] {
  return paths.map((path) => [path, ANY_COUNT])
}

/** The fault of an object that is a list, for messages. */
export const HIDES_ITEMS =
  'has a list of items: what applies it would take the items for objects, and leave out the rest'

/**
 * Fields whose values no API server takes, whatever its version: labels and annotations that are no text, and numbers
 * of built-in kinds out of their range; and `items`, which nothing applies as a field. Values are not shown, for they
 * may be anybody's. `hint`: how a number is corrected.
 */
export function findRefusedFields(
  manifests: readonly Manifest[],
  hint = 'Correct it where the message points: in the file of the fleet, in the values that the template reads, or with a patch.',
): readonly Diagnostic[] {
  return manifests.flatMap((manifest) => [
    ...hiddenItems(manifest),
    ...wrongTexts(manifest),
    ...wrongNumbers(manifest, hint),
  ])
}

function hiddenItems(manifest: Manifest): readonly Diagnostic[] {
  if (!isItemList(manifest.object)) return []
  return [
    {
      code: 'OBJECT_INVALID',
      severity: 'error',
      message: `${describeManifest(manifest)} ${HIDES_ITEMS}`,
      ...placeIn(manifest, 'items'),
      hint: 'Remove `items`, and write each of them as an object of its own.',
    },
  ]
}

function wrongTexts(manifest: Manifest): readonly Diagnostic[] {
  return (['labels', 'annotations'] as const).flatMap((field) =>
    [...(dictAt(manifest.object, 'metadata', field) ?? [])].flatMap(([key, value]) =>
      value === null || typeof value === 'string' || isLate(manifest, ['metadata', field, key])
        ? []
        : [
            refuse(manifest, ['metadata', field, key], {
              what: `${field === 'labels' ? 'label' : 'annotation'} ${shownKey(key)} has to be text, and is ${typeName(value)}`,
              hint: 'Put it in quotes; in a template, pipe it to quote.',
            }),
          ],
    ),
  )
}

function wrongNumbers(manifest: Manifest, hint: string): readonly Diagnostic[] {
  const { apiVersion, kind, object } = manifest
  const slash = apiVersion.indexOf('/')
  const type = `${slash === -1 ? '' : apiVersion.slice(0, slash)}/${kind}`
  const pod = pods.get(type)
  const wanted = [
    ...(numbers.get(type) ?? []),
    ...(pod === undefined ? [] : ofPods.map(([path, range]) => [`${pod}.${path}`, range] as const)),
  ]
  return wanted.flatMap(([path, range]) =>
    pathsOf(object, path.split('.')).flatMap((place) => {
      const value = fieldAt(object, ...place)
      if (!(value instanceof GoInt) || isIn(range, value) || isLate(manifest, place)) return []
      const { least, most } = range
      return [
        refuse(manifest, place, {
          what: `${path.replaceAll('.*', '[]')} has to be ${String(least)} ${most === undefined ? 'or more' : `to ${String(most)}`}`,
          hint,
        }),
      ]
    }),
  )
}

function isIn({ least, most }: Range, { value }: GoInt): boolean {
  return value >= BigInt(least) && (most === undefined || value <= BigInt(most))
}

/** The places that a path with `*` leads to. */
function pathsOf(value: Value, path: readonly string[]): readonly (readonly PathStep[])[] {
  const star = path.indexOf('*')
  if (star === -1) return fieldAt(value, ...path) === undefined ? [] : [path]
  const [before, after] = [path.slice(0, star), path.slice(star + 1)]
  return itemsAt(value, ...before).flatMap((item, index) =>
    pathsOf(item, after).map((rest): readonly PathStep[] => [...before, index, ...rest]),
  )
}

/** True if what stands there is filled in later. */
function isLate({ deferred = [] }: Manifest, path: readonly PathStep[]): boolean {
  const pointer = formatPointer(path)
  return deferred.some((token) => token.pointer === pointer)
}

function refuse(
  manifest: Manifest,
  path: readonly PathStep[],
  { what, hint }: { readonly what: string; readonly hint: string },
): Diagnostic {
  return {
    code: 'OBJECT_INVALID',
    severity: 'error',
    message: `${describeManifest(manifest)}: no API server takes this value: ${what}`,
    ...placeIn(manifest, ...path),
    hint,
  }
}

/** The type of a value that should be text, for messages. */
export function typeName(value: Value): string {
  if (value instanceof Dict) return 'a map'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'boolean' ? 'true or false' : 'a number'
}
