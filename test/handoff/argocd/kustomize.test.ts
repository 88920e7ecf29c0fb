import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { renderArgo } from '../../../src/handoff/argocd/render-argo.ts'
import type { HandoffFolders, Unit } from '../../../src/model/handoff.ts'
import { readChart } from '../../../src/sources/chart/read-chart.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { hasKube } from '../../support/kube.ts'
import { sharedFolder } from '../../support/shared.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { boundCluster } from '../binding/bound-cluster.ts'
import { addonsUnit, sampleConfig, sampleContext, sampleUnits } from './sample-units.ts'
import { addPatches, kustomize, objectsOf, sorted, writeFolders } from './unit-files.ts'

const { folders, handoff } = renderArgo(sampleUnits, sampleConfig, sampleContext)
const shared = sharedFolder()
if (shared === undefined) console.warn('SKIPPED: cilium for Argo CD, because ../shared is not there')

const HOST = 'CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST'
const PORT = 'CLUSTER_SPEC_CONTROLPLANEENDPOINT_PORT'

function setOf(folder: HandoffFolders) {
  return folder.handoff.flatMap(({ manifests }) => manifests).find(({ kind }) => kind === 'ApplicationSet')
}

describe.runIf(hasKube())('kustomize', () => {
  it('builds from each folder of Applications what is in it', async () => {
    const root = await tempFolder()
    await writeFolders(root, handoff)
    for (const folder of handoff) expect(kustomize(join(root, folder.path))).toEqual(sorted(objectsOf([folder])))
  })

  it("fills an ApplicationSet's holes and changes nothing else", async () => {
    const root = await tempFolder()
    const ofUnit = folders.filter(({ path }) => path === addonsUnit.path || path.includes('/web/addons/01-'))
    await writeFolders(root, ofUnit)
    const host = 'a": b\n{{ .c }} ${HOST} é🎉'
    const folder = join(root, addonsUnit.path)
    expect(await addPatches(folder, setOf({ folders, handoff }), { [HOST]: host, [PORT]: '6443' })).toBe(2)
    const filled = objectsOf(ofUnit).map((object) => {
      const text = JSON.stringify(object)
        .replace('"value":"placeholder"', () => `"value":${JSON.stringify(host)}`)
        .replace('"containerPort":1', '"containerPort":6443')
        .replace('"a/b~c":"placeholder"', '"a/b~c":"6443"')
        .replace(
          '"config{{.yaml":"placeholder"',
          () =>
            `"config{{.yaml":${JSON.stringify(`server: "https://${host}:6443"\ntemplate: {{ .x }} \${not a hole}\n`)}`,
        )
      return JSON.parse(text) as unknown
    })
    expect(JSON.stringify(filled)).not.toContain('placeholder')
    expect(kustomize(folder)).toEqual(sorted(filled))
  })

  it.runIf(shared !== undefined)('makes of cilium what Helm makes of it when the endpoint is known', async () => {
    const chart = await readChart(join(shared ?? '', 'charts/scs--openstack-scs2-addon-cni'), createNodePorts())
    const overwrite = `values: |
  cilium:
    kubeProxyReplacement: true
    k8sServiceHost: "{{ .Cluster.spec.controlPlaneEndpoint.host }}"
    k8sServicePort: {{ .Cluster.spec.controlPlaneEndpoint.port }}
`
    const later = boundCluster({ chart, engine: 'argocd', overwrite })
    const now = boundCluster({
      chart,
      engine: 'argocd',
      overwrite,
      endpoint: 'controlPlaneEndpoint: {host: 192.0.2.10, port: 6443}',
    })
    expect([later.holes.length, now.holes.length]).toEqual([10, 0])
    const addons = later.folders.filter(({ path }) => path.includes('/addons/'))
    const path = 'clusters/team/web/addons'
    const unit: Unit = {
      ...addonsUnit,
      namespace: 'team',
      cluster: { name: 'web', namespace: 'team' },
      path,
      manifests: addons.flatMap(({ manifests }) => manifests),
    }
    const parent = { path, manifests: [], includes: addons.map((folder) => folder.path.slice(path.length + 1)) }
    const handed = (of: typeof now): HandoffFolders =>
      renderArgo([unit], sampleConfig, { ...sampleContext, folders: [parent, ...of.folders], holes: of.holes })
    const root = await tempFolder()
    const made = handed(later)
    await writeFolders(root, made.folders)
    expect(setOf(handed(now))).toBeUndefined()
    expect(await addPatches(join(root, path), setOf(made), { [HOST]: '192.0.2.10', [PORT]: '6443' })).toBe(3)
    const wanted = handed(now).folders.filter((folder) => folder.path.startsWith(`${path}/`))
    expect(kustomize(join(root, path))).toEqual(sorted(objectsOf(wanted)))
  })
})
