import type { PathStep } from '../../model/field.ts'
import type { Dict, Value } from '../../model/value.ts'

/** The type of a value; `any` also where a schema does not say it. */
export type NodeType =
  'any' | 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'int-or-string' | 'quantity'

/** The minors of Kubernetes that have a rule, both ends included: the number behind `1.`. Absent ends are open. */
export interface MinorSpan {
  readonly first?: number
  readonly last?: number
}

/** A rule for a value of the right type. */
export interface ValueRule {
  readonly allows: (value: Value) => boolean
  /** The allowed values, for people: it follows "has to be". */
  readonly says: string
  /** Of built-in kinds, where not every minor has it. */
  readonly minors?: MinorSpan
}

/** A problem below a map: its place, and the allowed values. */
export interface FoundProblem {
  readonly path: readonly PathStep[]
  readonly says: string
}

/** A rule for a map as a whole. Fields in it may be of any type: the schema tells what is wrong with that. */
export interface ObjectRule {
  readonly find: (value: Dict) => readonly FoundProblem[]
  /** Places in it that the server does not look at, whatever is wrong with their values. */
  readonly unread?: (value: Dict) => readonly (readonly PathStep[])[]
  /** Of built-in kinds, where not every minor has it. */
  readonly minors?: MinorSpan
}

/** A list whose items are told apart: all of them by their value, or by what their keys hold. */
export interface ListKeys {
  readonly type: 'set' | 'map'
  readonly keys: readonly string[]
  /** The value of a key in an item that leaves it out; without one such an item is not compared. */
  readonly fallbacks: ReadonlyMap<string, Value>
}

/** A rule in CEL, as a definition writes it (`x-kubernetes-validations`). */
export interface CelRule {
  readonly rule: string
  readonly message: string | undefined
  /** CEL that gives the message. */
  readonly messageExpression: string | undefined
  /** The field that it is about, as a path such as `.spec.size`. */
  readonly fieldPath: string | undefined
  /** True if it is asked of new values, too: `oldSelf` is an optional value then. */
  readonly hasOptionalOldSelf: boolean
}

/** Schemas of which a value has to fit some. */
export interface Alternatives {
  readonly kind: 'allOf' | 'anyOf' | 'oneOf' | 'not'
  readonly nodes: readonly SchemaNode[]
}

/** The schema of one value, ready to be walked. Nodes of built-in kinds may lead back to themselves. */
export interface SchemaNode {
  readonly type: NodeType
  /**
   * The meaning of null here: a value, a field that is not set, or refused, as server-side apply does where there is no
   * default.
   */
  readonly nulls: 'value' | 'unset' | 'refused'
  readonly properties: ReadonlyMap<string, SchemaNode>
  /** For fields that `properties` does not name. */
  readonly additional: SchemaNode | undefined
  /** True if fields that nothing describes are kept. */
  readonly isOpen: boolean
  /** True if the value is an object of its own, with apiVersion, kind and metadata. */
  readonly isResource: boolean
  readonly required: readonly string[]
  readonly items: SchemaNode | undefined
  readonly listKeys: ListKeys | undefined
  readonly rules: readonly ValueRule[]
  readonly objectRules: readonly ObjectRule[]
  readonly alternatives: readonly Alternatives[]
  readonly fallback: Value | undefined
  /** True if this node or one in it has a fallback. */
  readonly hasFallbacks: boolean
  readonly celRules: readonly CelRule[]
  /** True if this node or one in it has such rules; not known of built-in kinds. */
  readonly hasCelRules: boolean
  /** The type that rules see in place of a text of that format. */
  readonly celText: 'timestamp' | 'duration' | 'bytes' | undefined
}

/** The schema that takes everything. */
export const anyNode: SchemaNode = {
  type: 'any',
  nulls: 'value',
  properties: new Map(),
  additional: undefined,
  isOpen: true,
  isResource: false,
  required: [],
  items: undefined,
  listKeys: undefined,
  rules: [],
  objectRules: [],
  alternatives: [],
  fallback: undefined,
  hasFallbacks: false,
  celRules: [],
  hasCelRules: false,
  celText: undefined,
}
