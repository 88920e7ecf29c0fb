import { fieldAt, isRecord, numberField, textField, textsField } from './json-field.ts'

/** An object of an API server, as far as all have it; `content` is the whole of it. */
export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  /** Empty for what is in no namespace. */
  readonly namespace: string
  readonly uid: string
  /** Says which state of the object this is; never compared but for equality. */
  readonly resourceVersion: string
  readonly generation: number
  readonly labels: ReadonlyMap<string, string>
  readonly annotations: ReadonlyMap<string, string>
  readonly isBeingDeleted: boolean
  readonly content: Readonly<Record<string, unknown>>
}

/** Names an object among those of one kind. */
export type ObjectKey = Pick<KubeObject, 'namespace' | 'name'>

/** Reads an object; undefined when it has no name. */
export function readKubeObject(value: unknown): KubeObject | undefined {
  const name = textField(value, 'metadata', 'name')
  if (name === undefined || !isRecord(value)) return undefined
  return {
    apiVersion: textField(value, 'apiVersion') ?? '',
    kind: textField(value, 'kind') ?? '',
    name,
    namespace: textField(value, 'metadata', 'namespace') ?? '',
    uid: textField(value, 'metadata', 'uid') ?? '',
    resourceVersion: textField(value, 'metadata', 'resourceVersion') ?? '',
    generation: numberField(value, 'metadata', 'generation') ?? 0,
    labels: textsField(value, 'metadata', 'labels'),
    annotations: textsField(value, 'metadata', 'annotations'),
    isBeingDeleted: fieldAt(value, 'metadata', 'deletionTimestamp') !== undefined,
    content: value,
  }
}

/** The object without what is long and of no use to us: who set which field, and what kubectl applied last. */
export function stripped(object: KubeObject): KubeObject {
  const { metadata } = object.content
  if (!isRecord(metadata)) return object
  const { managedFields: _, annotations, ...kept } = metadata
  const others = isRecord(annotations) ? Object.entries(annotations).filter(([name]) => name !== LAST_APPLIED) : []
  return {
    ...object,
    annotations: new Map([...object.annotations].filter(([name]) => name !== LAST_APPLIED)),
    content: {
      ...object.content,
      metadata: { ...kept, ...(others.length > 0 && { annotations: Object.fromEntries(others) }) },
    },
  }
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** An object's key as text, `<namespace>/<name>`: neither part can hold a slash. */
export function formatKey({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`
}

/** The key of which the text is. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/')
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) }
}
