import { describe, expect, test } from 'vitest'
import { diff } from '../../src/pipeline/commands/diff.ts'
import { handoffs } from '../../tools/fleets/example-fleet.ts'
import { packagedChart } from '../../tools/fleets/stack-folder.ts'
import { fleetYaml, releaseFiles, stackYaml } from '../../tools/servers/release-server.ts'
import { imageClass } from './image-fleet.ts'
import { remoteFleet, type RemoteFleet } from './remote-fleet.ts'

const v1 = 'docker-demo-1-34-v1'
const v2 = 'docker-demo-1-34-v2'
const next = 'docker-demo-1-35-v1'

const nodeImage = `apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: node-image-v1.34.7}
spec:
  cloudCredentialsRef: {cloudName: c, secretName: s}
  managementPolicy: managed
  resource: {content: {diskFormat: qcow2, download: {url: "https://images.example/v1.34.7.qcow2", hash: {algorithm: sha256, value: ${'ab'.repeat(32)}}}}}
`

/** The change of a release of 1.34 that brings a node image, which its class asks for. */
function withImage(version: string): Readonly<Record<string, string | Uint8Array>> {
  const chart = 'docker-demo-1-34-cluster-class'
  return {
    'node-images.yaml': nodeImage,
    [`${chart}-${version}.tgz`]: packagedChart(chart, version, {
      'templates/class.yaml': imageClass,
    }),
  }
}

/** A fleet for Flux with its cluster at the first of two releases of a minor, and one of the next, all of them locked. */
async function lockedFleet(): Promise<RemoteFleet> {
  const fleet = await remoteFleet()
  fleet.change({
    'stackmason.yaml': fleetYaml(fleet.server.url, `  handoff: {${handoffs.flux}}\n`),
    'stacks/next.yaml': stackYaml('autoSubscribe: true', 'demo-1-35').replace('"1.34"', '"1.35"'),
  })
  for (const version of ['v1', 'v2'])
    fleet.offered.set(`docker-demo-1-34-${version}`, releaseFiles(version, { change: withImage(version) }))
  fleet.offered.set(next, releaseFiles('v1', { minor: 35 }))
  await fleet.update()
  return fleet
}

/** `change path` of every object that a preview shows among the units. */
async function unitsOf({ folder, ports }: RemoteFleet, from: string, to: string): Promise<readonly string[]> {
  const { change } = await diff({ start: folder, compared: { from, to, clusters: [] } }, ports, () => undefined)
  return change.changes
    .map((one) => `${one.change} ${(one.before ?? one.after)?.path ?? ''}`)
    .filter((text) => text.includes(' handoff/'))
}

describe('a preview of an upgrade', () => {
  test.each([
    { name: 'to another minor', to: next },
    { name: 'within a minor, whose stack the node image moves to', to: v2 },
  ])('shows the unit of no stack but the one that clusters leave and that they come to: $name', async ({ to }) => {
    const fleet = await lockedFleet()
    expect(await unitsOf(fleet, v1, to)).toEqual([
      `renamed handoff/platform/stacks/flux-kustomization-stack-${v1}.yaml`,
      'changed handoff/team-a/web/flux-kustomization-web-addons.yaml',
      'changed handoff/team-a/web/flux-kustomization-web.yaml',
    ])
  })
})
