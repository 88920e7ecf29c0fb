import {
  deployment,
  daemonSet,
  statefulSet,
  job,
  cronJob,
  scheduled,
  service,
  ingress,
  path,
  networkPolicy,
  autoscaler,
  metric,
  budget,
  slice,
  hundred,
  row,
  type RefusedObject,
} from './make-objects.ts'

/** What makes pods, how many there are, and what leads to them. */
export const refusedWorkloads: readonly RefusedObject[] = [
  // workloads
  row(
    'no pod more and no pod less',
    deployment('strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: "0%"}}'),
    deployment('strategy: {rollingUpdate: {maxSurge: 0}}'),
  ),
  row(
    'more than all away',
    deployment('strategy: {rollingUpdate: {maxUnavailable: "101%"}}'),
    deployment(`strategy: {rollingUpdate: {maxUnavailable: ${hundred}, maxSurge: "101%"}}`),
  ),
  row(
    'a share without its sign',
    deployment('strategy: {rollingUpdate: {maxSurge: "25"}}'),
    deployment('strategy: {rollingUpdate: {maxSurge: "025%"}}'),
  ),
  row(
    'an update in steps where all are replaced at once',
    deployment('strategy: {type: Recreate, rollingUpdate: {maxSurge: 1}}'),
    deployment('strategy: {type: Recreate}'),
  ),
  row(
    'progress before it is ready',
    deployment('minReadySeconds: 600'),
    deployment('minReadySeconds: 600, progressDeadlineSeconds: 601'),
  ),
  row(
    'a selector of all pods',
    deployment('selector: {}'),
    deployment('selector: {matchExpressions: [{key: a, operator: Exists}]}'),
  ),
  row(
    'a selector of other pods',
    deployment('selector: {matchExpressions: [{key: a, operator: NotIn, values: [b]}]}'),
    deployment('selector: {matchExpressions: [{key: a, operator: In, values: [b, c]}]}'),
  ),
  row(
    'a Deployment with an end',
    deployment('', 'activeDeadlineSeconds: 1'),
    job('', 'restartPolicy: Never, activeDeadlineSeconds: 1'),
  ),
  row(
    'a DaemonSet with one more and one less',
    daemonSet('updateStrategy: {rollingUpdate: {maxSurge: 1}}'),
    daemonSet('updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}'),
  ),
  row(
    'a DaemonSet that never changes',
    daemonSet('updateStrategy: {rollingUpdate: {maxUnavailable: 0}}'),
    daemonSet(`updateStrategy: {rollingUpdate: {maxUnavailable: ${hundred}}}`),
  ),
  row(
    'a StatefulSet that waits, and does not',
    statefulSet('updateStrategy: {type: OnDelete, rollingUpdate: {partition: 1}}'),
    statefulSet('updateStrategy: {rollingUpdate: {partition: 1}}'),
  ),
  row('pods of no order', statefulSet('podManagementPolicy: Random'), statefulSet('podManagementPolicy: Parallel')),
  row(
    'a partition below 0',
    statefulSet('updateStrategy: {rollingUpdate: {partition: -1}}'),
    statefulSet('updateStrategy: {rollingUpdate: {partition: 0}}'),
  ),
  row(
    'claims that are kept sometimes',
    statefulSet('persistentVolumeClaimRetentionPolicy: {whenDeleted: Keep}'),
    statefulSet('persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}'),
  ),
  row('a host name that a StatefulSet overwrites', deployment('', 'hostname: A'), statefulSet('', 'hostname: A')),
  // jobs
  row('a job that always restarts', job('', 'restartPolicy: Always'), job('', 'restartPolicy: OnFailure')),
  row(
    'indexes without an end',
    job('completionMode: Indexed, parallelism: 2'),
    job('completionMode: Indexed, completions: 2'),
  ),
  row(
    'limits by index without indexes',
    job('backoffLimitPerIndex: 1'),
    job('completionMode: Indexed, completions: 2, backoffLimitPerIndex: 1'),
  ),
  row(
    'more failed indexes than there are',
    job('completionMode: Indexed, completions: 2, backoffLimitPerIndex: 1, maxFailedIndexes: 3'),
    job('completionMode: Indexed, completions: 2, backoffLimitPerIndex: 1, maxFailedIndexes: 2'),
  ),
  row(
    'more at once than indexes allow',
    job('completionMode: Indexed, completions: 2, parallelism: 100001'),
    job('parallelism: 100001'),
  ),
  row('a time to live below 0', job('ttlSecondsAfterFinished: -1'), job('ttlSecondsAfterFinished: 0')),
  row(
    'a policy of failures for pods that restart',
    job(
      'podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget, status: "True"}]}]}',
      'restartPolicy: OnFailure',
    ),
    // servers take "True" where it says no status
    job('podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}'),
  ),
  row(
    'a failure that succeeds',
    job('podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [0]}}]}'),
    job('podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: NotIn, values: [0]}}]}'),
  ),
  row(
    'codes out of order',
    job('podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [2, 1]}}]}'),
    job('podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [1, 2]}}]}'),
  ),
  row(
    'codes of a container that is not there',
    job('podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {containerName: b, operator: In, values: [1]}}]}'),
    job('podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {containerName: a, operator: In, values: [1]}}]}'),
  ),
  row(
    'a rule of no failure',
    job('podFailurePolicy: {rules: [{action: FailJob}]}'),
    job('podFailurePolicy: {rules: []}'),
  ),
  row('a manager without a domain', job('managedBy: a'), job('managedBy: a.example/b')),
  row('a job without a selector of its own', job('manualSelector: true'), job('manualSelector: false')),
  row('a minute that is none', scheduled('60 * * * *'), scheduled('59 * * * *')),
  row('a day 0', scheduled('0 0 0 * *'), scheduled('0 0 1-31/2 * *')),
  row('a Sunday by 7', scheduled('0 0 * * 7'), scheduled('0 0 * * SUN')),
  row('a span that ends before it begins', scheduled('0 5-3 * * *'), scheduled('0 3-5 * * *')),
  row('a step of nothing', scheduled('*/0 * * * *'), scheduled('*/90 * * * *')),
  row('a step of a step', scheduled('*/2/2 * * * *'), scheduled('1,2,,3/4 ? * jan-mar ?')),
  row('four parts', scheduled('0 0 * *'), scheduled('0  0 * * *')),
  row('six parts', scheduled('0 0 0 * * *'), scheduled('@midnight')),
  row('a word for a schedule that is none', scheduled('@dayly'), scheduled('@every 1h30m')),
  row('a time that is none', scheduled('@every 1d'), scheduled('@every 1.5h')),
  row(
    'a time zone in the schedule',
    scheduled('TZ=UTC 0 0 * * *'),
    cronJob('schedule: "0 0 * * *", timeZone: Etc/UTC'),
  ),
  row(
    'a time zone that is none',
    cronJob('schedule: "0 0 * * *", timeZone: Europa/Berlin'),
    cronJob('schedule: "0 0 * * *", timeZone: Europe/Kyiv'),
  ),
  row(
    'a time zone of an offset',
    cronJob('schedule: "0 0 * * *", timeZone: "+02:00"'),
    cronJob('schedule: "0 0 * * *", timeZone: Etc/GMT+2'),
  ),
  row(
    'the time zone of the server',
    cronJob('schedule: "0 0 * * *", timeZone: Local'),
    cronJob('schedule: "0 0 * * *", timeZone: CET'),
  ),
  row(
    'a selector in a series of jobs',
    cronJob('schedule: "0 0 * * *"', 'selector: {matchLabels: {a: b}}, '),
    cronJob('schedule: "0 0 * * *"', 'manualSelector: false, '),
  ),
  row(
    'runs that are skipped',
    cronJob('schedule: "0 0 * * *", concurrencyPolicy: Skip'),
    cronJob('schedule: "0 0 * * *", concurrencyPolicy: Forbid'),
  ),
  // services
  row(
    'ports without names',
    service('', 'ports: [{port: 80, name: a}, {port: 81}]'),
    service('', 'ports: [{port: 80, name: a}, {port: 81, name: b}]'),
  ),
  row(
    'a name of two ports',
    service('', 'ports: [{port: 80, name: a}, {port: 81, name: a}]'),
    service('', 'ports: [{port: 80, name: a}, {port: 80, name: b, protocol: UDP}]'),
  ),
  row(
    'a port of the node of an inner Service',
    service('', 'ports: [{port: 80, nodePort: 30000}]'),
    service('type: NodePort', 'ports: [{port: 80, nodePort: 30000}]'),
  ),
  row(
    'a port of the node twice',
    service('type: NodePort', 'ports: [{port: 80, name: a, nodePort: 30000}, {port: 81, name: b, nodePort: 30000}]'),
    service(
      'type: NodePort',
      'ports: [{port: 80, name: a, nodePort: 30000}, {port: 80, protocol: UDP, name: b, nodePort: 30000}]',
    ),
  ),
  row(
    'an outer name that is none',
    service('type: ExternalName', 'externalName: ""'),
    service('type: ExternalName', 'externalName: a.example.'),
  ),
  row(
    'an outer name with families',
    service('type: ExternalName, externalName: a, ipFamilyPolicy: SingleStack', 'ports: []'),
    service('type: ExternalName, externalName: a', 'ports: []'),
  ),
  row('a balancer of no address', service('type: LoadBalancer, clusterIP: None'), service('clusterIP: None')),
  row('an address that is none', service('clusterIP: none'), service('clusterIP: 10.0.0.77')),
  row(
    'two addresses of a family',
    service('clusterIP: 10.0.0.77, clusterIPs: [10.0.0.77, 10.0.0.78]'),
    service('clusterIP: 10.0.0.77, clusterIPs: [10.0.0.77]'),
  ),
  row(
    'two first addresses',
    service('clusterIP: 10.0.0.77, clusterIPs: [10.0.0.78]'),
    service('clusterIP: None, clusterIPs: [None]'),
  ),
  row('addresses without the first', service('clusterIPs: [None]'), service('clusterIPs: []')),
  row(
    'an address of the other family',
    service('clusterIP: 10.0.0.77, ipFamilies: [IPv6], ipFamilyPolicy: SingleStack, clusterIPs: [10.0.0.77]'),
    service('clusterIP: 10.0.0.77, ipFamilies: [IPv4]'),
  ),
  row(
    'a client that stays too long',
    service('sessionAffinity: ClientIP, sessionAffinityConfig: {clientIP: {timeoutSeconds: 86401}}'),
    service('sessionAffinity: ClientIP, sessionAffinityConfig: {clientIP: {timeoutSeconds: 86400}}'),
  ),
  row(
    'a policy for traffic that does not come',
    service('externalTrafficPolicy: Local'),
    service('externalTrafficPolicy: Local, externalIPs: [192.0.2.1]'),
  ),
  row(
    'a port of health checks that are not made',
    service('type: LoadBalancer, healthCheckNodePort: 30001'),
    service('type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 30001'),
  ),
  row(
    'a class of balancers without a balancer',
    service('loadBalancerClass: a.example/b'),
    service('type: LoadBalancer, loadBalancerClass: a.example/b'),
  ),
  row(
    'ports of nodes for a balancer that is none',
    service('allocateLoadBalancerNodePorts: false'),
    service('type: LoadBalancer, allocateLoadBalancerNodePorts: false'),
  ),
  row(
    'a source that is no network',
    service('type: LoadBalancer, loadBalancerSourceRanges: [10.0.0.1]'),
    service('type: LoadBalancer, loadBalancerSourceRanges: [" 10.0.0.1/8 "]'),
  ),
  row('an address of the host itself', service('externalIPs: [127.0.0.1]'), service('externalIPs: [224.0.1.1]')),
  row('an inner policy that is none', service('internalTrafficPolicy: Near'), service('internalTrafficPolicy: Local')),
  row(
    'a protocol with a space',
    service('', 'ports: [{port: 80, appProtocol: "a b"}]'),
    service('', 'ports: [{port: 80, appProtocol: kubernetes.io/h2c}]'),
  ),
  row(
    'an endpoint on no host',
    slice('addressType: IPv4, endpoints: [{addresses: [127.0.0.1]}]'),
    slice('addressType: IPv4, endpoints: [{addresses: [10.0.0.1]}]'),
  ),
  row(
    'an endpoint of the other family',
    slice('addressType: IPv6, endpoints: [{addresses: [10.0.0.1]}]'),
    slice('addressType: IPv6, endpoints: [{addresses: ["2001:db8::1"]}]'),
  ),
  // ingress and network policies
  row(
    'a host with an address',
    ingress('rules: [{host: 10.0.0.1}], defaultBackend: {service: {name: a, port: {number: 80}}}'),
    ingress('rules: [{host: "*.a.example"}], defaultBackend: {service: {name: a, port: {number: 80}}}'),
  ),
  row('a wildcard in the middle', ingress('rules: [{host: a.*.example}]'), ingress('rules: [{host: a.example}]')),
  row(
    'neither rules nor a backend',
    ingress('ingressClassName: a'),
    ingress('defaultBackend: {service: {name: a, port: {name: b}}}'),
  ),
  row('a path that is not absolute', path('path: a, pathType: Prefix'), path('path: /a, pathType: Prefix')),
  row(
    'a path with two slashes',
    path('path: //a, pathType: Exact'),
    path('path: //a, pathType: ImplementationSpecific'),
  ),
  row(
    'a backend of two kinds',
    path('path: /, pathType: Prefix', 'service: {name: a, port: {number: 80}}, resource: {kind: A, name: a}'),
    path('path: /, pathType: Prefix', 'resource: {kind: A, name: a}'),
  ),
  row(
    'a backend of no port',
    path('path: /, pathType: Prefix', 'service: {name: a}'),
    path('path: /, pathType: Prefix', 'service: {name: a, port: {name: b}}'),
  ),
  row(
    'a backend of two ports',
    path('path: /, pathType: Prefix', 'service: {name: a, port: {name: b, number: 80}}'),
    path('path: /, pathType: Prefix', 'service: {name: a, port: {number: 80}}'),
  ),
  row(
    'a backend that begins with a digit',
    path('path: /, pathType: Prefix', 'service: {name: 1a, port: {number: 80}}'),
    path('path: /, pathType: Prefix', 'service: {name: a1, port: {number: 80}}'),
  ),
  row(
    'two classes',
    ingress(
      'ingressClassName: a, defaultBackend: {service: {name: a, port: {name: b}}}',
      ', annotations: {kubernetes.io/ingress.class: b}',
    ),
    ingress(
      'ingressClassName: a, defaultBackend: {service: {name: a, port: {name: b}}}',
      ', annotations: {kubernetes.io/ingress.class: a}',
    ),
  ),
  row(
    'a controller without a domain',
    '{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: a}, spec: {controller: a}}',
    '{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: a}, spec: {controller: a.example/b}}',
  ),
  row(
    'a network that is none',
    networkPolicy('from: [{ipBlock: {cidr: 10.0.0.0}}]'),
    networkPolicy('from: [{ipBlock: {cidr: 10.0.0.1/8}}]'),
  ),
  row(
    'an exception outside',
    networkPolicy('from: [{ipBlock: {cidr: 10.0.0.0/8, except: [11.0.0.0/16]}}]'),
    networkPolicy('from: [{ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}]'),
  ),
  row(
    'an exception of all',
    networkPolicy('from: [{ipBlock: {cidr: 10.0.0.0/8, except: [10.0.0.0/8]}}]'),
    networkPolicy('from: [{ipBlock: {cidr: "2001:db8::/32", except: ["2001:db8:1::/48"]}}]'),
  ),
  row(
    'a peer of two kinds',
    networkPolicy('from: [{ipBlock: {cidr: 10.0.0.0/8}, podSelector: {}}]'),
    networkPolicy('from: [{namespaceSelector: {}, podSelector: {}}]'),
  ),
  row('a peer of no kind', networkPolicy('from: [{}]'), networkPolicy('from: []')),
  row(
    'ports that end before they begin',
    networkPolicy('ports: [{port: 80, endPort: 79}]'),
    networkPolicy('ports: [{port: 80, endPort: 80}]'),
  ),
  row('ports from a name', networkPolicy('ports: [{port: http, endPort: 80}]'), networkPolicy('ports: [{port: http}]')),
  // scaling
  row(
    'more at least than at most',
    autoscaler('minReplicas: 3, maxReplicas: 2'),
    autoscaler('minReplicas: 2, maxReplicas: 2'),
  ),
  row(
    'no replicas at least',
    autoscaler('minReplicas: 0, maxReplicas: 2'),
    autoscaler('minReplicas: 1, maxReplicas: 2'),
  ),
  row(
    'a metric without its source',
    metric('type: Resource'),
    metric('type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}'),
  ),
  row(
    'a metric with two targets',
    metric(
      'type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80, averageValue: 1}}',
    ),
    metric('type: Resource, resource: {name: cpu, target: {type: AverageValue, averageValue: 1}}'),
  ),
  row(
    'a metric of pods as a share',
    metric('type: Pods, pods: {metric: {name: a}, target: {type: Utilization, averageUtilization: 1}}'),
    metric('type: Pods, pods: {metric: {name: a}, target: {type: AverageValue, averageValue: 1}}'),
  ),
  row(
    'a target of nothing',
    metric('type: External, external: {metric: {name: a}, target: {type: Value, value: 0}}'),
    metric('type: External, external: {metric: {name: a}, target: {type: Value, value: 1m}}'),
  ),
  row(
    'a window of more than an hour',
    autoscaler('maxReplicas: 2, behavior: {scaleDown: {stabilizationWindowSeconds: 3601}}'),
    autoscaler('maxReplicas: 2, behavior: {scaleDown: {stabilizationWindowSeconds: 3600}}'),
  ),
  row(
    'a step of more than half an hour',
    autoscaler('maxReplicas: 2, behavior: {scaleUp: {policies: [{type: Pods, value: 1, periodSeconds: 1801}]}}'),
    autoscaler('maxReplicas: 2, behavior: {scaleUp: {policies: [{type: Percent, value: 1, periodSeconds: 1800}]}}'),
  ),
  row('a budget of two kinds', budget('minAvailable: 1, maxUnavailable: 1'), budget('minAvailable: 1')),
  row('a budget of more than all', budget('minAvailable: "101%"'), budget(`minAvailable: ${hundred}`)),
  row(
    'a policy of sick pods that is none',
    budget('minAvailable: 1, unhealthyPodEvictionPolicy: Never'),
    budget('minAvailable: 1, unhealthyPodEvictionPolicy: AlwaysAllow'),
  ),
]
