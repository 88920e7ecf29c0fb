import type { SchemaName } from './schema-texts.ts'

/** The kind of document in a file of the fleet. */
export interface DocumentKind {
  readonly kind: string
  /** The first is the one to write. */
  readonly apiVersions: readonly [string, ...string[]]
  /** Where such documents belong. */
  readonly file: string
  /** `stays`: without the file there is no fleet, or a running cluster loses its source. */
  readonly whenEmpty: 'remove' | 'stays'
}

const own: DocumentKind['apiVersions'] = ['stackmason.dev/v1alpha1']

/** The kinds of documents that people write. */
export const documentKinds: Readonly<
  Record<'fleet' | 'clusterStack' | 'cluster' | 'clusterOptions' | 'addons' | 'patch', DocumentKind>
> = {
  fleet: { kind: 'Fleet', apiVersions: own, file: 'stackmason.yaml', whenEmpty: 'stays' },
  clusterStack: {
    kind: 'ClusterStack',
    apiVersions: ['clusterstack.x-k8s.io/v1alpha1'],
    file: 'stacks/<name>.yaml',
    whenEmpty: 'remove',
  },
  cluster: {
    kind: 'Cluster',
    apiVersions: ['cluster.x-k8s.io/v1beta2', 'cluster.x-k8s.io/v1beta1'],
    file: 'clusters/<namespace>/<cluster>/cluster.yaml',
    whenEmpty: 'stays',
  },
  clusterOptions: {
    kind: 'ClusterOptions',
    apiVersions: own,
    file: 'clusters/<namespace>/<cluster>/options.yaml',
    whenEmpty: 'remove',
  },
  addons: { kind: 'Addons', apiVersions: own, file: 'addons.yaml', whenEmpty: 'remove' },
  patch: { kind: 'Patch', apiVersions: own, file: 'patches/<name>.yaml', whenEmpty: 'remove' },
}

/** The hint for an empty file. */
export function wayOutOfEmpty({ kind, apiVersions, whenEmpty }: DocumentKind): string {
  const otherwise = whenEmpty === 'remove' ? 'remove the file' : 'restore the file from git'
  return `Begin it with \`apiVersion: ${apiVersions[0]}\` and \`kind: ${kind}\`, or ${otherwise}.`
}

/** The hint for a document that is no map; a list is what `kubectl patch` and kustomize take for a patch. */
export function headOf({ kind, apiVersions }: DocumentKind, isList: boolean): string {
  const operations = isList && kind === 'Patch' ? ', and put the operations under `spec.jsonPatch`' : ''
  return `Begin it with \`apiVersion: ${apiVersions[0]}\` and \`kind: ${kind}\`${operations}.`
}

/** The kind that documents of a schema declare; undefined for documents that people do not write. */
export function kindOfSchema(schema: SchemaName): DocumentKind | undefined {
  switch (schema) {
    case 'fleet':
    case 'addons':
    case 'patch':
      return documentKinds[schema]
    case 'clusterstack':
      return documentKinds.clusterStack
    case 'cluster-options':
      return documentKinds.clusterOptions
    case 'cluster-v1beta1':
    case 'cluster-v1beta2':
      return documentKinds.cluster
    case 'lock':
    case 'release-index':
    case 'values':
      return undefined
  }
}
