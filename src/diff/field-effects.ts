import type { EffectReason, TreeObject } from '../model/tree-change.ts'
import type { Dict, Value } from '../model/value.ts'
import { accessRows } from './access-fields.ts'
import {
  becomes,
  becomesOn,
  becomesSet,
  becomesZero,
  comes,
  type FieldRow,
  gains,
  goes,
  isOff,
  letsMore,
  losesItems,
  losesMajority,
  takesDays,
  waitsLess,
  wasSet,
} from './field-row.ts'
import { groupKindOf } from './object-kind.ts'
import { quietRows } from './quiet-fields.ts'
import { describeValues } from './unit-effects.ts'
import { textOf, valuesAt } from './values-at.ts'

const CAPI = String.raw`cluster\.x-k8s\.io`
const APPLICATION = /^argoproj\.io\/Application$/
const HELM_RELEASE = /^helm\.toolkit\.fluxcd\.io\/HelmRelease$/
const SOURCE = /^source\.toolkit\.fluxcd\.io\//
const CLUSTER = new RegExp(`^${CAPI}/Cluster$`)
const CONTROL_PLANE = new RegExp(`^controlplane\\.${CAPI}/[A-Za-z]*ControlPlane$`)
const ANY_CAPI = new RegExp(`^(?:[a-z]+\\.)?${CAPI}/`)
const ANY = /^/
const INGRESS = /^networking\.k8s\.io\/Ingress$/

/** Effects of fields that a reviewer must know, by the APIs in brackets. */
const rows: readonly FieldRow[] = [
  // Kubernetes
  {
    of: ANY,
    paths: ['metadata.ownerReferences'],
    risk: 'may-delete',
    when: becomesSet,
    text: 'deleted without its owner: ownerReferences',
    alsoNew: true,
  },
  {
    of: /^apps\/(?:DaemonSet|StatefulSet)$/,
    paths: ['spec.updateStrategy.type'],
    risk: 'suspends',
    when: becomes('OnDelete'),
  },
  // all pods of it are gone at once
  { of: /^apps\/Deployment$/, paths: ['spec.strategy.type'], risk: 'lowers-guard', when: becomes('Recreate') },
  {
    of: /^apps\//,
    paths: ['spec.strategy.rollingUpdate.maxUnavailable', 'spec.updateStrategy.rollingUpdate.maxUnavailable'],
    risk: 'lowers-guard',
    when: becomes('100%'),
  },
  // Argo CD 3
  {
    of: APPLICATION,
    paths: ['metadata.finalizers'],
    risk: 'may-delete',
    when: gains(/resources-finalizer\.argocd/),
    text: 'a finalizer: what it applied is deleted with it',
  },
  { of: APPLICATION, paths: ['operation.sync.prune'], risk: 'may-delete', when: becomesOn, alsoNew: true },
  {
    of: APPLICATION,
    paths: ['operation.sync.syncOptions'],
    risk: 'may-delete',
    when: gains(/^"(?:Replace|Force)=true/),
    alsoNew: true,
  },
  { of: APPLICATION, paths: ['operation'], risk: 'changes-unit', when: becomesSet },
  { of: /^argoproj\.io\/ApplicationSet$/, paths: ['spec.template.metadata.name'], risk: 'may-delete' },
  { of: /^argoproj\.io\/ApplicationSet$/, paths: ['spec.goTemplate', 'spec.template.metadata'], risk: 'changes-unit' },
  {
    of: /^argoproj\.io\/AppProject$/,
    paths: ['spec.destinationServiceAccounts'],
    risk: 'widens-rights',
    when: becomesSet,
  },
  { of: /^argoproj\.io\/AppProject$/, paths: ['spec.syncWindows'], risk: 'lowers-guard', when: becomesSet },
  { of: /^argoproj\.io\/AppProject$/, paths: ['spec.signatureKeys'], risk: 'lowers-guard', when: losesItems },
  // Flux 2.7
  {
    of: HELM_RELEASE,
    paths: ['spec.upgrade.force', 'spec.rollback.force', 'spec.rollback.recreate', 'spec.install.replace'],
    risk: 'may-delete',
    when: becomesOn,
  },
  {
    of: HELM_RELEASE,
    paths: ['spec.upgrade.crds', 'spec.install.crds'],
    risk: 'may-delete',
    when: becomes('CreateReplace'),
  },
  { of: HELM_RELEASE, paths: ['spec.upgrade.crds', 'spec.install.crds'], risk: 'changes-unit' },
  { of: HELM_RELEASE, paths: ['spec.chart.spec.verify'], risk: 'lowers-guard', when: wasSet },
  { of: SOURCE, paths: ['spec.passCredentials'], risk: 'lowers-guard', when: becomesOn },
  { of: SOURCE, paths: ['spec.recurseSubmodules'], risk: 'redirects', when: becomesOn },
  // Cluster API 1.13
  {
    of: ANY_CAPI,
    paths: ['metadata.annotations.*', 'spec.topology.*.metadata.annotations.*'],
    risk: 'lowers-guard',
    key: /^unsafe\.|\/(?:exclude-node-draining|exclude-wait-for-node-volume-detach|skip-preflight-checks|skip-remediation)$/,
    when: becomesSet,
  },
  { of: ANY_CAPI, paths: ['metadata.annotations.*'], risk: 'suspends', key: /\/managed-by$/, when: comes },
  { of: ANY_CAPI, paths: ['metadata.annotations.*'], risk: 'may-delete', key: /\/delete-machine$/, when: comes },
  { of: CLUSTER, paths: ['spec.clusterNetwork.*'], risk: 'endangers' },
  // what is skipped is no longer kept as it should be
  {
    of: CLUSTER,
    paths: ['spec.topology.controlPlane.metadata.annotations.*'],
    risk: 'suspends',
    key: /controlplane\.cluster\.x-k8s\.io\/skip-/,
    // it needs no value
    when: (before) => before === null,
  },
  // Flux: a change in git is taken in after that time, and drift is mended
  { of: /\.toolkit\.fluxcd\.io\//, paths: ['spec.interval'], risk: 'suspends', when: takesDays },
  // Cilium
  { of: /^\/ConfigMap$/, paths: ['data.enable-policy'], risk: 'lowers-guard', when: becomes('never') },
  {
    of: /^\/ConfigMap$/,
    paths: ['data.enable-wireguard', 'data.enable-ipsec'],
    risk: 'lowers-guard',
    when: (before, after) => before === 'true' && after !== 'true',
  },
  {
    of: CLUSTER,
    paths: ['spec.controlPlaneEndpoint', 'spec.infrastructureRef', 'spec.controlPlaneRef'],
    risk: 'endangers',
    when: wasSet,
  },
  {
    of: ANY_CAPI,
    paths: ['spec.topology.workers.*.*.strategy.type', 'spec.topology.workers.*.*.rollout.strategy.type'].concat([
      'spec.strategy.type',
      'spec.rollout.strategy.type',
    ]),
    risk: 'suspends',
    when: becomes('OnDelete'),
  },
  {
    of: new RegExp(`^infrastructure\\.${CAPI}/[A-Za-z]+Cluster$`),
    paths: ['spec.controlPlaneEndpoint'],
    risk: 'endangers',
    when: wasSet,
  },
  {
    of: CLUSTER,
    paths: ['spec.topology.controlPlane.replicas'],
    risk: 'endangers',
    when: losesMajority,
    text: 'control plane',
  },
  { of: CONTROL_PLANE, paths: ['spec.replicas'], risk: 'endangers', when: losesMajority, text: 'control plane' },
  {
    of: ANY_CAPI,
    paths: ['spec', 'spec.topology.controlPlane', 'spec.topology.workers.*.*', 'spec.template.spec'].flatMap(
      (place) => [
        `${place}.nodeDrainTimeout`,
        `${place}.nodeVolumeDetachTimeout`,
        `${place}.deletion.nodeDrainTimeoutSeconds`,
        `${place}.deletion.nodeVolumeDetachTimeoutSeconds`,
      ],
    ),
    risk: 'lowers-guard',
    when: waitsLess,
  },
  {
    of: ANY_CAPI,
    paths: ['spec.topology.controlPlane', 'spec.topology.workers.*.*', 'spec.controlPlane', 'spec.workers.*.*'].flatMap(
      (place) => [`${place}.machineHealthCheck`, `${place}.healthCheck`],
    ),
    risk: 'lowers-guard',
    when: goes,
  },
  {
    of: ANY_CAPI,
    paths: ['spec.topology.controlPlane', 'spec.topology.workers.*.*'].flatMap((place) => [
      `${place}.machineHealthCheck.enable`,
      `${place}.healthCheck.enabled`,
    ]),
    risk: 'lowers-guard',
    when: (before, after) => isOff(after) && !isOff(before),
  },
  {
    of: ANY_CAPI,
    paths: ['spec', ...['spec.topology', 'spec'].flatMap((at) => [`${at}.controlPlane`, `${at}.workers.*.*`])].flatMap(
      (place) =>
        ['maxUnhealthy', 'machineHealthCheck.maxUnhealthy']
          .concat(['', 'healthCheck.'].map((at) => `${at}remediation.triggerIf.unhealthyLessThanOrEqualTo`))
          .map((field) => `${place}.${field}`),
    ),
    risk: 'lowers-guard',
    when: becomes('100%'),
    text: 'health check 100%',
  },
  { of: new RegExp(`^addons\\.${CAPI}/ClusterResourceSet$`), paths: ['spec.resources'], risk: 'redirects' },
  { of: ANY_CAPI, paths: ['spec.*.allowedCIDRs', 'spec.*.allowedCidrs'], risk: 'exposes', when: letsMore },
  {
    of: CLUSTER,
    paths: ['spec.topology.variables.*.value'],
    key: /allowed_?cidrs\.value$/i,
    risk: 'exposes',
    when: letsMore,
  },
  {
    of: /^openstack\.k-orc\.cloud\//,
    paths: ['spec.managedOptions.onDelete'],
    risk: 'may-delete',
    when: (before, after) => before === 'detach' && after !== 'detach',
  },
  // Kubernetes 1.34
  {
    of: /^apiregistration\.k8s\.io\/APIService$/,
    paths: ['spec.insecureSkipTLSVerify'],
    risk: 'lowers-guard',
    when: becomesOn,
  },
  { of: /^apiregistration\.k8s\.io\/APIService$/, paths: ['spec.service'], risk: 'redirects' },
  { of: /^\/Service$/, paths: ['spec.selector', 'spec.externalName'], risk: 'redirects' },
  { of: /^\/Service$/, paths: ['spec.ports.*.targetPort'], risk: 'redirects', when: wasSet },
  // what is exempt is never made to wait
  {
    of: /^flowcontrol\.apiserver\.k8s\.io\/FlowSchema$/,
    paths: ['spec.priorityLevelConfiguration.name'],
    risk: 'lowers-guard',
    when: becomes('exempt'),
  },
  // pods without a proxy speak without its encryption and are asked nothing
  {
    of: /^\/Namespace$/,
    paths: ['metadata.labels.*', 'metadata.annotations.*'],
    risk: 'lowers-guard',
    key: /^(?:istio-injection|istio\.io\/rev|istio\.io\/dataplane-mode|linkerd\.io\/inject)$/,
    when: (before, after) => wasSet(before, after) && (!wasSet(after, null) || after === 'disabled'),
  },
  { of: /^\/Service$/, paths: ['spec.type'], risk: 'redirects', when: becomes('ExternalName') },
  { of: /^\/Endpoints$/, paths: ['subsets'], risk: 'redirects' },
  { of: /^discovery\.k8s\.io\/EndpointSlice$/, paths: ['endpoints'], risk: 'redirects' },
  { of: INGRESS, paths: ['spec.ingressClassName'], risk: 'exposes' },
  { of: INGRESS, paths: ['spec.tls'], risk: 'lowers-guard', when: losesItems },
  {
    of: INGRESS,
    paths: ['metadata.annotations.*'],
    risk: 'lowers-guard',
    key: /(?:white|allow|deny)list-source-range$|\/auth-|ssl-redirect$|\/enable-modsecurity$|\/inbound-cidrs$/,
    when: wasSet,
  },
  { of: INGRESS, paths: ['metadata.annotations.*'], risk: 'exposes', key: /^kubernetes\.io\/ingress\.class$/ },
  // text of theirs becomes part of the configuration of all
  {
    of: INGRESS,
    paths: ['metadata.annotations.*'],
    risk: 'widens-rights',
    key: /-snippet$/,
    when: becomesSet,
    alsoNew: true,
  },
  {
    of: /^snapshot\.storage\.k8s\.io\/VolumeSnapshotClass$/,
    paths: ['deletionPolicy'],
    risk: 'lowers-guard',
    when: becomes('Delete'),
  },
  {
    of: /^snapshot\.storage\.k8s\.io\/VolumeSnapshotContent$/,
    paths: ['spec.deletionPolicy'],
    risk: 'lowers-guard',
    when: becomes('Delete'),
  },
  {
    of: /^\/Namespace$/,
    paths: ['metadata.labels.*'],
    risk: 'lowers-guard',
    key: /^admission\.gatekeeper\.sh\/ignore$|^(?:pod-security\.kubernetes\.io\/enforce-version)$/,
    when: becomesSet,
  },
  {
    of: /^rbac\.authorization\.k8s\.io\/ClusterRole$/,
    paths: ['metadata.labels.*'],
    risk: 'widens-rights',
    key: /aggregat/i,
    when: becomesSet,
  },
  {
    of: /^\/ServiceAccount$/,
    paths: ['metadata.annotations.*'],
    risk: 'widens-rights',
    key: /role-arn$|gcp-service-account$|azure\.workload\.identity\/|iam\./,
    when: becomesSet,
  },
  {
    of: /^admissionregistration\.k8s\.io\/MutatingAdmissionPolicy(?:Binding)?$/,
    paths: ['spec'],
    risk: 'rewrites',
    text: 'what it mutates',
    alsoNew: true,
  },
  {
    of: /^autoscaling\/HorizontalPodAutoscaler$/,
    paths: ['spec.minReplicas'],
    risk: 'scales-to-zero',
    when: becomesZero,
  },
  ...accessRows,
  ...quietRows,
  // Kyverno, External Secrets, KEDA
  {
    of: /^(?:policies\.)?kyverno\.io\/PolicyException$/,
    paths: ['spec'],
    risk: 'lowers-guard',
    text: 'exception',
    alsoNew: true,
  },
  {
    of: /^external-secrets\.io\/(?:Cluster)?ExternalSecret$/,
    paths: ['spec.secretStoreRef', 'spec.data', 'spec.dataFrom', 'spec.externalSecretSpec'],
    risk: 'redirects',
  },
  { of: /^external-secrets\.io\/(?:Cluster)?SecretStore$/, paths: ['spec.provider'], risk: 'redirects' },
  {
    of: /^keda\.sh\/Scaled(?:Object|Job)$/,
    paths: ['metadata.annotations.*'],
    risk: 'suspends',
    key: /\/paused/,
    when: comes,
  },
  {
    of: /^keda\.sh\/Scaled(?:Object|Job)$/,
    paths: ['spec.minReplicaCount', 'spec.maxReplicaCount'],
    risk: 'scales-to-zero',
    when: (before, after) => before !== null && becomesZero(before, after),
  },
]

/** The effects that changes of single fields have. */
export function fieldEffects(before: TreeObject | undefined, after: TreeObject): readonly EffectReason[] {
  const kind = groupKindOf(after)
  return rows.flatMap((row): readonly EffectReason[] => {
    if (!row.of.test(kind) || (before === undefined && row.alsoNew !== true)) return []
    return row.paths.flatMap((path) => effectsAt(row, path, { before: before?.object, after: after.object }))
  })
}

interface Objects {
  readonly before: Dict | undefined
  readonly after: Dict
}

function effectsAt(row: FieldRow, path: string, { before, after }: Objects): readonly EffectReason[] {
  const steps = path.split('.')
  const [old, now] = [before === undefined ? new Map<string, Value>() : valuesAt(before, steps), valuesAt(after, steps)]
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((place): readonly EffectReason[] => {
    const [was, is] = [old.get(place) ?? null, now.get(place) ?? null]
    // an empty text may be one that was not there
    const isSame = textOf(was) === textOf(is) && (row.when === undefined || (was === null) === (is === null))
    if (isSame || (row.key !== undefined && !row.key.test(place))) return []
    if (row.when?.(was, is) === false) return []
    return [{ risk: row.risk, text: describeValues(row.text ?? place, was, is) }]
  })
}
