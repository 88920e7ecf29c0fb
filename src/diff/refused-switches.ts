import { dictAt, fieldAt, itemsAt, textAt } from '../model/field.ts'
import { podPathOf } from '../model/pods.ts'
import type { ChangeStep, FieldChange, RefusedChange, TreeObject } from '../model/tree-change.ts'
import { Dict, type Value } from '../model/value.ts'
import { isRelated } from './change-path.ts'

/** A switch from one member of a union to another, of which the first stays. */
interface RefusedSwitch {
  readonly path: readonly ChangeStep[]
  readonly wayOut: string
}

interface Change {
  readonly before: TreeObject
  readonly after: TreeObject
}

/**
 * Changes that are refused because of what the API server filled in when the object was made: nobody owns such a field,
 * so server-side apply leaves it beside the new one, and the two exclude each other. Where the object once had the field
 * itself, even empty, it goes with it.
 */
export function findRefusedSwitches(change: Change, fields: readonly FieldChange[]): readonly RefusedChange[] {
  return [
    ...strategySwitches(change),
    ...labelSwitches(change),
    ...jobSwitches(change),
    ...volumeSwitches(change),
  ].flatMap(({ path, wayOut }): readonly RefusedChange[] => {
    const field = fields.find((other) => isRelated(other.path, path))
    return field === undefined ? [] : [{ ...field, wayOut }]
  })
}

function strategySwitches({ before, after }: Change): readonly RefusedSwitch[] {
  const name = after.kind === 'Deployment' ? 'strategy' : after.kind === 'StatefulSet' ? 'updateStrategy' : undefined
  if (!after.apiVersion.startsWith('apps/') || name === undefined) return []
  const [old, now] = [before, after].map(({ object }) => textAt(object, 'spec', name, 'type'))
  const isSwitch =
    name === 'strategy'
      ? now === 'Recreate' && (old === '' || old === 'RollingUpdate')
      : // of a StatefulSet that names its type the server fills in nothing
        now === 'OnDelete' && old === ''
  if (!isSwitch || dictAt(before.object, 'spec', name)?.has('rollingUpdate') === true) return []
  const field = `spec.${name}.rollingUpdate`
  return [
    {
      path: ['spec', name],
      wayOut: `The API server has filled in ${field}, and it stays. Write \`rollingUpdate: {}\` there first, in a commit of its own; once that is applied, make this change.`,
    },
  ]
}

/** The selector of a ReplicationController is filled in with its labels, and stays as they were. */
function labelSwitches({ before, after }: Change): readonly RefusedSwitch[] {
  if (after.apiVersion !== 'v1' || after.kind !== 'ReplicationController') return []
  if ([before, after].some(({ object }) => dictAt(object, 'spec')?.has('selector') === true)) return []
  const [old, now] = [before, after].map(({ object }) => dictAt(object, 'spec', 'template', 'metadata', 'labels'))
  if ([...(old ?? [])].every(([key, text]) => now?.get(key) === text)) return []
  return [
    {
      path: ['spec', 'template', 'metadata', 'labels'],
      wayOut: 'The API server has filled in spec.selector, and it stays. Write the new labels there, too.',
    },
  ]
}

/** A map of a Job that goes takes the labels along that the server has written into it. */
function jobSwitches({ before, after }: Change): readonly RefusedSwitch[] {
  if (after.apiVersion !== 'batch/v1' || after.kind !== 'Job') return []
  const lost = [['metadata'], ['metadata', 'labels']].find(
    (path) =>
      dictAt(before.object, 'spec', 'template', ...path) !== undefined &&
      dictAt(after.object, 'spec', 'template', ...path) === undefined,
  )
  if (lost === undefined) return []
  return [
    {
      path: ['spec', 'template', ...lost],
      wayOut: `The API server has written labels of its own into spec.template.metadata, which go with it. Leave ${lost.join('.')} there, empty as \`{}\`.`,
    },
  ]
}

/** A volume without a source is an empty folder to the server. */
function volumeSwitches({ before, after }: Change): readonly RefusedSwitch[] {
  const path = podPathOf(after)
  if (path === undefined) return []
  const volumes = itemsAt(before.object, ...path, 'volumes')
  return itemsAt(after.object, ...path, 'volumes').flatMap((volume): readonly RefusedSwitch[] => {
    const name = textAt(volume, 'name')
    const old = volumes.find((other) => name !== '' && textAt(other, 'name') === name)
    if (!(old instanceof Dict) || old.has('emptyDir') || sourcesOf(old).length > 0) return []
    // who says of it that it is none takes it out
    if (sourcesOf(volume).length === 0 || fieldAt(volume, 'emptyDir') !== undefined) return []
    return [
      {
        path: [...path, 'volumes', { key: 'name', value: name }],
        wayOut:
          'The API server has filled in `emptyDir: {}` for the volume without a source, and it stays. Give the volume another name.',
      },
    ]
  })
}

function sourcesOf(volume: Value): readonly string[] {
  return volume instanceof Dict
    ? [...volume].flatMap(([name, value]) => (name !== 'name' && value !== null ? [name] : []))
    : []
}
