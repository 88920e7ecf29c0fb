import { listField, textField } from '../../kube/json-field.ts'

/** The versions of a group that the entries of an object's managedFields are written in. */
export function fieldVersions(metadata: unknown, group: string): ReadonlySet<string> {
  return new Set(
    listField(metadata, 'managedFields').flatMap((entry) => {
      const [named, version] = (textField(entry, 'apiVersion') ?? '').split('/')
      return named === group && version !== undefined ? [version] : []
    }),
  )
}

/** Which versions of a group are served. */
export interface ServedVersions {
  readonly group: string
  readonly served: ReadonlySet<string>
  /** One of them. */
  readonly spoken: string
  /** Who is noted where nobody is left. */
  readonly manager: string
}

/**
 * The entries of an object's managedFields without those of versions that are not served: once these are removed from
 * the definition, the server refuses every server-side apply of the object, for it cannot convert to them. Undefined:
 * there is none of them. It never becomes empty, for the server would then fill it in with all fields.
 */
export function servedFields(
  metadata: unknown,
  { group, served, spoken, manager }: ServedVersions,
): readonly unknown[] | undefined {
  const entries = listField(metadata, 'managedFields')
  const kept = entries.filter((entry) => {
    const [named, version] = (textField(entry, 'apiVersion') ?? '').split('/')
    return named !== group || version === undefined || served.has(version)
  })
  if (kept.length === entries.length) return undefined
  if (kept.length > 0) return kept
  return [
    {
      manager,
      operation: 'Update',
      apiVersion: `${group}/${spoken}`,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:metadata': { 'f:name': {} } },
    },
  ]
}
