import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import type { HandoffFolders, Unit } from '../../../src/model/handoff.ts'
import { readChart } from '../../../src/sources/chart/read-chart.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'
import { hasKube } from '../../../tools/servers/kube.ts'
import { renderArgo } from '../../../tools/fleets/hand-over.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { boundCluster } from '../binding/bound-cluster.ts'
import { addonsUnit, manifestOf, sampleConfig, sampleContext, sampleUnits } from './sample-units.ts'
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

  it("fills an ApplicationSet's placeholders and changes nothing else", async () => {
    const root = await tempFolder()
    const ofUnit = folders.filter(({ path }) => path === addonsUnit.path || path.includes('/web/addons/01-'))
    await writeFolders(root, ofUnit)
    const host = 'a": b\n{{ .c }} ${HOST} é🎉'
    const folder = join(root, addonsUnit.path)
    expect(await addPatches(folder, setOf({ folders, handoff }), { [HOST]: host, [PORT]: '6443' })).toBe(3)
    const filled = objectsOf(ofUnit).map((object) => {
      const text = JSON.stringify(object)
        .replace('"value":"placeholder"', () => `"value":${JSON.stringify(host)}`)
        .replace('"containerPort":"placeholder"', '"containerPort":6443')
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

  /** The addons unit with one ConfigMap, whose list of environment variables has placeholders at these indexes. */
  const contentWith = (...indexes: readonly number[]): HandoffFolders => {
    const env = ['A', 'B', 'C'].map(
      (name, index) => `{name: ${name}, value: ${indexes.includes(index) ? 'placeholder' : 'fixed'}}`,
    )
    const manifest = manifestOf(
      `apiVersion: example.com/v1\nkind: Agent\nmetadata: {name: a, namespace: kube-system}\nspec: {env: [${env.join(', ')}]}`,
    )
    const folder = { path: `${addonsUnit.path}/01-cni`, manifests: [manifest] }
    const placeholders = indexes.map((index) => ({
      object: { apiVersion: 'example.com/v1', kind: 'Agent', name: 'a', namespace: 'kube-system' },
      folder: folder.path,
      pointer: `/spec/env/${String(index)}/value`,
      text: `\${${HOST}}`,
      parts: [{ name: HOST }],
      written: 'placeholder',
      names: [HOST],
    }))
    const parent = { path: addonsUnit.path, manifests: [], includes: ['01-cni'] }
    return renderArgo([{ ...addonsUnit, manifests: [manifest] }], sampleConfig, {
      ...sampleContext,
      folders: [parent, folder],
      placeholders,
    })
  }
  const states = { none: contentWith(), first: contentWith(0), other: contentWith(1), further: contentWith(0, 1) }
  type State = keyof typeof states
  const names = Object.keys(states) as readonly State[]
  const pairs = names.flatMap((content) => names.map((patches) => ({ content, patches })))

  const refusal = /is missing for replacement source|failed to find unique target for patch/

  async function contentAndPatches(pair: Readonly<Record<'content' | 'patches', State>>): Promise<string> {
    const root = await tempFolder()
    await writeFolders(root, states[pair.content].folders)
    const folder = join(root, addonsUnit.path)
    const patches = setOf(states[pair.patches])
    if (patches !== undefined) await addPatches(folder, patches, { [HOST]: '192.0.2.10' })
    return folder
  }

  it.each(names)('builds content with placeholders %s with its patches', async (state) => {
    const wanted = objectsOf(states[state].folders).map(
      (object) => JSON.parse(JSON.stringify(object).replaceAll('placeholder', '192.0.2.10')) as unknown,
    )
    expect(kustomize(await contentAndPatches({ content: state, patches: state }))).toEqual(sorted(wanted))
  })

  it.each(pairs.filter(({ content, patches }) => content !== patches))(
    'does not build content with placeholders $content and patches for $patches',
    async (pair) => {
      const folder = await contentAndPatches(pair)
      expect(() => kustomize(folder)).toThrow(refusal)
    },
  )

  it('refuses to build a placeholder that is not where the patches want it', async () => {
    const root = await tempFolder()
    await writeFolders(root, states.first.folders)
    const folder = join(root, addonsUnit.path)
    const file = join(folder, '01-cni/agent-a.yaml')
    await writeFile(file, (await readFile(file, 'utf8')).replace('placeholder', 'edited'))
    await addPatches(folder, setOf(states.first), { [HOST]: '192.0.2.10' })
    expect(() => kustomize(folder)).toThrow('test failed')
  })

  it.each<{ readonly name: string; readonly content: 'old' | 'new'; readonly patches: 'old' | 'new' }>([
    { name: 'content of an earlier release with new patches', content: 'old', patches: 'new' },
    { name: 'new content with the patches of an earlier release', content: 'new', patches: 'old' },
  ])('does not build $name', async ({ content, patches }) => {
    const root = await tempFolder()
    const { folders: written } = states.first
    await writeFolders(
      root,
      content === 'new'
        ? written
        : written.map(({ path, manifests, includes = [] }) => ({ path, manifests, includes })),
    )
    const folder = join(root, addonsUnit.path)
    await addPatches(folder, setOf(states.first), { [HOST]: '192.0.2.10' })
    const file = join(folder, 'kustomization.yaml')
    const made = parse(await readFile(file, 'utf8')) as { readonly patches: readonly object[] }
    const before = made.patches.filter((patch) => 'target' in patch)
    await writeFile(file, stringify({ ...made, patches: patches === 'new' ? made.patches : before }))
    expect(() => kustomize(folder)).toThrow(refusal)
  })

  it.runIf(shared !== undefined)('makes of cilium what Helm makes of it when the endpoint is known', async () => {
    const chart = await readChart(join(shared ?? '', 'charts/scs--openstack-scs2-addon-cni'), createNodePorts())
    const overwrite = `values: |
  cilium:
    kubeProxyReplacement: true
    k8sServiceHost: "{{ .Cluster.spec.controlPlaneEndpoint.host }}"
    k8sServicePort: {{ .Cluster.spec.controlPlaneEndpoint.port }}
`
    const later = boundCluster({ chart, tool: 'argocd', overwrite })
    const now = boundCluster({
      chart,
      tool: 'argocd',
      overwrite,
      endpoint: 'controlPlaneEndpoint: {host: 192.0.2.10, port: 6443}',
    })
    expect([later.placeholders.length, now.placeholders.length]).toEqual([10, 0])
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
    const rendered = (of: typeof now): HandoffFolders =>
      renderArgo([unit], sampleConfig, {
        ...sampleContext,
        folders: [parent, ...of.folders],
        placeholders: of.placeholders,
      })
    const root = await tempFolder()
    const made = rendered(later)
    await writeFolders(root, made.folders)
    expect(setOf(rendered(now))).toBeUndefined()
    expect(await addPatches(join(root, path), setOf(made), { [HOST]: '192.0.2.10', [PORT]: '6443' })).toBe(4)
    const wanted = rendered(now).folders.filter((folder) => folder.path.startsWith(`${path}/`))
    expect(kustomize(join(root, path))).toEqual(sorted(objectsOf(wanted)))
  })
})
