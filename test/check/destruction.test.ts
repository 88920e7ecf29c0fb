import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCli } from '../cli/run-cli.ts'
import { manyClusters } from '../../tools/fleets/many-clusters.ts'
import { type FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

const CODES =
  /CLUSTER_DELETED|OBJECT_DELETED|FIELD_IMMUTABLE|KUBERNETES_STEP_REFUSED|DEFINITION_NARROWED|REPLICAS_ZERO|DEFINITION_TIGHTENED|RELEASE_REVERTED|CLASS_REMOVED_EARLY|OBJECT_CHANGES_UNIT|OBJECT_OWNED_TWICE|CLUSTER_PART_MISSING/

interface Row {
  readonly name: string
  /** Before the base is committed. */
  readonly before?: (fleet: FleetFolder) => void
  readonly change: (fleet: FleetFolder) => void
  /** `severity CODE message (subject)`. */
  readonly found: readonly string[]
}

const CLUSTER = 'clusters/team-a/c01/cluster.yaml'
const OWN = 'clusters/team-a/c01/own/objects.yaml'

/** Objects of an addon of the cluster's own. */
function own(...objects: readonly string[]): (fleet: FleetFolder) => void {
  return (fleet) => {
    fleet.write('clusters/team-a/c01/addons.yaml', ADDONS)
    fleet.write(OWN, objects.map((object) => `${object}\n`).join('---\n'))
  }
}
const ADDONS = `apiVersion: stackmason.dev/v1alpha1
kind: Addons
spec: {addons: [{name: own, templates: {path: own}}]}
`

const map = '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}'
const namespace = (annotations: string): string =>
  `{apiVersion: v1, kind: Namespace, metadata: {name: shop, annotations: {${annotations}}}}`
const claim =
  '{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: default}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}'
const deployment = (label: string): string =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: app, namespace: default}, spec: {replicas: 1, selector: {matchLabels: {app: ${label}}}, template: {metadata: {labels: {app: ${label}}}, spec: {containers: [{name: c, image: "i:1"}]}}}}`
const definition = (version: string, fields: string): string =>
  `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.example.com}, spec: {group: example.com, scope: Namespaced, names: {kind: Thing, plural: things}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {${fields}}}}}}}${version}]}}`
const second = ', {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}'
const subresource = (which: string, tags: string): string =>
  definition('', `tags: {${tags}}`).replace('storage: true', `storage: true, subresources: {${which}}`)
const kept = (object: string): string =>
  object.replace('name: things.example.com', 'name: things.example.com, annotations: {helm.sh/resource-policy: keep}')

/** Clusters of another minor version. */
const upgraded =
  (...clusters: readonly string[]) =>
  (fleet: FleetFolder): void => {
    for (const cluster of clusters) {
      fleet.edit(`clusters/${cluster}/cluster.yaml`, 'small-1-32-v1', 'small-1-33-v1')
      fleet.edit(`clusters/${cluster}/cluster.yaml`, 'v1.32.5', 'v1.33.2')
    }
  }
const COMMITTED = 'rendered/clusters/team-a/c01/cluster/cluster-c01.yaml'

/** A ConfigMap beside the Clusters. */
const beside =
  (...clusters: readonly string[]) =>
  (fleet: FleetFolder): void => {
    for (const cluster of ['team-a/c01', 'team-b/c02']) {
      const path = `clusters/${cluster}/cluster.yaml`
      const [own = ''] = fleet.read(path).split('---\n')
      const map = '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: team-a}\n'
      fleet.write(path, clusters.includes(cluster) ? `${own}${map}` : own)
    }
  }
const flux = (fleet: FleetFolder): void => {
  const source = '{kind: GitRepository, name: fleet, namespace: flux-system}'
  fleet.edit('stackmason.yaml', 'spec:\n', `spec:\n  handoff: {flux: {source: ${source}}}\n`)
}

const argocd = (fleet: FleetFolder): void => {
  fleet.edit('stackmason.yaml', 'spec:\n', 'spec:\n  handoff: {argocd: {repoURL: "https://git.example.com/f.git"}}\n')
}

const rows: readonly Row[] = [
  {
    name: 'a cluster that goes',
    change: (fleet) => {
      fleet.remove('clusters/team-a/c01')
    },
    found: [
      'error CLUSTER_DELETED Cluster team-a/c01 leaves the tree with 4 more objects: its machines and what they hold are deleted (team-a/c01)',
    ],
  },
  {
    name: 'a cluster that goes, and is marked to stay',
    before: (fleet) => {
      fleet.edit(
        CLUSTER,
        'namespace: team-a}',
        'namespace: team-a, annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}}',
      )
    },
    change: (fleet) => {
      fleet.remove('clusters/team-a/c01')
    },
    found: [],
  },
  {
    name: 'a cluster that goes, which Argo CD does not delete',
    before: argocd,
    change: (fleet) => {
      fleet.remove('clusters/team-a/c01')
    },
    found: [],
  },
  {
    name: 'a cluster that only changes',
    change: (fleet) => {
      fleet.edit(CLUSTER, 'replicas: 3}]', 'replicas: 5}]')
    },
    found: [],
  },
  {
    name: 'a group of workers that goes',
    before: (fleet) => {
      fleet.edit(CLUSTER, 'replicas: 3}]', 'replicas: 3}, {class: default-worker, name: md-1}]')
    },
    change: (fleet) => {
      fleet.edit(CLUSTER, ', {class: default-worker, name: md-1}', '')
    },
    found: [
      'error OBJECT_DELETED spec.topology.workers.machineDeployments[name=md-1] leaves the topology: its machines are deleted (team-a/c01)',
    ],
  },
  {
    name: 'all groups of workers that go',
    before: (fleet) => {
      fleet.edit(CLUSTER, 'replicas: 3}]', 'replicas: 3}, {class: default-worker, name: md-1}]')
    },
    change: (fleet) => {
      fleet.write(CLUSTER, fleet.read(CLUSTER).replace(/^ *workers:.*\n/m, ''))
    },
    found: [
      'error OBJECT_DELETED spec.topology.workers.machineDeployments[name=md-0] leaves the topology: its machines are deleted (team-a/c01)',
      'error OBJECT_DELETED spec.topology.workers.machineDeployments[name=md-1] leaves the topology: its machines are deleted (team-a/c01)',
    ],
  },
  {
    name: 'a namespace and a claim that go',
    before: own(map, namespace(''), claim),
    change: own(map),
    found: [
      'error OBJECT_DELETED Namespace shop leaves the tree: with it goes everything in it (team-a/c01, own)',
      'error OBJECT_DELETED PersistentVolumeClaim default/data leaves the tree: with it goes its data, where the volume is not retained (team-a/c01, own)',
    ],
  },
  {
    name: 'a namespace that is marked to stay, and a ConfigMap',
    before: own(map, namespace('helm.sh/resource-policy: keep'), map.replace('name: a', 'name: b')),
    change: own(map),
    found: [],
  },
  {
    name: 'another selector',
    before: own(deployment('one')),
    change: own(deployment('two')),
    found: [
      'error FIELD_IMMUTABLE Deployment default/app changes spec.selector.matchLabels.app, which the API server refuses to change (team-a/c01, own)',
    ],
  },
  {
    name: 'another way to update, where the server has filled in the one before',
    before: own(deployment('one')),
    change: own(deployment('one').replace('replicas: 1', 'replicas: 1, strategy: {type: Recreate}')),
    found: [
      'error FIELD_IMMUTABLE Deployment default/app changes spec.strategy, which the API server refuses to change (team-a/c01, own)',
    ],
  },
  {
    name: 'another number of replicas',
    before: own(deployment('one')),
    change: own(deployment('one').replace('replicas: 1', 'replicas: 2')),
    found: [],
  },
  {
    name: 'no replicas any more',
    before: own(deployment('one')),
    change: own(deployment('one').replace('replicas: 1', 'replicas: 0')),
    found: [
      'warning REPLICAS_ZERO Deployment default/app changes spec.replicas to 0: nothing of it runs any more (team-a/c01, own)',
    ],
  },
  {
    name: 'no replicas, as before',
    before: own(deployment('one').replace('replicas: 1', 'replicas: 0')),
    change: own(deployment('one').replace('replicas: 1', 'replicas: 0').replace('i:1', 'i:2')),
    found: [],
  },
  {
    name: 'no workers any more',
    change: (fleet) => {
      fleet.edit(CLUSTER, 'replicas: 3}]', 'replicas: 0}]')
    },
    found: [
      'warning REPLICAS_ZERO Cluster team-a/c01 changes spec.topology.workers.machineDeployments[name=md-0].replicas to 0: its machines are deleted (team-a/c01)',
    ],
  },
  {
    name: 'a minor version that is skipped',
    change: (fleet) => {
      fleet.edit(CLUSTER, 'small-1-32-v1', 'small-1-34-v1')
      fleet.edit(CLUSTER, 'v1.32.5', 'v1.34.1')
    },
    found: ['error KUBERNETES_STEP_REFUSED Kubernetes skips a minor version: v1.32.5 -> v1.34.1 (team-a/c01)'],
  },
  {
    name: 'the next minor version',
    change: (fleet) => {
      fleet.edit(CLUSTER, 'small-1-32-v1', 'small-1-33-v1')
      fleet.edit(CLUSTER, 'v1.32.5', 'v1.33.2')
    },
    found: [],
  },
  {
    name: 'a definition that loses a version and a field',
    before: own(definition(second, 'size: {type: integer}, color: {type: string}')),
    change: own(definition('', 'size: {type: integer}')),
    found: [
      'warning DEFINITION_NARROWED CustomResourceDefinition things.example.com no longer serves v1beta1 and no longer has v1: spec.color (team-a/c01)',
    ],
  },
  {
    name: 'a definition that takes fewer values',
    before: own(definition('', 'size: {type: integer}, color: {type: string}')),
    change: own(definition('', 'size: {type: integer, maximum: 9}, color: {type: string, enum: [red]}')),
    found: [
      'warning DEFINITION_TIGHTENED CustomResourceDefinition things.example.com takes fewer values than before (v1: spec.color: takes some values only, and 1 more) (team-a/c01)',
    ],
  },
  {
    name: 'a definition that loses two fields',
    before: own(definition('', 'size: {type: integer}, color: {type: string}')),
    change: own(definition('', '')),
    found: [
      'warning DEFINITION_NARROWED CustomResourceDefinition things.example.com no longer has v1: spec.color and 1 more field (team-a/c01)',
    ],
  },
  {
    name: 'a definition that loses its status, and merges otherwise',
    before: own(subresource('status: {}', 'type: array, items: {type: string}, x-kubernetes-list-type: set')),
    change: own(subresource('', 'type: array, items: {type: string}')),
    found: [
      'warning DEFINITION_NARROWED CustomResourceDefinition things.example.com no longer has the subresource v1: status (team-a/c01)',
      'warning DEFINITION_TIGHTENED CustomResourceDefinition things.example.com is merged otherwise than before (v1: spec.tags: is replaced as a whole, was merged as a set) (team-a/c01)',
    ],
  },
  {
    name: 'another plural of a definition that stays',
    before: own(kept(definition('', 'size: {type: integer}'))),
    change: own(kept(definition('', 'size: {type: integer}')).replaceAll('things', 'thinges')),
    found: [
      'error DEFINITION_NARROWED CustomResourceDefinition thinges.example.com defines the kind Thing of things.example.com, which leaves the tree and stays in the cluster: the API server never serves the new one (team-a/c01, own)',
    ],
  },
  {
    name: 'another kind, beside a definition that stays',
    before: own(kept(definition('', 'size: {type: integer}'))),
    change: own(
      kept(definition('', 'size: {type: integer}')).replaceAll('thing', 'stone').replaceAll('Thing', 'Stone'),
    ),
    found: [],
  },
  {
    name: 'a definition that takes more values',
    before: own(definition('', 'size: {type: integer, maximum: 9}')),
    change: own(definition('', 'size: {type: integer, maximum: 10}')),
    found: [],
  },
  {
    name: 'a class that goes with its last users',
    change: (fleet) => {
      upgraded('team-a/c01', 'team-b/c02')(fleet)
      fleet.remove('stacks/small-1-32.yaml')
    },
    found: [
      'error CLASS_REMOVED_EARLY class docker-small-1-32-v1 leaves the tree with the commit in which Cluster team-a/c01 and 1 more moves away from it ()',
    ],
  },
  {
    name: 'a class that goes after its last users',
    before: upgraded('team-a/c01', 'team-b/c02'),
    change: (fleet) => {
      fleet.remove('stacks/small-1-32.yaml')
    },
    found: [],
  },
  { name: 'a class that stays', change: upgraded('team-a/c01', 'team-b/c02'), found: [] },
  {
    name: 'a class that goes with its last cluster, which is no move',
    before: upgraded('team-b/c02'),
    change: (fleet) => {
      fleet.remove('clusters/team-a/c01')
      fleet.remove('stacks/small-1-32.yaml')
    },
    found: [
      'error CLUSTER_DELETED Cluster team-a/c01 leaves the tree with 4 more objects: its machines and what they hold are deleted (team-a/c01)',
    ],
  },
  {
    name: 'an object that another unit takes over',
    before: (fleet) => {
      flux(fleet)
      beside('team-a/c01')(fleet)
    },
    change: beside('team-b/c02'),
    found: [
      'error OBJECT_CHANGES_UNIT ConfigMap team-a/settings moves from the unit clusters/team-a/c01/cluster to clusters/team-b/c02/cluster at once: the first may delete what the second has applied (team-b/c02)',
    ],
  },
  {
    name: 'an object that another folder takes over, where nobody applies them',
    before: beside('team-a/c01'),
    change: beside('team-b/c02'),
    found: [],
  },
  {
    name: 'an object that two units have',
    change: beside('team-a/c01', 'team-b/c02'),
    found: [
      'error OBJECT_OWNED_TWICE ConfigMap team-a/settings is in rendered/clusters/team-b/c02/cluster and in rendered/clusters/team-a/c01/cluster: each applies its own, and the one that goes deletes it (team-b/c02)',
    ],
  },
  {
    name: 'a definition that gets a field',
    before: own(definition('', 'size: {type: integer}')),
    change: own(definition(second, 'size: {type: integer}, color: {type: string}')),
    found: [],
  },
]

async function fleetOf(before: Row['before']): Promise<FleetFolder> {
  const fleet = await manyClusters(join(await tempFolder(), 'fleet'), 2)
  before?.(fleet)
  await fleet.render()
  fleet.commit()
  return fleet
}

async function findingsOf(fleet: FleetFolder, ...words: readonly string[]): Promise<readonly Found[]> {
  const { stdout } = await runCli(['check', '-o', 'json', '-q', ...words], { cwd: fleet.folder })
  const { findings }: { readonly findings: readonly Found[] } = JSON.parse(stdout)
  return findings.filter(({ code, acknowledged }) => CODES.test(code) && acknowledged === undefined)
}

async function check(fleet: FleetFolder, ...words: readonly string[]): Promise<readonly string[]> {
  const findings = await findingsOf(fleet, ...words)
  return findings.map(({ code, severity, message, about = [] }) => {
    const subjects = about.map(({ cluster, addon }) => [cluster, addon].filter((part) => part !== undefined).join(', '))
    return `${severity} ${code} ${message} (${subjects.join('; ')})`
  })
}

interface Found {
  readonly code: string
  readonly severity: string
  readonly message: string
  readonly hint: string
  readonly about?: readonly { readonly cluster?: string; readonly addon?: string }[]
  readonly acknowledged?: object
}

describe('what a commit destroys', () => {
  test.each(rows)('$name', async ({ before, change, found }) => {
    const fleet = await fleetOf(before)
    expect(await check(fleet)).toEqual([])
    change(fleet)
    expect(await check(fleet)).toEqual(found)
  })

  test.each([
    [
      'an older release of the stack',
      'v2',
      [
        'warning RELEASE_REVERTED Cluster team-a/c01 goes back from release docker-small-1-32-v2 to docker-small-1-32-v1: its machines are replaced, and its addons go back in another commit, if at all (team-a/c01)',
      ],
    ],
    ['a newer one', 'v0', []],
    ['one of another channel', 'v2-alpha.1', []],
  ])('%s', async (_, version, found) => {
    const fleet = await fleetOf(undefined)
    fleet.edit(COMMITTED, 'docker-small-1-32-v1', `docker-small-1-32-${version}`)
    fleet.commit()
    expect(await check(fleet)).toEqual(found)
  })

  test('the way out is one that the release, or the place of the object, allows', async () => {
    const fleet = await fleetOf((folder) => {
      flux(folder)
      beside('team-a/c01')(folder)
    })
    const hints = async (): Promise<readonly string[]> =>
      (await findingsOf(fleet)).map(({ code, message, hint }) => `${code} ${message.split(' ')[0] ?? ''} → ${hint}`)
    beside('team-b/c02')(fleet)
    expect(await hints()).toEqual([
      'OBJECT_CHANGES_UNIT ConfigMap → Annotate it where it is: `kustomize.toolkit.fluxcd.io/prune: disabled`. Commit that and let it be applied, then move it.',
    ])
    fleet.git('checkout', '-q', '.')
    const template =
      'rendered/stacks/platform/docker-small-1-32-v1/dockermachinetemplate-docker-small-1-32-v1-worker.yaml'
    fleet.edit(template, 'customImage: kindest/node:v1.32.5', 'customImage: kindest/node:v1.32.4')
    fleet.commit()
    expect(await hints()).toEqual([
      'FIELD_IMMUTABLE DockerMachineTemplate → Publish the change as a new version of the release, and move the clusters to it one by one.',
    ])
  })

  test('is not seen in objects that move in the steps that render writes', async () => {
    const fleet = await fleetOf((folder) => {
      flux(folder)
      own(map, claim)(folder)
    })
    fleet.edit('stackmason.yaml', 'handoff: {', 'handoff: {units: perAddon, ')
    const moved = 'rendered/clusters/team-a/c01/addons-own'
    for (const step of ['orphaned', 'moved']) {
      expect([step, await check(fleet)]).toEqual([step, []])
      await fleet.render()
      fleet.commit()
    }
    expect(fleet.read(`${moved}/own/kustomization.yaml`)).toContain('configmap-a.yaml')
  })

  test('is accepted where the fleet says so, and not asked in a run of a part', async () => {
    const fleet = await fleetOf(undefined)
    fleet.remove('clusters/team-a/c01')
    expect(await check(fleet, '--cluster', 'c02')).toEqual([])
    fleet.edit(
      'stackmason.yaml',
      'spec:\n',
      'spec:\n  acknowledged: [{code: CLUSTER_DELETED, cluster: team-a/c01, reason: it moved, until: 2999-01-01}]\n',
    )
    expect(await check(fleet)).toEqual([])
  })

  test('follows --base, and is nothing without a commit', async () => {
    const fleet = await fleetOf(undefined)
    fleet.remove('clusters/team-a/c01')
    await fleet.render()
    fleet.commit()
    expect(await check(fleet)).toEqual([])
    expect(await check(fleet, '--base', 'HEAD~1')).toHaveLength(1)
    fleet.remove('.git')
    expect(await check(fleet)).toEqual([])
  })
})
