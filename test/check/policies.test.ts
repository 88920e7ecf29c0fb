import { readFileSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lab, labFleet } from '../../tools/fleets/lab-fleet.ts'
import { packageFolder } from '../cli/run-cli.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { checkFleet, checkLab, type LabRow } from './check-lab.ts'

const TEMPLATE = lab.template
const OF = '[team/one web]'
const CORRECT = 'Correct the object as the policy says, or exempt it in the policy or its binding.'
const TRY = 'Try the object on a server that has the policy: `kubectl apply --dry-run=server`.'

interface Wanted {
  /** Of `spec` of the policy, besides. */
  readonly policy?: string
  readonly match?: string
  readonly validations: string
  /** Of `spec` of the binding, besides. */
  readonly binding?: string
}

/** A policy and its binding. */
function policy({ policy: more = '', match, validations, binding = 'validationActions: [Deny]' }: Wanted): string {
  const constraints =
    match ??
    '{resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}]}'
  return `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few}
spec: {matchConstraints: ${constraints}, validations: [${validations}]${more}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few}
spec: {policyName: few, ${binding}}
`
}
const EVERYTHING =
  '{resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: [deployments, namespaces, clusterroles]}]}'
const role = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: reader}\nrules: []\n'
const few = '{expression: "object.spec.replicas <= 5"}'

const deployment = (replicas = '', more = ''): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "a.example/web:1"}]}
${replicas}${more}`
const MANY = '  replicas: 7\n'
const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {stage: prod}}\n'

/** The lab with objects in its chart, and what is in `policies/`. */
const given = (policies: string, ...objects: readonly string[]): LabRow['files'] => ({
  [TEMPLATE]: [namespace, ...objects].join('---\n'),
  'policies/few.yaml': policies,
})
const denied = (message: string, severity = 'error'): string =>
  `${severity} POLICY_DENIED ${TEMPLATE}:6:7 Deployment shop/web: the policy few refuses it: ${message} ${OF} → ${CORRECT}`
const unasked = (reason: string): string =>
  `warning POLICY_NOT_EVALUATED policies/few.yaml:3:18 the policy few is not evaluated, because ${reason} (1 object) [] → ${TRY}`

const rows: readonly LabRow[] = [
  { name: 'a policy that is content', files: given(policy({ validations: few }), deployment()), found: [] },
  {
    name: 'a policy that refuses',
    files: given(policy({ validations: few }), deployment(MANY)),
    found: [denied('failed expression: object.spec.replicas <= 5')],
  },
  {
    name: 'a policy among the objects of the cluster',
    files: { [TEMPLATE]: [namespace, deployment(MANY), policy({ validations: few })].join('---\n') },
    found: [denied('failed expression: object.spec.replicas <= 5')],
  },
  {
    name: 'a policy without a binding, and a binding without a policy',
    files: given(policy({ validations: few }).replace('policyName: few', 'policyName: fews'), deployment(MANY)),
    found: [
      'error POLICY_INVALID policies/few.yaml:9:20 ValidatingAdmissionPolicyBinding few binds the policy fews, which is nowhere [] → Did you mean few?',
      'warning POLICY_INVALID policies/few.yaml:3:18 ValidatingAdmissionPolicy few is asked of nothing: no ValidatingAdmissionPolicyBinding names it [] → Write a binding with this `policyName`, or correct the name in its binding.',
    ],
  },
  {
    name: 'a policy and a binding that are there twice',
    files: {
      ...given(policy({ validations: few }), deployment()),
      'policies/zz.yaml': policy({ validations: '{expression: "true"}' }),
    },
    found: ['ValidatingAdmissionPolicy few', 'ValidatingAdmissionPolicyBinding few'].map(
      (what, index) =>
        `error POLICY_INVALID policies/zz.yaml:${index === 0 ? '3:18' : '8:18'} ${what} is there twice, and only one of the two would be applied [] → Give it another name, or remove one of them.`,
    ),
  },
  {
    name: 'policies of one name for management and for workload clusters',
    files: {
      [TEMPLATE]: [namespace, deployment()].join('---\n'),
      'policies/management/few.yaml': policy({ validations: few }),
      'policies/workload/few.yaml': policy({ validations: few }),
    },
    found: [],
  },
  {
    name: 'a binding whose policy an addon brings',
    files: {
      [TEMPLATE]: [namespace, deployment(MANY), policy({ validations: few }).split('---\n')[0] ?? ''].join('---\n'),
      'policies/few.yaml': policy({ validations: few }).split('---\n')[1] ?? '',
    },
    found: [denied('failed expression: object.spec.replicas <= 5')],
  },
  {
    name: 'a policy that may fail, and cannot be evaluated',
    files: given(
      policy({
        validations: '{expression: "request.userInfo.username == object.kind"}',
        policy: ', failurePolicy: Ignore',
      }),
      deployment(),
    ),
    found: [
      `note POLICY_NOT_EVALUATED policies/few.yaml:3:18 the policy few is not evaluated, because it depends on who applies the object, and how (1 object) [] → ${TRY}`,
    ],
  },
  {
    name: 'policies for management clusters only',
    files: {
      [TEMPLATE]: [namespace, deployment(MANY)].join('---\n'),
      'policies/management/few.yaml': policy({ validations: few }),
    },
    found: [],
  },
  {
    name: 'policies for workload clusters only',
    files: {
      [TEMPLATE]: [namespace, deployment(MANY)].join('---\n'),
      'policies/workload/few.yaml': policy({ validations: few }),
    },
    found: [denied('failed expression: object.spec.replicas <= 5')],
  },
  {
    name: 'a policy about the management cluster',
    files: {
      'policies/few.yaml': policy({
        match:
          '{resourceRules: [{apiGroups: [cluster.x-k8s.io], apiVersions: ["*"], operations: ["*"], resources: [clusters]}]}',
        validations:
          '{expression: "has(object.metadata.labels) && \'team\' in object.metadata.labels", message: say whose it is}',
      }),
    },
    found: [
      `error POLICY_DENIED ${lab.cluster}:2:7 Cluster team/one: the policy few refuses it: say whose it is [team/one] → ${CORRECT}`,
    ],
  },
  {
    name: 'fields of the request that an object of the cluster does not have, and a namespace, which is in itself',
    files: given(
      policy({
        match: EVERYTHING,
        validations:
          '{expression: "has(request.namespace) ? request.namespace == (object.kind == \'Namespace\' ? object.metadata.name : object.metadata.namespace) : object.kind == \'ClusterRole\'"}, {expression: "!has(request.subResource) && !has(request.requestSubResource)"}',
      }),
      deployment(),
      role,
    ),
    found: [],
  },
  {
    name: 'actions: a warning',
    files: given(policy({ validations: few, binding: 'validationActions: [Warn, Audit]' }), deployment(MANY)),
    found: [denied('failed expression: object.spec.replicas <= 5', 'warning')],
  },
  {
    name: 'actions: an audit, and an annotation that cannot be evaluated',
    files: given(
      policy({
        policy: ', auditAnnotations: [{key: a, valueExpression: string(object.nothing)}]',
        validations: few,
        binding: 'validationActions: [Audit]',
      }),
      deployment(),
    ),
    found: [denied('string(object.nothing) cannot be evaluated: there is no field nothing')],
  },
  {
    name: 'maps and lists that API servers leave out, and structures that they keep',
    files: given(
      policy({
        match: EVERYTHING,
        validations:
          '{expression: "!has(object.metadata.annotations)"}, {expression: "object.kind != \'Deployment\' || (!has(object.spec.template.spec.nodeSelector) && has(object.spec.template.spec.volumes[0].emptyDir))"}',
      }),
      deployment('', '      nodeSelector: {}\n      volumes: [{name: a, emptyDir: {}}]\n')
        .replace('labels: {app: web}}\nspec', 'labels: {app: web}, annotations: {}}\nspec')
        .replace(
          'spec: {containers: [{name: web, image: "a.example/web:1"}]}',
          'spec:\n      containers: [{name: web, image: "a.example/web:1"}]',
        ),
    ),
    found: [],
  },
  {
    name: 'actions: an audit',
    files: given(policy({ validations: few, binding: 'validationActions: [Audit]' }), deployment(MANY)),
    found: [denied('failed expression: object.spec.replicas <= 5', 'note')],
  },
  {
    name: 'messages: an expression, with variables that lead to others',
    files: given(
      policy({
        policy:
          ', variables: [{name: most, expression: "5"}, {name: over, expression: "object.spec.replicas - variables.most"}, {name: broken, expression: "object.nothing"}]',
        validations: `{expression: "variables.over <= 0", messageExpression: "string(variables.over) + ' too many'"}`,
      }),
      deployment(MANY),
    ),
    found: [denied('2 too many')],
  },
  {
    name: 'selectors of objects and namespaces that do not take it in',
    files: given(
      policy({
        match:
          '{objectSelector: {matchLabels: {app: other}}, resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]}',
        validations: '{expression: "false"}',
      }) +
        '---\n' +
        policy({
          match:
            '{namespaceSelector: {matchExpressions: [{key: stage, operator: NotIn, values: [prod]}]}, resourceRules: [{apiGroups: [apps], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]}',
          validations: '{expression: "false"}',
        }).replaceAll('few', 'many'),
      deployment(MANY),
    ),
    found: [],
  },
  {
    name: 'a namespace by its label, and one that is excluded by the binding',
    files: given(
      policy({
        validations: few,
        binding: 'validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {stage: prod}}}',
      }),
      deployment(MANY),
    ),
    found: [denied('failed expression: object.spec.replicas <= 5')],
  },
  {
    name: 'rules that exclude, conditions that do not hold',
    files: given(
      policy({
        match:
          '{excludeResourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: ["*"], resources: [deployments], resourceNames: [web]}], resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: ["*"], resources: [deployments]}]}',
        validations: few,
      }) +
        '---\n' +
        policy({
          policy: ', matchConditions: [{name: a, expression: "object.metadata.name != \'web\'"}]',
          validations: few,
        }).replaceAll('few', 'many'),
      deployment(MANY),
    ),
    found: [],
  },
  {
    name: 'an expression that fails',
    files: given(policy({ validations: '{expression: "object.spec.paused == true"}' }), deployment()),
    found: [denied('object.spec.paused == true cannot be evaluated: there is no field paused')],
  },
  {
    name: 'an expression that may fail',
    files: given(
      policy({ policy: ', failurePolicy: Ignore', validations: '{expression: "object.spec.paused == true"}' }),
      deployment(),
    ),
    found: [],
  },
  {
    name: 'parameters of the folder',
    files: given(
      policy({
        policy: ', paramKind: {apiVersion: v1, kind: ConfigMap}',
        validations: '{expression: "object.spec.replicas <= int(params.data.most)"}',
        binding: 'validationActions: [Deny], paramRef: {name: few, namespace: default, parameterNotFoundAction: Deny}',
      }) + '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: few, namespace: default}\ndata: {most: "6"}\n',
      deployment(MANY),
    ),
    found: [denied('failed expression: object.spec.replicas <= int(params.data.most)')],
  },
  {
    name: 'parameters that are not in the tree',
    files: given(
      policy({
        policy: ', paramKind: {apiVersion: v1, kind: ConfigMap}',
        validations: '{expression: "object.spec.replicas <= int(params.data.most)"}',
        binding: 'validationActions: [Deny], paramRef: {name: few, namespace: default, parameterNotFoundAction: Deny}',
      }),
      deployment(MANY),
    ),
    found: [unasked('its parameters (ConfigMap few) are not in the tree')],
  },
  {
    name: 'who asks',
    files: given(policy({ validations: `{expression: "request.userInfo.username == 'admin'"}` }), deployment()),
    found: [unasked('it depends on who applies the object, and how')],
  },
  {
    name: 'who may do what',
    files: given(
      policy({
        validations: `{expression: "authorizer.group('apps').resource('deployments').check('create').allowed()"}`,
      }),
      deployment(),
    ),
    found: [
      unasked(
        "it asks who may do what (authorizer): authorizer.group('apps').resource('deployments').check('create').allowed()",
      ),
    ],
  },
  {
    name: 'operations that a new object does not have',
    files: given(
      policy({
        match:
          '{resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [UPDATE, DELETE], resources: [deployments]}]}',
        validations: '{expression: "false"}',
      }),
      deployment(),
    ),
    found: [],
  },
  {
    name: 'too much work',
    files: given(
      policy({
        policy: ', variables: [{name: l, expression: "[1, 2, 3, 4, 5, 6, 7, 8, 9]"}]',
        validations:
          '{expression: "variables.l.all(a, variables.l.all(b, variables.l.all(c, variables.l.all(d, variables.l.all(e, variables.l.all(f, f > 0))))))"}',
      }),
      deployment(),
    ),
    found: [
      unasked(
        'it takes too much work: variables.l.all(a, variables.l.all(b, variables.l.all(c, variables.l.all(d, variables.l.all(e, variables.l.all(f, f > 0))))))',
      ),
    ],
  },
  {
    name: 'another version of the kind',
    files: given(
      policy({
        match:
          '{resourceRules: [{apiGroups: [apps], apiVersions: [v1beta1], operations: ["*"], resources: [deployments]}]}',
        validations: few,
      }),
      deployment(MANY),
    ),
    found: [unasked('it is asked of another version of the kind')],
  },
]

/** Messages about a Secret: what is made of its data is not shown. */
const secretRows: readonly LabRow[] = (
  [
    ['a message that takes a secret apart', "object.stringData.token.split('').join(' ')", 'no tokens'],
    ['one that says how long it is', "'it has ' + string(size(object.stringData.token))", 'no tokens'],
    ['one that goes through all', "object.stringData.map(k, object.stringData[k].charAt(0)).join('')", 'no tokens'],
    ['one that decodes what is applied before', 'string(object.data.password.lowerAscii())', 'no tokens'],
    ['one by a variable', "variables.letters.join('-')", 'no tokens'],
    ['one of names', "object.metadata.name + ' has ' + string(size(object.stringData))", 'login has 1'],
  ] as const
).map(([name, expression, says]) => ({
  name,
  files: given(
    policy({
      match: '{resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [secrets]}]}',
      policy: `, variables: [{name: letters, expression: "object.stringData.token.split('')"}]`,
      validations: `{expression: "!('token' in object.stringData)", message: no tokens, messageExpression: ${JSON.stringify(expression)}}`,
    }),
    'apiVersion: v1\nkind: Secret\nmetadata: {name: login, namespace: shop}\nstringData: {token: Tr0ub4dor-and-3}\ndata: {password: VHIwdWI0ZG9yLWFuZC0z}\n',
  ),
  found: [
    `error POLICY_DENIED ${TEMPLATE}:6:7 Secret shop/login: the policy few refuses it: ${says} ${OF} → ${CORRECT}`,
  ],
}))

/** A policy of which one text is another. */
const mistaken = (text: string, by: string, more = ''): LabRow['files'] => ({
  'policies/few.yaml': policy({ validations: few }).replace(text, by) + more,
})
const INVALID = 'Correct it, or remove it from the folder.'

const mistakes: readonly LabRow[] = [
  {
    name: 'a misspelt field',
    files: mistaken('validations:', 'validation:'),
    found: [
      'error POLICY_INVALID policies/few.yaml:4:141 ValidatingAdmissionPolicy few: the kind has no field spec.validation [] → Did you mean validations?',
      `error POLICY_INVALID policies/few.yaml:4:7 ValidatingAdmissionPolicy few: spec.validations is missing [] → ${INVALID}`,
    ],
  },
  {
    name: 'a resource that is named after the kind',
    files: mistaken('resources: [deployments]', 'resources: [deployment]'),
    found: [
      'warning POLICY_INVALID policies/few.yaml:4:124 ValidatingAdmissionPolicy few: API servers call no resource deployment [] → Did you mean deployments?',
    ],
  },
  {
    name: 'a part of a resource, and any',
    files: mistaken('resources: [deployments]', 'resources: ["deployments/scale", "*"]'),
    found: [],
  },
  {
    name: 'a resource of a group of somebody else',
    files: mistaken('apiGroups: [apps]', 'apiGroups: [example.com]'),
    found: [],
  },
  {
    name: 'an action that is none',
    files: mistaken('[Deny]', '[Denyy]'),
    found: [
      'error POLICY_INVALID policies/few.yaml:9:45 ValidatingAdmissionPolicyBinding few: spec.validationActions[0] has to be one of Audit, Deny, Warn [] → Did you mean Deny?',
    ],
  },
  {
    name: 'actions that exclude each other',
    files: mistaken('[Deny]', '[Deny, Warn]'),
    found: [
      `error POLICY_INVALID policies/few.yaml:9:44 ValidatingAdmissionPolicyBinding few: spec.validationActions has Deny and Warn, of which API servers take one [] → ${INVALID}`,
    ],
  },
  {
    name: 'no action',
    files: mistaken(', validationActions: [Deny]', ''),
    found: [
      `error POLICY_INVALID policies/few.yaml:9:7 ValidatingAdmissionPolicyBinding few: spec.validationActions is missing [] → ${INVALID}`,
    ],
  },
  {
    name: 'an expression that is no CEL',
    files: mistaken('<= 5', '<= '),
    found: [
      `error POLICY_INVALID policies/few.yaml:4:168 ValidatingAdmissionPolicy few: spec.validations[0].expression: it cannot be read as CEL [] → ${INVALID}`,
    ],
  },
  {
    name: 'a name that policies do not know',
    files: mistaken('object.spec', 'self.spec'),
    found: [
      `error POLICY_INVALID policies/few.yaml:4:168 ValidatingAdmissionPolicy few: spec.validations[0].expression: it names self, which API servers do not know there [] → ${INVALID}`,
    ],
  },
  {
    name: 'a function that nobody knows: it is said once, and asked of nothing',
    files: {
      [TEMPLATE]: [namespace, deployment(MANY)].join('---\n'),
      ...mistaken('object.spec.replicas <= 5', "object.spec.paused.startWith('a')"),
    },
    found: [
      'error POLICY_INVALID policies/few.yaml:4:168 ValidatingAdmissionPolicy few: spec.validations[0].expression: it calls startWith, which API servers do not know [] → Did you mean startsWith?',
    ],
  },
  {
    name: 'the same among the objects of the cluster',
    files: {
      [TEMPLATE]: [
        namespace,
        deployment(MANY),
        policy({ validations: few }).replace('object.spec.replicas <= 5', "object.spec.paused.startWith('a')"),
      ].join('---\n'),
    },
    found: [
      `error OBJECT_FIELD_INVALID ${TEMPLATE}:18:168 ValidatingAdmissionPolicy few: spec.validations[0].expression has to be CEL that API servers take: it calls startWith, which API servers do not know ${OF} → Correct it where the message points: in the template, in the values that it reads, or with a patch.`,
    ],
  },
  {
    name: 'parameters without a kind',
    files: {
      [TEMPLATE]: [namespace, deployment(MANY)].join('---\n'),
      ...mistaken('<= 5', '<= params.most'),
    },
    found: [
      'error POLICY_INVALID policies/few.yaml:4:168 ValidatingAdmissionPolicy few: spec.validations[0].expression: it names params, which API servers do not know there [] → Say in `spec.paramKind` of what kind the parameters are.',
    ],
  },
  {
    name: 'a variable that is not declared',
    files: {
      [TEMPLATE]: [namespace, deployment(MANY)].join('---\n'),
      ...mistaken('<= 5"}]', '<= variables.most"}], variables: [{name: moest, expression: "5"}]'),
    },
    found: [
      'error POLICY_INVALID policies/few.yaml:4:168 ValidatingAdmissionPolicy few: spec.validations[0].expression: variables.most is not declared [] → Did you mean moest?',
    ],
  },
  {
    name: 'a variable that is declared later',
    files: mistaken(
      'validations:',
      'variables: [{name: more, expression: "variables.most + 1"}, {name: most, expression: "5"}], validations:',
    ),
    found: [
      'error POLICY_INVALID policies/few.yaml:4:178 ValidatingAdmissionPolicy few: spec.variables[0].expression: it reads variables.most, and variables read only those before them [] → Declare most before it.',
    ],
  },
  {
    name: 'names of variables, keys of annotations, conditions, messages',
    files: mistaken(
      'validations: [{expression: "object.spec.replicas <= 5"}]',
      'variables: [{name: the-most, expression: "5"}], matchConditions: [{name: a, expression: "variables.the > 1"}], auditAnnotations: [{key: a/b, valueExpression: "\'a\'"}], validations: [{expression: "object.spec.replicas <= 5", messageExpression: object.spec.replicas}]',
    ),
    found: [
      'error POLICY_INVALID policies/few.yaml:4:229 ValidatingAdmissionPolicy few: spec.matchConditions[0].expression: it names variables, which API servers do not know there [] → Conditions are asked before there are variables: write the expression itself.',
      `error POLICY_INVALID policies/few.yaml:4:160 ValidatingAdmissionPolicy few: spec.variables[0].name has to be a name in CEL: letters, digits and _, the first no digit, and no word of the language [] → ${INVALID}`,
      'error POLICY_INVALID policies/few.yaml:4:383 ValidatingAdmissionPolicy few: spec.validations[0].messageExpression: its type is not known (dyn), and API servers take string alone [] → Say what it is: write `string(…)` around it.',
      `error POLICY_INVALID policies/few.yaml:4:277 ValidatingAdmissionPolicy few: spec.auditAnnotations[0].key has to be a name: letters, digits, -, _ and ., first and last a letter or digit, 63 characters at most [] → ${INVALID}`,
    ],
  },
  {
    name: 'a policy of another program',
    files: mistaken(
      '',
      '',
      '---\napiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: labels}\nspec: {rules: []}\n',
    ),
    found: [
      'warning POLICY_INVALID policies/few.yaml:12:7 ClusterPolicy labels is not evaluated: only ValidatingAdmissionPolicies, their bindings and parameters are [] → Ask its own tool in CI, and keep it in another folder.',
    ],
  },
  {
    name: 'what policies may read',
    files: mistaken('', '', `---\n${namespace}`),
    found: [],
  },
  {
    name: 'something else',
    files: mistaken('', '', '---\nspec: {}\n'),
    found: [
      `error POLICY_INVALID policies/few.yaml:11:1 this is no object of Kubernetes: it has no apiVersion and kind [] → ${INVALID}`,
    ],
  },
]

const NOT_EVALUATED = 'is not evaluated: only ValidatingAdmissionPolicies, their bindings and parameters are'
const unread: readonly LabRow[] = [
  {
    name: 'another kind, nearly of that name',
    files: mistaken('kind: ValidatingAdmissionPolicy\n', 'kind: ValidatingAdmissionPolicies\n'),
    found: [
      `error POLICY_INVALID policies/few.yaml:2:7 ValidatingAdmissionPolicies few ${NOT_EVALUATED} [] → Did you mean ValidatingAdmissionPolicy?`,
      `error POLICY_INVALID policies/few.yaml:9:20 ValidatingAdmissionPolicyBinding few binds the policy few, which is nowhere [] → ${INVALID}`,
    ],
  },
  {
    name: 'another group',
    files: mistaken(
      'admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyB',
      'k8s.io/v1\nkind: ValidatingAdmissionPolicyB',
    ),
    found: [
      `error POLICY_INVALID policies/few.yaml:6:13 ValidatingAdmissionPolicyBinding few ${NOT_EVALUATED} [] → Did you mean admissionregistration.k8s.io/v1?`,
      'warning POLICY_INVALID policies/few.yaml:3:18 ValidatingAdmissionPolicy few is asked of nothing: no ValidatingAdmissionPolicyBinding names it [] → Write a binding with this `policyName`, or correct the name in its binding.',
    ],
  },
  {
    name: 'a mutating policy, which is another kind',
    files: mistaken(
      '',
      '',
      '---\napiVersion: admissionregistration.k8s.io/v1beta1\nkind: MutatingAdmissionPolicy\nmetadata: {name: x}\n',
    ),
    found: [
      `warning POLICY_INVALID policies/few.yaml:12:7 MutatingAdmissionPolicy x ${NOT_EVALUATED} [] → Ask its own tool in CI, and keep it in another folder.`,
    ],
  },
  {
    name: 'texts and lists that are no objects',
    files: mistaken('', '', '---\njust a text\n---\n# nothing\n---\n- a list\n'),
    found: [11, 15].map(
      (line) =>
        `error POLICY_INVALID policies/few.yaml:${String(line)}:1 this is no object of Kubernetes: it has no apiVersion and kind [] → ${INVALID}`,
    ),
  },
  {
    name: 'a list as kubectl get writes it',
    files: given(
      `apiVersion: v1\nkind: List\nitems:\n${policy({ validations: few })
        .replaceAll(/^---$/gm, '')
        .replaceAll(/^(?=.)/gm, '    ')
        .replaceAll('    apiVersion', '  - apiVersion')}`,
      deployment(MANY),
    ),
    found: [denied('failed expression: object.spec.replicas <= 5')],
  },
  {
    name: 'a mistake in a list',
    files: {
      'policies/few.yaml': `apiVersion: v1\nkind: List\nitems:\n${policy({ validations: few })
        .replace('name: few', 'name: some')
        .replaceAll(/^---$/gm, '')
        .replaceAll(/^(?=.)/gm, '    ')
        .replaceAll('    apiVersion', '  - apiVersion')}`,
    },
    found: [
      `error POLICY_INVALID policies/few.yaml:12:24 ValidatingAdmissionPolicyBinding few binds the policy few, which is nowhere [] → ${INVALID}`,
      'warning POLICY_INVALID policies/few.yaml:6:22 ValidatingAdmissionPolicy some is asked of nothing: no ValidatingAdmissionPolicyBinding names it [] → Write a binding with this `policyName`, or correct the name in its binding.',
    ],
  },
]

test.each(['policies/few.yaml', 'policies/more'])('a link that would not be read: %s', async (path) => {
  const fleet = labFleet(await tempFolder(), [])
  fleet.change({ 'elsewhere/few.yaml': policy({ validations: few }), 'policies/README.md': 'Ours.\n' })
  await symlink(
    join(fleet.folder, path === 'policies/more' ? 'elsewhere' : 'elsewhere/few.yaml'),
    join(fleet.folder, path),
  )
  await expect(checkFleet(fleet)).rejects.toMatchObject({
    diagnostics: [{ code: 'FILE_UNREADABLE', message: 'the file cannot be read: it is a link' }],
  })
})

test.each([...mistakes, ...unread])('mistakes in policies: $name', async ({ files, found }) => {
  expect(await checkLab({ files })).toEqual(found)
})

describe('messages about secrets', () => {
  test.each(secretRows)('$name', async (row) => {
    expect((await checkLab(row)).filter((line) => line.includes('POLICY_DENIED'))).toEqual(row.found)
  })
})

describe('policies of the fleet', () => {
  test.each(rows)('$name', async (row) => {
    expect(await checkLab(row)).toEqual(row.found)
  })

  test('the example of the manual', async () => {
    const manual = readFileSync(join(packageFolder, 'docs/25-check.md'), 'utf8')
    const [, example = ''] = /<!-- policy example -->\n\n```yaml\n(.*?)```/s.exec(manual) ?? []
    const two = deployment('  replicas: 2\n').replace('name: web,', 'name: two,')
    const labelled = deployment().replace('name: web,', 'name: single,').replace('{app: web}', '{single: "true"}')
    const found = await checkLab({
      files: {
        [TEMPLATE]: [namespace, deployment(), two, labelled].join('---\n'),
        'policies/workload/replicas.yaml': example,
      },
    })
    expect(found).toEqual([
      denied('runs 1 pod; write 2 or more, or the label single').replace('policy few', 'policy two-replicas'),
    ])
  })
})
