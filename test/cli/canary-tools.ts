import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createNodePorts } from '../../src/system/node-ports.ts'
import type { FileMap } from '../../tools/fleets/stack-folder.ts'
import { clusterFile, fleetFile, imageFleet, managerFile } from '../pipeline/image-fleet.ts'
import { operatorPlace } from '../pipeline/operator-export.ts'
import { tempFolder } from '../support/temp-folder.ts'
import {
  ADDON,
  CANARY,
  ADDONS,
  type CanaryCase,
  type CanaryFleet,
  type Files,
  MAP,
  CLUSTER,
  CONFIG,
  appliedByFlux,
  PLANTED,
  STACK,
  VALUES,
} from './canary-fleet.ts'
import { runCli } from './run-cli.ts'

/** A fleet of OpenStack clusters, with secrets where images are described. */
function images(change: FileMap, prepare?: (cwd: string) => Promise<unknown>): NonNullable<CanaryCase['prepare']> {
  return async () => {
    const { folder: cwd } = await imageFleet({
      'providers/new/cluster-class/values.yaml': PLANTED,
      'providers/new/kubernetes.yaml': managerFile.replaceAll('https://', `https://user:${CANARY}@`),
      ...change,
    })
    await prepare?.(cwd)
    return { cwd }
  }
}

const flux = '  handoff: {flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}}}\n'

/** What runs in a management cluster, exported, with one more object. */
function exported(object: string, words: readonly string[] = []): NonNullable<CanaryCase['prepare']> {
  return async () => {
    const { folder: cwd, management } = await operatorPlace(await tempFolder())
    await writeFile(management, `${await readFile(management, 'utf8')}---\n${object}`)
    await writeFile(join(cwd, 'management.yaml'), await readFile(management, 'utf8'))
    if (words.length > 0) await runCli(words, { cwd })
    return { cwd }
  }
}

const adopt = ['adopt', 'management.yaml', '--out', 'fleet', '--directory', 'releases']
const secret = `apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: team-a}\nstringData: {a: ${CANARY}}\n`

/** Faults of node images. */
export const imageCases: Readonly<Record<string, CanaryCase>> = {
  'images that nobody describes': { code: 'NODE_IMAGE_UNKNOWN', words: ['images'], prepare: images({}) },
  'options of images that are not taken': {
    code: 'NODE_IMAGE_OPTION',
    words: ['images'],
    prepare: images({
      ...fleetFile('[{provider: openstack, stack: old, file: images.yaml}]'),
      'images.yaml': managerFile.replaceAll('https://', `https://user:${CANARY}@`),
    }),
  },
  'an image that is not taken': {
    code: 'NODE_IMAGE_SKIPPED',
    words: ['images'],
    prepare: images({
      'providers/new/image.yaml': `apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Image\nmetadata: {annotations: {token: ${CANARY}}}\n`,
    }),
  },
  'another image than the one of the release': {
    code: 'NODE_IMAGE_MISMATCH',
    words: ['images'],
    prepare: images(
      clusterFile('team-b', 'api', {
        variables: `[{name: imageName, value: special}, {name: token, value: ${CANARY}}]`,
      }),
    ),
  },
  'an image that cannot be handed on': {
    code: 'NODE_IMAGE_EXPORT',
    words: ['images', '-o', 'openstack-image-manager'],
    prepare: images({ 'providers/new/kubernetes.yaml': `images: []\n# token: ${CANARY}\n` }),
  },
  'a container whose image is none': {
    code: 'CONTAINER_IMAGE_UNREADABLE',
    words: ['containers'],
    files: {
      [MAP]: `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: "user:${CANARY}@host.example/x", env: [{name: IMAGE_TOKEN, value: "a:${CANARY}"}]}]}}`,
    },
  },
  'images of another namespace': {
    code: 'NODE_IMAGE_NAMESPACE',
    words: ['render'],
    prepare: images({
      ...fleetFile('', flux),
      ...clusterFile('team-b', 'api', {
        variables: `[{name: imageIsOrc, value: true}, {name: token, value: ${CANARY}}]`,
      }),
    }),
  },
  'images that several namespaces upload': {
    code: 'NODE_IMAGE_UPLOADS',
    words: ['render'],
    prepare: images({
      ...fleetFile('', flux),
      'stacks/more.yaml': `apiVersion: clusterstack.x-k8s.io/v1alpha1\nkind: ClusterStack\nmetadata: {name: new, namespace: team-c, annotations: {token: ${CANARY}}}\nspec: {provider: openstack, name: new, kubernetesVersion: "1.34", channel: stable, autoSubscribe: false, versions: [v1]}\n`,
    }),
  },
}

/** Faults of what `adopt` is given. */
export const adoptCases: Readonly<Record<string, CanaryCase>> = {
  'a fleet that is there already': { code: 'ADOPT_FILE_EXISTS', words: adopt, prepare: exported(secret, adopt) },
  'releases from nowhere': {
    code: 'ADOPT_SOURCE_UNKNOWN',
    words: adopt.slice(0, -2),
    prepare: exported(secret),
  },
  'an object that is not part of the fleet': { code: 'ADOPT_LEFT_OUT', words: adopt, prepare: exported(secret) },
  'a cluster that is not ready': {
    code: 'ADOPT_NOT_READY',
    words: adopt,
    prepare: exported(
      `apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: late, namespace: team-a, annotations: {token: ${CANARY}}}\nspec: {topology: {class: docker-demo-1-34-v3, version: v1.34.7}}\nstatus: {phase: Provisioning, conditions: [{type: Ready, status: "False", message: "token=${CANARY}"}]}\n`,
    ),
  },
}

const TREE = 'rendered/clusters/team-a/web'
const LOCK = 'rendered/.stackmason/lock.json'

const handedToArgoCd = {
  replace: 'spec:\n',
  by: 'spec:\n  handoff: {argocd: {repoURL: "https://git.example/fleet.git", targetRevision: main, path: rendered}}\n',
} as const

const ownAddon: Files = {
  [ADDONS]:
    'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  addons: [{name: notes, templates: {path: notes}}]\n',
  'clusters/team-a/web/notes/map.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes}\ndata: {token: ${CANARY}}\n`,
}

/** An object with a secret that the next commit takes out of the tree. */
function leavingObject(kind: string, annotation: string): Pick<CanaryCase, 'files' | 'prepare'> {
  const object = `apiVersion: v1\nkind: ${kind}\nmetadata: {name: gone, annotations: {token: ${CANARY}, ${annotation}}}\n`
  return {
    files: { [CONFIG]: handedToArgoCd, [`${ADDON}/templates/gone.yaml`]: object },
    prepare: async ({ folder, run }) => {
      await run('render', '-q')
      folder.commit()
      folder.remove(`${ADDON}/templates/gone.yaml`)
    },
  }
}

async function renderShard(run: CanaryFleet['run'], shard: string): Promise<void> {
  const { status } = await run('render', '--shard', shard, '--shard-folder', 'shards')
  if (status !== 0) throw new Error('no shard')
}

/** What stands in the way of writing and of handing over. */
export const writeCases: Readonly<Record<string, CanaryCase>> = {
  'a run that is writing': {
    code: 'WRITE_BUSY',
    prepare: async ({ folder, run }) => {
      await run('render', '-q')
      folder.write(LOCK, `{"process":4000000,"host":"ci-2","started":"${CANARY}"}\n`)
      folder.write(VALUES, `message: other\n${PLANTED}`)
    },
  },
  'a run that was interrupted': {
    code: 'WRITE_INTERRUPTED',
    words: ['render', '--check'],
    prepare: async ({ cwd, folder, run }) => {
      await run('render', '-q')
      folder.write(VALUES, `message: other\n${PLANTED}`)
      const ports = createNodePorts()
      const files = {
        ...ports.files,
        rename: () => {
          throw new Error(`token=${CANARY}`)
        },
      }
      await runCli(['render', '-q'], { cwd, ports: { ...ports, files } })
      folder.write(VALUES, `message: another\n${PLANTED}`)
    },
  },
  'a shard that nobody rendered': {
    code: 'SHARD_MISSING',
    words: ['render', '--join', 'shards'],
    prepare: ({ run }) => renderShard(run, '1/2'),
  },
  'a shard of other values': {
    code: 'SHARD_MISMATCHED',
    words: ['render', '--join', 'shards'],
    prepare: async ({ folder, run }) => {
      await renderShard(run, '1/1')
      folder.write(VALUES, `message: other\n${PLANTED}`)
    },
  },
  'a shard that somebody wrote into': {
    code: 'SHARD_DAMAGED',
    words: ['render', '--join', 'shards'],
    prepare: async ({ folder, run }) => {
      await renderShard(run, '1/1')
      folder.write('shards/shard-1-of-1/clusters-0001.bin', `token: ${CANARY}\n`)
    },
  },
  'a tree of another fleet': {
    code: 'WRITE_OTHER_FLEET',
    prepare: async ({ cwd, folder, run }) => {
      await run('render', '-q')
      for (const path of [CONFIG, 'stacks', 'clusters', 'providers']) folder.copy(folder.path(path), `second/${path}`)
      folder.edit(`second/${CONFIG}`, 'name: fleet\n', 'name: second\n')
      folder.edit(`second/${CONFIG}`, 'spec:\n', `spec:\n  output: {path: ../rendered} # token: ${CANARY}\n`)
      await Promise.resolve()
      return { cwd: join(cwd, 'second') }
    },
  },
  'an addon that leaves its unit': {
    code: 'HANDOFF_UNIT_CHANGES',
    files: { [CONFIG]: appliedByFlux, ...ownAddon },
    prepare: async ({ folder, run }) => {
      await run('render', '-q')
      folder.copy(folder.path(`${TREE}/addons-own/notes`), `${TREE}/addons/02-notes`)
      folder.remove(`${TREE}/addons-own`)
      folder.remove('rendered/handoff/team-a/web/flux-kustomization-web-addons-own.yaml')
      folder.edit(`${TREE}/addons/kustomization.yaml`, '- 01-welcome\n', '- 01-welcome\n- 02-notes\n')
      folder.commit()
    },
  },
  'an object that stays when it leaves the tree': { code: 'HANDOFF_OBJECT_STAYS', ...leavingObject('Namespace', '') },
  'an object whose deletion somebody must confirm': {
    code: 'HANDOFF_WAITS_FOR_CONFIRMATION',
    ...leavingObject('ConfigMap', 'argocd.argoproj.io/sync-options: Prune=confirm'),
  },
  'a text with a value that cannot be patched': {
    code: 'HOLE_NOT_PATCHABLE',
    files: {
      [CONFIG]: handedToArgoCd,
      [`${ADDON}/overwrite.yaml`]: `values: |\n  password: ${CANARY}\n  host: "{{ .Cluster.spec.controlPlaneEndpoint.host }}"\n`,
      [MAP]:
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: {{ printf "\\t%s\\n%s\\n" .Values.password .Values.host | quote }}\n',
    },
  },
  'more values than can be published': {
    code: 'BINDING_TOO_LARGE',
    files: {
      [CONFIG]: appliedByFlux,
      [MAP]:
        '{{ range until 130 }}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: "s{{ . }}"}\nstringData: {a: "{{ randAlphaNum 8 }}", b: {{ $.Values.password }}}\n{{ end }}\n',
    },
  },
  'two units of one name': {
    code: 'HANDOFF_NAME_CONFLICT',
    files: { [CONFIG]: appliedByFlux },
    prepare: ({ folder }) => {
      folder.copy(folder.path('clusters/team-a/web'), 'clusters/team-a/web-addons')
      folder.edit('clusters/team-a/web-addons/cluster.yaml', '  name: web\n', `  name: web-addons # token: ${CANARY}\n`)
    },
  },
  'a release whose name is too long for Flux': {
    code: 'HANDOFF_NAME_TOO_LONG',
    files: { [CONFIG]: appliedByFlux },
    prepare: ({ folder }) => {
      const long = 's'.repeat(50)
      folder.edit(`${STACK}/csctl.yaml`, 'Name: starter', `Name: ${long}`)
      folder.edit(`${STACK}/cluster-class/Chart.yaml`, 'docker-starter', `docker-${long}`)
      folder.edit('stacks/starter.yaml', '  name: starter\n', `  name: ${long}\n`)
      folder.edit(CLUSTER, 'docker-starter', `docker-${long}`)
    },
  },
  'a kubeconfig that is none': {
    code: 'CONTROLLER_FAILED',
    files: { kubeconfig: `users: [{name: me, user: {token: ${CANARY}\n` },
    words: ['controller', 'run', '--kubeconfig', 'kubeconfig'],
  },
  'a kubeconfig that is none, for a look at the clusters': {
    code: 'CLUSTER_UNREACHABLE',
    files: { kubeconfig: `users: [{name: me, user: {token: ${CANARY}\n` },
    words: ['status', '--kubeconfig', 'kubeconfig'],
  },
  'a defect of ours': {
    code: 'INTERNAL',
    prepare: () => {
      const ports = createNodePorts()
      const stat = (): never => {
        throw new TypeError(`cannot read token=${CANARY} of https://user:${CANARY}@host.example`)
      }
      return Promise.resolve({ ports: { ...ports, files: { ...ports.files, stat } } })
    },
  },
}
