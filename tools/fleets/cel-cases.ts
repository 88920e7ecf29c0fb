/**
 * Rules in CEL and policies with objects, and what an API server says of each: what `check` says is compared with it in
 * one test, what a real server says in another.
 */

/** An object of a kind that has rules. Specs are YAML in flow style. */
export interface RuleAnswer {
  readonly spec: string
  /** As it was before; absent: it is new. */
  readonly old?: string
  /** `field: message` of what is refused; `field: fails` for a rule that cannot be evaluated. None: it is taken. */
  readonly refused: readonly string[]
}

/** A kind whose `spec` has rules. */
export interface RuleCase {
  readonly name: string
  /** Of the spec, in flow style. */
  readonly schema: string
  readonly answers: readonly RuleAnswer[]
}

const rules = (...entries: readonly string[]): string => `x-kubernetes-validations: [${entries.join(', ')}]`
const rule = (expression: string, more = ''): string => `{rule: ${JSON.stringify(expression)}${more}}`
const object = (properties: string, ...of: readonly string[]): string =>
  `{type: object, properties: {${properties}}, ${rules(...of)}}`
const text = (name: string): string => `${name}: {type: string, maxLength: 40}`
const integer = (name: string): string => `${name}: {type: integer}`
const texts = (name: string): string => `${name}: {type: array, maxItems: 5, items: {type: string, maxLength: 20}}`
const integers = (name: string): string => `${name}: {type: array, maxItems: 5, items: {type: integer}}`

const ORDER = 'self.min <= self.max'
const DIVIDES = 'self.a / self.b == 1 || self.b < 1'
const BOTH = '!(self.b > 5 && self.a / self.b == 1)'
const SOME = 'self.list.exists(x, 10 / x == 5)'
const EVERY = '!self.list.all(x, 10 / x > 5)'
const NAMED = 'self.?tls.?name.orValue("none") != "none"'
const FIRST = 'self.?names[?0].orValue("a").startsWith("a")'
const PORT = 'type(self.port) == int ? int(self.port) > 0 : string(self.port).startsWith("p")'
const NAMES = 'self.a__dash__b == "1" && self.__namespace__ == "2" && self.c__dot__d == "3"'
const TIMES = 'self.since < timestamp("2030-01-01T00:00:00Z") && self.wait <= duration("1h")'
const LABELS = 'self.labels.all(k, v, k.startsWith("a") && v.size() > 1)'
const NETWORK = 'cidr(self.range).containsIP(self.ip) && url(self.url).getHostname() == "a.example"'
const SIZES = 'quantity(self.size).isGreaterThan(quantity("1Gi")) && semver(self.version).major() == 2'
const WORDS = 'self.word.matches("^[a-z]+$") && self.word.replace("a", "b").split("b").size() <= 2'
const SORTED = 'self.list.isSorted() && self.list.sum() > 3 && sets.contains(self.list, [2])'
const MESSAGE = `, message: "the same", messageExpression: "'a is ' + self.a"`

/** Kinds without a value before. */
export const ruleCases: readonly RuleCase[] = [
  {
    name: 'defaults',
    schema: object('min: {type: integer}, max: {type: integer, default: 5}', rule(`!has(self.min) || ${ORDER}`)),
    answers: [
      { spec: '{min: 3}', refused: [] },
      { spec: '{}', refused: [] },
      { spec: '{min: 7, max: 8}', refused: [] },
      { spec: '{min: 7}', refused: [`spec: failed rule: !has(self.min) || ${ORDER}`] },
      { spec: '{min: 1, max: -1}', refused: [`spec: failed rule: !has(self.min) || ${ORDER}`] },
    ],
  },
  {
    name: 'errors that are absorbed',
    schema: object([integer('a'), integer('b')].join(', '), rule(DIVIDES), rule(BOTH)),
    answers: [
      { spec: '{a: 1, b: 0}', refused: [] },
      { spec: '{a: 1, b: 1}', refused: [] },
      { spec: '{a: 3, b: 1}', refused: [`spec: failed rule: ${DIVIDES}`] },
      { spec: '{a: 7, b: 7}', refused: [`spec: failed rule: ${BOTH}`] },
      { spec: '{b: 0}', refused: [] },
      { spec: '{b: 1}', refused: ['spec: fails'] },
      { spec: '{b: 9}', refused: ['spec: fails', 'spec: fails'] },
    ],
  },
  {
    name: 'errors in loops',
    schema: object(integers('list'), rule(SOME), rule(EVERY)),
    answers: [
      { spec: '{list: [0, 2]}', refused: [] },
      { spec: '{list: [2]}', refused: [] },
      { spec: '{list: [2, 0, 9]}', refused: [] },
      { spec: '{list: [0]}', refused: ['spec: fails', 'spec: fails'] },
      { spec: '{list: []}', refused: [`spec: failed rule: ${SOME}`, `spec: failed rule: ${EVERY}`] },
      { spec: '{list: [3]}', refused: [`spec: failed rule: ${SOME}`] },
    ],
  },
  {
    name: 'optional values',
    schema: object(`tls: {type: object, properties: {${text('name')}}}, ${texts('names')}`, rule(NAMED), rule(FIRST)),
    answers: [
      { spec: '{tls: {name: a}}', refused: [] },
      { spec: '{tls: {}}', refused: [`spec: failed rule: ${NAMED}`] },
      { spec: '{names: [b]}', refused: [`spec: failed rule: ${NAMED}`, `spec: failed rule: ${FIRST}`] },
      { spec: '{tls: {name: a}, names: [ab]}', refused: [] },
      { spec: '{tls: {name: a}, names: []}', refused: [] },
    ],
  },
  {
    name: 'integers or texts',
    schema: object('port: {x-kubernetes-int-or-string: true}', rule(PORT)),
    answers: [
      { spec: '{port: 1}', refused: [] },
      { spec: '{port: pop}', refused: [] },
      { spec: '{port: 0}', refused: [`spec: failed rule: ${PORT}`] },
      { spec: '{port: "1"}', refused: [`spec: failed rule: ${PORT}`] },
    ],
  },
  {
    name: 'names that are escaped',
    schema: object(['a-b', 'namespace', 'c.d'].map(text).join(', '), rule(NAMES)),
    answers: [
      { spec: '{a-b: "1", namespace: "2", c.d: "3"}', refused: [] },
      { spec: '{a-b: "2", namespace: "2", c.d: "3"}', refused: [`spec: failed rule: ${NAMES}`] },
      { spec: '{namespace: "2", c.d: "3"}', refused: ['spec: fails'] },
    ],
  },
  {
    name: 'characters, numbers and times as cel-go has them',
    schema: object(
      text('word'),
      ...[
        'self.word.charAt(1) == "x"',
        'self.word.split("").size() == 2',
        'dyn(1u) == dyn(self.word.size() - 1)',
        'string(1000000.0) == "1e+06"',
        'int(duration("1ms")) == 1000000',
        'timestamp(5) == timestamp("1970-01-01T00:00:05Z")',
        'timestamp("2024-02-29T23:59:59Z").getDate("UTC") == 29',
        'timestamp("2024-02-29T23:59:59Z").getDayOfWeek("+02:00") == 5',
        '{?"a": optional.none(), ?"b": optional.of(1)}.size() == 1',
      ].map((one) => rule(one)),
    ),
    answers: [
      { spec: '{word: "\u{1F600}x"}', refused: [] },
      {
        spec: '{word: ax}',
        refused: [],
      },
      {
        spec: '{word: "\u{1F600}"}',
        refused: [
          'spec: failed rule: self.word.charAt(1) == "x"',
          'spec: failed rule: self.word.split("").size() == 2',
          'spec: failed rule: dyn(1u) == dyn(self.word.size() - 1)',
        ],
      },
    ],
  },
  {
    name: 'times',
    schema: object('since: {type: string, format: date-time}, wait: {type: string, format: duration}', rule(TIMES)),
    answers: [
      { spec: '{since: "2029-01-01T00:00:00Z", wait: 59m}', refused: [] },
      { spec: '{since: "2031-01-01T00:00:00Z", wait: 59m}', refused: [`spec: failed rule: ${TIMES}`] },
      { spec: '{since: "2029-01-01T00:00:00Z", wait: 61m}', refused: [`spec: failed rule: ${TIMES}`] },
    ],
  },
  {
    name: 'maps, with two variables',
    schema: object(
      'labels: {type: object, maxProperties: 5, additionalProperties: {type: string, maxLength: 9}}',
      rule(LABELS),
    ),
    answers: [
      { spec: '{labels: {ab: cd, ac: de}}', refused: [] },
      { spec: '{labels: {}}', refused: [] },
      { spec: '{labels: {ab: c}}', refused: [`spec: failed rule: ${LABELS}`] },
      { spec: '{labels: {b: cd}}', refused: [`spec: failed rule: ${LABELS}`] },
    ],
  },
  {
    name: 'addresses',
    schema: object(['range', 'ip', 'url'].map(text).join(', '), rule(NETWORK)),
    answers: [
      { spec: '{range: 10.0.0.0/8, ip: 10.1.2.3, url: "https://a.example:1/b"}', refused: [] },
      { spec: '{range: "fd00::/8", ip: "fd00::1", url: "https://a.example"}', refused: [] },
      {
        spec: '{range: 10.0.0.0/8, ip: 11.1.2.3, url: "https://a.example"}',
        refused: [`spec: failed rule: ${NETWORK}`],
      },
      {
        spec: '{range: 10.0.0.0/8, ip: 10.1.2.3, url: "https://b.example"}',
        refused: [`spec: failed rule: ${NETWORK}`],
      },
      { spec: '{range: 10.0.0.0, ip: 10.1.2.3, url: "https://a.example"}', refused: ['spec: fails'] },
    ],
  },
  {
    name: 'quantities and versions',
    schema: object(['size', 'version'].map(text).join(', '), rule(SIZES)),
    answers: [
      { spec: '{size: 2Gi, version: 2.0.1}', refused: [] },
      { spec: '{size: 1024Mi, version: 2.0.1}', refused: [`spec: failed rule: ${SIZES}`] },
      { spec: '{size: 2G, version: 3.0.0}', refused: [`spec: failed rule: ${SIZES}`] },
      { spec: '{size: 2 Gi, version: 2.0.0}', refused: ['spec: fails'] },
      { spec: '{size: 2Gi, version: v2}', refused: ['spec: fails'] },
    ],
  },
  {
    name: 'texts and lists',
    schema: object(`${text('word')}, ${integers('list')}`, rule(WORDS), rule(SORTED)),
    answers: [
      { spec: '{word: cat, list: [1, 2, 3]}', refused: [] },
      { spec: '{word: banana, list: [2, 2]}', refused: [`spec: failed rule: ${WORDS}`] },
      { spec: '{word: Cat, list: [2, 1]}', refused: [`spec: failed rule: ${WORDS}`, `spec: failed rule: ${SORTED}`] },
      { spec: '{word: cat, list: [4]}', refused: [`spec: failed rule: ${SORTED}`] },
    ],
  },
  {
    name: 'messages and fields',
    schema: object(
      text('a'),
      rule('self.a != "x"', `${MESSAGE}, fieldPath: .a`),
      rule('self.a != "w" || self.a == "x"', `, messageExpression: "[self.a][1]", message: "the second"`),
      rule('self.a != "z"', `, messageExpression: "''", message: "the third"`),
    ),
    answers: [
      { spec: '{a: a}', refused: [] },
      { spec: '{a: x}', refused: ['spec.a: a is x'] },
      { spec: '{a: w}', refused: ['spec: the second'] },
      { spec: '{a: z}', refused: ['spec: the third'] },
    ],
  },
  {
    name: 'rules of items',
    schema: `{type: object, properties: {${integer('a')}, list: {type: array, maxItems: 4, items: ${object(integer('port'), rule('self.port > 0'))}}}}`,
    answers: [
      { spec: '{a: 2, list: [{port: 1}]}', refused: [] },
      { spec: '{list: [{port: 1}, {port: 0}]}', refused: ['spec.list[1]: failed rule: self.port > 0'] },
    ],
  },
]

const SAME = 'self == oldSelf'
const GROWS = 'self.size >= oldSelf.size'
const MAYBE = 'oldSelf.hasValue() ? self.mode == oldSelf.value().mode : self.mode == "new"'
const GONE = '!has(oldSelf.a) || has(self.a)'

/** Kinds with rules that compare with the value before. */
export const changeCases: readonly RuleCase[] = [
  {
    name: 'a value that stays',
    schema: `{type: object, properties: {id: {type: string, maxLength: 9, ${rules(rule(SAME))}}, a: {type: string}}, ${rules(rule(GONE))}}`,
    answers: [
      { old: '{id: a, a: x}', spec: '{id: a, a: z}', refused: [] },
      { old: '{id: a}', spec: '{id: b}', refused: [`spec.id: failed rule: ${SAME}`] },
      { old: '{a: x}', spec: '{id: b, a: x}', refused: [] },
      { old: '{id: a, a: x}', spec: '{id: a}', refused: [`spec: failed rule: ${GONE}`] },
    ],
  },
  {
    name: 'items of a list with keys, and of one without',
    schema: `{type: object, properties: {list: {type: array, maxItems: 4, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, required: [name], properties: {${text('name')}, ${integer('size')}}, ${rules(rule(GROWS))}}}, plain: {type: array, maxItems: 4, items: {type: integer}}}}`,
    answers: [
      {
        old: '{list: [{name: a, size: 2}, {name: b, size: 3}]}',
        spec: '{list: [{name: b, size: 3}, {name: a, size: 2}]}',
        refused: [],
      },
      { old: '{list: [{name: a, size: 2}]}', spec: '{list: [{name: c, size: 1}]}', refused: [] },
      {
        old: '{list: [{name: a, size: 2}]}',
        spec: '{list: [{name: c, size: 9}, {name: a, size: 1}]}',
        refused: [`spec.list[1]: failed rule: ${GROWS}`],
      },
    ],
  },
  {
    name: 'a value that may not have been',
    schema: object(text('mode'), rule(MAYBE, ', optionalOldSelf: true')),
    answers: [
      { spec: '{mode: new}', refused: [] },
      { spec: '{mode: old}', refused: [`spec: failed rule: ${MAYBE}`] },
      { old: '{mode: new}', spec: '{mode: new}', refused: [] },
      { old: '{mode: new}', spec: '{mode: old}', refused: [`spec: failed rule: ${MAYBE}`] },
    ],
  },
]

/** An object that a policy is asked of, and what it says: messages, or `fails` where an expression cannot be evaluated. */
export interface PolicyAnswer {
  /** In flow style; the label `case` is added, which the binding chooses it by. */
  readonly object: string
  readonly old?: string
  readonly says: readonly string[]
  /** Why there is no verdict without a server. */
  readonly unknown?: string
}

/** A policy with its binding. Specs are YAML in flow style. */
export interface PolicyCase {
  readonly name: string
  /** Of the policy, without `matchConstraints` where it is asked of everything. */
  readonly spec: string
  /** Of the binding, besides. */
  readonly binding?: string
  /** True for one that the server refuses: `check` says so, and evaluates none of it. */
  readonly isRefused?: true
  readonly answers: readonly PolicyAnswer[]
}

/** Objects that are there before, with the policies. */
export const policySurroundings: readonly string[] = [
  '{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {stage: prod}}}',
  '{apiVersion: v1, kind: ConfigMap, metadata: {name: few, namespace: default}, data: {most: "6"}}',
  '{apiVersion: v1, kind: ConfigMap, metadata: {name: few, namespace: shop, labels: {of: shop}}, data: {most: "3"}}',
  '{apiVersion: v1, kind: ConfigMap, metadata: {name: more, namespace: shop, labels: {of: shop}}, data: {most: "4"}}',
]

const map = '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}, data: {a: b}}'
const other = '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}, data: {a: b}}'
const role = '{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}, rules: []}'
const deployment =
  '{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: shop}, spec: {replicas: 5, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: "i:1"}]}}}}'
const pod =
  '{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}, spec: {containers: [{name: c, image: "i:1"}]}}'
const webhooks =
  '{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: a}, webhooks: []}'
const FALSE = 'validations: [{expression: "false", message: asked}]'
const only = (group: string, resource: string): string =>
  `matchConstraints: {resourceRules: [{apiGroups: ["${group}"], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [${resource}]}]}`
const says = (expression: string): string =>
  `validations: [{expression: "false", messageExpression: ${JSON.stringify(expression)}}]`
const validates = (...expressions: readonly string[]): string =>
  `validations: [${expressions.map((expression) => `{expression: ${JSON.stringify(expression)}}`).join(', ')}]`
const failed = (expression: string): string => `failed expression: ${expression}`
const params = ', paramKind: {apiVersion: v1, kind: ConfigMap}'

/** See {@link PolicyCase}. */
export const policyCases: readonly PolicyCase[] = [
  {
    name: 'absorbed',
    spec: `variables: [{name: v, expression: object.nothing}, {name: w, expression: "variables.v == 1"}], ${validates('variables.v == 1 || true', 'variables.w && false', 'variables.w || false', '[1, 2].exists(x, x == 2 || variables.w)')}`,
    answers: [{ object: map, says: [failed('variables.w && false'), 'fails'] }],
  },
  {
    name: 'conditions',
    spec: `matchConditions: [{name: a, expression: "object.nothing == 1"}, {name: b, expression: "false"}], ${FALSE}`,
    answers: [{ object: map, says: [] }],
  },
  {
    name: 'condition-fails',
    spec: `matchConditions: [{name: a, expression: "object.nothing == 1"}, {name: b, expression: "true"}], ${FALSE}`,
    answers: [{ object: map, says: ['fails'] }],
  },
  {
    name: 'condition-ignored',
    spec: `failurePolicy: Ignore, matchConditions: [{name: a, expression: "object.nothing == 1"}], ${FALSE}`,
    answers: [{ object: map, says: [] }],
  },
  {
    name: 'condition-namespace',
    spec: `matchConditions: [{name: a, expression: "namespaceObject == null && oldObject == null"}], ${FALSE}`,
    answers: [{ object: map, says: ['asked'] }],
  },
  {
    name: 'condition-variable',
    spec: `variables: [{name: v, expression: "true"}], matchConditions: [{name: a, expression: "variables.v"}], ${FALSE}`,
    isRefused: true,
    answers: [{ object: map, says: [] }],
  },
  {
    name: 'binds',
    spec: validates('cel.bind(x, object.metadata.name, x != "a")'),
    isRefused: true,
    answers: [{ object: map, says: [] }],
  },
  {
    name: 'ignored',
    spec: `failurePolicy: Ignore, ${validates('object.nothing == 1', 'object.data.a != "b"')}`,
    answers: [{ object: map, says: [failed('object.data.a != "b"')] }],
  },
  {
    name: 'messages',
    spec: `validations: [{expression: "false", messageExpression: "string(1 / 0)", message: " first "}, {expression: "false", messageExpression: "'a\\\\nb'"}, {expression: "false", messageExpression: "'  '", message: third}, {expression: "false", messageExpression: "object.metadata.name + '!'", message: fourth}]`,
    answers: [{ object: map, says: ['first', 'failed expression: false', 'third', 'a!'] }],
  },
  {
    name: 'parameter',
    spec: `${validates('object.spec.replicas <= int(params.data.most)')}${params}`,
    binding: ', paramRef: {name: few, namespace: default, parameterNotFoundAction: Deny}',
    answers: [
      { object: deployment, says: [] },
      {
        object: deployment.replace('replicas: 5', 'replicas: 7'),
        says: [failed('object.spec.replicas <= int(params.data.most)')],
      },
    ],
  },
  {
    name: 'parameters',
    spec: `${says("object.kind + ' ' + params.metadata.name")}${params}`,
    binding: ', paramRef: {selector: {matchLabels: {of: shop}}, parameterNotFoundAction: Deny}',
    answers: [{ object: map, says: ['ConfigMap few', 'ConfigMap more'] }],
  },
  {
    name: 'own-parameter',
    spec: `${says("'of ' + params.metadata.namespace")}${params}`,
    binding: ', paramRef: {name: few, parameterNotFoundAction: Allow}',
    answers: [
      { object: map, says: ['of shop'] },
      { object: other, says: ['of default'] },
    ],
  },
  {
    name: 'no-parameter',
    spec: `${FALSE}${params}`,
    binding: ', paramRef: {name: none, namespace: default, parameterNotFoundAction: Allow}',
    answers: [{ object: map, says: [], unknown: 'its parameters (ConfigMap none) are not in the tree' }],
  },
  {
    name: 'no-reference',
    spec: `${validates('params == null', 'params != null')}${params}`,
    answers: [{ object: map, says: [failed('params != null')] }],
  },
  {
    name: 'annotations',
    spec: `${validates('true')}, auditAnnotations: [{key: a, valueExpression: "'name: ' + object.metadata.name"}, {key: b, valueExpression: "null"}]`,
    answers: [{ object: map, says: [] }],
  },
  {
    name: 'namespace',
    spec: says("namespaceObject.metadata.labels.stage + ' ' + namespaceObject.metadata.name"),
    answers: [{ object: map, says: ['prod shop'] }],
  },
  {
    name: 'no-namespace',
    spec: validates('namespaceObject != null'),
    answers: [
      { object: role, says: [failed('namespaceObject != null')] },
      { object: map, says: [] },
    ],
  },
  {
    name: 'unknown-namespace',
    spec: validates('"stage" in namespaceObject.metadata.labels', 'namespaceObject.metadata.name == "default"'),
    answers: [
      {
        object: other,
        says: [failed('"stage" in namespaceObject.metadata.labels')],
        unknown: 'it depends on a namespace that is not in the tree',
      },
    ],
  },
  {
    name: 'selected-namespace',
    spec: FALSE,
    binding:
      ', matchResources: {objectSelector: {matchLabels: {case: selected-namespace}}, namespaceSelector: {matchLabels: {stage: prod}}}',
    answers: [
      { object: map, says: ['asked'] },
      { object: role, says: ['asked'] },
      { object: other, says: [], unknown: 'the labels of the namespace are not in the tree' },
      { object: '{apiVersion: v1, kind: Namespace, metadata: {name: fresh, labels: {stage: test}}}', says: [] },
      { object: '{apiVersion: v1, kind: Namespace, metadata: {name: fresh, labels: {stage: prod}}}', says: ['asked'] },
    ],
  },
  {
    name: 'request',
    spec: says(
      "request.operation + ' ' + (has(request.namespace) ? request.namespace : 'none') + ' ' + request.name + ' ' + request.resource.resource + ' ' + request.kind.kind + (has(request.subResource) ? ' sub' : '')",
    ),
    answers: [
      { object: map, says: ['CREATE shop a configmaps ConfigMap'] },
      { object: role, says: ['CREATE none a clusterroles ClusterRole'] },
      { object: webhooks, says: ['CREATE none a validatingwebhookconfigurations ValidatingWebhookConfiguration'] },
      {
        object: '{apiVersion: v1, kind: Namespace, metadata: {name: fresh}}',
        says: ['CREATE fresh fresh namespaces Namespace'],
      },
    ],
  },
  {
    name: 'who',
    spec: validates(
      'request.userInfo.username != "nobody"',
      'object.metadata.name == "a" || request.userInfo.username == "x"',
    ),
    answers: [{ object: map, says: [], unknown: 'it depends on who applies the object, and how' }],
  },
  {
    name: 'rights',
    spec: validates('!authorizer.group("").resource("pods").check("get").allowed()'),
    answers: [
      {
        object: map,
        says: [failed('!authorizer.group("").resource("pods").check("get").allowed()')],
        unknown: 'it asks who may do what (authorizer): !authorizer.group("").resource("pods").check("get").allowed()',
      },
    ],
  },
  {
    name: 'set-by-server',
    spec: validates('!has(object.metadata.uid)', 'has(object.metadata.labels) && !has(object.metadata.annotations)'),
    answers: [
      {
        object: map,
        says: [failed('!has(object.metadata.uid)')],
        unknown: 'it depends on a field that the API server sets',
      },
    ],
  },
  {
    name: 'changes',
    spec: validates('oldObject == null || oldObject.data.a == object.data.a'),
    answers: [
      { object: map, says: [] },
      { object: map, old: map, says: [] },
      {
        object: map.replace('a: b}}', 'a: c}}'),
        old: map,
        says: [failed('oldObject == null || oldObject.data.a == object.data.a')],
      },
    ],
  },
  {
    name: 'loses-label',
    spec: FALSE,
    binding: ', matchResources: {objectSelector: {matchLabels: {tier: web}}}',
    answers: [
      { object: map, old: map.replace('namespace: shop', 'namespace: shop, labels: {tier: web}'), says: ['asked'] },
      { object: map, says: [] },
      { object: map.replace('namespace: shop', 'namespace: shop, labels: {tier: web}'), old: map, says: ['asked'] },
    ],
  },
  {
    name: 'pods',
    spec: `${only('', 'pods')}, ${FALSE}`,
    answers: [
      { object: deployment, says: [] },
      {
        object: pod,
        says: ['asked'],
      },
    ],
  },
  {
    name: 'defaults',
    spec: validates(
      'object.kind != "Deployment" || (!has(object.spec.template.spec.containers[0].resources.requests) && object.spec.strategy.type == "RollingUpdate")',
      'object.kind != "Pod" || object.spec.containers[0].resources.requests.cpu == "1"',
      'object.kind != "ClusterRole" || object.rules.all(r, false)',
      '!has(object.metadata.annotations) && (object.kind != "ConfigMap" || !has(object.data))',
    ),
    answers: [
      { object: deployment.replace('image: "i:1"', 'image: "i:1", resources: {limits: {cpu: "1"}}'), says: [] },
      { object: pod.replace('image: "i:1"', 'image: "i:1", resources: {limits: {cpu: "1"}}'), says: [] },
      { object: role, says: [] },
      { object: map.replace('namespace: shop', 'namespace: shop, annotations: {}').replace('{a: b}', '{}'), says: [] },
    ],
  },
  {
    name: 'excluded',
    spec: `matchConstraints: {resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}], excludeResourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps], resourceNames: [a]}]}, ${FALSE}`,
    answers: [
      { object: map, says: [] },
      { object: map.replace('name: a', 'name: b'), says: ['asked'] },
      { object: role, says: ['asked'] },
    ],
  },
]

/** The policy and the binding of a case, in flow style. */
export function policyObjects({ name, spec, binding = '' }: PolicyCase): readonly string[] {
  const api = 'apiVersion: admissionregistration.k8s.io/v1'
  const everything =
    'matchConstraints: {resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]}, '
  const chosen = binding.includes('matchResources:')
    ? binding
    : `, matchResources: {objectSelector: {matchLabels: {case: ${name}}}}${binding}`
  return [
    `{${api}, kind: ValidatingAdmissionPolicy, metadata: {name: ${name}}, spec: {${spec.startsWith('matchConstraints') ? '' : everything}${spec}}}`,
    `{${api}, kind: ValidatingAdmissionPolicyBinding, metadata: {name: ${name}}, spec: {policyName: ${name}, validationActions: [Warn]${chosen}}}`,
  ]
}

/** The definition of the kind of a case. */
export function caseDefinition({ schema }: RuleCase, index: number): string {
  const [kind, plural] = [caseKind(index), `case${String(index)}s`]
  return `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: ${plural}.cases.example.com}, spec: {group: cases.example.com, names: {kind: ${kind}, plural: ${plural}}, scope: Namespaced, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: ${schema}}}}}]}}`
}

/** An object of it. */
export function caseObject(index: number, spec: string, name: string): string {
  return `{apiVersion: cases.example.com/v1, kind: ${caseKind(index)}, metadata: {name: ${name}, namespace: default}, spec: ${spec}}`
}

function caseKind(index: number): string {
  return `Case${String(index)}`
}
