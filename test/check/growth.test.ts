import { describe } from 'vitest'
import { beginCheck } from '../../src/check/begin-check.ts'
import type { CheckedUnit } from '../../src/check/checked-unit.ts'
import type { Rule } from '../../src/check/rule.ts'
import { contestedReplicas } from '../../src/check/rules/contested-replicas.ts'
import { lateNamespaces } from '../../src/check/rules/late-namespaces.ts'
import { missingClusterParts } from '../../src/check/rules/missing-cluster-parts.ts'
import { missingCredentials } from '../../src/check/rules/missing-credentials.ts'
import { missingRights } from '../../src/check/rules/missing-rights.ts'
import { sharedOwners } from '../../src/check/rules/shared-owners.ts'
import { unknownNamespaces } from '../../src/check/rules/unknown-namespaces.ts'
import type { TreeFolder } from '../../src/model/tree-path.ts'
import { missingBackends } from '../../src/check/rules/missing-backends.ts'
import { missingPodConfig } from '../../src/check/rules/missing-pod-config.ts'
import { missingScaleTargets } from '../../src/check/rules/missing-scale-targets.ts'
import { unmatchedSelectors } from '../../src/check/rules/unmatched-selectors.ts'
import { readBuiltInSchemas } from '../../src/check/schema/built-in-schemas.ts'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { textAt } from '../../src/model/field.ts'
import type { Manifest } from '../../src/model/manifest.ts'
import { Dict } from '../../src/model/value.ts'
import { testGrowth } from '../support/growth.ts'

const inputs = { builtIn: readBuiltInSchemas('minors\t1.34\n'), definitions: [], policies: [] }
const rules: readonly Rule[] = [
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
  return { apiVersion, kind, name, namespace: 'n', object, origin: { from: 'a', unit: 'a', template: 'a' } }
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

/** So many clusters, each with objects beside it and its units. */
function fleetOf(count: number): readonly CheckedUnit[] {
  const clusters = Array.from({ length: count }, (_, index) => `c${String(index)}`)
  const folderOf = (path: string, place: TreeFolder, ...texts: readonly string[]): CheckedUnit => ({
    kind: place.kind === 'handoff' ? 'handoff' : 'cluster',
    folders: [{ path, place, destination: 'management', manifests: texts.map(manifestOf) }],
    isKept: false,
    subject: { cluster: path },
    locate: (finding) => finding,
  })
  return clusters.flatMap((name) => [
    folderOf(
      `clusters/n/${name}/cluster`,
      { kind: 'cluster', namespace: 'n', name },
      `{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: ${name}}, spec: {topology: {classRef: {name: class-${name}}}}}`,
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
        [lateNamespaces, missingClusterParts, missingCredentials, missingRights, sharedOwners, unknownNamespaces],
        { ...inputs, tool: 'flux' },
      )
      for (const unit of units) judge.unit(unit)
      return judge.end()
    },
    100,
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
