import { describe, expect, test } from 'vitest'
import { check } from '../../src/pipeline/commands/check.ts'
import { foldFindings } from '../../src/report/fold-findings.ts'
import { realFleet, type RealShape } from '../../tools/fleets/real-fleet.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

const shared = sharedFolder()
if (shared === undefined) console.warn('SKIPPED: check of the real cluster stacks, because ../shared is not there')

/** Rules about what something names and nothing brings. */
const ABOUT = /_MISSING$|_UNKNOWN$|_LATE$|_TWICE$|SELECTOR|RIGHTS/

// the CCM mounts it, too; nobody but its owner can make it
const cloudConfig = (cluster: string): string =>
  `warning POD_CONFIG_MISSING DaemonSet kube-system/openstack-cinder-csi-nodeplugin names Secret kube-system/cloud-config (so do 2 more objects), which nothing in the tree brings: its pods do not start before it is there [team/${cluster}]`
const credentials = ['team/one', 'team/two', 'team/one'].map(
  (subject) =>
    `warning CREDENTIALS_MISSING Secret team/openstack with the credentials of the cloud is needed, and nothing in the tree brings it [${subject}]`,
)
const secret = (name: string, namespace: string): string =>
  `apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: ${name}, namespace: ${namespace}}\n`

const rows: readonly (RealShape & {
  readonly files?: Readonly<Record<string, string>>
  readonly found: readonly string[]
})[] = [
  { provider: 'docker', kubernetes: '1.30.10', tool: 'flux', found: [] },
  {
    provider: 'openstack',
    kubernetes: '1.32.5',
    tool: 'argocd',
    found: [cloudConfig('one'), cloudConfig('two'), ...credentials],
  },
  {
    provider: 'openstack',
    kubernetes: '1.32.5',
    tool: 'flux',
    files: {
      'clusters/team/one/addons.yaml':
        'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {addons: [{name: own, templates: {path: own}}]}\n',
      'clusters/team/one/own/secret.yaml': secret('cloud-config', 'kube-system'),
    },
    found: [cloudConfig('two'), ...credentials],
  },
]

describe.skipIf(shared === undefined)('what real stacks name and nothing brings:', () => {
  test.each(rows)('$provider/scs under $tool', async ({ files = {}, found, ...shape }) => {
    const fleet = realFleet(await tempFolder(), shared ?? '', shape)
    fleet.change(files)
    const own = '{group: external-secrets.io, kind: ExternalSecret, scope: Namespaced}'
    fleet.edit('stackmason.yaml', 'spec:\n', `spec:\n  scopes: [${own}]\n  apiVersions: [external-secrets.io/v1]\n`)
    const { findings } = await check({ start: fleet.folder, clusters: [], stacks: [] }, fleet.ports, () => undefined)
    const lines = foldFindings(findings)
      .flatMap(({ finding, about }) => about.map((subject) => ({ ...finding, about: subject })))
      .filter(({ code, severity }) => ABOUT.test(code) && severity !== 'note')
      .map(({ severity, code, message, about }) => `${severity} ${code} ${message} [${about.cluster ?? ''}]`)
    expect(lines).toEqual(found)
  })
})
