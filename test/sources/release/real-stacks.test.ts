import { describe, expect, it } from 'vitest'
import type { SourceConfig } from '../../../src/model/fleet.ts'
import { formatTag } from '../../../src/model/release-name.ts'
import { listReleases, readRelease } from '../../../src/sources/release/read-release.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'
import { at } from '../../../tools/fleets/stack-folder.ts'
import { formatDiagnostic } from './support.ts'

const ports = createNodePorts()
const shared = sharedFolder()
if (shared === undefined) console.warn('SKIPPED: reading real stacks needs the shared data (STACKMASON_SHARED)')

interface Row {
  readonly folder: string
  readonly tag: string
  readonly kubernetesVersion: string
  /** `name chart dependencies overwrite` */
  readonly addons: readonly string[]
  readonly stages: Readonly<Record<string, readonly string[]>>
  readonly findings: readonly string[]
}

const four = ['cni apply', 'metrics-server apply', 'csi apply', 'ccm apply']
const two = ['cni apply', 'metrics-server apply']

// the hashes are those of sha256sum and base64 over the same files; scs2's is the one that csctl printed upstream
const rows: readonly Row[] = [
  {
    folder: 'providers/docker/scs',
    tag: 'docker-scs-1-30-v0-sha-d2lgujm',
    kubernetesVersion: 'v1.30.10',
    addons: ['cni CNI v1 cilium-1.16.6', 'metrics-server yorizonpoc-metrics-server v1 metrics-server-3.12.2'],
    stages: { AfterControlPlaneInitialized: two, BeforeClusterUpgrade: two },
    findings: [
      'RELEASE_FILE_IGNORED DIR/cluster-addon-values.yaml cluster-addon-values.yaml is not read, because clusteraddon.yaml selects the multi-stage form',
    ],
  },
  {
    folder: 'providers/openstack/scs',
    tag: 'openstack-scs-1-32-v0-sha-sjl0coz',
    kubernetesVersion: 'v1.32.5',
    addons: [
      'ccm openstack-scs-1-32-cluster-addon v1 openstack-cloud-controller-manager-2.32.0 overwrite',
      'cni openstack-scs-1-32-cluster-addon v1 cilium-1.17.4',
      'csi openstack-scs-1-32-cluster-addon v1 openstack-cinder-csi-2.32.0 overwrite',
      'metrics-server openstack-scs-1-32-cluster-addon v1 metrics-server-3.12.2 overwrite',
    ],
    stages: { AfterControlPlaneInitialized: four, BeforeClusterUpgrade: four },
    findings: [],
  },
  {
    folder: 'providers/openstack/scs2',
    tag: 'openstack-scs2-1-34-v0-sha-azlfam7',
    kubernetesVersion: 'v1.34.7',
    // its dependencies are not vendored
    addons: [
      'ccm CCM v1 overwrite',
      'cni CNI v1',
      'csi CSI v1 overwrite',
      'metrics-server metrics-server v1 overwrite',
    ],
    stages: { AfterControlPlaneInitialized: four, BeforeClusterUpgrade: four },
    findings: [],
  },
  {
    folder: 'cso-test/1/docker/ferrol/1-27',
    tag: 'docker-ferrol-1-27-v0-sha-owuvcxr',
    kubernetesVersion: 'v1.27.6',
    addons: [
      'cni CNI 0',
      'metrics-server docker-ferrol-1-27-cluster-addon v0-sha.owuvcxr metrics-server-3.11.0 overwrite',
    ],
    stages: { AfterControlPlaneInitialized: two },
    findings: ['RELEASE_UNKNOWN_HOOK DIR/clusteraddon.yaml:9:3 unknown hook "name": its 1 stage will not be applied'],
  },
  {
    folder: 'cso-test/2/docker/ferrol/1-27',
    tag: 'docker-ferrol-1-27-v0-sha-jrybnli',
    kubernetesVersion: 'v1.27.7',
    addons: [
      'cni CNI 0',
      'metrics-server docker-ferrol-1-27-cluster-addon v0-sha.jrybnli metrics-server-3.11.0 overwrite',
      'ngnix docker-ferrol-1-27-cluster-addon v0-sha.jrybnli nginx-15.10.1',
    ],
    stages: { AfterControlPlaneInitialized: two },
    findings: [
      'RELEASE_UNKNOWN_HOOK DIR/clusteraddon.yaml:9:3 unknown hook "name": its 3 stages will not be applied',
      'RELEASE_UNUSED_ADDON DIR/clusteraddon.yaml:4:3 no stage of AfterControlPlaneInitialized applies the addon "ngnix", so new clusters do not get it',
    ],
  },
]

describe.skipIf(shared === undefined)('real provider directories', () => {
  it.each(rows)('$folder', async ({ folder, ...want }) => {
    const path = `${shared}/cluster-stacks/${folder}`
    const source: SourceConfig = { name: 'real', type: 'providerDirectory', path, at }
    const { releases } = await listReleases(source, ports)
    const [name] = releases
    if (name === undefined) throw new Error('no release')
    const { release, findings } = await readRelease(source, name, ports)
    const got: Omit<Row, 'folder'> = {
      tag: formatTag(release.name),
      kubernetesVersion: release.kubernetesVersion,
      addons: release.addons.map(({ name: addon, chart, overwrite }) =>
        [
          `${addon} ${chart.metadata.name} ${chart.metadata.version}`,
          ...chart.dependencies.map(({ metadata }) => `${metadata.name}-${metadata.version}`),
          ...(overwrite === undefined ? [] : ['overwrite']),
        ].join(' '),
      ),
      stages: Object.fromEntries(
        Object.entries(release.stages).map(([hook, stages]) => [
          hook,
          stages.map(({ addon, action, postCondition }) =>
            [addon, action, ...(postCondition === undefined ? [] : [postCondition.conditions])].join(' '),
          ),
        ]),
      ),
      findings: findings.map((finding) => formatDiagnostic(finding).replaceAll(path, 'DIR')),
    }
    expect(got).toEqual(want)
    expect(release.clusterClass.metadata.version).toBe(release.components.clusterAddon)
    expect(release.clusterClass.templates.length).toBeGreaterThan(4)
    expect(release.form).toBe('multi-stage')
  })
})
