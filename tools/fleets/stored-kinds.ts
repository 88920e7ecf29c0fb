import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { fieldOf, type KubeObject, refusals } from '../servers/kube-client.ts'
import type { Kube } from '../servers/kube.ts'

const GROUP = 'stored.example.com'
const versions = ['v1alpha1', 'v1beta1', 'v1']
const COUNT_AT_ONCE = 16

/** How a kind is defined; what is not said is as usual. */
export interface StoredKindOptions {
  /** The storage version. */
  readonly storage: string
  /** All without. */
  readonly served?: readonly string[]
  /** `spec.conversion`; the apiVersion alone is changed without. */
  readonly conversion?: object
  /** Of `spec`. */
  readonly schema?: object
  readonly metadata?: object
}

/** A definition of three versions whose objects lie in etcd. */
export interface StoredKind {
  /** `<plural>.<group>` */
  readonly name: string
  /** Applies the definition, and waits until the server tells of its storage version. */
  readonly define: (options: StoredKindOptions) => Promise<void>
  /** Waits until the server writes in it, which may be later than it tells: makes an object and deletes it. */
  readonly settle: () => Promise<void>
  /** Creates objects in the storage version, named `<prefix>-<number>`. */
  readonly fill: (prefix: string, count: number, spec?: object) => Promise<void>
  /** The same in little time: one is created, and the others are copies of it in etcd. */
  readonly fillStore: (prefix: string, count: number, spec?: object) => Promise<void>
  /** The definition as it is. */
  readonly definition: () => Promise<KubeObject | undefined>
  /** How many objects etcd holds in each version. */
  readonly inEtcd: () => Promise<Readonly<Record<string, number>>>
  readonly storedVersions: () => Promise<unknown>
  readonly path: string
}

/** Names a kind of which nothing is there yet. */
export function storedKind(kube: Kube, singular: string): StoredKind {
  const plural = `${singular}s`
  const name = `${plural}.${GROUP}`
  const kind = singular.slice(0, 1).toUpperCase() + singular.slice(1)
  const path = `/apis/${GROUP}/v1/namespaces/default/${plural}`
  const reference = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name } }
  const hash = async (): Promise<unknown> => {
    for (const version of versions) {
      const { body } = await kube.request('GET', `/apis/${GROUP}/${version}`)
      const found = [fieldOf(body, 'resources')].flat().find((resource) => fieldOf(resource, 'name') === plural)
      if (found !== undefined) return fieldOf(found, 'storageVersionHash')
    }
    return undefined
  }
  let storage = ''
  /** Again where the server was too slow to say whether it has done so. */
  const create = async (object: KubeObject): Promise<void> => {
    for (let tries = 0; ; tries++) {
      const { status, body } = await kube.request('POST', `${path}?fieldManager=test`, object)
      if (status < 300 || (status === 409 && tries > 0)) return
      if (status !== 504 || tries === 5) throw new Error(JSON.stringify(body))
    }
  }
  const fill: StoredKind['fill'] = async (prefix, count, spec = {}) => {
    let next = 0
    const work = async (): Promise<void> => {
      while (next < count) {
        const object = { apiVersion: `${GROUP}/v1`, kind, metadata: { name: `${prefix}-${String(next++)}` }, spec }
        await create(object)
      }
    }
    await Promise.all(Array.from({ length: COUNT_AT_ONCE }, work))
  }
  return {
    name,
    path,
    define: async (options) => {
      const before = await hash()
      const isFlipped = options.storage !== storage
      const crd = { ...reference, metadata: { ...options.metadata, name }, spec: specOf(kind, plural, options) }
      const refused = refusals(await kube.apply([crd]))
      if (refused.length > 0) throw new Error(refused.join('\n'))
      for (let tries = 0; isFlipped && (await hash()) === before; tries++) {
        if (tries > 600) throw new Error(`${name} is still written in ${storage}`)
        await setTimeout(25)
      }
      storage = options.storage
    },
    settle: async () => {
      const key = `/registry/${GROUP}/${plural}/default/probe`
      for (let tries = 0; ; tries++) {
        await create({ apiVersion: `${GROUP}/v1`, kind, metadata: { name: 'probe' } })
        const stored = (await kube.stored(key)).get(key)
        await kube.request('DELETE', `${path}/probe`)
        if (fieldOf(stored, 'apiVersion') === `${GROUP}/${storage}`) return
        if (tries > 600) throw new Error(`${name} is not written in ${storage}`)
        await setTimeout(25)
      }
    },
    fill,
    fillStore: async (prefix, count, spec) => {
      await fill(prefix, 1, spec)
      const key = `/registry/${GROUP}/${plural}/default/${prefix}-`
      const first = (await kube.stored(`${key}0`)).get(`${key}0`)
      const copies = Array.from({ length: count - 1 }, (_, index): [string, object] => {
        const metadata = {
          ...Object(fieldOf(first, 'metadata')),
          name: `${prefix}-${String(index + 1)}`,
          uid: randomUUID(),
        }
        return [`${key}${String(index + 1)}`, { ...Object(first), metadata }]
      })
      await kube.store(new Map(copies))
    },
    definition: () => kube.get(reference),
    inEtcd: async () => {
      const counts: Record<string, number> = {}
      for (const value of (await kube.stored(`/registry/${GROUP}/${plural}/`)).values()) {
        const [, version = ''] = String(fieldOf(value, 'apiVersion')).split('/')
        counts[version] = (counts[version] ?? 0) + 1
      }
      return counts
    },
    storedVersions: async () => fieldOf(await kube.get(reference), 'status.storedVersions'),
  }
}

function specOf(kind: string, plural: string, options: StoredKindOptions): object {
  const { storage, served = versions, conversion, schema = {} } = options
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  return {
    group: GROUP,
    scope: 'Namespaced',
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    ...(conversion !== undefined && { conversion }),
    versions: versions.map((version) => ({
      name: version,
      served: served.includes(version),
      storage: version === storage,
      subresources: { status: {} },
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: { ...open, ...schema }, status: open } } },
    })),
  }
}
