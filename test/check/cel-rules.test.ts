import { describe, expect, test } from 'vitest'
import { lab } from '../../tools/fleets/lab-fleet.ts'
import { checkLab, type LabRow } from './check-lab.ts'

const TEMPLATE = lab.template
const OF = '[team/one web]'
const CORRECT = 'Correct it where the message points: in the template, in the values that it reads, or with a patch.'
const TRY = 'Try the object on a server: `kubectl apply --dry-run=server`.'

/** A definition with a schema of `spec`, and an object of it. */
const files = (schema: string, spec: string): LabRow['files'] => ({
  [TEMPLATE]: `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: ${schema}
---
apiVersion: example.com/v1
kind: Thing
metadata: {name: a}
spec:
${spec}
`,
})
const rule = (expression: string, more = ''): string =>
  `x-kubernetes-validations: [{rule: ${JSON.stringify(expression)}${more}}]`
const thing = (properties: string, rules: string): string => `{type: object, properties: {${properties}}, ${rules}}`
const numbers = 'min: {type: integer}, max: {type: integer, default: 5}'

const rows: readonly LabRow[] = [
  {
    name: 'a rule that is kept',
    files: files(thing(numbers, rule('self.min <= self.max')), '  min: 3'),
    found: [],
  },
  {
    name: 'a rule that the default breaks',
    files: files(thing(numbers, rule('self.min <= self.max')), '  min: 7'),
    found: [
      `error FIELD_RULE_BROKEN ${TEMPLATE}:21:1 Thing kube-system/a: spec: failed rule: self.min <= self.max ${OF} → ${CORRECT}`,
    ],
  },
  {
    name: 'a rule with a message and a field',
    files: files(
      thing(numbers, rule('self.min <= self.max', ', message: min is more than max, fieldPath: .min')),
      '  min: 7',
    ),
    found: [
      `error FIELD_RULE_BROKEN ${TEMPLATE}:22:8 Thing kube-system/a: spec.min: min is more than max ${OF} → ${CORRECT}`,
    ],
  },
  {
    name: 'a message that is made of an object with secrets',
    files: files(
      thing(
        'user: {type: string}, password: {type: string}',
        rule('self.user != "root"', `, messageExpression: "self.user + ' is refused'"`),
      ),
      '  user: root\n  password: Tr0ub4dor&3',
    ),
    found: [`error FIELD_RULE_BROKEN ${TEMPLATE}:21:1 Thing kube-system/a: spec: root is refused ${OF} → ${CORRECT}`],
  },
  {
    name: 'a message that takes a secret apart',
    files: files(
      thing(
        'user: {type: string}, password: {type: string}',
        rule(
          'self.user != "root"',
          `, message: no root, messageExpression: "'it begins with ' + self.password.substring(0, 1) + string(size(self.password))"`,
        ),
      ),
      '  user: root\n  password: Tr0ub4dor&3',
    ),
    found: [`error FIELD_RULE_BROKEN ${TEMPLATE}:21:1 Thing kube-system/a: spec: no root ${OF} → ${CORRECT}`],
  },
  {
    name: 'a message that would be made of a secret',
    files: files(
      thing(
        'user: {type: string}, password: {type: string}',
        rule('self.user != "root"', `, messageExpression: "self.user + ' with ' + self.password + ' is refused'"`),
      ),
      '  user: root\n  password: Tr0ub4dor&3',
    ),
    found: [
      `error FIELD_RULE_BROKEN ${TEMPLATE}:21:1 Thing kube-system/a: spec: failed rule: self.user != "root" ${OF} → ${CORRECT}`,
    ],
  },
  {
    name: 'an item of a list, and a map',
    files: files(
      thing(
        `list: {type: array, items: {type: object, properties: {port: {type: integer}}, ${rule('self.port > 0')}}}, map: {type: object, additionalProperties: {type: string}, ${rule('self.all(k, k.startsWith("a-") && self[k] != "")')}}`,
        rule('size(self.list) < 3'),
      ),
      '  list: [{port: 1}, {port: 0}]\n  map: {a-b: x, c: x}',
    ),
    found: [
      `error FIELD_RULE_BROKEN ${TEMPLATE}:22:21 Thing kube-system/a: spec.list[1]: failed rule: self.port > 0 ${OF} → ${CORRECT}`,
      `error FIELD_RULE_BROKEN ${TEMPLATE}:23:3 Thing kube-system/a: spec.map: failed rule: self.all(k, k.startsWith("a-") && self[k] != "") ${OF} → ${CORRECT}`,
    ],
  },
  {
    name: 'names that are escaped, words of CEL, integers or texts, times',
    files: files(
      thing(
        'a-b: {type: string}, c.d: {type: string}, e__f: {type: string}, namespace: {type: string}, port: {x-kubernetes-int-or-string: true}, since: {type: string, format: date-time}, wait: {type: string, format: duration}',
        rule(
          'self.a__dash__b == "1" && self.c__dot__d == "2" && self.e__underscores__f == "3" && self.__namespace__ == "4" && (type(self.port) == int || self.port == "http") && self.since < timestamp("2030-01-01T00:00:00Z") && self.wait <= duration("1h")',
        ),
      ),
      '  a-b: "1"\n  c.d: "2"\n  e__f: "3"\n  namespace: "4"\n  port: http\n  since: "2029-01-01T00:00:00Z"\n  wait: 59m',
    ),
    found: [],
  },
  {
    name: 'an evaluation that fails',
    files: files(thing(numbers, rule('self.min / (self.max - 5) == 0')), '  min: 1'),
    found: [
      `error FIELD_RULE_BROKEN ${TEMPLATE}:21:1 Thing kube-system/a: spec: it cannot be evaluated: int divide by zero ${OF} → ${CORRECT}`,
    ],
  },
  {
    name: 'an object with other mistakes',
    files: files(thing(numbers, rule('self.min > 100')), '  min: a'),
    found: [
      `error OBJECT_FIELD_INVALID ${TEMPLATE}:22:8 Thing kube-system/a: spec.min has to be an integer ${OF} → ${CORRECT}`,
    ],
  },
  {
    name: 'rules that cannot be evaluated',
    files: files(thing(numbers, rule('self.min.ofTheFuture()')), '  min: 1'),
    found: [
      'error OBJECT_FIELD_INVALID stack/cluster-addon/web/templates/web.yaml:16:138 CustomResourceDefinition things.example.com: spec.versions[0].schema.openAPIV3Schema.properties.spec.x-kubernetes-validations[0].rule has to be CEL that API servers take: it calls ofTheFuture, which API servers do not know [team/one web] → Correct it where the message points: in the template, in the values that it reads, or with a patch.',
      `note RULE_NOT_EVALUATED  a rule of example.com/v1 Thing, spec, is not evaluated, because it calls ofTheFuture, which is not known here: self.min.ofTheFuture() [team/one] → ${TRY}`,
    ],
  },
  {
    name: 'rules that take too much work',
    files: files(
      `{type: object, properties: {list: {type: array, items: {type: integer}}}, ${rule('self.list.all(a, self.list.all(b, self.list.all(c, a + b + c > 0)))')}}`,
      `  list: [${Array.from({ length: 300 }, () => '1').join(', ')}]`,
    ),
    found: [
      `note RULE_NOT_EVALUATED  a rule of example.com/v1 Thing, spec, is not evaluated, because it takes too much work: self.list.all(a, self.list.all(b, self.list.all(c, a + b + c > 0))) [team/one] → ${TRY}`,
    ],
  },
]

describe('rules in CEL of definitions', () => {
  test.each(rows)('$name', async (row) => {
    expect(await checkLab(row)).toEqual(row.found)
  })
})
