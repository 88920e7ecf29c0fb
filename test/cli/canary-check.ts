import {
  appliedByFlux,
  CANARY,
  type CanaryCase,
  type CanaryFleet,
  CLUSTER,
  CONFIG,
  type Files,
  MAP,
  VALUES,
} from './canary-fleet.ts'

const topology = (lines: string): Files => ({
  [CLUSTER]: { replace: '  topology:\n', by: `  topology:\n${lines}` },
})
const CLASS = 'providers/docker/starter/cluster-class/templates/cluster-class.yaml'
const ofClass = (variable: string): Files => ({
  [CLASS]: { replace: 'spec:\n', by: `spec:\n  variables: [${variable}]\n` },
})

const object = (fields: string): Files => ({ [MAP]: `{${fields}} # token: ${CANARY}\n` })
const pod = (spec: string): Files =>
  object(
    `apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {${spec}containers: [{name: a, env: [{name: TOKEN, value: ${CANARY}}]}]}`,
  )

/** Commits what the files render to, then changes them. */
const thenChanged =
  (change: (folder: CanaryFleet['folder']) => void) =>
  async ({ folder, run }: CanaryFleet): Promise<void> => {
    await run('render')
    folder.commit()
    change(folder)
  }
const definition = (fields: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {${fields}}}}}]
`

const CLASS_NAME = 'docker-starter-1-34-v1'
const GONE = `apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata: {name: gone, namespace: platform, annotations: {token: ${CANARY}}}
`
const SECRET_MAP = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: team-a}, data: {token: ${CANARY}}}
`

const policyOf = (validation: string): string => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: a}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  validations: [${validation}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: a}
spec: {policyName: a, validationActions: [Deny]}
`

/** Faults that rules of check find, with secrets beside them. */
export const checkCases: Readonly<Record<string, CanaryCase>> = {
  'a class variable that is none': {
    code: 'CLASS_VARIABLE_UNKNOWN',
    words: ['check'],
    files: topology(`    variables: [{name: proxy, value: {password: ${CANARY}}}]\n`),
  },
  'a class variable of the wrong type': {
    code: 'CLASS_VARIABLE_INVALID',
    words: ['check'],
    files: {
      ...ofClass('{name: token, required: false, schema: {openAPIV3Schema: {type: string, maxLength: 3}}}'),
      ...topology(`    variables: [{name: token, value: ${CANARY}}]\n`),
    },
  },
  'a class variable that is missing': {
    code: 'CLASS_VARIABLE_MISSING',
    words: ['check'],
    files: {
      ...ofClass('{name: token, required: true, schema: {openAPIV3Schema: {type: string}}}'),
      [CLUSTER]: { replace: 'version: v1.34.7', by: `version: v1.34.7 # token: ${CANARY}` },
    },
  },
  'a worker class that is none': {
    code: 'WORKER_CLASS_UNKNOWN',
    words: ['check'],
    files: { [CLUSTER]: { replace: 'class: default-worker', by: `class: x # token: ${CANARY}` } },
  },
  'a key of values that no template reads': {
    code: 'VALUES_KEY_UNREAD',
    words: ['check'],
    files: { [VALUES]: `mesage: ${CANARY}\nfoo: {password: ${CANARY}}\n` },
  },
  'a kind that is not served': {
    code: 'KIND_NOT_SERVED',
    words: ['check'],
    files: {
      [MAP]: `apiVersion: networking.k8s.io/v1beta3\nkind: Ingress\nmetadata: {name: a, namespace: b}\nspec: {password: ${CANARY}}\n`,
    },
  },
  'a field that is none': {
    code: 'OBJECT_FIELD_UNKNOWN',
    words: ['check'],
    files: { [MAP]: `apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, namespace: b}\npassword: ${CANARY}\n` },
  },
  'a field of the wrong type': {
    code: 'OBJECT_FIELD_INVALID',
    words: ['check'],
    files: { [MAP]: { replace: '\ndata:', by: `\nimmutable: ${CANARY}\ndata:` } },
  },
  'a rule in CEL that is broken': {
    code: 'FIELD_RULE_BROKEN',
    words: ['check'],
    files: {
      [MAP]: `${definition(`spec: {type: object, properties: {token: {type: string}}, x-kubernetes-validations: [{rule: "self.token == ''", messageExpression: "self.token + ' is refused'"}]}`)}---
apiVersion: example.com/v1
kind: Thing
metadata: {name: a}
spec: {token: ${CANARY}}
`,
    },
  },
  'a rule in CEL that cannot be evaluated': {
    code: 'RULE_NOT_EVALUATED',
    words: ['check', '-o', 'json'],
    files: {
      [MAP]: `${definition(`spec: {type: object, properties: {token: {type: string}}, x-kubernetes-validations: [{rule: "self.token.unheard()"}]}`)}---
apiVersion: example.com/v1
kind: Thing
metadata: {name: a}
spec: {token: ${CANARY}}
`,
    },
  },
  'a policy with a mistake': {
    code: 'POLICY_INVALID',
    words: ['check'],
    files: { 'policies/a.yaml': policyOf(`{expresion: "object.data.token == '${CANARY}'"}`) },
  },
  'an object that a policy refuses': {
    code: 'POLICY_DENIED',
    words: ['check'],
    files: {
      [MAP]: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {token: ${CANARY}}\n`,
      'policies/a.yaml': policyOf(
        `{expression: "object.data.token == ''", messageExpression: "object.data.token + ' is refused'"}`,
      ),
    },
  },
  'a policy that asks who it is': {
    code: 'POLICY_NOT_EVALUATED',
    words: ['check', '-o', 'json'],
    files: {
      [MAP]: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {token: ${CANARY}}\n`,
      'policies/a.yaml': policyOf(`{expression: "request.userInfo.username == object.data.token"}`),
    },
  },
  'a version that is deprecated': {
    code: 'API_DEPRECATED',
    words: ['check'],
    files: {
      [MAP]: `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions: [{name: v1, served: true, deprecated: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
---
apiVersion: example.com/v1
kind: Thing
metadata: {name: a, namespace: b}
spec: {password: ${CANARY}}
`,
    },
  },
  'a kind that nothing defines': { code: 'SCHEMA_MISSING', words: ['check'] },
  'a class with two variables of one name': {
    code: 'CLASS_INVALID',
    words: ['check'],
    files: {
      [CLASS]: {
        replace: 'spec:\n',
        by: `spec:\n  variables: [{name: a, schema: {openAPIV3Schema: {type: string}}}, {name: a, schema: {openAPIV3Schema: {type: string}}}] # token: ${CANARY}\n`,
      },
    },
  },
  'a patch of a class with a value of another type': {
    code: 'CLASS_PATCH_INVALID',
    words: ['check'],
    files: {
      'crds/control-plane.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: kubeadmcontrolplanetemplates.controlplane.cluster.x-k8s.io}
spec:
  group: controlplane.cluster.x-k8s.io
  names: {kind: KubeadmControlPlaneTemplate, plural: kubeadmcontrolplanetemplates}
  scope: Namespaced
  versions: [{name: v1beta2, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {key: {type: integer}}, x-kubernetes-preserve-unknown-fields: true}}}}}]
`,
      [CLASS]: {
        replace: 'spec:\n',
        by: `spec:\n  patches: [{name: a, definitions: [{selector: {apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlaneTemplate, matchResources: {controlPlane: true}}, jsonPatches: [{op: add, path: /spec/key, value: ${CANARY}}]}]}]\n`,
      },
    },
  },
  'a template of a class that is none': {
    code: 'CLASS_TEMPLATE_MISSING',
    words: ['check'],
    files: { [CLASS]: { replace: '-control-plane', by: `-gone # token: ${CANARY}` } },
  },
  'a Secret of a volume that is none': {
    code: 'POD_CONFIG_MISSING',
    words: ['check'],
    files: pod('volumes: [{name: v, secret: {secretName: tls}}], '),
  },
  'a service account that is none': {
    code: 'POD_ADMISSION_MISSING',
    words: ['check'],
    files: pod('serviceAccountName: sa, '),
  },
  'a storage class that is none': {
    code: 'STORAGE_CLASS_MISSING',
    words: ['check'],
    files: object('apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}, spec: {storageClassName: x}'),
  },
  'a service of a webhook that is none': {
    code: 'SERVICE_MISSING',
    words: ['check'],
    files: object(
      `apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: a}, webhooks: [{name: a.b.c, clientConfig: {service: {name: a, namespace: b, path: "/?token=${CANARY}"}}}]`,
    ),
  },
  'a role that is none': {
    code: 'ROLE_MISSING',
    words: ['check'],
    files: object(
      'apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: a}, roleRef: {kind: Role, name: x}',
    ),
  },
  'a custom kind that nothing brings': {
    code: 'DEFINITION_MISSING',
    words: ['check'],
    files: object(`apiVersion: cilium.io/v2, kind: CiliumNode, metadata: {name: a}, spec: {password: ${CANARY}}`),
  },
  'a backend that is none': {
    code: 'BACKEND_MISSING',
    words: ['check'],
    files: object(
      `apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a, annotations: {token: ${CANARY}}}, spec: {defaultBackend: {service: {name: ${CANARY}}}}`,
    ),
  },
  'a class of Ingresses that is none': {
    code: 'GATEWAY_MISSING',
    words: ['check'],
    files: object(
      `apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a}, spec: {ingressClassName: x, rules: [{host: ${CANARY}}]}`,
    ),
  },
  'a Service of a StatefulSet that is none': {
    code: 'GOVERNING_SERVICE_MISSING',
    words: ['check'],
    files: object(
      `apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: {serviceName: x, template: {spec: {containers: [{name: a, env: [{name: TOKEN, value: ${CANARY}}]}]}}}`,
    ),
  },
  'a target of an autoscaler that is none': {
    code: 'SCALE_TARGET_MISSING',
    words: ['check'],
    files: object(
      `apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}, metrics: [{token: ${CANARY}}]}`,
    ),
  },
  'a Secret for a registry that is none': {
    code: 'PULL_SECRET_MISSING',
    words: ['check'],
    files: pod('imagePullSecrets: [{name: x}], '),
  },
  'a selector that matches nothing': {
    code: 'SELECTOR_MATCHES_NOTHING',
    words: ['check'],
    files: object(
      `apiVersion: v1, kind: Service, metadata: {name: a}, spec: {selector: {token: ${CANARY}}, ports: [{port: 80}]}`,
    ),
  },
  'a class that goes early': {
    code: 'CLASS_REMOVED_EARLY',
    words: ['check'],
    prepare: thenChanged((folder) => {
      const file = 'rendered/clusters/team-a/web/cluster/cluster-web.yaml'
      folder.edit(file, CLASS_NAME, 'gone')
      folder.write('rendered/stacks/platform/docker-starter-1-34-v9/clusterclass-gone.yaml', GONE)
      folder.commit()
    }),
  },
  'a release that is older': {
    code: 'RELEASE_REVERTED',
    words: ['check'],
    prepare: thenChanged((folder) => {
      folder.edit('rendered/clusters/team-a/web/cluster/cluster-web.yaml', CLASS_NAME, `${CLASS_NAME}9`)
      folder.commit()
    }),
  },
  'an object that another unit takes over': {
    code: 'OBJECT_CHANGES_UNIT',
    words: ['check'],
    files: { [CONFIG]: appliedByFlux },
    prepare: async (fleet) => {
      const { folder } = fleet
      const cluster = folder.read(CLUSTER)
      folder.write(CLUSTER, `${cluster}---\n${SECRET_MAP}`)
      await thenChanged(() => {
        folder.write(CLUSTER, cluster)
        folder.write(
          'clusters/team-a/other/cluster.yaml',
          `${cluster.replace('name: web', 'name: other')}---\n${SECRET_MAP}`,
        )
      })(fleet)
    },
  },
  'an object that two units have': {
    code: 'OBJECT_OWNED_TWICE',
    words: ['check'],
    prepare: ({ folder }) => {
      const cluster = `${folder.read(CLUSTER)}---\n${SECRET_MAP}`
      folder.write(CLUSTER, cluster)
      folder.write('clusters/team-a/other/cluster.yaml', cluster.replace('name: web', 'name: other'))
    },
  },
  'an address that two clusters have': {
    code: 'ENDPOINT_SHARED',
    words: ['check'],
    prepare: ({ folder }) => {
      const cluster = folder
        .read(CLUSTER)
        .replace(/^spec:$/m, 'spec:\n  controlPlaneEndpoint: {host: 10.0.0.1, port: 6443}')
      folder.write(CLUSTER, cluster)
      folder.write('clusters/team-a/other/cluster.yaml', cluster.replace('name: web', 'name: other'))
    },
  },
  'a part of a cluster that is none': {
    code: 'CLUSTER_PART_MISSING',
    words: ['check'],
    prepare: ({ folder }) => {
      folder.write(
        CLUSTER,
        `${folder.read(CLUSTER)}---\n{apiVersion: cluster.x-k8s.io/v1beta1, kind: MachineHealthCheck, metadata: {name: a, namespace: team-a, annotations: {token: ${CANARY}}}, spec: {clusterName: x}}\n`,
      )
    },
  },
  'credentials that nothing brings': {
    code: 'CREDENTIALS_MISSING',
    words: ['check'],
    prepare: ({ folder }) => {
      folder.write(
        CLUSTER,
        `${folder.read(CLUSTER)}---\n{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: a, namespace: team-a, annotations: {token: ${CANARY}}}, spec: {cloudCredentialsRef: {secretName: x}}}\n`,
      )
    },
  },
  'rights that the GitOps tool lacks': {
    code: 'RIGHTS_MISSING',
    words: ['check'],
    files: {
      [CONFIG]: {
        replace: 'spec:\n',
        by: 'spec:\n  handoff: {flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}, serviceAccountName: a}}\n',
      },
    },
    prepare: ({ folder }) => {
      const rbac = 'apiVersion: rbac.authorization.k8s.io/v1'
      const role = `{${rbac}, kind: Role, metadata: {name: a, namespace: team-a, annotations: {token: ${CANARY}}}, rules: []}`
      const binding = `{${rbac}, kind: RoleBinding, metadata: {name: a, namespace: team-a}, roleRef: {kind: Role, name: a}, subjects: [{kind: ServiceAccount, name: a, namespace: team-a}]}`
      folder.write(CLUSTER, `${folder.read(CLUSTER)}---\n${role}\n---\n${binding}\n`)
    },
  },
  'a namespace that is none': {
    code: 'NAMESPACE_UNKNOWN',
    words: ['check'],
    prepare: ({ folder }) => {
      folder.write(CLUSTER, `${folder.read(CLUSTER)}---\n${SECRET_MAP.replace('team-a', 'x')}`)
    },
  },
  'a namespace of others': {
    code: 'NAMESPACE_FOREIGN',
    words: ['check'],
    prepare: ({ folder }) => {
      folder.write(CLUSTER, `${folder.read(CLUSTER)}---\n${SECRET_MAP.replace('team-a', 'platform')}`)
    },
  },
  'a namespace that comes too late': {
    code: 'NAMESPACE_LATE',
    words: ['check'],
    files: {
      [CONFIG]: {
        replace: 'spec:\n',
        by: 'spec:\n  handoff: {argocd: {repoURL: https://git.example.com/fleet.git}}\n',
      },
      [MAP]: `{apiVersion: v1, kind: Namespace, metadata: {name: x, annotations: {argocd.argoproj.io/sync-wave: "1"}}}\n---\n${SECRET_MAP.replace('team-a', 'x')}`,
    },
  },
  'two control planes': {
    code: 'CONTROL_PLANE_EVEN',
    words: ['check'],
    files: { [CLUSTER]: { replace: '      replicas: 1\n', by: `      replicas: 2 # token: ${CANARY}\n` } },
  },
  'replicas that an autoscaler sets': {
    code: 'REPLICAS_CONTESTED',
    words: ['check'],
    files: {
      [MAP]: `{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: 1}} # token: ${CANARY}\n---\n{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}}}\n`,
    },
  },
  'an image that no node can pull': {
    code: 'IMAGE_INVALID',
    words: ['check'],
    files: object(
      `apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: "user:${CANARY}@host.example/X:1"}]}`,
    ),
  },
  'a probe of a port that is none': {
    code: 'PORT_UNKNOWN',
    words: ['check'],
    files: object(
      `apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: "x:1", env: [{name: TOKEN, value: ${CANARY}}], readinessProbe: {httpGet: {port: web}}}]}`,
    ),
  },
  'an image without a tag': {
    code: 'IMAGE_TAG_FLOATS',
    words: ['check'],
    files: object(
      `apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: "user:${CANARY}@host.example/x"}, {name: b, image: x}]}`,
    ),
  },
  'an image without a digest': {
    code: 'IMAGE_DIGEST_MISSING',
    words: ['check'],
    files: {
      [CONFIG]: { replace: 'spec:\n', by: 'spec:\n  check: {rules: {IMAGE_DIGEST_MISSING: error}}\n' },
      ...object(
        `apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: "user:${CANARY}@host.example/x:1"}, {name: b, image: "x:1"}]}`,
      ),
    },
  },
  'a node image without a checksum': {
    code: 'NODE_IMAGE_UNVERIFIED',
    words: ['check'],
    files: object(
      `apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: a}, spec: {resource: {content: {download: {url: "https://user:${CANARY}@host.example/x"}}}}`,
    ),
  },
  'a budget that allows nothing': {
    code: 'EVICTION_BLOCKED',
    words: ['check'],
    files: object(
      `apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: a, annotations: {token: ${CANARY}}}, spec: {maxUnavailable: 0}`,
    ),
  },
  'a workload that stops': {
    code: 'REPLICAS_ZERO',
    words: ['check'],
    files: object(
      `apiVersion: apps/v1, kind: Deployment, metadata: {name: a, annotations: {token: ${CANARY}}}, spec: {replicas: 1}`,
    ),
    prepare: thenChanged((folder) => {
      folder.edit(MAP, 'replicas: 1', 'replicas: 0')
    }),
  },
  'a variable that nothing fills in': {
    code: 'VARIABLE_UNFILLED',
    words: ['check'],
    files: object(
      `apiVersion: v1, kind: Service, metadata: {name: a, annotations: {token: ${CANARY}}}, spec: {externalName: "\${HOST}"}`,
    ),
  },
  'an object that is too large': {
    code: 'OBJECT_TOO_LARGE',
    words: ['check'],
    files: object(
      `apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {a: "${CANARY}${'x'.repeat(262_144)}"}}`,
    ),
  },
  'a character that nobody sees': {
    code: 'CHARACTER_HIDDEN',
    words: ['check'],
    files: object(`apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: "${CANARY}\\u200B"}`),
  },
  'a cluster that goes': {
    code: 'CLUSTER_DELETED',
    words: ['check'],
    prepare: thenChanged((folder) => {
      folder.remove('clusters/team-a/web')
    }),
  },
  'an object that takes more with it': {
    code: 'OBJECT_DELETED',
    words: ['check'],
    files: object(`apiVersion: v1, kind: Namespace, metadata: {name: a, annotations: {token: ${CANARY}}}`),
    prepare: thenChanged((folder) => {
      folder.write(MAP, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {token: ${CANARY}}}\n`)
    }),
  },
  'a field that cannot be changed': {
    code: 'FIELD_IMMUTABLE',
    words: ['check'],
    files: object(`apiVersion: v1, kind: Secret, metadata: {name: a}, immutable: true, stringData: {token: x}`),
    prepare: thenChanged((folder) => {
      folder.edit(MAP, 'token: x', `token: ${CANARY}`)
    }),
  },
  'a default that stays': {
    code: 'DEFAULT_STAYS',
    words: ['check'],
    files: object(
      `apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a}, spec: {podSelector: {}, egress: [{}]}`,
    ),
    prepare: thenChanged((folder) => {
      folder.edit(MAP, 'egress: [{}]', `ingress: [{from: [{podSelector: {matchLabels: {a: ${CANARY}}}}]}]`)
    }),
  },
  'a minor version that is skipped': {
    code: 'KUBERNETES_STEP_REFUSED',
    words: ['check'],
    prepare: thenChanged((folder) => {
      folder.edit('rendered/clusters/team-a/web/cluster/cluster-web.yaml', 'v1.34.7', 'v1.31.2')
      folder.commit()
    }),
  },
  'a definition that takes fewer values': {
    code: 'DEFINITION_TIGHTENED',
    words: ['check'],
    files: { [MAP]: definition(`token: {type: string, default: ${CANARY}}`) },
    prepare: thenChanged((folder) => {
      folder.write(MAP, `# token: ${CANARY}\n${definition('token: {type: string, maxLength: 9}')}`)
    }),
  },
  'a definition without a conversion': {
    code: 'CONVERSION_MISSING',
    words: ['check'],
    files: {
      [MAP]: definition(`token: {type: string, default: ${CANARY}}`).replace(
        '  versions: [',
        '  versions: [{name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer}}}}}, ',
      ),
    },
  },
  'a definition that loses a field': {
    code: 'DEFINITION_NARROWED',
    words: ['check'],
    files: { [MAP]: definition('size: {type: integer}, token: {type: string}') },
    prepare: thenChanged((folder) => {
      folder.write(MAP, `# token: ${CANARY}\n${definition('size: {type: integer}')}`)
    }),
  },
}
