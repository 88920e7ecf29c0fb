import { readFileSync } from 'node:fs'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { textAt } from '../../src/model/field.ts'
import type { Value } from '../../src/model/value.ts'
import type { RenderResult } from '../../src/pipeline/commands/render.ts'
import { copyExample, exampleConfig, handoffs } from '../../tools/fleets/example-fleet.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** The cluster of the fleet. */
export const cluster = 'clusters/team-a/web/cluster.yaml'
/** Its Cluster object in the tree. */
export const renderedCluster = 'rendered/clusters/team-a/web/cluster/cluster-web.yaml'

/** A template of the addon of its release. */
export const addonTemplate = 'providers/docker/demo/cluster-addon/dns-cache/templates/configmap.yaml'

/** The GitOps tool that a fleet is handed over to. */
export type Tool = keyof typeof handoffs

/** The cluster that is taken through its life, and one of another stack. */
export const bothClusters = ['team-a/web', 'team-b/batch'] as const

/** A fleet in a repository whose cluster `web` is taken through its life. */
export class HandoffFleet extends FleetFolder {
  /** Writes stackmason.yaml for this tool, or none, with further lines below `spec`. */
  handTo(tool: Tool | undefined, ...spec: readonly string[]): void {
    const clusters = bothClusters.filter((name) => this.has(`clusters/${name}`))
    this.write('stackmason.yaml', exampleConfig({ clusters, spec, ...(tool && { handoff: [handoffs[tool]] }) }))
  }

  /** Class and version that the rendered Cluster asks for, and the release of the addons. */
  state(): readonly string[] {
    const object = this.object(renderedCluster)
    const config = this.read('rendered/clusters/team-a/web/addons/01-dns-cache/configmap-dns-cache.yaml')
    return [
      textAt(object, 'spec', 'topology', 'classRef', 'name'),
      textAt(object, 'spec', 'topology', 'version'),
      /mark: (\S+)/.exec(config)?.[1] ?? 'old',
    ]
  }

  /** What a file of YAML holds. */
  object(path: string): Value {
    return parseGoYaml(this.read(path))
  }

  steps({ steps = [] }: RenderResult): readonly string[] {
    return steps.map(({ due, then }) => [due.action, ...then.map(({ action }) => action)].join(' '))
  }
}

/**
 * The example fleet with a GitOps tool, rendered and committed; for use inside of a test. It has {@link bothClusters}
 * where something is asked of others: the second takes as long as the first.
 */
export function handoffFleet(
  tool: Tool,
  names: readonly (typeof bothClusters)[number][] = ['team-a/web'],
): Promise<HandoffFleet> {
  return preparedFleet(`${tool} ${names.join()}`, async () => {
    const fleet = new HandoffFleet(await tempFolder())
    copyExample(fleet, { clusters: names, handoff: [handoffs[tool]] })
    fleet.git('init', '-q', '--template=')
    await fleet.render()
    fleet.commit()
    return fleet
  })
}

/**
 * A fleet as `prepare` leaves it, its repository too: prepared once under this name, and written anew for each test; for
 * use inside of a test.
 */
export async function preparedFleet(name: string, prepare: () => Promise<HandoffFleet>): Promise<HandoffFleet> {
  const files = prepared.get(name) ?? contentOf(await prepare())
  prepared.set(name, files)
  const fleet = new HandoffFleet(await tempFolder())
  fleet.change(files)
  return fleet
}

const prepared = new Map<string, Readonly<Record<string, Uint8Array>>>()

function contentOf(fleet: HandoffFleet): Readonly<Record<string, Uint8Array>> {
  return Object.fromEntries(fleet.filesBelow('.').map((path) => [path, readFileSync(fleet.path(path))]))
}

/** An options.yaml. */
export const options = (spec: string): string =>
  `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: ${spec}\n`

/** Publishes v4 of the demo stack in place of v3, and lets the cluster ask for it. */
export function wantNext(fleet: HandoffFleet): void {
  fleet.edit('stackmason.yaml', 'version: v3', 'version: v4')
  fleet.edit('stacks/demo.yaml', '- v3', '- v4')
  fleet.edit(addonTemplate, /^data:$/m, 'data:\n  mark: new')
  fleet.edit(cluster, 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
}
