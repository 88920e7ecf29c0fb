import type { PathStep } from './field.ts'
import type { Source, Span } from './source.ts'
import type { TokenTable } from './token.ts'
import type { Dict } from './value.ts'

/** Where a manifest comes from, for messages and the head of its file. */
export interface ManifestOrigin {
  /** Release tag, or the path of a fleet file. */
  readonly from: string
  /** Addon name, or `cluster-class`, or `cluster`. */
  readonly unit: string
  /** Template path as Helm prints it (`cilium/templates/cilium-agent/daemonset.yaml`) or a file of the fleet. */
  readonly template: string
  /** Where that file lies, when `template` does not say it. */
  readonly path?: string
  /** That file itself, where its fields are looked up in it by their names. */
  readonly source?: Source
  /** Where it is described, when it is made of an entry of a file. */
  readonly at?: Span
  /** Which document of what the template gives, from 0; absent: the first. */
  readonly document?: number
  /** Which of the equal objects of that document, from 0, where a finding is about each of them. */
  readonly nth?: number
}

/** Where the file lies that an object was made from. */
export function fileOf({ path, template }: ManifestOrigin): string {
  return path ?? template
}

/** A text in an object of which some is known only later: a placeholder stands in its place. */
export interface LocatedToken {
  /** Where in the object, as a JSON pointer (RFC 6901). */
  readonly pointer: string
  /** The whole text, with the tokens of `tokens` in it. */
  readonly text: string
  readonly tokens: TokenTable
  /** The text in the object until it is filled in. */
  readonly written: string
  /** Set when the text is one token that the object needs as a number: the chart wrote it without quotes. */
  readonly isInteger?: true
}

/** One Kubernetes object on its way to a file. Integers in `object` are GoInt, other numbers float64. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  /** Set for namespaced objects once scopes are resolved; absent for cluster-scoped ones. */
  readonly namespace?: string
  readonly object: Dict
  readonly origin: ManifestOrigin
  /** The texts of `object` that are known only later; absent when it is complete. */
  readonly deferred?: readonly LocatedToken[]
}

/** The place of a finding about a field of an object, until the field is looked up: see {@link ObjectField}. */
export function placeIn(
  manifest: Manifest,
  ...path: readonly PathStep[]
): { readonly at: Span } | { readonly file: string; readonly on: ObjectField } {
  const { origin } = manifest
  return origin.at === undefined ? { file: fileOf(origin), on: { manifest, path } } : { at: origin.at }
}

/** The same of the name of a field. */
export function placeOfKey(manifest: Manifest, ...path: readonly PathStep[]): ReturnType<typeof placeIn> {
  const place = placeIn(manifest, ...path)
  return 'on' in place ? { ...place, on: { ...place.on, part: 'key' } } : place
}

/** A field of an object that is rendered, or where it would be. */
export interface ObjectField {
  readonly manifest: Manifest
  readonly path: readonly PathStep[]
  /** Its name is meant, and not its value. */
  readonly part?: 'key'
}

/** The identity of an object in a cluster: group, kind, namespace and name; not the version. */
export function objectKey({
  apiVersion,
  kind,
  namespace = '',
  name,
}: Pick<Manifest, 'apiVersion' | 'kind' | 'name'> & { readonly namespace?: string | undefined }): string {
  const slash = apiVersion.indexOf('/')
  return `${slash === -1 ? '' : apiVersion.slice(0, slash)}/${kind}/${namespace}/${name}`
}

/** The object that an {@link objectKey} is of, without its API group; one without a namespace has an empty one. */
export function objectOfKey(key: string): { readonly kind: string; readonly namespace: string; readonly name: string } {
  const [, kind = '', namespace = '', name = ''] = key.split('/')
  return { kind, namespace, name }
}

/** A folder of the rendered tree that is applied as a whole. `path` is relative to the output folder, with `/`. */
export interface RenderedFolder {
  readonly path: string
  readonly manifests: readonly Manifest[]
  /**
   * Names of folders in this one that its kustomization.yaml names, in order; for a folder that is applied with what
   * lies below it.
   */
  readonly includes?: readonly string[]
  /** The fields of its kustomization.yaml other than the list of resources. */
  readonly kustomization?: Dict
  /** The texts of its files as they are committed, by name: one that says the same is written as it is. */
  readonly committed?: ReadonlyMap<string, string>
}

/**
 * Everything one run renders. `complete` is false when --cluster or --stack narrowed the run: then only `scopes` may be
 * pruned.
 */
export interface RenderedTree {
  readonly folders: readonly RenderedFolder[]
  /**
   * Folder prefixes (relative, no trailing slash) that this run speaks for; what lies under them and is not rendered is
   * stale. `''` = all.
   */
  readonly scopes: readonly string[]
}
