import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../src/model/diagnostic.ts'
import { fixedEndpoint } from '../../tools/fleets/example-fleet.ts'
import { formatDiagnostic } from '../sources/release/support.ts'
import { bothClusters, cluster as CLUSTER, handoffFleet } from './handoff-fleet.ts'

const OVERWRITE = 'providers/docker/demo/cluster-addon/dns-cache/overwrite.yaml'
const ADDONS = 'clusters/team-a/web/addons.yaml'

function addons(values: string, more = ''): string {
  return `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  runtimeValues:\n    ${values}\n${more}`
}

interface Row {
  readonly name: string
  readonly values: string
  /** What the template of an addon reads besides; default: `.InfraCluster.status.network.id`. */
  readonly reads?: string
  readonly more?: string
  readonly path?: string
  readonly want: readonly string[]
}

const rows: readonly Row[] = [
  {
    name: 'a misspelt field',
    values: 'InfraCluster.status.network.idd: x',
    want: [
      `warning CONFIG_REFERENCE ${ADDONS}:5:5 no addon reads InfraCluster.status.network.idd → Did you mean InfraCluster.status.network.id?`,
    ],
  },
  {
    name: 'a misspelt map',
    values: 'InfraCluster.status.netwrok.id: x',
    want: [
      `warning CONFIG_REFERENCE ${ADDONS}:5:5 no addon reads InfraCluster.status.netwrok.id → Did you mean InfraCluster.status.network.id?`,
    ],
  },
  {
    name: 'a field like none',
    values: 'Cluster.metadata.uid: x',
    want: [`note CONFIG_REFERENCE ${ADDONS}:5:5 no addon reads Cluster.metadata.uid → Remove the entry.`],
  },
  { name: 'a field that is read', values: 'InfraCluster.status.network.id: x', want: [] },
  {
    name: 'a field that another addon reads',
    values: 'Cluster.spec.controlPlaneEndpoint.host: 192.0.2.10',
    want: [],
  },
  {
    name: 'a field that is only asked about',
    values: 'InfraCluster.status.network.ready: "true"',
    reads: '{{ hasKey .InfraCluster.status.network "ready" }}',
    want: [],
  },
  {
    name: 'a status that is supplied as a whole',
    values: 'InfraCluster.status: x',
    reads: '{{ .InfraCluster.status | quote }}',
    want: [],
  },
  {
    name: 'a field that an addon may read which is switched off',
    values: 'InfraCluster.status.network.idd: x',
    more: '  addons: [{name: metrics, enabled: false}]\n',
    want: [],
  },
  {
    name: 'a field for all clusters that one of them reads',
    values: 'InfraCluster.status.network.id: x',
    path: 'clusters/addons.yaml',
    want: [],
  },
  {
    name: 'a field for all clusters that none of them reads',
    values: 'InfraCluster.status.network.idd: x',
    path: 'clusters/addons.yaml',
    want: [
      'warning CONFIG_REFERENCE clusters/addons.yaml:5:5 no addon reads InfraCluster.status.network.idd → Did you mean InfraCluster.status.network.id?',
    ],
  },
]

describe('a value under spec.runtimeValues:', () => {
  test.each(rows)('$name', async ({ values, reads, more, path = ADDONS, want }) => {
    const fleet = await handoffFleet('flux', bothClusters)
    if (more !== undefined)
      for (const file of ['clusters/team-a/web/patches/metrics-tolerations.yaml', 'clusters/values/metrics.yaml'])
        fleet.remove(file)
    fleet.write(path, addons(values, more))
    fleet.write(OVERWRITE, `values: |\n  network: ${reads ?? '{{ .InfraCluster.status.network.id }}'}\n`)
    const { findings } = await fleet.render()
    expect(referencesIn(findings, fleet)).toEqual(want)
  })
})

const previews: readonly { readonly name: string; readonly text: string; readonly want: readonly string[] }[] = [
  { name: 'a field that is read', text: 'InfraCluster.status.network.id: x\n', want: [] },
  {
    name: 'a misspelt field',
    text: 'InfraCluster.status.network.idd: x\n',
    want: [
      'warning CONFIG_REFERENCE preview.yaml:1:1 no addon reads InfraCluster.status.network.idd → Did you mean InfraCluster.status.network.id?',
    ],
  },
  {
    name: 'a field like none, for one cluster',
    text: 'team-a/web:\n  Cluster.metadata.uid: x\n',
    want: ['note CONFIG_REFERENCE preview.yaml:2:3 no addon reads Cluster.metadata.uid → Remove the entry.'],
  },
  { name: 'a field of another addon', text: 'Cluster.spec.controlPlaneEndpoint.host: 192.0.2.10\n', want: [] },
]

describe('a value in a file for a preview:', () => {
  test.each(previews)('$name', async ({ text, want }) => {
    const fleet = await handoffFleet('flux', ['team-a/web'])
    fleet.edit(CLUSTER, fixedEndpoint, '')
    fleet.write(OVERWRITE, 'values: |\n  network: {{ .InfraCluster.status.network.id }}\n')
    fleet.write('preview.yaml', text)
    const { findings } = await fleet.render({ runtimeValues: fleet.path('preview.yaml') })
    expect(referencesIn(findings, fleet)).toEqual(want)
  })
})

function referencesIn(findings: readonly Diagnostic[], { folder }: { readonly folder: string }): readonly string[] {
  return findings
    .filter(({ code }) => code === 'CONFIG_REFERENCE')
    .map((one) => `${one.severity} ${formatDiagnostic(one).replace(`${folder}/`, '')} → ${one.hint ?? ''}`)
}
