import { join } from 'node:path'
import { exampleFleet } from '../../../tools/fleets/example-fleet.ts'
import type { FleetFolder } from '../../../tools/fleets/fleet-folder.ts'
import { checkOut } from './kustomize.ts'

/** A commit of the rendered tree, and what it is for. */
export interface Commit {
  readonly name: string
  /** Folder that holds `rendered`. */
  readonly tree: string
  /** What people asked to be deleted with it: objects by `<kind> <name>`. */
  readonly removes: readonly string[]
}

/** How the tree is handed over. */
export type Tool = 'flux' | 'argocd'

const handoff: Readonly<Record<Tool, string>> = {
  flux: 'flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}, path: ./rendered}',
  argocd: 'argocd: {repoURL: https://git.example.com/fleet.git, targetRevision: main, path: rendered}',
}
const dnsCache = 'providers/docker/demo/cluster-addon/dns-cache'
const cluster = 'clusters/team-a/edge'
const stackTemplates = 'providers/docker/demo/cluster-class/templates'
const fixed = '  controlPlaneEndpoint: {host: 192.0.2.10, port: 6443}\n'

/** What is done to the fleet before a commit; rendered as often as `commits` says. */
export interface Chapter {
  readonly name: string
  readonly change: (fleet: FleetFolder) => void
  /** A step of an upgrade or of a decommission is a commit. 1 by default. */
  readonly commits?: number
  readonly removes?: readonly string[]
  /** The last placeholder goes with it. Flux prunes the RuntimeValues object then, Argo CD leaves it there. */
  readonly losesPlaceholders?: boolean
}

const options = (text: string): string => `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: ${text}\n`
const addons = (text: string): string => `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: ${text}\n`
const audit = (name: string): string =>
  `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: ${name}}\nrules: []\n---\n` +
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: audit}\ndata: {}\n`
const notes = (text: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes, namespace: kube-system}\ndata:\n  text: ${text}\n`

/** Everything that may happen to a cluster, in an order in which placeholders come, multiply, move and go. */
const life: readonly Chapter[] = [
  {
    name: 'a new cluster without placeholders',
    change: (fleet) => fleet.edit(`${cluster}/cluster.yaml`, /^spec:\n/m, `spec:\n${fixed}`),
  },
  {
    name: 'a value changes',
    change: (fleet) => fleet.write(`${cluster}/values/metrics.yaml`, 'metrics-agent: {replicas: 2}\n'),
  },
  {
    name: 'a stack gets the first objects of a cluster-scoped kind and of a namespace',
    change: (fleet) => fleet.write(`${stackTemplates}/audit.yaml`, audit('stack-audit')),
  },
  {
    name: 'they go, the last ones of that kind and of that namespace',
    change: (fleet) => fleet.remove(`${stackTemplates}/audit.yaml`),
    removes: ['ClusterRole stack-audit', 'ConfigMap stack-audit'],
  },
  {
    name: 'a script with variables of its own, which look like placeholders and have defaults',
    change: (fleet) =>
      fleet.edit(
        `${dnsCache}/templates/configmap.yaml`,
        '\ndata:\n',
        "\ndata:\n  run.sh: 'echo ${CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST} ${HOME:-/root} $$'\n",
      ),
  },
  {
    name: 'the first placeholder: the endpoint is no longer fixed',
    change: (fleet) => fleet.edit(`${cluster}/cluster.yaml`, fixed, ''),
  },
  {
    name: 'a further placeholder, in a list',
    change: (fleet) => {
      fleet.edit(
        `${dnsCache}/overwrite.yaml`,
        'values: |\n',
        'values: |\n  apiServer: "https://{{ .Cluster.spec.controlPlaneEndpoint.host }}:6443"\n',
      )
      fleet.edit(
        `${dnsCache}/templates/daemonset.yaml`,
        '            - -conf\n',
        '            - {{ printf "--master=%s" .Values.apiServer | quote }}\n            - -conf\n',
      )
      fleet.write(`${dnsCache}/values.yaml`, `${fleet.read(`${dnsCache}/values.yaml`)}apiServer: ""\n`)
    },
  },
  {
    name: 'the placeholder moves to another index',
    change: (fleet) =>
      fleet.edit(
        `${dnsCache}/templates/daemonset.yaml`,
        '            - -localip\n',
        '            - --privileged=false\n            - -localip\n',
      ),
  },
  {
    name: 'the placeholder moves back, to the place of another text',
    change: (fleet) => fleet.edit(`${dnsCache}/templates/daemonset.yaml`, '            - --privileged=false\n', ''),
  },
  {
    name: 'one placeholder goes, one stays',
    change: (fleet) =>
      fleet.edit(
        `${dnsCache}/templates/daemonset.yaml`,
        '{{ printf "--master=%s" .Values.apiServer | quote }}',
        '--master=none',
      ),
  },
  {
    name: 'the last placeholder goes',
    change: (fleet) => fleet.edit(`${cluster}/cluster.yaml`, /^spec:\n/m, `spec:\n${fixed}`),
    losesPlaceholders: true,
  },
  {
    name: 'an upgrade to a release with a first placeholder',
    commits: 2,
    change: (fleet) => {
      fleet.edit(`${cluster}/cluster.yaml`, fixed, '')
      fleet.edit('stackmason.yaml', 'version: v3', 'version: v4')
      fleet.edit('stacks/demo.yaml', '- v3', '- v4')
      fleet.edit(`${cluster}/cluster.yaml`, 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
      fleet.edit(`${dnsCache}/templates/configmap.yaml`, /^data:\n/m, 'data:\n  mark: v4\n')
    },
  },
  { name: 'the class that nobody uses any more goes', change: () => undefined },
  {
    name: 'an addon of its own',
    change: (fleet) => {
      fleet.write(`${cluster}/addons.yaml`, addons('{addons: [{name: notes, templates: {path: notes}}]}'))
      fleet.write(`${cluster}/notes/notes.yaml.hbs`, notes('hello'))
    },
  },
  { name: 'frozen', change: (fleet) => fleet.write(`${cluster}/options.yaml`, options('{freeze: true}')) },
  { name: 'no longer frozen', change: (fleet) => fleet.remove(`${cluster}/options.yaml`) },
  { name: 'suspended', change: (fleet) => fleet.write(`${cluster}/options.yaml`, options('{suspend: true}')) },
  { name: 'no longer suspended', change: (fleet) => fleet.remove(`${cluster}/options.yaml`) },
  {
    name: 'an addon of the release is switched off',
    change: (fleet) =>
      fleet.write(
        `${cluster}/addons.yaml`,
        addons('{addons: [{name: notes, templates: {path: notes}}, {name: metrics, enabled: false}]}'),
      ),
    removes: [
      'Deployment metrics-agent',
      'ServiceAccount metrics-agent',
      'ClusterRole system:metrics-agent',
      'ClusterRoleBinding system:metrics-agent',
    ],
    losesPlaceholders: true,
  },
  {
    name: 'an addon of its own goes',
    change: (fleet) => fleet.write(`${cluster}/addons.yaml`, addons('{addons: [{name: metrics, enabled: true}]}')),
    removes: ['ConfigMap notes'],
  },
  {
    name: 'a new minor version of Kubernetes',
    // what kept the emptied unit of the own addon alive
    removes: ['ConfigMap stackmason-edge-addons-own'],
    commits: 2,
    change: (fleet) => {
      fleet.edit('providers/docker/demo/csctl.yaml', 'v1.34.7', 'v1.35.0')
      fleet.edit('providers/docker/demo/cluster-class/Chart.yaml', '1-34', '1-35')
      fleet.edit('stackmason.yaml', 'version: v4', 'version: v1')
      fleet.edit('stacks/demo.yaml', '- v4', '- v1')
      fleet.edit('stacks/demo.yaml', '"1.34"', '"1.35"')
      fleet.edit(`${cluster}/cluster.yaml`, 'docker-demo-1-34-v4', 'docker-demo-1-35-v1')
      fleet.edit(`${cluster}/cluster.yaml`, 'v1.34.7', 'v1.35.0')
      fleet.edit(`${dnsCache}/templates/configmap.yaml`, 'mark: v4', 'mark: minor')
    },
  },
  { name: 'the class of the minor version before goes', change: () => undefined },
  {
    name: 'the storage version of a definition changes',
    change: (fleet) =>
      fleet.edit(
        `${dnsCache}/crds/dnspolicies.yaml`,
        '    - name: v1\n      served: true\n      storage: true\n',
        `    - {name: v2, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n    - name: v1\n      served: true\n      storage: false\n`,
      ),
  },
  {
    name: 'the storage version changes again',
    change: (fleet) =>
      fleet.edit(
        `${dnsCache}/crds/dnspolicies.yaml`,
        'name: v2, served: true, storage: true',
        'name: v3, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n    - {name: v2, served: true, storage: false',
      ),
  },
  {
    name: 'such objects beside the Cluster',
    change: (fleet) =>
      fleet.write(`${cluster}/cluster.yaml`, `${fleet.read(`${cluster}/cluster.yaml`)}---\n${audit('edge-audit')}`),
  },
  {
    name: 'a decommission begins',
    change: (fleet) => fleet.write(`${cluster}/options.yaml`, options('{decommission: {}}')),
  },
  {
    name: 'the Cluster is deleted',
    change: (fleet) => fleet.write(`${cluster}/options.yaml`, options('{decommission: {step: delete}}')),
    removes: ['Cluster edge'],
  },
  {
    name: 'the decommission ends',
    commits: 2,
    change: (fleet) => fleet.write(`${cluster}/options.yaml`, options('{decommission: {step: finish}}')),
    removes: [
      'RuntimeValues edge',
      'ConfigMap edge-decommission',
      'StorageMigration edge.dnspolicies.dns.example.com',
      'ClusterRole edge-audit',
      'ConfigMap edge-audit',
    ],
  },
]

/** The names of the commits that {@link writeLife} makes. */
export const commitNames: readonly string[] = life.flatMap(namesOf)

function namesOf({ name, commits = 1 }: Chapter): readonly string[] {
  if (commits === 1) return [name]
  return Array.from({ length: commits }, (_, index) => `${name}, ${String(index + 1)} of ${String(commits)}`)
}

function removedBy({ removes = [], losesPlaceholders = false }: Chapter, tool: Tool): readonly string[] {
  return losesPlaceholders && tool === 'flux' ? [...removes, 'RuntimeValues edge'] : removes
}

/** Renders each commit of the life of one cluster, into folders below `folder`. */
export async function writeLife(
  folder: string,
  tool: Tool,
  chapters: readonly Chapter[] = life,
): Promise<readonly Commit[]> {
  const fleet = exampleFleet(join(folder, 'fleet'), {
    clusters: ['team-a/edge'],
    handoff: [handoff[tool], 'storageMigrations: true'],
  })
  fleet.remove('clusters/values')
  const commits: Commit[] = []
  for (const chapter of chapters) {
    chapter.change(fleet)
    for (const name of namesOf(chapter)) {
      await fleet.render({ allowEmpty: true })
      fleet.commit(name)
      const tree = join(folder, String(commits.length))
      checkOut(fleet.folder, 'HEAD', tree)
      commits.push({ name, tree, removes: removedBy(chapter, tool) })
    }
  }
  return commits
}
