import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { realFleet } from '../../tools/fleets/real-fleet.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { runCli } from './run-cli.ts'

const shared = sharedFolder()
if (shared === undefined)
  console.warn('SKIPPED: names in diffs of real stacks need the shared data (STACKMASON_SHARED)')

/** Charts that name Secrets in annotations, flags and comments, and some that hold examples of secrets. */
const CHARTS: readonly string[] = [
  'cert-manager',
  'bitnami--cert-manager',
  'bitnami--contour',
  'bitnami--keycloak',
  'bitnami--metallb',
  'ingress-nginx',
  'external-secrets',
  'aws-ebs-csi-driver',
]

/** Lines with a mask that are right. */
const ALLOWED: readonly string[] = ["        +   other: '********'", "        +   password: '********'"]

describe.skipIf(shared === undefined)('in the diff of a real stack nothing is hidden but secrets', () => {
  test.each([
    { provider: 'docker', kubernetes: '1.30.10' },
    { provider: 'openstack', kubernetes: '1.32.5' },
  ])('$provider', async (row) => {
    const fleet = realFleet(await tempFolder(), shared ?? '', { tool: 'flux', ...row })
    await fleet.render()
    fleet.commit()
    for (const chart of CHARTS) fleet.copy(join(shared ?? '', 'charts', chart), `charts/${chart}`)
    fleet.change({
      'charts/own/Chart.yaml': 'apiVersion: v2\nname: own\nversion: 1.0.0\n',
      'charts/own/templates/map.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\ndata: {password: QX12k9vZ, other: QX12k9vZ}\n',
    })
    const addons = [...CHARTS, 'own'].map((chart) => {
      const name = chart.replaceAll('--', '-')
      return `    - {name: ${name}, namespace: ${name}, chart: {path: ../../../charts/${chart}}}\n`
    })
    fleet.write(
      'clusters/team/one/addons.yaml',
      `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  addons:\n${addons.join('')}`,
    )
    await fleet.render()
    const { stdout, status } = await runCli(['diff', '--all'], { cwd: fleet.folder })
    expect(status).toBe(0)
    expect(stdout).toContain('bitnami-cert-manager')
    expect(stdout.split('\n').filter((line) => line.includes('****'))).toEqual(ALLOWED)
    expect(stdout).not.toContain('QX12k9vZ')
  })
})
