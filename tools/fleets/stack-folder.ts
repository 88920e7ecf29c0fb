import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeTar } from '../../src/codec/bytes/tar.ts'
import { encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import type { Span } from '../../src/model/source.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'

/** Files by path; text or bytes. */
export type FileMap = Readonly<Record<string, string | Uint8Array>>

/** A place for sources that tests make up. */
export const at: Span = { source: { name: 'stackmason.yaml', text: 'sources: []' }, start: 0, end: 7 }

/** Chart.yaml of a chart. */
export function chartYaml(name: string, version: string = 'v1'): string {
  return `apiVersion: v2\nname: ${name}\nversion: ${version}\n`
}

/** A template of an object with that name. */
export function configMap(name: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '${name}'}\n`
}

/** A provider directory of the multi-stage form. */
export const stagesFolder: FileMap = {
  'csctl.yaml': `apiVersion: csctl.clusterstack.x-k8s.io/v1alpha1
config: {clusterStackName: demo, kubernetesVersion: v1.30.4, provider: {type: docker, apiVersion: docker.csctl.clusterstack.x-k8s.io/v1alpha1}}
`,
  'clusteraddon.yaml': `apiVersion: clusteraddonconfig.x-k8s.io/v1alpha1
clusterAddonVersion: clusteraddons.clusterstack.x-k8s.io/v1alpha1
addonStages:
  AfterControlPlaneInitialized:
    - {name: cni, action: apply}
    - {name: metrics, action: apply}
`,
  'cluster-class/Chart.yaml': chartYaml('docker-demo-1-30-cluster-class'),
  'cluster-class/templates/class.yaml': configMap('{{ .Release.Name }}-{{ .Chart.Version }}'),
  'cluster-addon/cni/Chart.yaml': chartYaml('CNI', '<< .ClusterAddonVersion >>'),
  'cluster-addon/cni/templates/a.yaml': configMap('cni-<< .NodeImageVersion >>'),
  'cluster-addon/metrics/Chart.yaml': chartYaml('metrics'),
  'cluster-addon/metrics/overwrite.yaml': 'values: |\n  version: << .ClusterClassVersion >>\n',
  'cluster-addon/metrics/values.yaml': 'version: none\n',
}

/** A provider directory of the old form. */
export const singleFolder: FileMap = {
  'csmctl.yaml': `apiVersion: csmctl.clusterstack.x-k8s.io/v1alpha1
config: {clusterStackName: old, kubernetesVersion: v1.27.7, provider: {type: docker}}
`,
  'cluster-class/Chart.yaml': chartYaml('docker-old-1-27-cluster-class', '<< .ClusterClassVersion >>'),
  'cluster-class/templates/class.yaml': configMap('class'),
  'cluster-addon/Chart.yaml': chartYaml('docker-old-1-27-cluster-addon'),
  'cluster-addon/templates/a.yaml': configMap('addon-{{ .Values.v }}'),
  'cluster-addon-values.yaml': 'values: |\n  v: << .ClusterAddonVersion >>\n',
}

/** `files` without some and with others. */
export function changed(files: FileMap, change: Readonly<Record<string, string | Uint8Array | undefined>>): FileMap {
  const result = new Map(Object.entries(files))
  for (const [path, content] of Object.entries(change)) {
    if (content === undefined) result.delete(path)
    else result.set(path, content)
  }
  return Object.fromEntries(result)
}

/** Writes the files below `folder`. */
export async function writeFiles(folder: string, files: FileMap): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}

/** A .tgz of the files. */
export function archiveOf(files: FileMap): Uint8Array {
  const entries = Object.entries(files).map(([path, content]) => ({
    path,
    type: 'file' as const,
    bytes: typeof content === 'string' ? encodeUtf8(content) : content,
  }))
  return createNodePorts().compression.gzip(writeTar(entries))
}

/** A packaged chart: everything in a folder named like the chart. */
export function packagedChart(name: string, version: string, files: FileMap = {}): Uint8Array {
  const all = { 'Chart.yaml': chartYaml(name, version), ...files }
  return archiveOf(Object.fromEntries(Object.entries(all).map(([path, content]) => [`${name}/${path}`, content])))
}

/** metadata.yaml of a release. */
export function metadataYaml(clusterStack: string, kubernetes: string, clusterAddon: string = clusterStack): string {
  return `apiVersion: metadata.clusterstack.x-k8s.io/v1alpha1
versions: {clusterStack: ${clusterStack}, kubernetes: ${kubernetes}, components: {clusterAddon: ${clusterAddon}, nodeImage: v1}}
`
}

/** The assets of docker-demo-1-30-v3: multi-stage, with an addon version lower than its own. */
export const stagesRelease: FileMap = {
  'metadata.yaml': metadataYaml('v3', 'v1.30.4', 'v2'),
  'hashes.json': '{"clusterStack": "abc", "clusterAddonDir": "def", "clusterAddonValues": ""}',
  'clusteraddon.yaml': String(stagesFolder['clusteraddon.yaml']),
  'docker-demo-1-30-cluster-class-v3.tgz': packagedChart('docker-demo-1-30-cluster-class', 'v3', {
    'templates/class.yaml': 'a: 1\n',
  }),
  'docker-demo-1-30-cluster-addon-v2.tgz': archiveOf({
    './cni/Chart.yaml': chartYaml('CNI', 'v2'),
    './cni/.helmignore': 'notes.txt\n',
    './cni/notes.txt': 'x',
    './metrics/Chart.yaml': chartYaml('metrics'),
    './metrics/overwrite.yaml': 'values: |\n  a: 1\n',
  }),
}

/** The assets of docker-old-1-27-v0-sha.abc1234: the old form. */
export const singleRelease: FileMap = {
  'metadata.yaml': metadataYaml('v0-sha.abc1234', 'v1.27.7'),
  'cluster-addon-values.yaml': 'values: |\n  a: 1\n',
  'docker-old-1-27-cluster-class-v0-sha.abc1234.tgz': packagedChart('docker-old-1-27-cluster-class', 'v0-sha.abc1234'),
  'docker-old-1-27-cluster-addon-v0-sha.abc1234.tgz': packagedChart('docker-old-1-27-cluster-addon', 'v0-sha.abc1234'),
}
