/** Policies that are asked on both sides: of Kubernetes' manual, and as those of Pod Security and of best practices are written. */

interface TrialPolicy {
  readonly name: string
  readonly resources?: readonly (readonly [group: string, resource: string])[]
  readonly spec?: Readonly<Record<string, unknown>>
  readonly binding?: Readonly<Record<string, unknown>>
  readonly validations: readonly Readonly<Record<string, string>>[]
}

const workloads = [
  ['apps', 'deployments'],
  ['apps', 'daemonsets'],
  ['apps', 'statefulsets'],
] as const
const everything = [['*', '*']] as const
const containers = 'object.spec.template.spec.containers'
const all = 'object.spec.template.spec.containers + object.spec.template.spec.?initContainers.orValue([])'
const one = (expression: string, message = ''): TrialPolicy['validations'] => [
  { expression, ...(message !== '' && { message }) },
]

/** See above; each is bound with the action Warn, so that all of them answer. */
const trialPolicies: readonly TrialPolicy[] = [
  { name: 'few-replicas', resources: [['apps', 'deployments']], validations: one('object.spec.replicas <= 1') },
  {
    name: 'replica-limit',
    resources: [['apps', 'deployments']],
    spec: { variables: [{ name: 'most', expression: '1' }] },
    validations: [
      {
        expression: 'object.spec.replicas <= variables.most',
        messageExpression: "'object.spec.replicas must be no greater than ' + string(variables.most)",
        reason: 'Invalid',
      },
    ],
  },
  {
    name: 'image-matches-environment',
    spec: {
      variables: [
        {
          name: 'environment',
          expression:
            "'environment' in namespaceObject.metadata.labels ? namespaceObject.metadata.labels['environment'] : 'prod'",
        },
        {
          name: 'exempt',
          expression:
            "has(object.metadata.labels) && 'exempt' in object.metadata.labels && object.metadata.labels['exempt'] == 'true'",
        },
        { name: 'containers', expression: 'object.spec.template.spec.containers' },
        { name: 'containersToCheck', expression: "variables.containers.filter(c, c.image.contains('quay.io/'))" },
      ],
    },
    validations: [
      {
        expression:
          "variables.exempt || variables.containersToCheck.all(c, c.image.startsWith(variables.environment + '.'))",
        messageExpression:
          "'only ' + variables.environment + ' images are allowed in namespace ' + namespaceObject.metadata.name",
      },
    ],
  },
  {
    name: 'owner-label',
    resources: everything,
    validations: one("has(object.metadata.labels) && 'owner' in object.metadata.labels", 'say whose it is'),
  },
  {
    name: 'part-of',
    resources: everything,
    validations: one("object.metadata.?labels['app.kubernetes.io/name'].hasValue()"),
  },
  {
    name: 'label-without-guard',
    resources: everything,
    validations: one("object.metadata.labels['app.kubernetes.io/instance'] != ''"),
  },
  {
    name: 'ignored-failure',
    resources: everything,
    spec: { failurePolicy: 'Ignore' },
    validations: one("object.metadata.labels['app.kubernetes.io/instance'] == 'x'"),
  },
  {
    name: 'no-privileged',
    validations: one(
      `(${all}).all(c, !has(c.securityContext) || !has(c.securityContext.privileged) || c.securityContext.privileged == false)`,
      'privileged',
    ),
  },
  {
    name: 'no-host-namespaces',
    validations: one(
      '[object.spec.template.spec.?hostNetwork.orValue(false), object.spec.template.spec.?hostPID.orValue(false), object.spec.template.spec.?hostIPC.orValue(false)].all(x, !x)',
    ),
  },
  {
    name: 'no-host-path',
    validations: one(
      '!has(object.spec.template.spec.volumes) || object.spec.template.spec.volumes.all(v, !has(v.hostPath))',
    ),
  },
  {
    name: 'no-host-ports',
    validations: one(`${containers}.all(c, !has(c.ports) || c.ports.all(p, !has(p.hostPort) || p.hostPort == 0))`),
  },
  {
    name: 'capabilities',
    validations: one(
      `(${all}).all(c, c.?securityContext.?capabilities.?add.orValue([]).all(x, x in ['NET_BIND_SERVICE', 'CHOWN']))`,
    ),
  },
  {
    name: 'drop-all',
    validations: one(`(${all}).all(c, sets.contains(c.?securityContext.?capabilities.?drop.orValue([]), ['ALL']))`),
  },
  {
    name: 'run-as-non-root',
    spec: {
      variables: [
        { name: 'pod', expression: 'object.spec.template.spec.?securityContext.?runAsNonRoot.orValue(false)' },
      ],
    },
    validations: one(`(${all}).all(c, c.?securityContext.?runAsNonRoot.orValue(variables.pod))`, 'runs as root'),
  },
  {
    name: 'seccomp',
    validations: one(
      `object.spec.template.spec.?securityContext.?seccompProfile.?type.orValue('') == 'RuntimeDefault' || ${containers}.exists(c, c.?securityContext.?seccompProfile.?type.orValue('') == 'RuntimeDefault')`,
    ),
  },
  {
    name: 'read-only-root',
    validations: one(`${containers}.exists_one(c, c.?securityContext.?readOnlyRootFilesystem.orValue(false))`),
  },
  {
    name: 'no-escalation',
    validations: one(
      `${containers}.all(c, has(c.securityContext) && has(c.securityContext.allowPrivilegeEscalation) && !c.securityContext.allowPrivilegeEscalation)`,
    ),
  },
  {
    name: 'registry',
    validations: [
      {
        expression: `${containers}.all(c, c.image.matches('^(quay.io|registry.k8s.io|docker.io)/'))`,
        messageExpression: `'images of ' + ${containers}.filter(c, !c.image.matches('^(quay.io|registry.k8s.io|docker.io)/')).map(c, c.image.split('/')[0]).join(', ')`,
      },
    ],
  },
  {
    name: 'no-latest',
    validations: one(
      `${containers}.all(c, c.image.contains('@') || (c.image.find(':[^:/]+$') != '' && !c.image.endsWith(':latest')))`,
    ),
  },
  { name: 'pull-policy', validations: one(`${containers}.all(c, c.imagePullPolicy != 'Always')`) },
  {
    name: 'memory-limit',
    validations: one(
      `${containers}.all(c, has(c.resources.limits) && 'memory' in c.resources.limits && quantity(c.resources.limits.memory).compareTo(quantity('512Mi')) <= 0)`,
    ),
  },
  {
    name: 'requests',
    validations: one(
      `${containers}.all(c, has(c.resources) && has(c.resources.requests) && has(c.resources.requests.cpu))`,
      'no request for CPU',
    ),
  },
  {
    name: 'limit-of-cpu',
    validations: one(
      `${containers}.all(c, !isQuantity(string(c.?resources.?limits.?cpu.orValue('0'))) || quantity(string(c.?resources.?limits.?cpu.orValue('0'))).isLessThan(quantity('1')))`,
    ),
  },
  {
    name: 'probes',
    resources: [['apps', 'deployments']],
    validations: one(`${containers}.all(c, has(c.readinessProbe) && c.readinessProbe.timeoutSeconds <= 3)`),
  },
  {
    name: 'spread',
    resources: [['apps', 'deployments']],
    spec: { matchConditions: [{ name: 'several', expression: 'object.spec.replicas > 1' }] },
    validations: one(
      'has(object.spec.template.spec.affinity) || has(object.spec.template.spec.topologySpreadConstraints)',
    ),
  },
  {
    name: 'grace',
    validations: one(
      'object.spec.template.spec.terminationGracePeriodSeconds >= 30 && object.spec.template.spec.dnsPolicy == "ClusterFirst"',
    ),
  },
  {
    name: 'rolling',
    resources: [['apps', 'deployments']],
    validations: one(
      "object.spec.strategy.type == 'RollingUpdate' && string(object.spec.strategy.rollingUpdate.maxUnavailable) in ['25%', '1']",
    ),
  },
  {
    name: 'env-of-secrets',
    validations: [
      {
        expression: `${containers}.all(c, c.?env.orValue([]).all(e, !e.name.matches('(?i)password') || has(e.valueFrom)))`,
        message: 'passwords come from Secrets',
      },
    ],
  },
  {
    name: 'service-type',
    resources: [['', 'services']],
    validations: one("object.spec.type in ['ClusterIP', 'ExternalName']", 'not from outside'),
  },
  {
    name: 'service-ports',
    resources: [['', 'services']],
    validations: one("object.spec.ports.all(p, has(p.name) && p.protocol == 'TCP' && p.targetPort != 0)"),
  },
  {
    name: 'rbac-stars',
    resources: [
      ['rbac.authorization.k8s.io', 'clusterroles'],
      ['rbac.authorization.k8s.io', 'roles'],
    ],
    validations: one(
      "object.rules.all(r, !('*' in r.verbs) && !r.?resources.orValue([]).exists(x, x == '*' || x == 'secrets'))",
    ),
  },
  {
    name: 'no-admin',
    resources: [['rbac.authorization.k8s.io', 'clusterrolebindings']],
    validations: one("object.roleRef.name != 'cluster-admin'"),
  },
  {
    name: 'ingress-hosts',
    resources: [['networking.k8s.io', 'ingresses']],
    validations: one("object.spec.rules.all(r, has(r.host) && isURL('https://' + r.host)) && has(object.spec.tls)"),
  },
  { name: 'secret-type', resources: [['', 'secrets']], validations: one("object.type != 'Opaque'") },
  {
    name: 'config-size',
    resources: [['', 'configmaps']],
    validations: one('has(object.data) && object.data.all(k, size(object.data[k]) < 1000 && k.lowerAscii() == k)'),
  },
  {
    name: 'cronjobs',
    resources: [['batch', 'cronjobs']],
    validations: one("object.spec.concurrencyPolicy == 'Forbid' && object.spec.suspend == false"),
  },
  {
    name: 'jobs',
    resources: [['batch', 'jobs']],
    validations: one('object.spec.backoffLimit <= 3 && object.spec.completions == 1'),
  },
  {
    name: 'request',
    resources: everything,
    validations: one(
      "request.operation == 'CREATE' && oldObject == null && request.kind.kind == object.kind && request.name == object.metadata.name && (request.namespace == '' || namespaceObject.metadata.name == request.namespace)",
    ),
  },
  {
    name: 'resource-names',
    resources: everything,
    validations: one("request.resource.resource == object.kind.lowerAscii() + 's'"),
  },
  {
    name: 'some-namespaces',
    resources: everything,
    binding: {
      matchResources: {
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['default', 'kube-system'] },
          ],
        },
      },
    },
    validations: one('false'),
  },
  {
    name: 'some-objects',
    resources: everything,
    binding: {
      matchResources: {
        objectSelector: { matchExpressions: [{ key: 'app.kubernetes.io/component', operator: 'Exists' }] },
      },
    },
    validations: one('false'),
  },
  {
    name: 'of-the-cluster',
    resources: everything,
    binding: {
      matchResources: {
        resourceRules: [
          { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'], scope: 'Cluster' },
        ],
      },
    },
    validations: one('false'),
  },
  {
    name: 'names',
    resources: everything,
    validations: one(
      '!format.dns1123Label().validate(object.metadata.name).hasValue() && object.metadata.name.size() <= 20',
    ),
  },
  { name: 'wrong-type', validations: one("object.spec.template.spec.containers.all(c, c.name < 1 || c.name == 'x')") },
  { name: 'either', validations: one(`object.spec.nothing == 1 || ${containers}.size() == 1`) },
]

/** The objects of the policies and bindings, as JSON. */
export function trialPolicyObjects(): readonly Record<string, unknown>[] {
  const apiVersion = 'admissionregistration.k8s.io/v1'
  return trialPolicies.flatMap(({ name, resources = workloads, spec, binding, validations }) => [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        matchConstraints: {
          resourceRules: resources.map(([group, resource]) => ({
            apiGroups: [group],
            apiVersions: ['*'],
            operations: ['CREATE', 'UPDATE'],
            resources: [resource],
          })),
        },
        validations,
        ...spec,
      },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Warn'], ...binding },
    },
  ])
}
