import {
  pod,
  ofPod,
  volume,
  mounted,
  affinity,
  nodes,
  deployment,
  statefulSet,
  probe,
  row,
  type RefusedObject,
} from './make-objects.ts'

/** Pods, their volumes and containers. */
export const refusedPods: readonly RefusedObject[] = [
  // volumes
  row('a volume with two sources', volume('emptyDir: {}, configMap: {name: a}'), volume('configMap: {name: a}')),
  row('a volume without a name of its ConfigMap', volume('configMap: {}'), volume('configMap: {name: a}')),
  row(
    'permissions beyond those of files',
    volume('secret: {secretName: a, defaultMode: 512}'),
    volume('secret: {secretName: a, defaultMode: 511}'),
  ),
  row(
    'permissions of a file that are none',
    volume('configMap: {name: a, items: [{key: a, path: a, mode: -1}]}'),
    volume('configMap: {name: a, items: [{key: a, path: a, mode: 0}]}'),
  ),
  row(
    'a file outside of its volume',
    volume('configMap: {name: a, items: [{key: a, path: ../a}]}'),
    volume('configMap: {name: a, items: [{key: a b, path: a..}]}'),
  ),
  row(
    'a file whose name begins with two dots',
    volume('configMap: {name: a, items: [{key: a, path: ..a}]}'),
    volume('configMap: {name: a, items: [{key: a, path: .a}]}'),
  ),
  row(
    'a projection of two sources',
    volume('projected: {sources: [{secret: {name: a}, configMap: {name: a}}]}'),
    volume('projected: {sources: [{secret: {name: a}}, {configMap: {name: a}}]}'),
  ),
  row(
    'a projected path twice',
    volume(
      'projected: {sources: [{secret: {name: a, items: [{key: a, path: p}]}}, {configMap: {name: a, items: [{key: a, path: p}]}}]}',
    ),
    volume(
      'projected: {sources: [{secret: {name: a, items: [{key: a, path: p}]}}, {configMap: {name: a, items: [{key: a, path: q}]}}]}',
    ),
  ),
  row(
    'a token that ends too early',
    deployment(
      '',
      'volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: t, expirationSeconds: 599}}]}}]',
    ),
    deployment(
      '',
      'volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: t, expirationSeconds: 600}}]}}]',
    ),
  ),
  row('a folder of less than nothing', volume('emptyDir: {sizeLimit: -1}'), volume('emptyDir: {sizeLimit: 0}')),
  row('a path of the node that goes back', volume('hostPath: {path: /a/../b}'), volume('hostPath: {path: /a/..b}')),
  row(
    'a type of a path that is none',
    volume('hostPath: {path: /a, type: Folder}'),
    volume('hostPath: {path: /a, type: ""}'),
  ),
  row(
    'a path of a server that is not absolute',
    volume('nfs: {server: a, path: a}'),
    volume('nfs: {server: a, path: /a}'),
  ),
  row('a driver that is no name', volume('csi: {driver: a_b}'), volume('csi: {driver: A.b}')),
  row(
    'a file of a field of the pod and of a resource',
    volume(
      'downwardAPI: {items: [{path: a, fieldRef: {fieldPath: metadata.labels}, resourceFieldRef: {containerName: a, resource: limits.cpu}}]}',
    ),
    volume('downwardAPI: {items: [{path: a, fieldRef: {fieldPath: metadata.labels}}]}'),
  ),
  row(
    'a file of a field that only variables have',
    volume('downwardAPI: {items: [{path: a, fieldRef: {fieldPath: status.podIP}}]}'),
    volume('downwardAPI: {items: [{path: a, fieldRef: {fieldPath: metadata.uid}}]}'),
  ),
  row(
    'a file of a resource of no container',
    volume('downwardAPI: {items: [{path: a, resourceFieldRef: {resource: limits.cpu}}]}'),
    volume('downwardAPI: {items: [{path: a, resourceFieldRef: {containerName: a, resource: limits.cpu}}]}'),
  ),
  row(
    'a template of claims with a name',
    volume(
      'ephemeral: {volumeClaimTemplate: {metadata: {name: a}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}',
    ),
    volume(
      'ephemeral: {volumeClaimTemplate: {metadata: {labels: {a: b}}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}',
    ),
  ),
  // mounts
  row(
    'a mount of a volume that is not there',
    pod('volumeMounts: [{name: v, mountPath: /a}]'),
    mounted('readOnly: true'),
  ),
  row('a mount of a path that goes back', mounted('subPath: a/../b'), mounted('subPath: a/b..')),
  row('a mount of an absolute path', mounted('subPath: /a'), mounted('subPath: a/')),
  row('a mount of two paths', mounted('subPath: a, subPathExpr: b'), mounted('subPathExpr: b')),
  row(
    'a mount that is seen on the node, of a container without rights',
    mounted('mountPropagation: Bidirectional'),
    mounted('mountPropagation: Bidirectional', ', securityContext: {privileged: true}'),
  ),
  row(
    'a mount that is read only below, and not itself',
    mounted('recursiveReadOnly: Enabled'),
    mounted('readOnly: true, recursiveReadOnly: Enabled'),
  ),
  row(
    'a device of a folder',
    pod('volumeDevices: [{name: v, devicePath: /a}]', 'volumes: [{name: v, emptyDir: {}}]'),
    pod('volumeDevices: [{name: v, devicePath: /a}]', 'volumes: [{name: v, persistentVolumeClaim: {claimName: a}}]'),
  ),
  row(
    'a device of a volume that is mounted',
    pod(
      'volumeMounts: [{name: v, mountPath: /b}], volumeDevices: [{name: v, devicePath: /a}]',
      'volumes: [{name: v, persistentVolumeClaim: {claimName: a}}]',
    ),
    pod(
      'volumeMounts: [{name: v, mountPath: /b}], volumeDevices: [{name: w, devicePath: /a}]',
      'volumes: [{name: v, persistentVolumeClaim: {claimName: a}}, {name: w, persistentVolumeClaim: {claimName: b}}]',
    ),
  ),
  row(
    'a mount of a StatefulSet without a claim',
    statefulSet('', '', ', volumeMounts: [{name: v, mountPath: /a}]'),
    statefulSet(
      'volumeClaimTemplates: [{metadata: {name: v}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]',
      '',
      ', volumeMounts: [{name: v, mountPath: /a}]',
    ),
  ),
  // containers
  row(
    'a port of a container with the name of another',
    pod('ports: [{containerPort: 80, name: a}, {containerPort: 81, name: a}]'),
    pod('ports: [{containerPort: 80, name: a}, {containerPort: 81, name: b}]'),
  ),
  row(
    'a port of the host twice',
    ofPod('x: 1')
      .replace(
        '{name: a, image: b}]',
        '{name: a, image: b, ports: [{containerPort: 80, hostPort: 80}]}, {name: c, image: b, ports: [{containerPort: 81, hostPort: 80}]}]',
      )
      .replace(', x: 1', ''),
    ofPod('x: 1')
      .replace(
        '{name: a, image: b}]',
        '{name: a, image: b, ports: [{containerPort: 80, hostPort: 80}]}, {name: c, image: b, ports: [{containerPort: 81, hostPort: 80, protocol: UDP}]}]',
      )
      .replace(', x: 1', ''),
  ),
  row(
    'another port on the network of the host',
    pod('ports: [{containerPort: 80, hostPort: 81}]', 'hostNetwork: true'),
    pod('ports: [{containerPort: 80, hostPort: 80}]', 'hostNetwork: true'),
  ),
  row(
    'a variable with a value and a source',
    pod('env: [{name: A, value: a, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]'),
    pod('env: [{name: A, value: "", valueFrom: {fieldRef: {fieldPath: metadata.name}}}]'),
  ),
  row('a variable with a name that no program can read', pod('env: [{name: "A=B"}]'), pod('env: [{name: "1 A:b"}]')),
  row('a variable named in letters beyond ASCII', pod('env: [{name: "\u00c4"}]'), pod('env: [{name: "~"}]')),
  row(
    'variables of two sources',
    pod('envFrom: [{configMapRef: {name: a}, secretRef: {name: a}}]'),
    pod('envFrom: [{configMapRef: {name: a}}, {secretRef: {name: a}}]'),
  ),
  row('variables of no source', pod('envFrom: [{prefix: A}]'), pod('envFrom: [{prefix: A, configMapRef: {name: a-}}]')),
  row(
    'a variable of two sources',
    pod('env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}, configMapKeyRef: {name: a, key: a}}}]'),
    pod('env: [{name: A, valueFrom: {configMapKeyRef: {name: a, key: a}}}]'),
  ),
  row(
    'a variable of labels as a whole',
    pod('env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.labels}}}]'),
    pod(`env: [{name: A, valueFrom: {fieldRef: {fieldPath: "metadata.labels['a.b/c']"}}}]`),
  ),
  row(
    'a variable of a label that cannot be',
    pod(`env: [{name: A, valueFrom: {fieldRef: {fieldPath: "metadata.labels['a b']"}}}]`),
    pod(`env: [{name: A, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['A/b']"}}}]`),
  ),
  row(
    'a variable of another version of pods',
    pod('env: [{name: A, valueFrom: {fieldRef: {apiVersion: v2, fieldPath: metadata.name}}}]'),
    pod('env: [{name: A, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: spec.host}}}]'),
  ),
  row(
    'a variable of a resource that containers do not have',
    pod('env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.pods}}}]'),
    pod('env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.hugepages-2Mi}}}]'),
  ),
  row(
    'a unit that memory is not counted in',
    pod('env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: 2Mi}}}]'),
    pod('env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: 1024Ki}}}]'),
  ),
  row(
    'a unit that processors are not counted in',
    pod('env: [{name: A, valueFrom: {resourceFieldRef: {resource: requests.cpu, divisor: 100m}}}]'),
    pod('env: [{name: A, valueFrom: {resourceFieldRef: {resource: requests.cpu, divisor: 1000m}}}]'),
  ),
  row(
    'privileged, and without privilege escalation',
    pod('securityContext: {privileged: true, allowPrivilegeEscalation: false}'),
    pod('securityContext: {privileged: false, allowPrivilegeEscalation: false}'),
  ),
  row(
    'rights of the system without privilege escalation',
    pod('securityContext: {allowPrivilegeEscalation: false, capabilities: {add: [CAP_SYS_ADMIN]}}'),
    pod('securityContext: {allowPrivilegeEscalation: false, capabilities: {add: [SYS_ADMIN]}}'),
  ),
  row(
    'a profile of the node without a name',
    pod('securityContext: {seccompProfile: {type: Localhost}}'),
    pod('securityContext: {seccompProfile: {type: Localhost, localhostProfile: a/b}}'),
  ),
  row(
    'a profile that has a name',
    pod('securityContext: {seccompProfile: {type: RuntimeDefault, localhostProfile: a}}'),
    pod('securityContext: {seccompProfile: {type: RuntimeDefault}}'),
  ),
  row(
    'a profile of AppArmor without a name',
    pod('securityContext: {appArmorProfile: {type: Localhost, localhostProfile: ""}}'),
    pod('securityContext: {appArmorProfile: {type: Localhost, localhostProfile: a}}'),
  ),
  row(
    'a handler that does nothing',
    pod('lifecycle: {preStop: {}}'),
    pod('lifecycle: {preStop: {sleep: {seconds: 1}}}'),
  ),
  row(
    'a handler that does two things',
    pod(`lifecycle: {preStop: {${probe}, exec: {command: [a]}}}`),
    pod(`lifecycle: {preStop: {${probe}}}`),
  ),
  row(
    'a handler that sleeps longer than the pod has',
    pod('lifecycle: {preStop: {sleep: {seconds: 31}}}'),
    pod('lifecycle: {preStop: {sleep: {seconds: 31}}}', 'terminationGracePeriodSeconds: 31'),
  ),
  row('a probe of two ways', pod(`livenessProbe: {${probe}, tcpSocket: {port: 80}}`), pod(`livenessProbe: {${probe}}`)),
  row(
    'a probe that ends after no time',
    pod(`livenessProbe: {${probe}, terminationGracePeriodSeconds: 0}`),
    pod(`livenessProbe: {${probe}, terminationGracePeriodSeconds: 1}`),
  ),
  row(
    'a readiness probe that ends something',
    pod(`readinessProbe: {${probe}, terminationGracePeriodSeconds: 1}`),
    pod(`readinessProbe: {${probe}, successThreshold: 2}`),
  ),
  row(
    'a liveness probe that counts successes',
    pod(`livenessProbe: {${probe}, successThreshold: 2}`),
    pod(`livenessProbe: {${probe}, successThreshold: 0}`),
  ),
  row(
    'a header with a colon',
    pod('livenessProbe: {httpGet: {port: 80, httpHeaders: [{name: "a:", value: b}]}}'),
    pod('livenessProbe: {httpGet: {port: 80, httpHeaders: [{name: 1-a, value: b}]}}'),
  ),
  row(
    'a policy of messages that is none',
    pod('terminationMessagePolicy: Log'),
    pod('terminationMessagePolicy: FallbackToLogsOnError'),
  ),
  row(
    'an image with a space',
    pod('').replace('image: b', 'image: " b"'),
    deployment('').replace('image: b', 'image: " b"'),
  ),
  row(
    'a probe of an init container',
    ofPod(`initContainers: [{name: i, image: b, livenessProbe: {${probe}}}]`),
    ofPod(`initContainers: [{name: i, image: b, restartPolicy: Always, livenessProbe: {${probe}}}]`),
  ),
  row(
    'a hook of an init container',
    ofPod('initContainers: [{name: i, image: b, lifecycle: {preStop: {exec: {command: [a]}}}}]'),
    ofPod('initContainers: [{name: i, image: b, restartPolicy: Always, lifecycle: {preStop: {exec: {command: [a]}}}}]'),
  ),
  row(
    'an init container with the name of another',
    ofPod('initContainers: [{name: a, image: b}]'),
    ofPod('initContainers: [{name: b, image: b}]'),
  ),
  row(
    'a resize policy of a resource that cannot be resized',
    pod('resizePolicy: [{resourceName: storage, restartPolicy: NotRequired}]'),
    pod('resizePolicy: [{resourceName: memory, restartPolicy: RestartContainer}]'),
  ),
  // resources
  row(
    'more than the limit',
    pod('resources: {requests: {memory: 1025Mi}, limits: {memory: 1Gi}}'),
    pod('resources: {requests: {memory: 1024Mi}, limits: {memory: 1Gi}}'),
  ),
  row(
    'devices without a limit',
    pod('resources: {requests: {example.com/gpu: 1}}'),
    pod('resources: {limits: {example.com/gpu: 1}}'),
  ),
  row(
    'fewer devices than the limit',
    pod('resources: {requests: {example.com/gpu: 1}, limits: {example.com/gpu: 2}}'),
    pod('resources: {requests: {example.com/gpu: 2}, limits: {example.com/gpu: 2000m}}'),
  ),
  row(
    'half a device',
    pod('resources: {limits: {example.com/gpu: 500m}}'),
    pod('resources: {limits: {kubernetes.io/a: 500m}}'),
  ),
  row(
    'a device with a name of quotas',
    pod('resources: {limits: {requests.example.com/gpu: 1}}'),
    pod('resources: {limits: {request.example.com/gpu: 1}}'),
  ),
  row(
    'huge pages alone',
    pod('resources: {limits: {hugepages-2Mi: 2Mi}}'),
    pod('resources: {requests: {cpu: 1}, limits: {hugepages-2Mi: 2Mi}}'),
  ),
  row(
    'a part of a huge page',
    pod('resources: {requests: {cpu: 1}, limits: {hugepages-2Mi: 3Mi}}'),
    pod('resources: {requests: {cpu: 1}, limits: {hugepages-2Mi: 4Mi}}'),
  ),
  row(
    'huge pages of no size',
    pod('resources: {requests: {cpu: 1}, limits: {hugepages-a: 4Mi}}'),
    pod('resources: {requests: {cpu: 1}, limits: {hugepages-1Gi: 0}}'),
  ),
  row(
    'a claim of a container that the pod does not have',
    pod('resources: {claims: [{name: c}]}'),
    pod('resources: {claims: [{name: c}]}', 'resourceClaims: [{name: c, resourceClaimName: a}]'),
  ),
  row(
    'a claim of a pod of no kind',
    ofPod('resourceClaims: [{name: c}]'),
    ofPod('resourceClaims: [{name: c, resourceClaimTemplateName: a}]'),
  ),
  row(
    'less for the pod than for its container',
    pod('resources: {requests: {cpu: 2}}', 'resources: {requests: {cpu: 1}}'),
    pod('resources: {requests: {cpu: 1}}', 'resources: {requests: {cpu: 1}}'),
  ),
  row(
    'storage of a pod as a whole',
    ofPod('resources: {limits: {ephemeral-storage: 1Gi}}'),
    ofPod('resources: {limits: {memory: 1Gi}}'),
  ),
  row(
    'a container with a higher limit than its pod',
    pod('resources: {limits: {cpu: 2}}', 'resources: {limits: {cpu: 1}}').replace(
      'limits: {cpu: 2}',
      'requests: {cpu: 1}, limits: {cpu: 2}',
    ),
    pod('resources: {limits: {cpu: 1}}', 'resources: {limits: {cpu: 1}}'),
  ),
  // pods
  row('a pod that restarts sometimes', ofPod('restartPolicy: Sometimes'), ofPod('restartPolicy: OnFailure')),
  row('a deadline of no time', ofPod('activeDeadlineSeconds: 0'), ofPod('activeDeadlineSeconds: 1')),
  row('a host name with a dot', ofPod('hostname: a.b'), ofPod('hostname: a-b')),
  row('a subdomain in capitals', deployment('', 'subdomain: A'), deployment('', 'subdomain: a')),
  row('a runtime class without a name', ofPod('runtimeClassName: ""'), deployment('', 'runtimeClassName: a')),
  row(
    'its own resolver without a server',
    ofPod('dnsPolicy: None'),
    ofPod('dnsPolicy: None, dnsConfig: {nameservers: [10.0.0.1]}'),
  ),
  row(
    'four name servers',
    ofPod('dnsConfig: {nameservers: [10.0.0.1, 10.0.0.2, 10.0.0.3, 10.0.0.4]}'),
    ofPod('dnsConfig: {nameservers: [010.0.0.1, "2001:db8::1", 10.0.0.3]}'),
  ),
  row(
    'a name server with a name',
    ofPod('dnsConfig: {nameservers: [ns.example.com]}'),
    ofPod('dnsConfig: {nameservers: [10.0.0.1], options: [{name: ndots, value: "2"}]}'),
  ),
  row(
    'a search domain with a space',
    ofPod('dnsConfig: {searches: ["a b"]}'),
    ofPod('dnsConfig: {searches: [_a.example., "."]}'),
  ),
  row(
    'an option of the resolver without a name',
    ofPod('dnsConfig: {options: [{value: a}]}'),
    ofPod('dnsConfig: {options: [{name: a}]}'),
  ),
  row(
    'an alias of no address',
    ofPod('hostAliases: [{ip: localhost, hostnames: [a]}]'),
    ofPod('hostAliases: [{ip: 127.0.0.1, hostnames: [a.b]}]'),
  ),
  row(
    'an alias with an underscore',
    ofPod('hostAliases: [{ip: 127.0.0.1, hostnames: [a_b]}]'),
    ofPod('hostAliases: [{ip: "::1", hostnames: [a]}]'),
  ),
  row(
    'one view of processes, and the one of the host',
    ofPod('hostPID: true, shareProcessNamespace: true'),
    ofPod('hostPID: true, shareProcessNamespace: false'),
  ),
  row(
    'users of its own on the network of the host',
    ofPod('hostUsers: false, hostNetwork: true'),
    ofPod('hostUsers: false'),
  ),
  row(
    'a kernel parameter of the network of the host',
    ofPod('hostNetwork: true, securityContext: {sysctls: [{name: net.core.somaxconn, value: "1"}]}'),
    ofPod('hostNetwork: true, securityContext: {sysctls: [{name: kernel.shm_rmid_forced, value: "1"}]}'),
  ),
  row(
    'a kernel parameter twice',
    ofPod('securityContext: {sysctls: [{name: a.b, value: "1"}, {name: a.b, value: "2"}]}'),
    ofPod('securityContext: {sysctls: [{name: a.b, value: "1"}, {name: a/c, value: "2"}]}'),
  ),
  row(
    'a policy of groups that is none',
    ofPod('securityContext: {fsGroupChangePolicy: Never}'),
    ofPod('securityContext: {fsGroupChangePolicy: OnRootMismatch}'),
  ),
  row(
    'a group beyond 32 bits',
    ofPod('securityContext: {supplementalGroups: [2147483648]}'),
    ofPod('securityContext: {supplementalGroups: [2147483647]}'),
  ),
  row(
    'containers for debugging in a template',
    deployment('', 'ephemeralContainers: [{name: e, image: b}]'),
    deployment('', 'ephemeralContainers: []'),
  ),
  row(
    'a node before the pod may be scheduled',
    ofPod('nodeName: a, schedulingGates: [{name: a}]'),
    ofPod('schedulingGates: [{name: example.com/a}]'),
  ),
  row(
    'a gate that is no name',
    ofPod('readinessGates: [{conditionType: "a b"}]'),
    ofPod('readinessGates: [{conditionType: a/b}]'),
  ),
  row(
    'a profile of a container that is not there',
    pod('', '', ', annotations: {container.apparmor.security.beta.kubernetes.io/b: runtime/default}'),
    pod('', '', ', annotations: {container.apparmor.security.beta.kubernetes.io/a: runtime/default}'),
  ),
  row(
    'a profile that is none',
    pod('', '', ', annotations: {container.apparmor.security.beta.kubernetes.io/a: default}'),
    pod('', '', ', annotations: {container.apparmor.security.beta.kubernetes.io/a: localhost/b}'),
  ),
  row(
    'a cost that is no number',
    pod('', '', ', annotations: {controller.kubernetes.io/pod-deletion-cost: a}'),
    pod('', '', ', annotations: {controller.kubernetes.io/pod-deletion-cost: "-1"}'),
  ),
  // scheduling
  row(
    'seconds of a toleration without NoExecute',
    ofPod('tolerations: [{key: a, operator: Exists, tolerationSeconds: 1}]'),
    ofPod('tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: -1}]'),
  ),
  row(
    'a toleration of no key',
    ofPod('tolerations: [{operator: Equal, value: a}]'),
    ofPod('tolerations: [{operator: Exists}]'),
  ),
  row(
    'a toleration of any value, and of one',
    ofPod('tolerations: [{key: a, operator: Exists, value: b}]'),
    ofPod('tolerations: [{key: a, value: b}]'),
  ),
  row(
    'a toleration of a value that no taint has',
    ofPod('tolerations: [{key: a, value: "b c"}]'),
    ofPod('tolerations: [{key: a, value: ""}]'),
  ),
  row(
    'a spread that stands twice',
    ofPod(
      'topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}, {maxSkew: 2, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]',
    ),
    ofPod(
      'topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}, {maxSkew: 2, topologyKey: a, whenUnsatisfiable: ScheduleAnyway}]',
    ),
  ),
  row(
    'a least number of domains that nothing keeps',
    ofPod(
      'topologySpreadConstraints: [{maxSkew: 1, minDomains: 1, topologyKey: a, whenUnsatisfiable: ScheduleAnyway}]',
    ),
    ofPod('topologySpreadConstraints: [{maxSkew: 1, minDomains: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]'),
  ),
  row(
    'a spread by labels of no pods',
    ofPod(
      'topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule, matchLabelKeys: [a]}]',
    ),
    ofPod(
      'topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {b: c}}, matchLabelKeys: [a]}]',
    ),
  ),
  row(
    'a node in no list',
    nodes('matchExpressions: [{key: a, operator: In}]'),
    nodes('matchExpressions: [{key: a, operator: In, values: [b]}]'),
  ),
  row(
    'a node that has a label, of some value',
    nodes('matchExpressions: [{key: a, operator: Exists, values: [b]}]'),
    nodes('matchExpressions: [{key: a, operator: Exists}]'),
  ),
  row(
    'a node above two numbers',
    nodes('matchExpressions: [{key: a, operator: Gt, values: ["1", "2"]}]'),
    nodes('matchExpressions: [{key: a, operator: Gt, values: ["1"]}]'),
  ),
  row(
    'a node with a label that cannot be',
    nodes('matchExpressions: [{key: a, operator: In, values: ["b c"]}]'),
    nodes('matchExpressions: [{key: a, operator: In, values: [""]}]'),
  ),
  row(
    'a node of two names',
    nodes('matchFields: [{key: metadata.name, operator: In, values: [a, b]}]'),
    nodes('matchFields: [{key: metadata.name, operator: In, values: [a]}]'),
  ),
  row(
    'a node by a field that has no index',
    nodes('matchFields: [{key: metadata.namespace, operator: In, values: [a]}]'),
    nodes('matchFields: [{key: metadata.name, operator: NotIn, values: [a]}]'),
  ),
  row(
    'a pod near those of a namespace that cannot be',
    affinity('podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: a, namespaces: [A]}]}'),
    affinity('podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: a, namespaces: [a]}]}'),
  ),
  row(
    'a pod near those with a label of no value',
    affinity(
      'podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: a, labelSelector: {matchExpressions: [{key: a, operator: NotIn}]}}]}',
    ),
    affinity(
      'podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: a, labelSelector: {matchExpressions: [{key: a, operator: DoesNotExist, values: []}]}}]}',
    ),
  ),
]
