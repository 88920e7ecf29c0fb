import type { MinorSchemas } from './built-in-schemas.ts'
import { bestFirst, groupOf } from './built-in-schemas.ts'
import type { CustomKind, CustomVersion } from './custom-kind.ts'
import type { ObjectSchema } from './validate-object.ts'

/** The knowledge of a kind at an API server. */
export type KindLookup =
  | {
      readonly state: 'known'
      readonly schema: ObjectSchema
      readonly isOptIn: boolean
      readonly version: CustomVersion | undefined
    }
  /** Served, or not: nothing here describes it. */
  | { readonly state: 'unknown' }
  /** Defined without a schema. */
  | { readonly state: 'free'; readonly version: CustomVersion }
  /** Not served in this version, but in others: the best first. */
  | { readonly state: 'other-versions'; readonly apiVersions: readonly string[] }
  /** The group is Kubernetes' own, and has no such kind at this minor. */
  | { readonly state: 'no-such-kind'; readonly kinds: readonly string[] }

/** The kinds that an API server serves, as far as they are known. */
export interface SchemaSet {
  readonly builtIn: MinorSchemas
  readonly find: (apiVersion: string, kind: string) => KindLookup
}

/** Joins the built-in kinds of a minor and custom kinds; of two definitions of one kind the last counts. */
export function createSchemaSet(builtIn: MinorSchemas, customKinds: Iterable<CustomKind>): SchemaSet {
  const custom = new Map<string, CustomKind>()
  for (const kind of customKinds) custom.set(`${kind.group} ${kind.kind}`, kind)
  const found = new Map<string, KindLookup>()
  const look = (apiVersion: string, kind: string): KindLookup => {
    const own = builtIn.find(apiVersion, kind)
    if (own !== undefined) {
      const schema: ObjectSchema = { node: own.schema, metadata: undefined, status: 'types' }
      return { state: 'known', schema, isOptIn: own.isOptIn, version: undefined }
    }
    const group = groupOf(apiVersion)
    const defined = custom.get(`${group} ${kind}`)
    if (defined !== undefined) return lookUpCustom(defined, apiVersion, builtIn)
    if (!builtIn.hasGroup(group)) return { state: 'unknown' }
    const apiVersions = builtIn.apiVersionsOf(group, kind)
    if (apiVersions.length > 0) return { state: 'other-versions', apiVersions }
    return { state: 'no-such-kind', kinds: builtIn.kindsOf(apiVersion) }
  }
  return {
    builtIn,
    find(apiVersion, kind) {
      const key = `${apiVersion} ${kind}`
      const known = found.get(key) ?? look(apiVersion, kind)
      found.set(key, known)
      return known
    },
  }
}

function lookUpCustom({ group, versions }: CustomKind, apiVersion: string, builtIn: MinorSchemas): KindLookup {
  const version = versions.find(({ name, isServed }) => isServed && `${group}/${name}` === apiVersion)
  if (version === undefined) {
    const served = versions.filter(({ isServed }) => isServed)
    return { state: 'other-versions', apiVersions: bestFirst(served.map(({ name }) => `${group}/${name}`)) }
  }
  const node = version.schema()
  if (node === undefined) return { state: 'free', version }
  const status = version.hasStatus ? 'fields' : 'values'
  return { state: 'known', schema: { node, metadata: builtIn.objectMeta, status }, isOptIn: false, version }
}
