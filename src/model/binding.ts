import type { RuntimeKind } from './class-reference.ts'
import type { LocatedToken, Manifest } from './manifest.ts'
import type { TokenAssumption, TokenType } from './token.ts'

/** Where the controller finds a value: a field of the cluster's objects, or part of what a generator made. */
export type ValueOrigin =
  { readonly kind: RuntimeKind; readonly fieldPath: string } | { readonly generator: string; readonly part: string }

/** One published value: `spec.values[]` of a RuntimeValues object. */
export interface BoundValue {
  /** The name that manifests refer to as `${NAME}`. */
  readonly name: string
  readonly from: ValueOrigin
  readonly type: TokenType
  /** `base64`; or `escaped`: as the text stands between double quotes in YAML, so that it has no line breaks. */
  readonly encode?: 'base64' | 'escaped'
  readonly assumptions: readonly TokenAssumption[]
}

/** A Secret that is there already, and which of its keys hold which parts. */
export interface ExistingSecret {
  readonly namespace: string
  readonly name: string
  readonly keys: readonly { readonly part: string; readonly key: string }[]
}

/**
 * A value that is generated once and kept under its name: `spec.generators[]`. In `arguments` `${<generator>.<part>}`
 * stands for part of another one and `${<NAME>}` for a value; `$$` is a `$`. Besides the functions that charts know,
 * `text` is its argument with these filled in.
 */
export interface Generator {
  readonly name: string
  readonly function: string
  readonly arguments: readonly string[]
  /** Its parts are taken from here instead of being made. */
  readonly existing?: ExistingSecret
}

/** One entry of a generated Secret; `template` is text as in {@link Generator}. */
export type SecretEntry = { readonly key: string; readonly decode?: 'base64' } & (
  { readonly generator: string; readonly part: string } | { readonly template: string }
)

/** A Secret that is made in the management cluster and delivered: `spec.secrets[]`. */
export interface GeneratedSecret {
  readonly namespace: string
  readonly name: string
  readonly type?: string
  readonly labels: ReadonlyMap<string, string>
  readonly annotations: ReadonlyMap<string, string>
  readonly data: readonly SecretEntry[]
}

/** Everything that a cluster's manifests wait for. Lists are in order of their names. */
export interface ClusterBinding {
  readonly values: readonly BoundValue[]
  readonly generators: readonly Generator[]
  readonly secrets: readonly GeneratedSecret[]
}

/** A piece of a text with placeholders: what stands for itself, or the name of a value. */
export type PlaceholderPart = { readonly text: string } | { readonly name: string }

/** A text of an object that has to be filled in. */
export interface Placeholder {
  readonly object: Pick<Manifest, 'apiVersion' | 'kind' | 'name' | 'namespace'>
  /** Folder of the object, relative to the output folder. */
  readonly folder: string
  /** Where the text stands, as a JSON pointer. */
  readonly pointer: string
  /**
   * The whole text, with `${NAME}` for each value; to be read by people, since a chart may write the same text itself.
   */
  readonly text: string
  /** The text in pieces, in order. */
  readonly parts: readonly PlaceholderPart[]
  /** The text in the object until it is filled in. */
  readonly written: string
  /** The names in `text`, each once. */
  readonly names: readonly string[]
  /** The object needs a number there; then the text is one `${NAME}`. What is written is text all the same. */
  readonly isInteger?: LocatedToken['isInteger']
}
