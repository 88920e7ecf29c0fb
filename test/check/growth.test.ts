import { describe } from 'vitest'
import { beginCheck } from '../../src/check/begin-check.ts'
import type { CheckedUnit } from '../../src/check/checked-unit.ts'
import type { Rule } from '../../src/check/rule.ts'
import { blockedEvictions } from '../../src/check/rules/blocked-evictions.ts'
import { contestedReplicas } from '../../src/check/rules/contested-replicas.ts'
import { lateNamespaces } from '../../src/check/rules/late-namespaces.ts'
import { missingClusterParts } from '../../src/check/rules/missing-cluster-parts.ts'
import { missingCredentials } from '../../src/check/rules/missing-credentials.ts'
import { missingRights } from '../../src/check/rules/missing-rights.ts'
import { sharedEndpoints } from '../../src/check/rules/shared-endpoints.ts'
import { sharedOwners } from '../../src/check/rules/shared-owners.ts'
import { tightenedDefinitions } from '../../src/check/rules/tightened-definitions.ts'
import { unknownNamespaces } from '../../src/check/rules/unknown-namespaces.ts'
import type { TreeFolder } from '../../src/model/tree-path.ts'
import { missingBackends } from '../../src/check/rules/missing-backends.ts'
import { missingPodConfig } from '../../src/check/rules/missing-pod-config.ts'
import { missingScaleTargets } from '../../src/check/rules/missing-scale-targets.ts'
import { unmatchedSelectors } from '../../src/check/rules/unmatched-selectors.ts'
import { readBuiltInSchemas } from '../../src/check/schema/built-in-schemas.ts'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { textAt } from '../../src/model/field.ts'
import type { GitopsTool } from '../../src/model/gitops-tool.ts'
import type { Manifest } from '../../src/model/manifest.ts'
import { Dict } from '../../src/model/value.ts'
import { compareTexts, type Texts } from '../diff/compare-texts.ts'
import { testGrowth } from '../support/growth.ts'

const inputs = {
  builtIn: readBuiltInSchemas('minors\t1.34\n'),
  definitions: [],
  policies: [],
  classTemplateProblem: () => undefined,
}
const rules: readonly Rule[] = [
  blockedEvictions,
  contestedReplicas,
  missingBackends,
  missingPodConfig,
  missingScaleTargets,
  unmatchedSelectors,
]

function manifestOf(text: string): Manifest {
  const object = parseGoYaml(text, { integers: 'int' })
  if (!(object instanceof Dict)) throw new TypeError('no map')
  const [apiVersion, kind, name] = [
    textAt(object, 'apiVersion'),
    textAt(object, 'kind'),
    textAt(object, 'metadata', 'name'),
  ]
  const namespace = textAt(object, 'metadata', 'namespace') || 'n'
  return { apiVersion, kind, name, namespace, object, origin: { from: 'a', unit: 'a', template: 'a' } }
}

function unitOf(manifests: readonly Manifest[]): CheckedUnit {
  const cluster = { namespace: 'team', name: 'one' }
  const place = { kind: 'addons', ...cluster, owner: 'release' } as const
  const folders = [{ path: 'a', place, destination: cluster, manifests }]
  return { kind: 'cluster', folders, isKept: false, subject: {}, locate: (finding) => finding }
}

/** Objects that begin with a number each. */
const many = (count: number, ...texts: readonly ((index: string) => string)[]): readonly Manifest[] =>
  Array.from({ length: count }, (_, index) => texts.map((text) => manifestOf(text(String(index))))).flat()

const pod = (spec: string) => (at: string) =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: ${at}-d}, spec: {replicas: 1, template: {metadata: {labels: {all: same, app: "${at}"}}, spec: {${spec.replace('AT', at)}}}}}`

const folderOf = (path: string, place: TreeFolder, ...texts: readonly string[]): CheckedUnit => ({
  kind: place.kind === 'handoff' ? 'handoff' : 'cluster',
  folders: [{ path, place, destination: 'management', manifests: texts.map(manifestOf) }],
  isKept: false,
  subject: { cluster: path },
  locate: (finding) => finding,
})

const binding = (name: string, namespace: string, subject: string): string =>
  `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: ${name}, namespace: ${namespace}}, roleRef: {kind: ClusterRole, name: cluster-admin}, subjects: [{kind: ServiceAccount, ${subject}}]}`

/** So many clusters in a namespace each, which an account each applies, or one that is bound in all of them. */
const appliedBy =
  (accountOf: (index: string) => string) =>
  (count: number): readonly CheckedUnit[] =>
    Array.from({ length: count }, (_, index) => {
      const [at, namespace] = [String(index), `n${String(index)}`]
      const account = accountOf(at)
      return [
        folderOf(
          `clusters/${namespace}/c/cluster`,
          { kind: 'cluster', namespace, name: 'c' },
          `{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: ${namespace}}}`,
        ),
        folderOf(
          `handoff/flux/${at}`,
          { kind: 'handoff', namespace: 'flux', of: at },
          `{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: ${namespace}, namespace: flux}, spec: {path: clusters/${namespace}/c/cluster, serviceAccountName: ${account}}}`,
          binding(at, namespace, `name: ${account}, namespace: flux`),
        ),
      ]
    }).flat()

/** So many clusters whose addons one project lets through, which names each as a destination. */
function projectOf(count: number): readonly CheckedUnit[] {
  const names = Array.from({ length: count }, (_, index) => `c${String(index)}`)
  const destinations = names.map((name) => `{name: n.${name}, namespace: '*'}`).join(', ')
  const units = names.flatMap((name): readonly CheckedUnit[] => {
    const place = { kind: 'addons', namespace: 'n', name, owner: 'release' } as const
    const path = `clusters/n/${name}/addons/01-a`
    const manifests = ['x', 'y'].map((one) =>
      manifestOf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: ${one}}}`),
    )
    const addons = { kind: 'cluster', folders: [{ path, place, destination: { namespace: 'n', name }, manifests }] }
    return [
      { ...folderOf(path, place), ...addons, kind: 'cluster' },
      folderOf(
        `handoff/n/${name}`,
        { kind: 'handoff', namespace: 'n', of: name },
        `{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: ${name}}, spec: {project: p, source: {path: ${path}}, destination: {name: n.${name}}}}`,
      ),
    ]
  })
  const project = `{apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: p}, spec: {destinations: [${destinations}, {server: gone, namespace: '!x'}]}}`
  return [...units, folderOf('handoff', { kind: 'handoff', namespace: '' }, project)]
}

/** So many clusters, each with objects beside it and its units. */
function fleetOf(count: number): readonly CheckedUnit[] {
  const clusters = Array.from({ length: count }, (_, index) => `c${String(index)}`)
  return clusters.flatMap((name) => [
    folderOf(
      `clusters/n/${name}/cluster`,
      { kind: 'cluster', namespace: 'n', name },
      `{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: ${name}}, spec: {controlPlaneEndpoint: {host: ${name}, port: 6443}, topology: {classRef: {name: class-${name}}}}}`,
      `{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineHealthCheck, metadata: {name: ${name}}, spec: {clusterName: x-${name}}}`,
      `{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: ${name}}, spec: {cloudCredentialsRef: {secretName: s-${name}}}}`,
      '{apiVersion: v1, kind: ConfigMap, metadata: {name: same}}',
    ),
    folderOf(
      `handoff/n/${name}`,
      { kind: 'handoff', namespace: 'n', of: name },
      `{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: ${name}}, spec: {path: clusters/n/${name}/cluster, serviceAccountName: a}}`,
      `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: ${name}}, roleRef: {kind: ClusterRole, name: cluster-admin}, subjects: [{kind: ServiceAccount, name: a, namespace: n}]}`,
    ),
  ])
}

describe('fleets of twice the clusters take twice the steps:', () => {
  testGrowth<readonly CheckedUnit[]>(
    [{ what: 'with what lies beside them', make: fleetOf }],
    (units) => {
      const judge = beginCheck(
        [
          lateNamespaces,
          missingClusterParts,
          missingCredentials,
          missingRights,
          sharedEndpoints,
          sharedOwners,
          unknownNamespaces,
        ],
        { ...inputs, tool: 'flux' },
      )
      for (const unit of units) judge.unit(unit)
      return judge.end()
    },
    100,
  )
})

describe('rights of twice the clusters take twice the steps:', () => {
  const judgeRights =
    (tool: GitopsTool) =>
    (units: readonly CheckedUnit[]): unknown => {
      const judge = beginCheck([missingRights], { ...inputs, tool })
      for (const unit of units) judge.unit(unit)
      return judge.end()
    }
  testGrowth<readonly CheckedUnit[]>(
    [
      { what: 'an account each', make: appliedBy((at) => `a${at}`) },
      { what: 'one account that is bound in each namespace', make: appliedBy(() => 'a') },
    ],
    judgeRights('flux'),
    300,
  )
  testGrowth<readonly CheckedUnit[]>(
    [{ what: 'a project that names each', make: projectOf }],
    judgeRights('argocd'),
    100,
  )
})

describe('definitions of twice the size take twice the steps:', () => {
  const definition = (count: number, each: (index: string) => string): string => {
    const list = Array.from({ length: count }, (_, index) => each(String(index)))
    return `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.example.com}, spec: {versions: [${list.join(', ')}]}}`
  }
  const version = (schema: string): string => definition(1, () => `{name: v1, schema: {openAPIV3Schema: {${schema}}}}`)
  const all = (count: number, make: (index: string) => string): string =>
    Array.from({ length: count }, (_, index) => make(String(index))).join(', ')
  const tree = (text: string, clusters = 1): Texts =>
    Object.fromEntries(
      Array.from({ length: clusters }, (_, index) => [`clusters/n/c${String(index)}/addons/01-a/d.yaml`, text]),
    )
  const pair = (make: (now: boolean) => string, clusters?: number): readonly Texts[] =>
    [false, true].map((now) => tree(make(now), clusters))
  testGrowth<readonly Texts[]>(
    [
      {
        what: 'fields that are required',
        make: (count) =>
          pair((now) =>
            version(
              `properties: {${all(count, (at) => `f${at}: {type: string}`)}}, required: [${all(count, (at) => (now ? `f${at}` : `g${at}`))}]`,
            ),
          ),
      },
      {
        what: 'values that are allowed',
        make: (count) => pair((now) => version(`enum: [${all(count, (at) => (now ? `w${at}` : `v${at}`))}]`)),
      },
      {
        what: 'rules',
        make: (count) =>
          pair((now) =>
            version(`x-kubernetes-validations: [${all(count, (at) => `{rule: self.${now ? 'a' : 'b'}${at}}`)}]`),
          ),
      },
      {
        what: 'versions',
        make: (count) =>
          pair((now) =>
            definition(
              count,
              (at) => `{name: v${at}, schema: {openAPIV3Schema: {type: ${now ? 'string' : 'integer'}}}}`,
            ),
          ),
      },
      {
        what: 'clusters that have it',
        make: (count) => pair((now) => version(`type: ${now ? 'string' : 'integer'}`), count),
      },
    ],
    ([before = {}, after = {}]) =>
      beginCheck([tightenedDefinitions], inputs).change(compareTexts(before, after), '/fleet'),
    200,
  )
})

describe('clusters of twice the objects take twice the steps:', () => {
  testGrowth<readonly Manifest[]>(
    [
      {
        what: 'Services and the pods behind them',
        make: (count) =>
          many(
            count,
            pod(''),
            (at) =>
              `{apiVersion: v1, kind: Service, metadata: {name: ${at}-s}, spec: {selector: {all: same, app: "${at}"}}}`,
          ),
      },
      {
        what: 'disruption budgets and the pods behind them',
        make: (count) =>
          many(
            count,
            pod(''),
            (at) =>
              `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: ${at}-b}, spec: {minAvailable: 1, selector: {matchLabels: {all: same, app: "${at}"}}}}`,
          ),
      },
      {
        what: 'disruption budgets of all pods',
        make: (count) =>
          many(
            count,
            pod(''),
            (at) =>
              `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: ${at}-b}, spec: {minAvailable: 1, selector: {matchLabels: {all: same}}}}`,
          ),
      },
      {
        what: 'autoscalers and their targets',
        make: (count) =>
          many(
            count,
            pod(''),
            (at) =>
              `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: ${at}-h}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${at}-d}}}`,
          ),
      },
      {
        what: 'backends that are not there',
        make: (count) =>
          many(
            count,
            (at) =>
              `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: ${at}-i}, spec: {defaultBackend: {service: {name: ${at}-x}}}}`,
          ),
      },
      {
        what: 'ConfigMaps that are not there, among words that may name them',
        make: (count) =>
          many(
            count,
            pod('volumes: [{name: v, configMap: {name: AT-x}}], containers: [{name: c, args: ["--a=AT.b.c"]}]'),
          ),
      },
    ],
    (manifests) => beginCheck(rules, inputs).unit(unitOf(manifests)),
    100,
  )
})
