import {
  BOOL,
  DYN,
  INT,
  listOf,
  mapOf,
  namedType,
  type StaticType,
  STRING,
  structure,
  TIMESTAMP,
} from '../cel/types/static-type.ts'

/** Fields of one type. */
const fields = (type: StaticType, names: string): readonly (readonly [string, StaticType])[] =>
  names.split(' ').map((name) => [name, type] as const)

const texts = listOf(STRING)
const kind = structure('kubernetes.GroupVersionKind', new Map(fields(STRING, 'group version kind')))
const resource = structure('kubernetes.GroupVersionResource', new Map(fields(STRING, 'group version resource')))
const user = structure(
  'request.userInfo',
  new Map([...fields(STRING, 'username uid'), ['groups', texts], ['extra', mapOf(STRING, texts)]]),
)

/** The request as policies see it (k8s.io/apiserver, `BuildRequestType`). */
const request = structure(
  'request',
  new Map([
    ...fields(kind, 'kind requestKind'),
    ...fields(resource, 'resource requestResource'),
    ...fields(STRING, 'subResource requestSubResource name namespace operation'),
    ['userInfo', user],
    ['dryRun', BOOL],
    ['options', DYN],
  ]),
)

const metadata = structure(
  'namespaceObject.metadata',
  new Map([
    ...fields(STRING, 'name generateName namespace UID resourceVersion'),
    ...fields(mapOf(STRING, STRING), 'labels annotations'),
    ...fields(TIMESTAMP, 'creationTimestamp deletionTimestamp'),
    ...fields(INT, 'deletionGracePeriodSeconds generation'),
    ['finalizers', texts],
  ]),
)
const condition = structure(
  'kubernetes.NamespaceCondition',
  new Map([...fields(STRING, 'status type message reason'), ['lastTransitionTime', TIMESTAMP]]),
)
/** The namespace of the object (k8s.io/apiserver, `BuildNamespaceType`). */
const namespaceObject = structure(
  'namespaceObject',
  new Map([
    ['metadata', metadata],
    ['spec', structure('namespaceObject.spec', new Map([['finalizers', texts]]))],
    [
      'status',
      structure(
        'namespaceObject.status',
        new Map([
          ['conditions', listOf(condition)],
          ['phase', STRING],
        ]),
      ),
    ],
  ]),
)

/** Names that expressions of webhooks and policies may use, with types; objects are of any. */
export const requestNames: ReadonlyMap<string, StaticType> = new Map([
  ...fields(DYN, 'object oldObject'),
  ['request', request],
  ['namespaceObject', namespaceObject],
])

/** Whom API servers ask who may do what. */
export const authorizerNames: ReadonlyMap<string, StaticType> = new Map([
  ['authorizer', namedType('kubernetes.authorization.Authorizer')],
  ['authorizer.requestResource', namedType('kubernetes.authorization.ResourceCheck')],
])

/** The variables that a policy has declared so far. */
export function variablesOf(types: ReadonlyMap<string, StaticType>): readonly (readonly [string, StaticType])[] {
  return [['variables', structure('variables', new Map(types))]]
}
