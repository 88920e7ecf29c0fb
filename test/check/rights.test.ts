import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { NeededRights } from '../../src/check/references/needed-rights.ts'
import { readProject, refusedBy } from '../../src/check/references/project-rights.ts'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { Dict } from '../../src/model/value.ts'
import { lab, labCluster } from '../../tools/fleets/lab-fleet.ts'
import { packageFolder } from '../cli/run-cli.ts'
import { checkLab } from './check-lab.ts'

const RBAC = 'apiVersion: rbac.authorization.k8s.io/v1'
const role = (kind: string, rules: string, name = 'applier'): string =>
  `{${RBAC}, kind: ${kind}, metadata: {name: ${name}${kind === 'Role' ? ', namespace: team' : ''}}, rules: [${rules}]}`
const binding = (
  kind: string,
  reference: string,
  subject = 'kind: ServiceAccount, name: applier, namespace: team',
): string =>
  `{${RBAC}, kind: ${kind}, metadata: {name: applier${kind === 'RoleBinding' ? ', namespace: team' : ''}}, roleRef: {apiGroup: rbac.authorization.k8s.io, ${reference}}, subjects: [{${subject}}]}`
const CAPI = ['cluster', 'infrastructure.cluster', 'controlplane.cluster', 'bootstrap.cluster']
  .map((group) => `${group}.x-k8s.io`)
  .join(', ')
const all = 'verbs: ["*"]'
const capi = `{apiGroups: [${CAPI}], resources: ["*"], ${all}}`
const own = `{apiGroups: [stackmason.dev, rbac.authorization.k8s.io], resources: ["*"], ${all}}`

const flux = [
  'handoff: {flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}, serviceAccountName: applier}}',
]
const CLUSTER_ROLES = 'ClusterRole of the cluster scope'
const may = (verbs: string, what: string): string =>
  `Flux may not ${verbs} ${what}: service account team/applier has no right to`

interface Row {
  readonly name: string
  /** Objects beside the Cluster. */
  readonly objects: readonly string[]
  readonly found?: readonly string[]
}

const rows: readonly Row[] = [
  { name: 'an account that the tree does not bind', objects: [] },
  {
    name: 'an account that is bound to a role that the tree does not have',
    objects: [binding('RoleBinding', 'kind: ClusterRole, name: admin')],
  },
  {
    name: 'an account that may do anything',
    objects: [binding('ClusterRoleBinding', 'kind: ClusterRole, name: cluster-admin')],
  },
  {
    name: 'an account that may do anything in its namespace, and nothing beyond',
    objects: [binding('RoleBinding', 'kind: ClusterRole, name: cluster-admin'), role('ClusterRole', '', 'other')],
    found: [may('get, create, patch', CLUSTER_ROLES)],
  },
  {
    name: 'a role with all that is there',
    objects: [role('Role', `${capi}, ${own}`), binding('RoleBinding', 'kind: Role, name: applier')],
  },
  {
    name: 'a role that lacks a kind',
    objects: [
      role('Role', `${capi}, ${own}`),
      binding('RoleBinding', 'kind: Role, name: applier'),
      '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: team}}',
    ],
    found: [may('get, create, patch', 'ConfigMap in namespace team')],
  },
  {
    name: 'a role that lacks a verb',
    objects: [
      role('Role', `${capi}, ${own}, {apiGroups: [""], resources: [configmaps], verbs: [get, create]}`),
      binding('RoleBinding', 'kind: Role, name: applier', 'kind: Group, name: "system:serviceaccounts:team"'),
      '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: team}}',
    ],
    found: [may('patch', 'ConfigMap in namespace team')],
  },
  {
    name: 'a role for single objects',
    objects: [
      role('Role', `${capi}, ${own}, {apiGroups: [""], resources: [configmaps], resourceNames: [a], ${all}}`),
      binding('RoleBinding', 'kind: Role, name: applier', 'kind: User, name: "system:serviceaccount:team:applier"'),
      '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: team}}',
    ],
    found: [may('get, create, patch', 'ConfigMap in namespace team')],
  },
  {
    name: 'a role of another account',
    objects: [
      role('Role', ''),
      binding('RoleBinding', 'kind: Role, name: applier', 'kind: ServiceAccount, name: applier, namespace: other'),
    ],
  },
]

/** The findings of a check of the lab, by their place and message. */
async function rights(spec: readonly string[], files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const lines = await checkLab({ files, spec })
  return lines.filter((line) => line.includes('RIGHTS_MISSING')).map((line) => line.replace(/ \[.*$/, ''))
}

describe('what the service account of Flux may write:', () => {
  test.each(rows)('$name', async ({ objects, found = [] }) => {
    const cluster = labCluster() + objects.map((object) => `---\n${object}\n`).join('')
    const lines = await rights(flux, { [lab.cluster]: cluster })
    expect(lines.map((line) => line.replace(/ \S+:\d+:\d+ /, ' '))).toEqual(
      found.map((message) => `error RIGHTS_MISSING ${message}`),
    )
    for (const line of lines) {
      const [, at = ''] = /cluster\.yaml:(\d+):/.exec(line) ?? []
      expect(cluster.split('\n')[Number(at) - 1]).toContain('roleRef')
    }
  })
})

const argocd = ['handoff: {argocd: {repoURL: https://git.example.com/fleet.git}}']
const TEMPLATE = 'templates/handoff/argocd/appproject.yaml.hbs'
const project = readFileSync(join(packageFolder, TEMPLATE), 'utf8')

describe('what an AppProject lets through:', () => {
  test.each<readonly [name: string, from: string, to: string, found: readonly string[]]>([
    ['what render writes', '', '', []],
    [
      'kinds that the project leaves out',
      'spec:\n',
      'spec:\n  namespaceResourceBlacklist: [{group: "", kind: Config*}]\n',
      [
        'Argo CD does not apply ConfigMap in namespace kube-system: namespaceResourceBlacklist of AppProject team.workload names it',
      ],
    ],
    [
      'a list that names other kinds',
      'spec:\n',
      'spec:\n  namespaceResourceBlacklist: [{group: apps, kind: ConfigMap}]\n',
      [],
    ],
  ])('%s', async (_, from, to, found) => {
    const lines = await rights(argocd, { [TEMPLATE]: project.replace(from, to) })
    expect(lines.map((line) => line.replace(/RIGHTS_MISSING \S+/, 'RIGHTS_MISSING'))).toEqual(
      found.map((message) => `error RIGHTS_MISSING ${message}`),
    )
  })
})

const HERE = { server: 'https://kubernetes.default.svc', name: '' }
const THERE = { server: '', name: 'team.one' }
const map = { group: '', kind: 'ConfigMap', namespace: 'shop', name: 'a' }
const space = { group: '', kind: 'Namespace', name: 'shop' }

describe('the lists of an AppProject:', () => {
  test.each<readonly [spec: string, destination: typeof HERE, needed: NeededRights, field: string | undefined]>([
    ['destinations: [{server: https://kubernetes.default.svc, namespace: shop}]', HERE, map, undefined],
    ['destinations: [{server: https://kubernetes.default.svc, namespace: shops}]', HERE, map, 'destinations'],
    ['destinations: [{server: https://kubernetes.default.svc, namespace: "s*p"}]', HERE, map, undefined],
    ['destinations: [{server: https://kubernetes.default.svc, namespace: "*"}]', THERE, map, 'destinations'],
    ['destinations: [{name: "team.*", namespace: "sho?"}]', THERE, map, undefined],
    ['destinations: [{name: "*", namespace: "*"}, {name: "*", namespace: "!shop"}]', THERE, map, 'destinations'],
    ['destinations: [{name: "*", namespace: "*"}, {name: "*", namespace: "!other"}]', THERE, map, undefined],
    ['destinations: [{server: "*", namespace: "*"}]', THERE, map, undefined],
    ['destinations: [{server: "*", namespace: shops}]', THERE, map, 'destinations'],
    ['destinations: [{server: "https://192.0.2.7:6443", namespace: "*"}]', THERE, map, undefined],
    ['destinations: [{server: "https://192.0.2.7:6443", namespace: "*"}]', HERE, map, 'destinations'],
    ['destinations: [{server: "*", namespace: "*"}, {server: "*", namespace: "!shop"}]', THERE, map, 'destinations'],
    [
      'destinations: [{server: "*", namespace: "*"}, {server: "!https://x.example", namespace: "*"}]',
      THERE,
      map,
      undefined,
    ],
    [
      'destinations: [{server: https://kubernetes.default.svc, namespace: "*"}]',
      { server: '', name: 'in-cluster' },
      map,
      undefined,
    ],
    [
      'destinations: [{name: "*", namespace: "*"}], namespaceResourceWhitelist: []',
      THERE,
      map,
      'namespaceResourceWhitelist',
    ],
    [
      'destinations: [{name: "*", namespace: "*"}], namespaceResourceWhitelist: [{group: "*", kind: "C*Map"}]',
      THERE,
      map,
      undefined,
    ],
    ['destinations: []', HERE, space, 'clusterResourceWhitelist'],
    ['clusterResourceWhitelist: [{group: "", kind: Namespace}]', HERE, space, undefined],
    ['clusterResourceWhitelist: [{group: "", kind: Namespace, name: shop}]', HERE, space, undefined],
    ['clusterResourceWhitelist: [{group: "", kind: Namespace, name: other}]', HERE, space, 'clusterResourceWhitelist'],
    [
      'clusterResourceWhitelist: [{group: "*", kind: "*"}], clusterResourceBlacklist: [{group: "", kind: Namespace}]',
      HERE,
      space,
      'clusterResourceBlacklist',
    ],
  ])('%s', (spec, destination, needed, field) => {
    const parsed = parseGoYaml(`spec: {${spec}}`, { integers: 'int' })
    expect(parsed instanceof Dict && refusedBy(readProject(parsed), destination, needed)?.field).toBe(field)
  })
})
