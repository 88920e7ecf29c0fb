import { join } from 'node:path'
import { FleetFolder } from './fleet-folder.ts'

const example = join(import.meta.dirname, '../../examples/fleet')

/** The clusters of the example, and the stack that each is of. */
const clusters = { 'team-a/web': 'demo', 'team-a/edge': 'demo', 'team-b/batch': 'classic' } as const
type ClusterName = keyof typeof clusters
const versions = { demo: 'v3', classic: 'v1' } as const

/** `spec.handoff` of fleets that are handed to a GitOps tool: a line of YAML. */
export const handoffs = {
  flux: 'flux: {source: {kind: GitRepository, name: fleet}, path: ./rendered}',
  argocd: 'argocd: {repoURL: "https://git.example/fleet.git", targetRevision: main, path: rendered}',
} as const

/** Where `team-a/web` fixes its endpoint, which only the running cluster knows without. */
export const fixedEndpoint = '  controlPlaneEndpoint:\n    host: web.clusters.example.com\n    port: 6443\n'

/** Which part of the example is taken. */
export interface ExampleShape {
  /** All by default. Their stacks come with them, and no others. */
  readonly clusters?: readonly ClusterName[]
  /** Lines of YAML below `spec.handoff`; without, no GitOps tool applies the tree. */
  readonly handoff?: readonly string[]
  /** Further lines of YAML below `spec`. */
  readonly spec?: readonly string[]
}

/** Makes a fleet of clusters, stacks and values of the example, rendered into a folder of its own. */
export function exampleFleet(folder: string, shape: ExampleShape = {}): FleetFolder {
  const fleet = new FleetFolder(folder)
  copyExample(fleet, shape)
  return fleet
}

/** The same in a fleet that is there. */
export function copyExample(fleet: FleetFolder, shape: ExampleShape): void {
  const stacks = stacksOf(shape)
  fleet.write('stackmason.yaml', exampleConfig(shape))
  const paths = [
    ...stacks.flatMap((stack) => [`providers/docker/${stack}`, `stacks/${stack}.yaml`]),
    ...clustersOf(shape).map((name) => `clusters/${name}`),
    ...(stacks.includes('demo') ? ['clusters/values'] : []),
  ]
  for (const path of paths) fleet.copy(join(example, path), path)
}

/** The stackmason.yaml of that part. */
export function exampleConfig(shape: ExampleShape): string {
  const { handoff, spec = [] } = shape
  const stacks = stacksOf(shape)
  const lines = [
    '  sources:',
    ...stacks.flatMap((stack) => [
      `    - name: ${stack}`,
      '      providerDirectory:',
      `        path: providers/docker/${stack}`,
      `        version: ${versions[stack]}`,
    ]),
    '  stacks:',
    ...stacks.map((stack) => `    - {provider: docker, stack: ${stack}, source: ${stack}}`),
    ...(handoff === undefined ? [] : ['  handoff:', ...handoff.map((line) => `    ${line}`)]),
    ...spec.map((line) => `  ${line}`),
  ]
  return `apiVersion: stackmason.dev/v1alpha1\nkind: Fleet\nmetadata: {name: example}\nspec:\n${lines.join('\n')}\n`
}

function clustersOf({ clusters: wanted }: ExampleShape): readonly ClusterName[] {
  return wanted ?? (Object.keys(clusters) as ClusterName[])
}

function stacksOf(shape: ExampleShape): readonly (keyof typeof versions)[] {
  return [...new Set(clustersOf(shape).map((name) => clusters[name]))]
}
