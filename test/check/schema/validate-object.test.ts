import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readBuiltInSchemas } from '../../../src/check/schema/built-in-schemas.ts'
import { readCustomKind } from '../../../src/check/schema/custom-kind.ts'
import { createSchemaSet } from '../../../src/check/schema/schema-set.ts'
import { validateObject } from '../../../src/check/schema/validate-object.ts'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { formatPointer, textAt } from '../../../src/model/field.ts'
import type { LocatedToken } from '../../../src/model/manifest.ts'
import { createTokenTable } from '../../../src/model/token.ts'
import { Dict } from '../../../src/model/value.ts'
import { packageFolder } from '../../cli/run-cli.ts'

const builtIn = readBuiltInSchemas(readFileSync(join(packageFolder, 'templates/kubernetes/schemas.txt'), 'utf8'))

function objectOf(text: string): Dict {
  const value = parseGoYaml(text, { integers: 'int' })
  if (!(value instanceof Dict)) throw new TypeError('no map')
  return value
}

/** Problems as `kind pointer: what it has to be`. */
function problemsOf(text: string, crds: readonly string[] = [], late: readonly LocatedToken[] = []): readonly string[] {
  const object = objectOf(text)
  const set = createSchemaSet(
    builtIn.of('1.34'),
    crds.map((crd) => readCustomKind(objectOf(crd))),
  )
  const found = set.find(textAt(object, 'apiVersion'), textAt(object, 'kind'))
  if (found.state !== 'known') return [found.state]
  return validateObject(object, found.schema, late).map(
    ({ kind, path, says }) => `${kind} ${formatPointer(path)}${says === '' ? '' : `: ${says}`}`,
  )
}

const deployment = (spec: string, container = 'name: a, image: b'): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: a}
spec:
  selector: {matchLabels: {a: b}}
  template: {metadata: {labels: {a: b}}, spec: {containers: [{${container}}]}}
${spec === '' ? '' : `  ${spec}`}
`
const inContainer = (container: string): string => deployment('', `name: a, image: b, ${container}`)
const at = '/spec/template/spec/containers/0'

describe('built-in kinds', () => {
  test.each<readonly [what: string, text: string, problems: readonly string[]]>([
    ['nothing wrong', deployment('replicas: 3'), []],
    ['a field that is not set', deployment('replicas: null'), []],
    ['an empty word, which is not set either', inContainer("imagePullPolicy: ''"), []],
    ['a quoted number', deployment('replicas: "3"'), ['wrong-type /spec/replicas: an integer']],
    ['an integer written as 3.0', deployment('replicas: 3.0'), []],
    ['half a replica', deployment('replicas: 3.5'), ['wrong-type /spec/replicas: an integer']],
    [
      'a number beyond 32 bits',
      deployment('replicas: 3000000000'),
      ['not-allowed /spec/replicas: an integer of 32 bits'],
    ],
    ['the same as a float', deployment('replicas: 3e9'), ['not-allowed /spec/replicas: an integer of 32 bits']],
    ...['99999999999999999999', '18446744073709551616', '-1e20', '1e20'].map(
      (text): readonly [string, string, readonly string[]] => [
        `${text}, a number beyond all integers`,
        deployment(`replicas: ${text}`),
        ['wrong-type /spec/replicas: an integer'],
      ],
    ),
    ['a misspelt field', deployment('replica: 3'), ['unknown-field /spec/replica: replicas']],
    ['a field like no other', deployment('zzzzzzzzz: 3'), ['unknown-field /spec/zzzzzzzzz']],
    ['a field that is required', inContainer('volumeMounts: [{mountPath: /a}]'), [`missing ${at}/volumeMounts/0/name`]],
    [
      'a word that is none',
      inContainer('imagePullPolicy: Sometimes'),
      [`not-allowed ${at}/imagePullPolicy: one of Always, IfNotPresent, Never`],
    ],
    [
      'a number as text of a variable',
      inContainer('env: [{name: A, value: 1}]'),
      [`wrong-type ${at}/env/0/value: text`],
    ],
    ['a variable twice', inContainer('env: [{name: A}, {name: B}, {name: A}]'), [`duplicate ${at}/env/2: name`]],
    [
      'a port twice, once by default',
      inContainer('ports: [{containerPort: 80}, {containerPort: 80, protocol: TCP}]'),
      [`duplicate ${at}/ports/1: containerPort and protocol`],
    ],
    ['a port with two protocols', inContainer('ports: [{containerPort: 80}, {containerPort: 80, protocol: UDP}]'), []],
    [
      'fields of the pod for variables',
      inContainer(
        `env: [${['metadata.name', "metadata.labels['app']", 'status.podIPs', 'spec.nodeName', 'metadata.title']
          .map((field, index) => `{name: A${String(index)}, valueFrom: {fieldRef: {fieldPath: "${field}"}}}`)
          .join(', ')}]`,
      ),
      [
        `not-allowed ${at}/env/4/valueFrom/fieldRef/fieldPath: a field of pods such as metadata.name, status.podIP or metadata.labels['app']`,
      ],
    ],
    [
      'a value of a label that is a sentence',
      deployment(
        'selector: {matchLabels: {a: b}, matchExpressions: [{key: a, operator: In, values: [b, "", "What is it?"]}]}',
      ),
      [
        'not-allowed /spec/selector/matchExpressions/0/values: a list of which each is A-Z, a-z, 0-9, -, _ and ., first and last a letter or digit, 63 characters at most',
      ],
    ],
    [
      'a webhook for a resource without a name',
      `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: a}, webhooks: [{name: a.b.c, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {url: "https://a.example"}, rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods, null]}]}]}`,
      ['not-allowed /webhooks/0/rules/0/resources: a list of which each is text that is not empty'],
    ],
    ['quantities', inContainer('resources: {limits: {cpu: 1, memory: 1.5Gi, ephemeral-storage: 1e3}}'), []],
    [
      'a quantity of no known unit',
      inContainer('resources: {limits: {memory: 1GB}}'),
      [`not-allowed ${at}/resources/limits/memory: a quantity such as 500m or 1.5Gi`],
    ],
    [
      'a port by number or name',
      inContainer('livenessProbe: {httpGet: {port: http}}, readinessProbe: {httpGet: {port: 80}}'),
      [],
    ],
    [
      'a port that is neither',
      inContainer('livenessProbe: {httpGet: {port: true}}'),
      [`wrong-type ${at}/livenessProbe/httpGet/port: an integer or text`],
    ],
    [
      'a probe of nothing',
      inContainer('livenessProbe: {periodSeconds: 1}'),
      [`not-allowed ${at}/livenessProbe: a map with one of exec, httpGet, tcpSocket, grpc`],
    ],
    ['a list that is a map', deployment('', 'name: a, image: b, env: {A: b}'), [`wrong-type ${at}/env: a list`]],
    ['null in a list of maps', inContainer('env: [null]'), [`wrong-type ${at}/env/0: a map`]],
    [
      'a mount without a volume',
      inContainer('volumeMounts: [{name: data, mountPath: /a}]'),
      [`not-allowed ${at}/volumeMounts/0/name: the name of a volume of the pod`],
    ],
    [
      'a request above its limit',
      inContainer('resources: {requests: {cpu: 1500m, memory: 1Gi}, limits: {cpu: 1, memory: 1Gi}}'),
      [`not-allowed ${at}/resources/requests/cpu: its limit or less`],
    ],
    [
      'a resource that Kubernetes does not have',
      inContainer(
        'resources: {requests: {cpu: 1, cpuu: 1, example.com/gpu: 1, hugepages-2Mi: 2Mi}, limits: {example.com/gpu: 1, hugepages-2Mi: 2Mi}}',
      ),
      [
        `not-allowed ${at}/resources/requests/cpuu: cpu, memory, ephemeral-storage, hugepages-<size>, or a name with a domain`,
      ],
    ],
    [
      'less than nothing',
      inContainer('resources: {limits: {cpu: -1}}'),
      [`not-allowed ${at}/resources/limits/cpu: 0 or more`],
    ],
    [
      'a hook of no command',
      inContainer('lifecycle: {preStop: {exec: {}}}'),
      [`missing ${at}/lifecycle/preStop/exec/command`],
    ],
    [
      'a mount of a StatefulSet without a volume, and one of a claim',
      'apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a}\nspec: {serviceName: s, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: b, volumeMounts: [{name: data, mountPath: /a}, {name: gone, mountPath: /b}]}]}}, volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]}\n',
      [`not-allowed ${at}/volumeMounts/1/name: the name of a volume of the pod`],
    ],
    [
      'a mount of a Pod without a volume',
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: b, volumeMounts: [{name: gone, mountPath: /b}]}]}\n',
      ['not-allowed /spec/containers/0/volumeMounts/0/name: the name of a volume of the pod'],
    ],
    [
      'a claim of nothing',
      'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: "0"}}}\n',
      ['not-allowed /spec/resources/requests/storage: a quantity above 0'],
    ],
    ['a claim without a spec', 'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\n', ['missing /spec']],
    [
      'types of a network policy',
      'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a}\nspec: {podSelector: {}, policyTypes: [Ingress, Egress, Egress], ingress: [{ports: [{protocol: "", port: 80}]}]}\n',
      [
        'not-allowed /spec/policyTypes: a list of 2 items at most',
        'not-allowed /spec/ingress/0/ports/0/protocol: one of TCP, UDP, SCTP',
      ],
    ],
    [
      'a webhook of no resources that says what happens when it fails',
      'apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: a}\nwebhooks: [{name: a.b.c, admissionReviewVersions: [v1], sideEffects: None, failurePolicy: "", clientConfig: {url: "https://a"}, rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE]}]}]\n',
      ['not-allowed /webhooks/0/failurePolicy: one of Fail, Ignore', 'missing /webhooks/0/rules/0/resources'],
    ],
    [
      'a share of less than 1 percent',
      'apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\nspec: {maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 0}}}]}\n',
      ['not-allowed /spec/metrics/0/resource/target/averageUtilization: 1 or more'],
    ],
    [
      'labels of the pods of a series of jobs',
      'apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec: {schedule: "* * * * *", jobTemplate: {metadata: {labels: {"a b": x}}, spec: {template: {metadata: {labels: {a: "b c"}, annotations: {ok/a: x, "/": x}}, spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}}}\n',
      [
        'not-allowed /spec/jobTemplate/spec/template/metadata/labels/a: A-Z, a-z, 0-9, -, _ and ., first and last a letter or digit, 63 characters at most',
        'not-allowed /spec/jobTemplate/spec/template/metadata/annotations/~1: named with A-Z, a-z, 0-9, -, _ and ., first and last a letter or digit, 63 characters at most, after a domain and / if there is one',
        'not-allowed /spec/jobTemplate/metadata/labels/a b: named with A-Z, a-z, 0-9, -, _ and ., first and last a letter or digit, 63 characters at most, after a domain and / if there is one',
      ],
    ],
    [
      'a definition of another name',
      'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: thing.example.com}\nspec: {group: example.com, scope: Namespaced, names: {kind: Thing, plural: things}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}\n',
      ['not-allowed /metadata/name: spec.names.plural, a dot and spec.group'],
    ],
    [
      'families of a Service',
      'apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: 80}], ipFamilies: [IPv4, IPv4]}\n',
      ['not-allowed /spec/ipFamilies: a list without equal items'],
    ],
    [
      'an API of the server itself that trusts everybody',
      'apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: v1.a.b}\nspec: {group: a.b, version: v1, groupPriorityMinimum: 1, versionPriority: 1, insecureSkipTLSVerify: true}\n',
      ['not-allowed /spec/insecureSkipTLSVerify: left out where there is no service'],
    ],
    [
      'a backend without a name',
      'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: a}\nspec: {defaultBackend: {service: {name: "", port: {number: 80}}}}\n',
      [
        'not-allowed /spec/defaultBackend/service/name: a-z, 0-9 and -, first and last a letter or digit, 63 characters at most',
      ],
    ],
    [
      'a claim of no access',
      'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\nspec: {accessModes: [""], resources: {requests: {storage: 1Gi}}}\n',
      [
        'not-allowed /spec/accessModes: a list of which each is one of ReadOnlyMany, ReadWriteMany, ReadWriteOnce, ReadWriteOncePod',
      ],
    ],
    [
      'a field of metadata',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, label: {}}\n',
      ['unknown-field /metadata/label: labels'],
    ],
    [
      'base64 that is none',
      'apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {a: "b c"}\n',
      ['not-allowed /data/a: base64'],
    ],
    [
      'any form in a definition of a schema',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nstatus: {}\n',
      ['unknown-field /status'],
    ],
    ['a status, which servers drop', `${deployment('')}status: {conditions: [{type: Ready}]}\n`, []],
    [
      'a binding without the group of its role',
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a}\nroleRef: {kind: Role, name: a}\n',
      [],
    ],
    [
      'a policy rule without groups',
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: a}\nrules: [{verbs: [get], resources: [pods]}]\n',
      ['not-allowed /rules/0/apiGroups: a list that is not empty'],
    ],
    [
      'a kind of other minors',
      'apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: FlowSchema\nmetadata: {name: a}\n',
      ['other-versions'],
    ],
    ['a misspelt kind', 'apiVersion: apps/v1\nkind: Deploymnt\nmetadata: {name: a}\n', ['no-such-kind']],
    ['a kind that nothing describes', 'apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n', ['unknown']],
  ])('%s', (_, text, problems) => {
    expect(problemsOf(text)).toEqual(problems)
  })

  test('a pod that does not have the labels by which it is chosen', () => {
    expect(problemsOf(deployment('').replace('labels: {a: b}', 'labels: {a: c}'))).toEqual([
      'not-allowed /spec/selector/matchLabels/a: a label of the pods in template.metadata.labels',
    ])
  })

  test('a definition, whose schemas hold schemas', () => {
    const crd = (schema: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Thing, plural: things}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: ${schema}}}]
`
    expect(
      problemsOf(crd('{type: object, properties: {a: {type: array, items: {type: string, enum: [1, b]}}}}')),
    ).toEqual([])
    expect(problemsOf(crd('{type: object, properties: {a: {type: string, typ: string}}}'))).toEqual([
      'unknown-field /spec/versions/0/schema/openAPIV3Schema/properties/a/typ: type',
    ])
  })
})

describe('values that are known only later', () => {
  const tokens = createTokenTable()
  const token = (pointer: string, isInteger: boolean): LocatedToken => ({
    pointer,
    text: '',
    tokens,
    written: '${PORT}',
    ...(isInteger && { isInteger: true }),
  })
  const port = `${at}/ports/0/containerPort`
  const value = `${at}/env/0/value`

  test.each<readonly [what: string, text: string, late: readonly LocatedToken[], problems: readonly string[]]>([
    ['an integer where one is needed', inContainer("ports: [{containerPort: '${PORT}'}]"), [token(port, true)], []],
    [
      'text where an integer is needed',
      inContainer("ports: [{containerPort: '${PORT}'}]"),
      [token(port, false)],
      [`wrong-type ${port}: an integer`],
    ],
    ['text where text is needed', inContainer("env: [{name: A, value: '${PORT}'}]"), [token(value, false)], []],
    [
      'an integer where text is needed',
      inContainer("env: [{name: A, value: '${PORT}'}]"),
      [token(value, true)],
      [`wrong-type ${value}: text`],
    ],
    [
      'a label that cannot be judged yet',
      inContainer("imagePullPolicy: '${PORT}'"),
      [token(`${at}/imagePullPolicy`, false)],
      [],
    ],
  ])('%s', (_, text, late, problems) => {
    expect(problemsOf(text, [], late)).toEqual(problems)
  })
})

const definition = (schema: string, more = ''): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
    - {name: v1, served: true, storage: true, ${more}schema: {openAPIV3Schema: {type: object, properties: {spec: ${schema}, status: {type: object, required: [phase], properties: {phase: {type: string}}}}}}}
    - {name: v0, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}
`
const thing = (spec: string, more = ''): string =>
  `apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec: ${spec}\n${more}`

describe('custom kinds', () => {
  test.each<readonly [what: string, schema: string, spec: string, problems: readonly string[]]>([
    [
      'an unknown field',
      '{type: object, properties: {size: {type: integer}}}',
      '{siz: 1}',
      ['unknown-field /spec/siz: size'],
    ],
    [
      'a field that is preserved',
      '{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {size: {type: integer}}}',
      '{siz: 1, size: a}',
      ['wrong-type /spec/size: an integer'],
    ],
    [
      'floats where integers are needed: those that no integer is',
      '{type: object, properties: {size: {type: integer}, most: {type: integer}, more: {type: integer}}}',
      '{size: 1e20, most: 9007199254740991.0, more: 1.8446744073709552e+19}',
      ['wrong-type /spec/size: an integer', 'wrong-type /spec/more: an integer'],
    ],
    [
      'a map of integers',
      '{type: object, additionalProperties: {type: integer}}',
      '{a: 1, b: c}',
      ['wrong-type /spec/b: an integer'],
    ],
    [
      'null where nothing takes it',
      '{type: object, properties: {a: {type: string}}}',
      '{a: null}',
      ['wrong-type /spec/a: text'],
    ],
    [
      'null with a default',
      '{type: object, required: [a], properties: {a: {type: string, default: b}}}',
      '{a: null}',
      [],
    ],
    [
      'null that is allowed',
      '{type: object, required: [a], properties: {a: {type: string, nullable: true}}}',
      '{a: null}',
      [],
    ],
    ['a missing field', '{type: object, required: [a], properties: {a: {type: string}}}', '{}', ['missing /spec/a']],
    [
      'a missing field with a default',
      '{type: object, required: [a], properties: {a: {type: string, default: b}}}',
      '{}',
      [],
    ],
    [
      'a default that is not complete',
      '{type: object, properties: {a: {type: object, default: {}, required: [b], properties: {b: {type: string, default: c}}}}}',
      '{}',
      [],
    ],
    [
      'an integer or text',
      '{type: object, additionalProperties: {x-kubernetes-int-or-string: true}}',
      '{a: 1, b: c, d: true}',
      ['wrong-type /spec/d: an integer or text'],
    ],
    [
      'an integer beyond 32 bits, which custom kinds take',
      '{type: object, properties: {a: {type: integer, format: int32}}}',
      '{a: 3000000000}',
      [],
    ],
    [
      'limits',
      '{type: object, properties: {a: {type: integer, minimum: 1}, b: {type: integer, maximum: 5, exclusiveMaximum: true}}}',
      '{a: 0, b: 5}',
      ['not-allowed /spec/a: 1 or more', 'not-allowed /spec/b: less than 5'],
    ],
    [
      'lengths, in characters',
      '{type: object, properties: {a: {type: string, minLength: 2, maxLength: 2}}}',
      '{a: "\\U0001F600"}',
      ['not-allowed /spec/a: at least 2 characters'],
    ],
    [
      'a pattern of Go',
      '{type: object, properties: {a: {type: string, pattern: "^\\\\pL+$"}}}',
      '{a: "1"}',
      ['not-allowed /spec/a: text that matches ^\\pL+$'],
    ],
    [
      'numbers of items',
      '{type: object, properties: {a: {type: array, minItems: 1, items: {type: string}}, b: {type: object, maxProperties: 1, additionalProperties: {type: string}}}}',
      '{a: [], b: {c: d, e: f}}',
      ['not-allowed /spec/a: at least 1 item', 'not-allowed /spec/b: at most 1 entry'],
    ],
    [
      'formats',
      '{type: object, additionalProperties: {type: string, format: date-time}}',
      '{a: "2026-01-31T12:00:00Z", b: "2026-02-30T12:00:00Z"}',
      ['not-allowed /spec/b: a time such as 2026-01-31T12:00:00Z'],
    ],
    [
      'URIs',
      '{type: object, additionalProperties: {type: string, format: uri}}',
      '{a: "https://a.example/b?c", b: /b, c: "", d: b c}',
      [
        'not-allowed /spec/c: a URI such as https://example.com/a',
        'not-allowed /spec/d: a URI such as https://example.com/a',
      ],
    ],
    [
      'durations',
      '{type: object, additionalProperties: {type: string, format: duration}}',
      '{a: 1h30m, b: 2 days, c: P1D, d: "5", e: 5 years}',
      [
        'not-allowed /spec/d: a duration such as 1h30m or 2 days',
        'not-allowed /spec/e: a duration such as 1h30m or 2 days',
      ],
    ],
    [
      'identifiers of a version',
      '{type: object, additionalProperties: {type: string, format: uuid4}}',
      '{a: 123e4567-e89b-42d3-a456-426614174000, b: 123e4567-e89b-12d3-a456-426614174000}',
      ['not-allowed /spec/b: a UUID of version 4'],
    ],
    [
      'hosts',
      '{type: object, additionalProperties: {type: string, format: hostname}}',
      '{a: a.example, b: a_b.example, c: a, d: a.1}',
      ['not-allowed /spec/b: the name of a host', 'not-allowed /spec/d: the name of a host'],
    ],
    [
      'addresses of mail',
      '{type: object, additionalProperties: {type: string, format: email}}',
      '{a: a@example.com, b: a.example.com}',
      ['not-allowed /spec/b: an address of mail'],
    ],
    [
      'a format that servers do not know',
      '{type: object, additionalProperties: {type: string, format: poem}}',
      '{a: b}',
      [],
    ],
    [
      'a list of items with keys',
      '{type: object, properties: {a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id], items: {type: object, properties: {id: {type: string}}}}}}',
      '{a: [{id: x}, {id: z}, {id: x}]}',
      ['duplicate /spec/a/2: id'],
    ],
    [
      'a set',
      '{type: object, properties: {a: {type: array, x-kubernetes-list-type: set, items: {type: string}}}}',
      '{a: [x, x]}',
      ['duplicate /spec/a/1'],
    ],
    [
      'one of two',
      '{type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]}',
      '{a: x, b: z}',
      ['not-allowed /spec: of exactly one of the forms that the schema lists (oneOf)'],
    ],
    [
      'any of two',
      '{type: object, properties: {a: {type: string}}, anyOf: [{required: [a]}, {properties: {a: {enum: [x]}}, required: [a]}]}',
      '{}',
      ['not-allowed /spec: of one of the forms that the schema lists (anyOf)'],
    ],
    [
      'all of them',
      '{type: object, properties: {a: {type: string}}, allOf: [{required: [a]}]}',
      '{}',
      ['missing /spec/a'],
    ],
    [
      'not that',
      '{type: object, properties: {a: {type: string}}, not: {required: [a]}}',
      '{a: b}',
      ['not-allowed /spec: other than what the schema excludes (not)'],
    ],
    [
      'an object in an object',
      '{type: object, properties: {a: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}',
      '{a: {kind: X, b: c}}',
      ['missing /spec/a/apiVersion'],
    ],
    [
      'a key of prototypes',
      '{type: object, properties: {__proto__: {type: integer}, constructor: {type: integer}}}',
      '{__proto__: a, constructor: b, toString: c}',
      [
        'wrong-type /spec/__proto__: an integer',
        'wrong-type /spec/constructor: an integer',
        'unknown-field /spec/toString',
      ],
    ],
  ])('%s', (_, schema, spec, problems) => {
    expect(problemsOf(thing(spec), [definition(schema)])).toEqual(problems)
  })

  test('metadata is as everywhere, and conditions on it count', () => {
    const schema = '{type: object}'
    const named = definition(schema).replace(
      'properties: {spec',
      'properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 3}}}, spec',
    )
    const text = thing('{}').replace('name: a', 'name: abcd, labels: {a: 1}, foo: b')
    expect(problemsOf(text, [named])).toEqual([
      'wrong-type /metadata/labels/a: text',
      'unknown-field /metadata/foo',
      'not-allowed /metadata/name: at most 3 characters',
    ])
  })

  test('a status counts where it is no resource of its own', () => {
    const schema = '{type: object}'
    expect(problemsOf(thing('{}', 'status: {}\n'), [definition(schema)])).toEqual(['missing /status/phase'])
    const apart = definition(schema, 'subresources: {status: {}}, ')
    expect(problemsOf(thing('{}', 'status: {}\n'), [apart])).toEqual([])
    expect(problemsOf(thing('{}', 'status: {phas: a}\n'), [apart])).toEqual(['unknown-field /status/phas: phase'])
  })

  test('a version that is not served', () => {
    expect(problemsOf(thing('{}').replace('example.com/v1', 'example.com/v0'), [definition('{type: object}')])).toEqual(
      ['other-versions'],
    )
  })

  test('an object with everything wrong is cut short', () => {
    const items = Array.from({ length: 1000 }, () => 'x').join(', ')
    const schema = '{type: object, properties: {a: {type: array, items: {type: integer}}}}'
    expect(problemsOf(thing(`{a: [${items}]}`), [definition(schema)])).toHaveLength(50)
  })
})
