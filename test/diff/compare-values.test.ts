import { expect, test } from 'vitest'
import { formatGoJson } from '../../src/codec/json/go-json.ts'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { compareValues } from '../../src/diff/compare-values.ts'
import type { Value } from '../../src/model/value.ts'
import { formatChangePath } from '../../src/model/change-path.ts'

const cases: readonly {
  readonly what: string
  readonly before: string
  readonly after: string
  readonly changes: readonly string[]
}[] = [
  { what: 'nothing', before: '{a: 1, b: [x, y]}', after: '{b: [x, y], a: 1}', changes: [] },
  { what: 'a scalar', before: '{a: {b: 1}}', after: '{a: {b: 2}}', changes: ['a.b: 1 -> 2'] },
  { what: 'a type', before: '{a: "1"}', after: '{a: 1}', changes: ['a: "1" -> 1'] },
  { what: 'an integer and the same float', before: '{a: 1}', after: '{a: 1.0}', changes: [] },
  {
    what: 'amounts of resources that are the same',
    before: '{resources: {limits: {cpu: 1000m, memory: 1Gi, x: 1}, requests: {cpu: "0.5"}}}',
    after: '{resources: {limits: {cpu: 1, memory: 1024Mi, x: "1"}, requests: {cpu: 600m}}}',
    changes: ['resources.requests.cpu: "0.5" -> "600m"'],
  },
  {
    what: 'a text that looks like an amount',
    before: '{data: {max: 1000m}}',
    after: '{data: {max: "1"}}',
    changes: ['data.max: "1000m" -> "1"'],
  },
  { what: 'a new field', before: '{a: {}}', after: '{a: {b: {c: 1}}}', changes: ['a.b:  -> {"c":1}'] },
  { what: 'a field that is gone', before: '{a: {b: 1}}', after: '{a: {}}', changes: ['a.b: 1 -> '] },
  { what: 'null is nothing', before: '{a: null}', after: '{}', changes: [] },
  { what: 'an empty map is something', before: '{a: {}}', after: '{}', changes: ['a: {} -> '] },
  { what: '__proto__ is a key', before: '{__proto__: 1}', after: '{__proto__: 2}', changes: ['__proto__: 1 -> 2'] },
  {
    what: 'containers by name, in any order',
    before: '{containers: [{name: a, image: x:1}, {name: b, image: y:1}]}',
    after: '{containers: [{name: b, image: y:2}, {name: a, image: x:1}]}',
    changes: ['containers[name=b].image: "y:1" -> "y:2"'],
  },
  {
    what: 'ports by number and protocol, TCP by default',
    before: '{ports: [{containerPort: 53, protocol: UDP}, {containerPort: 53}]}',
    after: '{ports: [{containerPort: 53, protocol: TCP, name: dns}, {containerPort: 53, protocol: UDP}]}',
    changes: ['ports[53/TCP].name:  -> "dns"', 'ports[53/TCP].protocol:  -> "TCP"'],
  },
  {
    what: 'ports of a service',
    before: '{ports: [{port: 80, targetPort: 8080}]}',
    after: '{ports: [{port: 80, targetPort: 8081}, {port: 443, targetPort: 8443}]}',
    changes: ['ports[80/TCP].targetPort: 8080 -> 8081', 'ports[443/TCP]:  -> {"port":443,"targetPort":8443}'],
  },
  {
    what: 'tolerations as a set',
    before: '{tolerations: [{key: a, operator: Exists}, {operator: Exists}]}',
    after: '{tolerations: [{operator: Exists}, {key: b, operator: Exists}]}',
    changes: [
      'tolerations[{"key":"a","operator":"Exists"}]: {"key":"a","operator":"Exists"} -> ',
      'tolerations[{"key":"b","operator":"Exists"}]:  -> {"key":"b","operator":"Exists"}',
    ],
  },
  {
    what: 'arguments, whose order has a meaning',
    before: '{args: [--a, --b]}',
    after: '{args: [--b, --a]}',
    changes: ['args: ["--a","--b"] -> ["--b","--a"] reordered'],
  },
  {
    what: 'one argument in the middle',
    before: '{args: [--a=1, --b, --c]}',
    after: '{args: [--a=2, --b, --c]}',
    changes: ['args[--a=1]: "--a=1" -> ', 'args[--a=2]:  -> "--a=2"'],
  },
  {
    what: 'verbs of a rule, in any order',
    before: '{rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]}',
    after: '{rules: [{apiGroups: [""], resources: [pods], verbs: [list, get, delete]}]}',
    changes: ['rules[[""]/["pods"]].verbs[delete]:  -> "delete"'],
  },
  {
    what: 'variables and machine deployments of a topology',
    before:
      '{topology: {variables: [{name: a, value: 1}], workers: {machineDeployments: [{class: c, name: m, replicas: 1}]}}}',
    after:
      '{topology: {variables: [{name: a, value: 2}], workers: {machineDeployments: [{class: c, name: m, replicas: 2}]}}}',
    changes: [
      'topology.variables[name=a].value: 1 -> 2',
      'topology.workers.machineDeployments[name=m].replicas: 1 -> 2',
    ],
  },
  {
    what: 'patches without a name stand for each other in their order',
    before: '{jsonPatches: [{op: add, path: /a}, {op: add, path: /b}]}',
    after: '{jsonPatches: [{op: add, path: /a}, {op: replace, path: /b}]}',
    changes: ['jsonPatches[1].op: "add" -> "replace"'],
  },
  {
    what: 'names that are there twice are no key',
    before: '{env: [{name: a, value: "1"}, {name: a, value: "2"}]}',
    after: '{env: [{name: a, value: "1"}, {name: a, value: "3"}]}',
    changes: ['env[1].value: "2" -> "3"'],
  },
]

test.each(cases)('$what', ({ before, after, changes }) => {
  expect(compared(before, after)).toEqual(changes)
})

function compared(before: string, after: string): readonly string[] {
  const read = (text: string): Value => parseGoYaml(text, { integers: 'int' })
  const text = (value: Value | undefined): string =>
    value === undefined ? '' : formatGoJson(value, { escapeHtml: false })
  return compareValues(read(before), read(after)).map(
    ({ path, isReordered, ...change }) =>
      `${formatChangePath(path)}: ${text(change.before)} -> ${text(change.after)}${isReordered === true ? ' reordered' : ''}`,
  )
}
