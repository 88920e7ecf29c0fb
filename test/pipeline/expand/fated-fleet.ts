import type { Ports } from '../../../src/model/ports.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { copyExample, exampleConfig, fixedEndpoint, handoffs } from '../../../tools/fleets/example-fleet.ts'
import { FleetFolder } from '../../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** What the planted hash never comes back from. */
export const ENDLESS = 'work-without-end'
/** Milliseconds that a chart may take here; enough on a machine under load. */
export const SOON = 1500

const chart = 'providers/docker/demo/cluster-addon/dns-cache/templates'
const patch = (spec: string): string => `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n${spec}`

/** What becomes of a cluster. */
export const fates: Readonly<Record<string, (fleet: FleetFolder, folder: string) => void>> = {
  sound: () => undefined,
  'with values': (fleet, folder) => {
    fleet.write(`${folder}/values/dns-cache.yaml`, `clusterDomain: ${folder.slice(-2)}.example\n`)
  },
  'known later': (fleet, folder) => {
    fleet.edit(`${folder}/cluster.yaml`, fixedEndpoint, '')
  },
  'patched in vain': (fleet, folder) => {
    fleet.write(
      `${folder}/patches/broken.yaml`,
      patch('  target: {kind: Cluster}\n  jsonPatch:\n    - {op: remove, path: /spec/none}\n'),
    )
  },
  'with a patch of nothing': (fleet, folder) => {
    fleet.write(
      `${folder}/patches/unused.yaml`,
      patch('  target: {kind: None}\n  jsonPatch:\n    - {op: remove, path: /spec}\n'),
    )
  },
  'with a template that ends never': (fleet, folder) => {
    fleet.write(`${folder}/values/dns-cache.yaml`, `clusterDomain: ${ENDLESS}\n`)
  },
  'with values of another type': (fleet, folder) => {
    fleet.write(`${folder}/values/dns-cache.yaml`, 'localAddress: {}\nclusterDomain: [a]\n')
  },
}
export const soundFates: readonly string[] = ['sound', 'with values', 'known later']

/** A fleet with a cluster for each of these fates, and one more. */
export async function fleetOf(
  tool: keyof typeof handoffs | undefined,
  clusters: readonly string[],
): Promise<FleetFolder> {
  const fleet = new FleetFolder(await tempFolder())
  const shape = { clusters: ['team-a/web'], ...(tool !== undefined && { handoff: [handoffs[tool]] }) } as const
  copyExample(fleet, shape)
  fleet.write('stackmason.yaml', exampleConfig(shape))
  // a warning for each cluster, and a hash of what its values say
  fleet.edit(`${chart}/configmap.yaml`, 'data:\n', 'data:\n  sum: {{ .Values.clusterDomain | toString | sha256sum }}\n')
  fleet.write(
    `${chart}/monitor.yaml`,
    '{{ if .Capabilities.APIVersions.Has "monitoring.coreos.com/v1" }}\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: dns}\n{{ end }}\n',
  )
  for (const [index, fate] of clusters.entries()) {
    // one takes long
    if (fate === 'with a template that ends never' && clusters.indexOf(fate) < index) continue
    const name = `c${String.fromCharCode(97 + index)}`
    const folder = `clusters/team-a/${name}`
    fleet.copy(fleet.path('clusters/team-a/web'), folder)
    fleet.edit(`${folder}/cluster.yaml`, 'name: web\n', `name: ${name}\n`)
    fates[fate]?.(fleet, folder)
  }
  fleet.git('init', '-q', '--template=')
  return fleet
}

const own = createNodePorts()
const hash: Ports['crypto']['hash'] = (algorithm, bytes) => {
  if (Buffer.from(ENDLESS).equals(bytes)) for (;;);
  return own.crypto.hash(algorithm, bytes)
}
/** Ports with which {@link ENDLESS} work does not end, until it is stopped. */
export const plantedPorts: Ports = {
  ...own,
  crypto: { ...own.crypto, hash },
  deadline: { ...own.deadline, within: (_, work) => own.deadline.within(SOON, work) },
}
