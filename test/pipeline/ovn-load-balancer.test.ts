import { cpSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { packageFolder, runCli } from '../cli/run-cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const shared = sharedFolder()
if (shared === undefined) console.warn('SKIPPED: load balancers of OVN, because ../shared is not there')

/** The files that the page shows, by the path in their first line. */
function filesOfPage(): ReadonlyMap<string, string> {
  const page = readFileSync(join(packageFolder, 'docs/09-generated-secrets.md'), 'utf8')
  return new Map(
    Array.from(page.matchAll(/```yaml\n# (clusters\/\S+)\n(.*?)```/gs), ([, path = '', text = '']) => [path, text]),
  )
}

/** A fleet with the cloud controller manager of openstack/scs2 as its only addon. */
async function scs2Fleet(): Promise<{
  readonly folder: string
  readonly write: (path: string, text: string) => Promise<void>
}> {
  const folder = await tempFolder()
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const stack = join(folder, 'stack')
  cpSync(join(shared ?? '', 'cluster-stacks/providers/openstack/scs2'), stack, { recursive: true })
  for (const addon of ['cni', 'csi', 'metrics-server']) rmSync(join(stack, 'cluster-addon', addon), { recursive: true })
  const chart = 'openstack-cloud-controller-manager'
  cpSync(
    join(shared ?? '', `charts/cloud-provider-openstack--${chart}`),
    join(stack, 'cluster-addon/ccm/charts', chart),
    {
      recursive: true,
    },
  )
  await write(
    'stack/clusteraddon.yaml',
    `apiVersion: clusteraddonconfig.x-k8s.io/v1alpha1
clusterAddonVersion: clusteraddons.clusterstack.x-k8s.io/v1alpha1
addonStages: {AfterControlPlaneInitialized: [{name: ccm, action: apply}]}
`,
  )
  await write(
    'stackmason.yaml',
    `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: ovn}
spec:
  sources: [{name: scs2, providerDirectory: {path: stack, version: v1}}]
  handoff: {flux: {source: {kind: GitRepository, name: fleet}, path: ./rendered}}
`,
  )
  await write(
    'stacks/scs2.yaml',
    `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: scs2, namespace: platform}
spec: {provider: openstack, name: scs2, kubernetesVersion: "1.34", channel: stable, autoSubscribe: false, noProvider: true, versions: [v1]}
`,
  )
  await write(
    'clusters/team-a/web/cluster.yaml',
    `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: web, namespace: team-a}
spec: {topology: {classRef: {name: openstack-scs2-1-34-v1, namespace: platform}, version: v1.34.7, controlPlane: {replicas: 1}}}
`,
  )
  return { folder, write }
}

describe.skipIf(shared === undefined)('load balancers of OVN as docs/09 shows them', () => {
  test('the values alone are refused; with the patch the configuration says ovn and holds no credentials', async () => {
    const { folder, write } = await scs2Fleet()
    const files = filesOfPage()
    expect([...files.keys()]).toEqual([
      'clusters/team-a/web/values/ccm.yaml',
      'clusters/team-a/web/patches/public-ccm.yaml',
    ])
    for (const [path, text] of files) {
      await write(path, text)
      const { status, stderr } = await runCli(['render', '-q'], { cwd: folder })
      const isPatched = path.includes('/patches/')
      expect(status).toBe(isPatched ? 0 : 1)
      expect(stderr.includes('error SECRET_IN_PLAINTEXT')).toBe(!isPatched)
    }
    const secret = await readFile(
      join(folder, 'rendered/clusters/team-a/web/addons/01-ccm/secret-ccm-cloud-config.yaml'),
      'utf8',
    )
    expect(secret).toContain('    stackmason.dev/plaintext: public\n')
    const [, config = ''] = /^ {2}cloud\.conf: (\S+)$/m.exec(secret) ?? []
    expect(Buffer.from(config, 'base64').toString('utf8').replaceAll(/\n+/g, '\n')).toBe(
      '[Global]\nuse-clouds = "true"\n[Networking]\n[LoadBalancer]\nlb-method = "SOURCE_IP_PORT"\nlb-provider = "ovn"\n[BlockStorage]\n[Metadata]\n[Route]',
    )
  })
})
