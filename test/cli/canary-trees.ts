import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  ADDON,
  CANARY,
  type CanaryCase,
  type CanaryFleet,
  CLUSTER,
  CONFIG,
  appliedByFlux,
  OPTIONS,
  PATCH,
  PLANTED,
  STACK,
  VALUES,
} from './canary-fleet.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { secondRelease } from './canary-releases.ts'

const TREE = 'rendered/clusters/team-a/web'
const CHECK = ['render', '--check']
const options = (spec: string): string =>
  `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\n# token: ${CANARY}\nspec: ${spec}\n`
const onFlux = { [CONFIG]: appliedByFlux }

/** The fleet rendered and committed. */
async function committed({ folder, run }: CanaryFleet): Promise<void> {
  await run('render', '-q')
  folder.commit()
}

/** The addon brings a definition; the first of its versions is stored. */
function definitionIn({ folder }: CanaryFleet, stored: string, other: string): void {
  const version = (name: string): string =>
    `    - {name: ${name}, served: true, storage: ${String(name === stored)}, schema: {openAPIV3Schema: {description: ${CANARY}, type: object}}}\n`
  folder.write(
    'providers/docker/starter/cluster-addon/welcome/templates/crd.yaml',
    `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: Thing, plural: things}\n  versions:\n${version(stored)}${version(other)}`,
  )
}

/** The cluster is to go to the second release; nothing of that is rendered. */
async function upgrading(fleet: CanaryFleet): Promise<void> {
  secondRelease(fleet)
  await committed(fleet)
  fleet.folder.edit(
    'providers/docker/next/cluster-addon/welcome/templates/configmap.yaml',
    'data:\n',
    `data:\n  next: x\n`,
  )
  fleet.folder.edit(CLUSTER, '1-34-v1', '1-34-v2')
}

/** One step of the life of the cluster. */
async function step({ folder, run }: CanaryFleet): Promise<void> {
  await run('render', '-q')
  folder.commit()
}

async function leaving(fleet: CanaryFleet, steps: readonly string[]): Promise<void> {
  await committed(fleet)
  for (const name of steps) {
    fleet.folder.write(OPTIONS, options(`{decommission: {step: ${name}}}`))
    await step(fleet)
  }
}

/** What the tree and the life of its clusters lead to. */
export const treeCases: Readonly<Record<string, CanaryCase>> = {
  'a tree that is not current': { code: 'RENDER_STALE', words: CHECK },
  'an output that git ignores': {
    code: 'OUTPUT_UNCOMMITTED',
    files: { ...onFlux, '.gitignore': `# token: ${CANARY}\nrendered/\n` },
    prepare: committed,
  },
  'a file in the tree that is not rendered': {
    code: 'OUTPUT_FOREIGN',
    files: onFlux,
    words: CHECK,
    prepare: async (fleet) => {
      await committed(fleet)
      fleet.folder.write('rendered/handoff/.argocd-source.yaml', `# token: ${CANARY}\ndirectory: {}\n`)
      fleet.folder.commit()
    },
  },
  'a Cluster that is edited between two steps': {
    code: 'OUTPUT_EDITED',
    files: onFlux,
    words: [...CHECK, '--base', 'HEAD~1'],
    prepare: async (fleet) => {
      await upgrading(fleet)
      await step(fleet)
      const file = 'rendered/clusters/team-a/web/cluster/cluster-web.yaml'
      fleet.folder.edit(file, '10.244.', '10.99.')
      fleet.folder.commit()
    },
  },
  'a list that Flux does not get': {
    code: 'OUTPUT_HIDDEN',
    files: { ...onFlux, '.sourceignore': `# token: ${CANARY}\n/rendered/handoff/kustomization.yaml\n` },
    words: CHECK,
    prepare: committed,
  },
  'a file that git gives out altered': {
    code: 'OUTPUT_ALTERED',
    files: onFlux,
    words: CHECK,
    prepare: async (fleet) => {
      await committed(fleet)
      const list = 'rendered/handoff/kustomization.yaml'
      const text = fleet.folder.read(list)
      fleet.folder.write(list, `${text}# token: ${CANARY}\n`)
      fleet.folder.commit()
      fleet.folder.write(list, text)
      fleet.folder.write('.gitattributes', `# token: ${CANARY}\n*.yaml ident\n`)
    },
  },
  'a file of somebody else beside pins': {
    code: 'OUTPUT_FOREIGN',
    words: CHECK,
    prepare: async (fleet) => {
      await committed(fleet)
      fleet.folder.write('rendered/artifacts/team-a/x.yaml', `# token: ${CANARY}\n`)
    },
  },
  'a pin that somebody has edited': {
    code: 'OUTPUT_PIN',
    words: CHECK,
    files: {
      'stackmason.yaml': {
        replace: 'spec:\n',
        by: `spec:
  handoff: {flux: {source: {kind: GitRepository, name: fleet}}}
  publish: {oci: {repository: registry.invalid/fleet, artifacts: units}}
`,
      },
    },
    prepare: async (fleet) => {
      await committed(fleet)
      const text = `kind: OCIRepository\nspec: {url: "oci://user:${CANARY}@evil.example/x"} # token: ${CANARY}\n`
      fleet.folder.write('rendered/artifacts/team-a/web.yaml', text)
    },
  },
  'a class that earlier commits may have had': {
    code: 'HISTORY_SHALLOW',
    files: onFlux,
    prepare: async (fleet) => {
      await committed(fleet)
      const { folder } = fleet
      folder.remove('rendered/stacks')
      folder.write('.git/shallow', `${folder.commit()}\n`)
    },
  },
  'a list that does not name the cluster of a run': {
    code: 'HANDOFF_UNREACHED',
    files: onFlux,
    words: ['render', '--cluster', 'web'],
    prepare: async (fleet) => {
      await committed(fleet)
      fleet.folder.write('rendered/handoff/team-a/kustomization.yaml', `# token: ${CANARY}\nkind: Kustomization\n`)
      fleet.folder.commit()
    },
  },
  'a stack that nobody needs any more': {
    code: 'STACK_UNNEEDED',
    files: onFlux,
    words: CHECK,
    prepare: async (fleet) => {
      await upgrading(fleet)
      fleet.folder.edit('stacks/starter.yaml', '    - v1\n', '')
      await step(fleet)
      await step(fleet)
    },
  },
  'an upgrade over a minor version': {
    code: 'UPGRADE_SKIPS_MINOR',
    files: onFlux,
    prepare: async (fleet) => {
      await committed(fleet)
      fleet.folder.edit(`${TREE}/cluster/cluster-web.yaml`, 'v1.34.7', 'v1.31.2')
      fleet.folder.edit(`${TREE}/cluster/cluster-web.yaml`, 'docker-starter-1-34-v1', 'docker-starter-1-31-v1')
      fleet.folder.commit()
    },
  },
  'a change of the stack': {
    code: 'UPGRADE_CHANGES_STACK',
    files: onFlux,
    prepare: async (fleet) => {
      await committed(fleet)
      fleet.folder.edit(`${TREE}/cluster/cluster-web.yaml`, 'docker-starter-1-34-v1', 'docker-other-1-34-v1')
      fleet.folder.commit()
    },
  },
  'a version that goes back': {
    code: 'UPGRADE_GOES_BACK',
    files: onFlux,
    prepare: async (fleet) => {
      await committed(fleet)
      fleet.folder.edit(`${TREE}/cluster/cluster-web.yaml`, 'v1.34.7', 'v1.34.9')
      fleet.folder.commit()
    },
  },
  'a step that the tree does not hold': {
    code: 'UPGRADE_NOT_UNDER_WAY',
    files: { ...onFlux, [OPTIONS]: options('{upgrade: {addonsApplied: docker-starter-1-34-v9}}') },
    prepare: async (fleet) => {
      await upgrading(fleet)
      await fleet.run('render', '-q')
      await step(fleet)
    },
  },
  'a step that is past': {
    code: 'UPGRADE_STEP_PAST',
    files: { ...onFlux, [OPTIONS]: options('{upgrade: {neverApplied: docker-starter-1-34-v1}}') },
    prepare: committed,
  },
  'a Cluster that comes back while it is decommissioned': {
    code: 'DECOMMISSION_UNDER_WAY',
    files: onFlux,
    words: CHECK,
    prepare: async (fleet) => {
      await leaving(fleet, ['prepare', 'delete'])
      fleet.folder.git('revert', '--no-edit', 'HEAD')
    },
  },
  'two steps at once': {
    code: 'STEPS_TOGETHER',
    files: onFlux,
    words: [...CHECK, '--base', 'HEAD~2'],
    prepare: async (fleet) => {
      await upgrading(fleet)
      await step(fleet)
      await step(fleet)
    },
  },
  'sides of a merge at different steps': {
    code: 'MERGE_UNDER_WAY',
    files: onFlux,
    prepare: async (fleet) => {
      await committed(fleet)
      fleet.folder.git('branch', 'stale')
      await upgrading(fleet)
      await step(fleet)
      fleet.folder.git('checkout', '-q', '-B', 'late', 'stale')
      fleet.folder.git('merge', '-q', '--no-commit', '--no-ff', '-')
    },
  },
  'a tree that lies elsewhere': {
    code: 'OUTPUT_MOVED',
    files: onFlux,
    prepare: async (fleet) => {
      await committed(fleet)
      fleet.folder.edit('stackmason.yaml', 'spec:\n', 'spec:\n  output: {path: deploy}\n')
    },
  },
  'a frozen tree that lacks a file': {
    code: 'COMMITTED_TREE_BROKEN',
    files: onFlux,
    prepare: async (fleet) => {
      await committed(fleet)
      fleet.folder.write(OPTIONS, options('{freeze: true}'))
      fleet.folder.remove(`${TREE}/addons/kustomization.yaml`)
      fleet.folder.commit()
    },
  },
  'a class that changes under a cluster': {
    code: 'CLASS_CHANGES_IN_PLACE',
    files: onFlux,
    prepare: async (fleet) => {
      await committed(fleet)
      fleet.folder.edit('providers/docker/starter/cluster-class/templates/templates.yaml', '/var/run', '/run')
    },
  },
  'a definition that changes its storage version': {
    code: 'STORAGE_VERSION_CHANGES',
    files: onFlux,
    prepare: async (fleet) => {
      definitionIn(fleet, 'v1', 'v2')
      await committed(fleet)
      definitionIn(fleet, 'v2', 'v1')
    },
  },
  'a definition that loses its storage version': {
    code: 'STORAGE_VERSION_DROPPED',
    files: onFlux,
    prepare: async (fleet) => {
      definitionIn(fleet, 'v1', 'v2')
      await committed(fleet)
      definitionIn(fleet, 'v2', 'v3')
    },
  },
  'a tree outside of the repository': {
    code: 'OUTPUT_OUTSIDE',
    files: onFlux,
    prepare: async (fleet) => {
      await committed(fleet)
      fleet.folder.edit('stackmason.yaml', 'spec:\n', 'spec:\n  output: {path: ../../../esc}\n')
      fleet.folder.edit('stackmason.yaml', 'flux: {', 'flux: {path: esc, ')
    },
  },
  'a sparse checkout': {
    code: 'INPUT_NOT_CHECKED_OUT',
    files: onFlux,
    prepare: async (fleet) => {
      await committed(fleet)
      fleet.folder.git('status')
      fleet.folder.git('sparse-checkout', 'set', '--cone', 'providers', 'rendered', 'stacks')
    },
  },
  'a repository that the environment names': {
    code: 'GIT_ELSEWHERE',
    files: onFlux,
    words: ['render'],
    prepare: async (fleet) => {
      await committed(fleet)
      const ports = createNodePorts()
      const get = (name: string): string | undefined =>
        name === 'GIT_DIR' ? '/elsewhere' : ports.environment.get(name)
      return { ports: { ...ports, environment: { get } } }
    },
  },
  'inputs that git converts': {
    code: 'INPUT_LINE_ENDS',
    files: onFlux,
    words: ['render'],
    prepare: async (fleet) => {
      fleet.folder.remove('.gitattributes')
      fleet.folder.commit()
      fleet.folder.git('config', 'core.autocrlf', 'true')
      fleet.folder.remove('clusters')
      fleet.folder.git('checkout', 'clusters')
    },
  },
  'a base that is not a commit': {
    code: 'BASE_UNKNOWN',
    files: onFlux,
    words: ['render', '--base', 'nowhere'],
    prepare: committed,
  },
  'a base of a fleet without a tool': {
    code: 'BASE_UNUSED',
    words: ['render', '--base', 'HEAD'],
    prepare: committed,
  },
  'a cluster whose folder is gone': {
    code: 'CLUSTER_ORPHANED',
    files: onFlux,
    words: ['render', '--allow-empty'],
    prepare: async (fleet) => {
      await committed(fleet)
      fleet.folder.remove('clusters/team-a')
    },
  },
  'a patch that takes the number of machines': {
    code: 'CLUSTER_AUTOSCALED',
    files: onFlux,
    prepare: async (fleet) => {
      await committed(fleet)
      fleet.folder.write(
        PATCH,
        `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: Cluster}\n  jsonPatch:\n    - {op: add, path: /metadata/annotations, value: {token: ${CANARY}}}\n    - {op: remove, path: /spec/topology/workers/machineDeployments/0/replicas}\n`,
      )
    },
  },
  'a file of somebody else': {
    code: 'WRITE_NOT_OWNED',
    prepare: ({ folder }) => folder.write('rendered/clusters/secrets.yaml', PLANTED),
  },
  'an edit by hand': {
    code: 'WRITE_HAND_EDITED',
    prepare: async ({ folder, run }) => {
      await run('render', '-q')
      folder.write(`${TREE}/addons/01-welcome/configmap-welcome.yaml`, PLANTED)
      folder.write(VALUES, `message: other\n${PLANTED}`)
    },
  },
  'nothing where there was something': {
    code: 'WRITE_EMPTY',
    prepare: async ({ folder, run }) => {
      await run('render', '-q')
      folder.remove('clusters')
      folder.remove('stacks')
    },
  },
  'a folder where a file is to be written': {
    code: 'WRITE_FAILED',
    words: ['init', 'taken/x'],
    prepare: ({ folder }) => folder.write('taken', PLANTED),
  },
  'a file that init would write': { code: 'INIT_FILE_EXISTS', words: ['init'] },
}

const STAGED = `${STACK}/versions.yaml`

/** Faults of `build` and `adopt`. */
export const toolCases: Readonly<Record<string, CanaryCase>> = {
  'a version table that is none': {
    code: 'BUILD_INPUT_INVALID',
    files: { [STAGED]: `- kubernetes: 1.34.7\n  token: ${CANARY}\n` },
    words: ['build', STACK, '--out', 'built', '--all'],
  },
  'a release that is there already': {
    code: 'BUILD_TAG_EXISTS',
    words: ['build', STACK, '--out', 'built', '--version', 'v1'],
    prepare: async ({ folder, run }) => {
      await run('build', STACK, '--out', 'built', '--version', 'v1')
      folder.write(`${ADDON}/values.yaml`, PLANTED)
    },
  },
  'a release that has not changed': {
    code: 'BUILD_NO_CHANGE',
    files: { [`${ADDON}/values.yaml`]: PLANTED },
    words: ['build', STACK, '--out', 'built'],
    prepare: async ({ run }) => {
      await run('build', STACK, '--out', 'built')
    },
  },
  'objects that are none': {
    code: 'ADOPT_INPUT_INVALID',
    words: ['adopt', 'objects.yaml', '--out', 'adopted'],
    prepare: ({ cwd }) => writeFile(join(cwd, 'objects.yaml'), PLANTED),
  },
}
