import { GoObject, typedList, type GoMethod, type Value } from '../../model/value.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { formatValue } from '../engine/format.ts'
import type { HelmVersion } from './coalesce.ts'
import { GoStruct, type StructField } from './go-struct.ts'

/** A Kubernetes version as Helm reads it from `--kube-version`. */
export interface KubeVersion {
  /** As given, with a `v` in front. */
  readonly version: string
  /** `version` without suffixes: what constraints are checked against. */
  readonly normalized: string
  readonly major: string
  readonly minor: string
}

/** The capabilities that Helm 4.1.4 and 3.19 have without a cluster. */
const defaults = {
  4: {
    kubeVersion: 'v1.35.0',
    helm: {
      version: 'v4.1.4',
      commit: '05fa37973dc9e42b76e1d2883494c87174b6074f',
      goVersion: 'go1.25.9',
      kubeClientVersion: 'v1.35',
    },
    storageMigration: 'storagemigration.k8s.io/v1beta1',
    package: 'common',
  },
  3: {
    kubeVersion: 'v1.34.0',
    helm: { version: 'v3.19.0', commit: '3d8990f0836691f0229297773f3524598f46bda6', goVersion: 'go1.24.7' },
    storageMigration: 'storagemigration.k8s.io/v1alpha1',
    package: 'chartutil',
  },
} as const

/** The groups and versions of client-go's scheme, in its order; as printed by a probe chart with helm 4.1.4. */
const knownApis = `
v1
admissionregistration.k8s.io/v1 admissionregistration.k8s.io/v1alpha1 admissionregistration.k8s.io/v1beta1
internal.apiserver.k8s.io/v1alpha1
apps/v1 apps/v1beta1 apps/v1beta2
authentication.k8s.io/v1 authentication.k8s.io/v1alpha1 authentication.k8s.io/v1beta1
authorization.k8s.io/v1 authorization.k8s.io/v1beta1
autoscaling/v1 autoscaling/v2 autoscaling/v2beta1 autoscaling/v2beta2
batch/v1 batch/v1beta1
certificates.k8s.io/v1 certificates.k8s.io/v1beta1 certificates.k8s.io/v1alpha1
coordination.k8s.io/v1alpha2 coordination.k8s.io/v1beta1 coordination.k8s.io/v1
discovery.k8s.io/v1 discovery.k8s.io/v1beta1
events.k8s.io/v1 events.k8s.io/v1beta1
extensions/v1beta1
flowcontrol.apiserver.k8s.io/v1 flowcontrol.apiserver.k8s.io/v1beta1 flowcontrol.apiserver.k8s.io/v1beta2 flowcontrol.apiserver.k8s.io/v1beta3
networking.k8s.io/v1 networking.k8s.io/v1beta1
node.k8s.io/v1 node.k8s.io/v1alpha1 node.k8s.io/v1beta1
policy/v1 policy/v1beta1
rbac.authorization.k8s.io/v1 rbac.authorization.k8s.io/v1beta1 rbac.authorization.k8s.io/v1alpha1
resource.k8s.io/v1 resource.k8s.io/v1beta2 resource.k8s.io/v1beta1 resource.k8s.io/v1alpha3
scheduling.k8s.io/v1alpha1 scheduling.k8s.io/v1beta1 scheduling.k8s.io/v1
storage.k8s.io/v1beta1 storage.k8s.io/v1 storage.k8s.io/v1alpha1
STORAGE_MIGRATION
apiextensions.k8s.io/v1beta1 apiextensions.k8s.io/v1
`

/** The options for `.Capabilities`. */
export interface CapabilitiesOptions {
  readonly kubeVersion: string | undefined
  /** Added to the known ones, `group/version` or `group/version/Kind`. */
  readonly apiVersions: readonly string[]
  readonly helmVersion: HelmVersion
  /** Told when the list is asked for a version that it does not have, and when it is read as a whole. */
  readonly onApiQuery?: ((query: ApiQuery) => void) | undefined
}

/** A question of a chart about API versions: whether this one exists, or all of them. */
export type ApiQuery = { readonly missing: string } | 'all'

/**
 * Reads a Kubernetes version (k8s.io/apimachinery util/version, ParseGeneric): two or more numbers joined by dots,
 * anything behind them.
 * @throws StackmasonError CHART_FLAG_UNSUPPORTED
 */
export function parseKubeVersion(text: string): KubeVersion {
  const match = /^\s*v?(\d+(?:\.\d+)+)(.*)$/s.exec(text)
  const written = match?.[1]?.split('.') ?? []
  const numbers = written.map((number) => number.replace(/^0+(?=\d)/, ''))
  const [major, minor] = numbers
  if (major === undefined || minor === undefined || major !== written[0])
    throw new StackmasonError({
      code: 'CHART_FLAG_UNSUPPORTED',
      severity: 'error',
      message: `invalid kube version '${text}'`,
      hint: 'Give a Kubernetes version such as v1.32.5.',
    })
  return { version: text.startsWith('v') ? text : `v${text}`, normalized: `v${numbers.join('.')}`, major, minor }
}

/** The Kubernetes version of a render: the one given, else the default of that Helm. */
export function kubeVersionOf({ kubeVersion, helmVersion }: CapabilitiesOptions): KubeVersion {
  const parsed = parseKubeVersion(kubeVersion ?? defaults[helmVersion].kubeVersion)
  // Helm 3 forgets the suffix.
  return helmVersion === 4 ? parsed : { ...parsed, version: parsed.normalized }
}

/** Makes `.Capabilities`. @throws StackmasonError CHART_FLAG_UNSUPPORTED when the Kubernetes version does not parse */
export function createCapabilities(options: CapabilitiesOptions): GoObject {
  const { package: room, helm, storageMigration } = defaults[options.helmVersion]
  const known = knownApis.replace('STORAGE_MIGRATION', storageMigration).trim().split(/\s+/)
  const copy: GoMethod = { params: [], call: () => capabilities }
  const capabilities = new GoStruct({
    goType: `*${room}.Capabilities`,
    kind: 'ptr',
    methods: new Map([['Copy', copy]]),
    fields: [
      {
        name: 'KubeVersion',
        json: 'KubeVersion',
        value: kubeVersionObject(kubeVersionOf(options), options.helmVersion),
      },
      {
        name: 'APIVersions',
        json: 'APIVersions',
        value: new VersionSet(room, [...known, ...options.apiVersions], options.onApiQuery),
      },
      { name: 'HelmVersion', json: 'HelmVersion', value: buildInfo(helm) },
    ],
  })
  return capabilities
}

function kubeVersionObject(kubeVersion: KubeVersion, helmVersion: HelmVersion): GoObject {
  const { version, normalized, major, minor } = kubeVersion
  const returns = (text: string): GoMethod => ({ params: [], call: () => text })
  return new GoStruct({
    goType: `${defaults[helmVersion].package}.KubeVersion`,
    kind: 'struct',
    fields: [
      { name: 'Version', json: 'Version', value: version },
      { name: 'Major', json: 'Major', value: major },
      { name: 'Minor', json: 'Minor', value: minor },
    ],
    methods: new Map([
      ['String', returns(normalized)],
      ['GitVersion', returns(version)],
    ]),
    text: helmVersion === 4 ? `{${version} ${normalized} ${major} ${minor}}` : `{${version} ${major} ${minor}}`,
    display: normalized,
  })
}

interface HelmBuild {
  readonly version: string
  readonly commit: string
  readonly goVersion: string
  readonly kubeClientVersion?: string
}

function buildInfo({ version, commit, goVersion, kubeClientVersion }: HelmBuild): GoObject {
  const fields: StructField[] = [
    { name: 'Version', json: 'version', value: version },
    { name: 'GitCommit', json: 'git_commit', value: commit },
    { name: 'GitTreeState', json: 'git_tree_state', value: 'clean' },
    { name: 'GoVersion', json: 'go_version', value: goVersion },
  ]
  if (kubeClientVersion !== undefined)
    fields.push({ name: 'KubeClientVersion', json: 'kube_client_version', value: kubeClientVersion })
  return new GoStruct({ goType: 'version.BuildInfo', kind: 'struct', fields })
}

/** A list of strings with the method `Has`. */
class VersionSet extends GoObject {
  readonly goType: string
  readonly kind = 'slice'
  private readonly versions: Value[]
  private readonly onQuery: (query: ApiQuery) => void

  constructor(room: string, versions: string[], onQuery: (query: ApiQuery) => void = () => undefined) {
    super()
    this.onQuery = onQuery
    this.goType = `${room}.VersionSet`
    this.versions = typedList('string', versions)
  }

  field(): undefined {
    return undefined
  }

  override method(name: string): GoMethod | undefined {
    if (name !== 'Has') return undefined
    return {
      params: ['string'],
      call: ([version]) => {
        const isThere = version !== undefined && this.versions.includes(version)
        if (!isThere && typeof version === 'string') this.onQuery({ missing: version })
        return isThere
      },
    }
  }

  toText(): string {
    this.onQuery('all')
    return formatValue(this.versions)
  }

  override toValue(): Value {
    this.onQuery('all')
    return this.versions
  }
}
