import { fieldAt, textAt } from '../../model/field.ts'
import { shownObject } from '../../model/shown-name.ts'
import { GoInt } from '../../model/value.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import type { Noted, Rule, RuleFinding } from '../rule.ts'
import { type NotedObject, noteObject } from '../unit-origin.ts'

const ENDPOINT = ['spec', 'controlPlaneEndpoint'] as const

/** Clusters with one address for their API servers. */
export const sharedEndpoints: Rule = {
  code: 'ENDPOINT_SHARED',
  severity: 'warning',
  explanation: [
    'Two Clusters with the same host and port in `spec.controlPlaneEndpoint`: mostly a folder that was copied. Two load balancers or virtual addresses contend for it, and kubeconfigs, addons and machines of the one reach the API server of the other.',
    'Compared are Clusters of all namespaces, and objects of their providers beside them in cluster.yaml. An address that a variable of a class or a template sets is not: what comes of it only Cluster API knows.',
  ],
  begin: () => ({
    note: (unit): EndpointNote | undefined => {
      const endpoints = endpointsOf(unit)
      return endpoints.length === 0 ? undefined : { endpoints, isKept: unit.isKept }
    },
    between: (notes: readonly Noted<EndpointNote>[]) => {
      const owners = new Map<string, Owner>()
      return notes.flatMap(({ note: { endpoints, isKept }, of }) =>
        endpoints.flatMap(({ address, object }): readonly RuleFinding[] => {
          const first = owners.get(address)
          if (first === undefined) owners.set(address, { object, isKept })
          // what stays as it is committed no input can mend
          if (first === undefined || (isKept && first.isKept)) return []
          const folders = [first.object.folder, object.folder]
          return [{ ...describe(address, object, first.object), of, folders }]
        }),
      )
    },
  }),
}

interface EndpointNote {
  /** Each address once. */
  readonly endpoints: readonly Endpoint[]
  readonly isKept: boolean
}

interface Endpoint {
  readonly address: string
  readonly object: NotedObject
}

interface Owner {
  readonly object: NotedObject
  readonly isKept: boolean
}

function endpointsOf({ kind, folders }: CheckedUnit): readonly Endpoint[] {
  if (kind !== 'cluster') return []
  const found = new Map<string, NotedObject>()
  for (const { path, destination, manifests } of folders) {
    if (destination !== 'management') continue
    for (const manifest of manifests) {
      if (!/^(?:[^/]+\.)?cluster\.x-k8s\.io\//.test(manifest.apiVersion)) continue
      const host = textAt(manifest.object, ...ENDPOINT, 'host').toLowerCase()
      const port = fieldAt(manifest.object, ...ENDPOINT, 'port')
      if (host === '' || !(port instanceof GoInt)) continue
      const address = `${host.includes(':') ? `[${host}]` : host}:${String(port.value)}`
      // the Cluster, and what its provider has of it, have the same
      if (!found.has(address)) found.set(address, noteObject(manifest, path))
    }
  }
  return [...found].map(([address, object]) => ({ address, object }))
}

function describe(address: string, object: NotedObject, first: NotedObject): RuleFinding {
  const [own, other] = [object, first].map((one) => shownObject({ ...one, namespace: one.namespace }))
  return {
    message: `${own ?? ''} has the control plane endpoint ${address}, as ${other ?? ''} has: what is meant for the one reaches the other`,
    noted: { object, path: [...ENDPOINT, 'host'] },
    hint: 'Give each Cluster an address of its own. If they lie in networks that do not meet, acknowledge this finding.',
  }
}
