import { join } from 'node:path'
import { expect, test } from 'vitest'
import { build } from '../../src/pipeline/commands/build.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { runCli } from './run-cli.ts'

const shared = sharedFolder()
if (shared === undefined) console.warn('SKIPPED: diff of real stacks needs the shared data (STACKMASON_SHARED)')

/** Releases v1 and v2 of a real stack; v2 has another name for a variable, and one more argument for control planes. */
async function fleetOf(provider: string, variable: string): Promise<FleetFolder> {
  const fleet = new FleetFolder(await tempFolder())
  fleet.copy(join(shared ?? '', 'cluster-stacks/providers', provider, 'scs'), 'stack')
  const release = async (version: string): Promise<string> => {
    const { releases } = await build(
      {
        directory: fleet.path('stack'),
        output: fleet.path('releases'),
        version: { mode: 'explicit', clusterStack: version },
        rows: 'none',
        push: false,
        index: false,
        overwrite: false,
        dryRun: false,
        network: 'offline',
        start: fleet.folder,
        plainHttp: false,
      },
      fleet.ports,
    )
    return releases[0]?.kubernetesVersion ?? ''
  }
  const kubernetes = await release('v1')
  const templates = 'stack/cluster-class/templates'
  const named = new RegExp(String.raw`- name: ${variable}\n( +required)`)
  fleet.edit(`${templates}/cluster-class.yaml`, named, '- name: other_name\n$1')
  // what refers to it, without which nobody could use the class
  fleet.edit(`${templates}/cluster-class.yaml`, `variable: ${variable}`, 'variable: other_name')
  fleet.edit(`${templates}/kubeadm-control-plane-template.yaml`, /( +)kubeadmConfigSpec:\n/, '$&$1  verbosity: 4\n')
  await release('v2')
  const minor = kubernetes.slice(1).split('.').slice(0, 2)
  fleet.change({
    'stackmason.yaml':
      'apiVersion: stackmason.dev/v1alpha1\nkind: Fleet\nmetadata: {name: real}\nspec: {sources: [{name: releases, directory: {path: releases}}]}\n',
    'stacks/scs.yaml': `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: scs, namespace: team}
spec: {provider: ${provider}, name: scs, kubernetesVersion: "${minor.join('.')}", channel: stable, autoSubscribe: false, noProvider: true, versions: [v1]}
`,
    'clusters/team/one/cluster.yaml': `apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: one, namespace: team}
spec: {controlPlaneEndpoint: {host: one.example.com, port: 6443}, topology: {class: ${provider}-scs-${minor.join('-')}-v1, version: ${kubernetes}, controlPlane: {replicas: 1}}}
`,
    'clusters/team/one/values/cni.yaml': 'cilium: {hubble: {tls: {enabled: false}}}\n',
  })
  return fleet
}

test.skipIf(shared === undefined).each([
  { provider: 'docker', stack: 'docker-scs-1-30', variable: 'imageRepository', same: 3 },
  { provider: 'openstack', stack: 'openstack-scs-1-32', variable: 'controller_flavor', same: 4 },
])(
  'a class of $provider/scs shows what differs, and not 607 new lines',
  async ({ provider, stack, variable, same }) => {
    const fleet = await fleetOf(provider, variable)
    const { stdout, status } = await runCli(['diff', '--from', `${stack}-v1`, '--to', `${stack}-v2`], {
      cwd: fleet.folder,
    })
    expect(status).toBe(0)
    const text = stdout
      .replaceAll(stack, 'STACK')
      .replaceAll(/[+-] \{"name".*/g, 'ITEM')
      .replace(new RegExp(String.raw`spec\.patches\[name=${variable}\]\.[\w.[\]]+: ${variable} -> other_name`), 'PATCH')
    expect(text).toContain(`Versions
  release   STACK-v1 -> STACK-v2 in team, moves team/one
  variable  STACK-v2: ${variable} is gone, perhaps renamed to other_name, which has the same schema
`)
    expect(text).toContain(`
release STACK-v1 -> STACK-v2 in team
  ~ ClusterClass team/STACK-v2  (rolls nodes)
      PATCH
      spec.variables[name=${variable}]: ITEM
      spec.variables[name=other_name]: ITEM
`)
    expect(text).toContain(`
  ~ KubeadmControlPlaneTemplate team/STACK-v2-control-plane  (rolls nodes)
      spec.template.spec.kubeadmConfigSpec.verbosity: + 4
  ${String(same)} objects with no difference but the name
`)
  },
)
