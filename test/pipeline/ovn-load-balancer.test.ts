import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { scs2Fleet } from '../../tools/fleets/scs2-fleet.ts'
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
async function fleetWithCloud(): Promise<FleetFolder> {
  const fleet = scs2Fleet(await tempFolder(), shared ?? '', { tool: 'flux', namespace: 'team-a' })
  for (const addon of ['cni', 'csi', 'metrics-server']) fleet.remove(`stack/cluster-addon/${addon}`)
  const chart = 'openstack-cloud-controller-manager'
  fleet.copy(join(shared ?? '', `charts/cloud-provider-openstack--${chart}`), `stack/cluster-addon/ccm/charts/${chart}`)
  fleet.write(
    'stack/clusteraddon.yaml',
    `apiVersion: clusteraddonconfig.x-k8s.io/v1alpha1
clusterAddonVersion: clusteraddons.clusterstack.x-k8s.io/v1alpha1
addonStages: {AfterControlPlaneInitialized: [{name: ccm, action: apply}]}
`,
  )
  return fleet
}

describe.skipIf(shared === undefined)('load balancers of OVN as docs/09 shows them', () => {
  test('the values alone are refused; with the patch the configuration says ovn and holds no credentials', async () => {
    const fleet = await fleetWithCloud()
    const files = filesOfPage()
    expect([...files.keys()]).toEqual([
      'clusters/team-a/web/values/ccm.yaml',
      'clusters/team-a/web/patches/public-ccm.yaml',
    ])
    for (const [path, text] of files) {
      fleet.write(path, text)
      const { status, stderr } = await runCli(['render', '-q'], { cwd: fleet.folder })
      const isPatched = path.includes('/patches/')
      expect(status).toBe(isPatched ? 0 : 1)
      expect(stderr.includes('error SECRET_IN_PLAINTEXT')).toBe(!isPatched)
    }
    const secret = fleet.read('rendered/clusters/team-a/web/addons/01-ccm/secret-ccm-cloud-config.yaml')
    expect(secret).toContain('    stackmason.dev/plaintext: public\n')
    const [, config = ''] = /^ {2}cloud\.conf: (\S+)$/m.exec(secret) ?? []
    expect(Buffer.from(config, 'base64').toString('utf8').replaceAll(/\n+/g, '\n')).toBe(
      '[Global]\nuse-clouds = "true"\n[Networking]\n[LoadBalancer]\nlb-method = "SOURCE_IP_PORT"\nlb-provider = "ovn"\n[BlockStorage]\n[Metadata]\n[Route]',
    )
  })
})
