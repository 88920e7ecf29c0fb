import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { render, type RenderOptions, type RenderResult } from '../../../src/pipeline/render.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { tempFolder } from '../../support/temp-folder.ts'

export const tools = {
  flux: 'flux: {source: {kind: GitRepository, name: fleet}, path: ./rendered}',
  argocd: 'argocd: {repoURL: "https://git.example/fleet.git", path: rendered}',
} as const

/** A fleet of a small OpenStack stack, offered in namespace platform. */
export interface ImageFleet {
  readonly folder: string
  readonly write: (path: string, text: string) => Promise<void>
  readonly edit: (path: string, from: string | RegExp, to: string) => Promise<void>
  readonly remove: (path: string) => Promise<void>
  readonly render: (options?: Partial<RenderOptions>) => Promise<RenderResult>
  readonly commit: () => void
  /** Text of a file of the output; '' when it is not there. */
  readonly read: (path: string) => Promise<string>
  /** Files of the output below a folder, by path, that hold objects. */
  readonly files: (below: string) => Promise<readonly string[]>
}

const className = 'openstack-mini-1-34'

const clusterClass = `apiVersion: cluster.x-k8s.io/v1beta1
kind: ClusterClass
metadata: {name: "{{ .Release.Name }}-{{ .Chart.Version }}"}
spec:
  variables:
    - {name: imageName, required: false, schema: {openAPIV3Schema: {type: string, default: node}}}
    - {name: imageAddVersion, required: false, schema: {openAPIV3Schema: {type: boolean, default: true}}}
    - {name: imageIsOrc, required: false, schema: {openAPIV3Schema: {type: boolean, default: false}}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: OpenStackMachineTemplate
metadata: {name: "{{ .Release.Name }}-{{ .Chart.Version }}-machine"}
spec: {template: {spec: {flavor: small, image: {filter: {name: node}}}}}
`

/** An Image object as stacks have it beside them. */
export const imageYaml = (name: string): string => `apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: ${name}}
spec:
  cloudCredentialsRef: {cloudName: openstack, secretName: openstack}
  managementPolicy: managed
  resource: {visibility: private, content: {diskFormat: qcow2, download: {url: "https://images.example/${name}.qcow2", hash: {algorithm: sha256, value: ab}}}}
`

/** An offer of the stack. */
export const clusterStackYaml = (
  name: string,
  namespace: string,
  version: string,
): string => `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: ${name}, namespace: ${namespace}}
spec: {provider: openstack, name: mini, kubernetesVersion: "1.34", channel: stable, autoSubscribe: false, noProvider: true, versions: [${version}]}
`

/** A cluster of the stack. */
export function clusterYaml(
  name: string,
  namespace: string,
  over: { readonly version?: string; readonly variables?: string } = {},
): string {
  const { version = 'v1', variables = '[]' } = over
  return `apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  topology:
    class: ${className}-${version}
    classNamespace: platform
    version: v1.34.7
    controlPlane: {replicas: 1}
    variables: ${variables}
`
}

/** Makes the fleet; `nodeImages` is the entry's rest, such as `uploadFrom: [platform]`. */
export async function imageFleet(tool: keyof typeof tools, nodeImages: string): Promise<ImageFleet> {
  const folder = await tempFolder()
  const ports = createNodePorts()
  const write: ImageFleet['write'] = async (path, text) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const read = async (path: string): Promise<string> => readFile(join(folder, 'rendered', path), 'utf8').catch(() => '')
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...words], {
      cwd: folder,
      encoding: 'utf8',
    })
  await write(
    'stackmason.yaml',
    `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: images}
spec:
  sources: [{name: mini, providerDirectory: {path: mini, version: v1}}]
  nodeImages: [{provider: openstack, stack: mini, ${nodeImages}}]
  handoff: {${tools[tool]}}
`,
  )
  await write('stacks/mini.yaml', clusterStackYaml('mini', 'platform', 'v1'))
  await write(
    'mini/csctl.yaml',
    `apiVersion: csctl.clusterstack.x-k8s.io/v1alpha1
config: {kubernetesVersion: v1.34.7, clusterStackName: mini, provider: {type: openstack, apiVersion: openstack.csctl.clusterstack.x-k8s.io/v1alpha1}}
`,
  )
  await write(
    'mini/clusteraddon.yaml',
    `apiVersion: clusteraddonconfig.x-k8s.io/v1alpha1
clusterAddonVersion: clusteraddons.clusterstack.x-k8s.io/v1alpha1
addonStages: {AfterControlPlaneInitialized: [{name: note, action: apply}], BeforeClusterUpgrade: [{name: note, action: apply}]}
`,
  )
  await write(
    'mini/cluster-class/Chart.yaml',
    `apiVersion: v2\nname: ${className}-cluster-class\nversion: << .ClusterClassVersion >>\n`,
  )
  await write('mini/cluster-class/templates/class.yaml', clusterClass)
  await write('mini/cluster-addon/note/Chart.yaml', 'apiVersion: v2\nname: note\nversion: 1.0.0\n')
  await write(
    'mini/cluster-addon/note/templates/note.yaml',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: note}\n',
  )
  await write('mini/image.yaml', imageYaml('node-v1.34.7'))
  git('init', '-q')
  return {
    folder,
    write,
    edit: async (path, from, to) => {
      const text = await readFile(join(folder, path), 'utf8')
      if (text.replace(from, to) === text) throw new Error(`${path} holds no ${String(from)}`)
      await writeFile(join(folder, path), text.replace(from, to))
    },
    remove: (path) => rm(join(folder, path), { recursive: true }),
    render: (options = {}) =>
      render(
        {
          start: folder,
          clusters: [],
          stacks: [],
          check: false,
          allowEmpty: false,
          overwriteEdited: false,
          ...options,
        },
        ports,
        () => undefined,
      ),
    commit: () => {
      git('add', '-A')
      git('commit', '--allow-empty', '-qm', 'a step')
    },
    read,
    files: async (below) => {
      const paths = await readdir(join(folder, 'rendered', below), { recursive: true }).catch(() => [])
      return paths.filter((path) => path.endsWith('.yaml') && !/(?:^|\/)kustomization\.yaml$/.test(path)).sort()
    },
  }
}
