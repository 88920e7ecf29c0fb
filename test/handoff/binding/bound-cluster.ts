import { nodeDeadline } from '../../../src/system/node-deadline.ts'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { bindCluster, type BoundCluster } from '../../../src/handoff/binding/bind-cluster.ts'
import { checkBinding } from '../../../src/handoff/binding/check-binding.ts'
import type { Chart } from '../../../src/model/chart.ts'
import type { Cluster, Patch } from '../../../src/model/fleet.ts'
import type { GitopsTool } from '../../../src/model/gitops-tool.ts'
import type { Source } from '../../../src/model/source.ts'
import { Dict } from '../../../src/model/value.ts'
import { createChartRenderer } from '../../../src/render/stack/chart-renderer.ts'
import { createFinisher } from '../../../src/render/stack/create-finisher.ts'
import { renderCluster, type RenderedCluster } from '../../../src/render/stack/render-cluster.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { positionedMap } from '../../support/positioned.ts'

/** A cluster with one addon, or more, to render and bind. */
export interface BoundSample {
  readonly chart: Chart
  readonly overwrite?: string
  readonly name?: string
  /** Further fields of the Cluster's `spec`, as YAML. */
  readonly endpoint?: string
  readonly supplied?: Readonly<Record<string, string>>
  readonly existing?: readonly string[]
  readonly tool?: GitopsTool
  readonly values?: string
  /** Of the Cluster's kind; default: v1beta1. */
  readonly version?: 'v1beta1' | 'v1beta2'
  /** Further fields of the Cluster's `metadata`, as YAML. */
  readonly metadata?: string
  readonly patches?: readonly Partial<Patch>[]
  /** Further addons of the release, after `cni`. */
  readonly others?: readonly { readonly name: string; readonly chart: Chart; readonly overwrite?: string }[]
}

const at = { source: { name: 'cluster.yaml', text: '' }, start: 0, end: 0 }

function dictOf(yaml: string): Dict {
  const value = parseGoYaml(yaml, { integers: 'int' })
  if (!(value instanceof Dict)) throw new TypeError('not a map')
  return value
}

function overwriteOf(addon: string, text: string | undefined): { readonly overwrite?: Source } {
  return text === undefined ? {} : { overwrite: { name: `${addon}/overwrite.yaml`, text } }
}

const renderers = new Map<Chart, ReturnType<typeof createChartRenderer>>()

/** Renders a cluster with one addon `cni` and binds it; `runs` counts charts rendered for it. */
export function boundCluster(
  sample: BoundSample,
): BoundCluster & { readonly rendered: RenderedCluster; readonly runs: number } {
  const { crypto } = createNodePorts()
  const name = sample.name ?? 'web'
  const charts =
    renderers.get(sample.chart) ?? createChartRenderer(crypto, { elapsed: () => 0, deadline: nodeDeadline })
  renderers.set(sample.chart, charts)
  const before = charts.runs()
  const document = positionedMap(`
apiVersion: cluster.x-k8s.io/${sample.version ?? 'v1beta1'}
kind: Cluster
metadata: {name: ${name}, namespace: team${sample.metadata === undefined ? '' : `, ${sample.metadata}`}}
spec: {${sample.endpoint ?? ''}}
`)
  const cluster: Cluster = {
    name,
    namespace: 'team',
    folder: '/fleet',
    object: document.value,
    document,
    apiVersion: `cluster.x-k8s.io/${sample.version ?? 'v1beta1'}`,
    className: 'openstack-scs2-1-34-v1',
    classAt: at,
    classNamespace: 'team',
    version: 'v1.34.1',
    versionAt: at,
    source: at.source,
    beside: [],
    addons: [],
    values: new Map(sample.values === undefined ? [] : [['cni', [{ ...at, values: dictOf(sample.values) }]]]),
    patches: (sample.patches ?? []).map((patch) => ({
      target: {},
      optional: false,
      at,
      document: { span: at, index: 0, words: 'bool' as const },
      ...patch,
    })),
    existingSecrets: (sample.existing ?? []).map((secret) => ({ name: secret, namespace: 'kube-system', at })),
    runtimeValues: new Map(Object.entries(sample.supplied ?? {}).map(([path, value]) => [path, { value, at }])),
  }
  const rendered = renderCluster(
    {
      cluster,
      release: {
        name: {
          provider: 'openstack',
          stack: 'scs2',
          kubernetes: { major: 1, minor: 34 },
          version: { major: 1, channel: 'stable', patch: '' },
        },
        kubernetesVersion: 'v1.34.1',
        components: { clusterAddon: 'v1', nodeImage: 'v1' },
        clusterClass: sample.chart,
        form: 'single',
        addons: [
          { name: 'cni', chart: sample.chart, ...overwriteOf('cni', sample.overwrite) },
          ...(sample.others ?? []).map(({ overwrite, ...other }) => ({
            ...other,
            ...overwriteOf(other.name, overwrite),
          })),
        ],
        stages: {},
        origin: 'release',
        digest: '0',
      },
      ownCharts: new Map(),
      ownTemplates: new Map(),
    },
    {
      helmVersion: 4,
      instanceLabel: false,
      scopes: [],
      charts,
      finish: createFinisher(),
      crypto,
      runtimeFields: sample.tool === undefined ? 'refuse' : 'bind',
    },
  )
  const { folders, assumptions } = rendered
  const bound = bindCluster({ cluster, folders, assumptions, tool: sample.tool })
  const differences = checkBinding(bound.placeholders, bound.binding, sample.tool === undefined ? [] : assumptions)
  if (differences.length > 0) throw new Error(differences.join('\n'))
  return { ...bound, rendered, runs: charts.runs() - before }
}
