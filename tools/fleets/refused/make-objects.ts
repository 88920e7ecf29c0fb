/** Makes objects that API servers refuse though their OpenAPI allows them, and near ones, from a few fields. */

/** A fault, and the same without it. */
export interface RefusedObject {
  readonly name: string
  readonly fault: string
  readonly near: string
}

export const pod = (container: string, more = '', metadata = ''): string =>
  `{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: default${metadata}}, spec: {containers: [{name: a, image: b${
    container === '' ? '' : `, ${container}`
  }}]${more === '' ? '' : `, ${more}`}}}`
export const ofPod = (more: string): string => pod('', more)
export const volume = (source: string): string => ofPod(`volumes: [{name: v, ${source}}]`)
export const mounted = (mount: string, container = ''): string =>
  pod(`volumeMounts: [{name: v, mountPath: /a, ${mount}}]${container}`, 'volumes: [{name: v, emptyDir: {}}]')
export const affinity = (text: string): string => ofPod(`affinity: {${text}}`)
export const nodes = (term: string): string =>
  affinity(`nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{${term}}]}}`)
const workload =
  (kind: string) =>
  (spec: string, template = '', container = ''): string =>
    `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: a, namespace: default}, spec: {${
      spec.includes('selector:') ? '' : 'selector: {matchLabels: {a: b}}, '
    }template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: b${container}}]${
      template === '' ? '' : `, ${template}`
    }}}${spec === '' ? '' : `, ${spec}`}}}`
export const deployment: ReturnType<typeof workload> = workload('Deployment')
export const daemonSet: ReturnType<typeof workload> = workload('DaemonSet')
export const statefulSet: ReturnType<typeof workload> = workload('StatefulSet')
export const job = (spec: string, template = 'restartPolicy: Never'): string =>
  `{apiVersion: batch/v1, kind: Job, metadata: {name: a, namespace: default}, spec: {template: {spec: {${template}, containers: [{name: a, image: b}]}}${spec === '' ? '' : `, ${spec}`}}}`
export const cronJob = (spec: string, ofJob = ''): string =>
  `{apiVersion: batch/v1, kind: CronJob, metadata: {name: a, namespace: default}, spec: {jobTemplate: {spec: {${ofJob}template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}, ${spec}}}`
export const scheduled = (schedule: string): string => cronJob(`schedule: "${schedule}"`)
export const service = (spec: string, ports = 'ports: [{port: 80}]', annotations = ''): string =>
  `{apiVersion: v1, kind: Service, metadata: {name: a, namespace: default${annotations}}, spec: {${ports}${spec === '' ? '' : `, ${spec}`}}}`
export const ingress = (spec: string, metadata = ''): string =>
  `{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a, namespace: default${metadata}}, spec: {${spec}}}`
export const path = (text: string, backend = 'service: {name: a, port: {number: 80}}'): string =>
  ingress(`rules: [{http: {paths: [{${text}, backend: {${backend}}}]}}]`)
export const networkPolicy = (rule: string): string =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a, namespace: default}, spec: {podSelector: {}, ingress: [{${rule}}]}}`
export const secret = (type: string, data: string, metadata = ''): string =>
  `{apiVersion: v1, kind: Secret, type: ${type}, metadata: {name: a, namespace: default${metadata}}, ${data}}`
export const configMap = (data: string): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}, ${data}}`
export const quota = (spec: string): string =>
  `{apiVersion: v1, kind: ResourceQuota, metadata: {name: a, namespace: default}, spec: {${spec}}}`
export const limits = (...items: readonly string[]): string =>
  `{apiVersion: v1, kind: LimitRange, metadata: {name: a, namespace: default}, spec: {limits: [${items.map((item) => `{${item}}`).join(', ')}]}}`
export const role = (rule: string): string =>
  `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: a, namespace: default}, rules: [{${rule}}]}`
export const clusterRole = (fields: string): string =>
  `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}, ${fields}}`
export const binding = (subject: string, ref = 'kind: ClusterRole, name: a'): string =>
  `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: a}, roleRef: {apiGroup: rbac.authorization.k8s.io, ${ref}}, subjects: [{${subject}}]}`
export const autoscaler = (spec: string): string =>
  `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a, namespace: default}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}, ${spec}}}`
export const metric = (text: string): string => autoscaler(`maxReplicas: 3, metrics: [{${text}}]`)
export const budget = (spec: string): string =>
  `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: a, namespace: default}, spec: {selector: {matchLabels: {a: b}}, ${spec}}}`
export const claim = (spec: string, modes = '[ReadWriteOnce]'): string =>
  `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a, namespace: default}, spec: {accessModes: ${modes}, resources: {requests: {storage: 1Gi}}${spec === '' ? '' : `, ${spec}`}}}`
export const persistent = (spec: string, capacity = '{storage: 1Gi}'): string =>
  `{apiVersion: v1, kind: PersistentVolume, metadata: {name: a}, spec: {accessModes: [ReadWriteOnce], capacity: ${capacity}, ${spec}}}`
export const storageClass = (fields: string): string =>
  `{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: a}, provisioner: example.com/a, ${fields}}`
export const webhook = (hook: string, config = 'url: "https://a.example/x"'): string =>
  `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: a}, webhooks: [{name: a.b.c, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {${config}}${hook === '' ? '' : `, ${hook}`}}]}`
export const rules = (text: string): string => webhook(`rules: [{${text}}]`)
export const admission = (
  spec: string,
  constraints = 'resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]',
): string =>
  `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: a}, spec: {matchConstraints: {${constraints}}, ${spec}}}`
export const policyBinding = (spec: string): string =>
  `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: a}, spec: {policyName: a, ${spec}}}`
export const slice = (fields: string): string =>
  `{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: a, namespace: default}, ${fields}}`

export const probe = 'httpGet: {port: 80}'
export const hundred = '"100%"'

export const row = (name: string, fault: string, near: string): RefusedObject => ({ name, fault, near })
const fullDefinition = (versions: string, more: string, names: string, metadata: string): string =>
  `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: ${metadata}}, spec: {${more.includes('group:') ? '' : 'group: a.example, '}${more.includes('scope:') ? '' : 'scope: Namespaced, '}names: {plural: as, kind: A${names}}, versions: [${versions}]${more === '' ? '' : `, ${more}`}}}`
export const definition = (more: string, names = '', metadata = 'as.a.example'): string =>
  fullDefinition(
    '{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}',
    more,
    names,
    metadata,
  )
export const versions = (...found: readonly string[]): string =>
  fullDefinition(found.map((version) => `{${version}}`).join(', '), '', '', 'as.a.example')
export const schema = (text: string, more = ''): string =>
  versions(
    `name: v1, served: true, storage: true, schema: {openAPIV3Schema: {${text}}}${more === '' ? '' : `, ${more}`}`,
  )
export const field = (text: string): string => schema(`type: object, properties: {a: {${text}}}`)
