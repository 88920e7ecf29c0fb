import { describe, expect, it } from 'vitest'
import { translateCondition } from '../../../src/handoff/units/translate-condition.ts'
import type { StageCondition } from '../../../src/model/release.ts'

const at = { source: { name: 'clusteraddon.yaml', text: '' }, start: 0, end: 0 }
const deployment = { key: 'd', apiVersion: 'apps/v1', kind: 'Deployment', name: 'x', namespace: 'kube-system' }
const other = { key: 'e', apiVersion: 'apps/v1', kind: 'Deployment', name: 'y', namespace: 'kube-system' }
const node = { key: 'n', apiVersion: 'v1', kind: 'Node', name: 'one', namespace: '' }

function expressions(conditions: string, objects: StageCondition['objects'] = [deployment, node]): readonly string[] {
  return translateCondition({ objects, conditions, at }).map(({ name, current }) => `${name}: ${current}`)
}

describe('conditions that can be said per object', () => {
  const cases: readonly { readonly name: string; readonly input: string; readonly want: readonly string[] }[] = [
    {
      name: 'a comparison of fields of one object',
      input: 'd.spec.replicas == d.status.readyReplicas',
      want: ['x: spec.replicas == status.readyReplicas', 'one: true'],
    },
    {
      name: 'conjuncts are split per object, in parentheses too',
      input: '(d.status.replicas == 1 && (n.spec.unschedulable == false)) && d.spec.paused == false',
      want: ['x: status.replicas == 1 && spec.paused == false', 'one: (spec.unschedulable == false)'],
    },
    {
      name: 'a disjunction about one object keeps its parentheses',
      input: '(d.status.a == 1 || d.status.b == 2) && d.status.c ? d.spec.x : d.spec.y',
      want: ['x: ((status.a == 1 || status.b == 2) && status.c ? spec.x : spec.y)', 'one: true'],
    },
    {
      name: 'strings and comments that hold keys are left alone',
      input: 'd.metadata.labels["d.x"] == \'d.status\' // d.status is fine\n && d.spec.a == r"\\d.b"',
      want: ['x: metadata.labels["d.x"] == \'d.status\' && spec.a == r"\\d.b"', 'one: true'],
    },
    {
      name: 'a comment inside of a conjunct is left out',
      input: 'd.status.a // why\n == 1',
      want: ['x: status.a \n == 1', 'one: true'],
    },
    {
      name: 'a field of the same name as the key is not a key',
      input: 'd.status.d == 1 && n.d.n == 2',
      want: ['x: status.d == 1', 'one: d.n == 2'],
    },
    {
      name: 'a macro variable shadows a key, in the macro only',
      input: "d.status.conditions.exists(n, n.type == 'Available' && n.status == 'True' && size(d.spec.x) > 0)",
      want: [
        "x: status.conditions.exists(n, n.type == 'Available' && n.status == 'True' && size(spec.x) > 0)",
        'one: true',
      ],
    },
    {
      name: 'all, map with three arguments, filter, in, lists, maps, has below the top',
      input:
        "d.status.c.all(c, c.x in [1, 2u, 0x3]) && size(d.s.map(i, i > 1.5e3, i + 1).filter(j, j != -1)) > 0 && has(d.status.r) && {'a': d.s.b}['a'] == b'x'",
      want: [
        "x: status.c.all(c, c.x in [1, 2u, 0x3]) && size(s.map(i, i > 1.5e3, i + 1).filter(j, j != -1)) > 0 && has(status.r) && {'a': s.b}['a'] == b'x'",
        'one: true',
      ],
    },
    {
      name: 'a field named by a plain string',
      input: `d['status'].x == 1 && d["spec"]["y"].startsWith('z')`,
      want: [`x: status.x == 1 && spec["y"].startsWith('z')`, 'one: true'],
    },
    { name: 'a literal goes to the first object', input: 'true', want: ['x: true', 'one: true'] },
    {
      name: 'space around the dot, and many lines',
      input: '\n  d . status\n  . x == 1\n',
      want: ['x: status\n  . x == 1', 'one: true'],
    },
    { name: 'types are names too', input: 'type(d.spec.x) == int', want: ['x: type(spec.x) == int', 'one: true'] },
  ]
  it.each(cases)('$name', ({ input, want }) => {
    expect(expressions(input)).toEqual(want)
  })

  it('gives objects of one kind one expression that tells them apart', () => {
    const both = 'metadata.name == "x" && metadata.namespace == "kube-system" ? (status.a == 1) : (status.b == 2)'
    expect(expressions('d.status.a == 1 && e.status.b == 2', [deployment, other])).toEqual([`x: ${both}`, `y: ${both}`])
  })

  it('takes two keys of one object for one object, whatever versions they name', () => {
    const again = { ...deployment, key: 'e', apiVersion: 'apps/v1beta2' }
    expect(translateCondition({ objects: [deployment, again], conditions: 'd.a == 1 && e.b == 2', at })).toEqual([
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x', namespace: 'kube-system', current: 'a == 1 && b == 2' },
    ])
  })

  it('names cluster-scoped objects without a namespace', () => {
    expect(translateCondition({ objects: [node], conditions: 'n.spec.a', at })).toEqual([
      { apiVersion: 'v1', kind: 'Node', name: 'one', current: 'spec.a' },
    ])
  })
})

describe('conditions that cannot', () => {
  const cases: readonly { readonly name: string; readonly input: string; readonly wantError: string }[] = [
    {
      name: 'two objects in one comparison',
      input: 'd.spec.replicas == n.spec.replicas',
      wantError: 'd.spec.replicas == n.spec.replicas compares objects with each other (d, n)',
    },
    {
      name: 'two objects in a disjunction',
      input: 'd.status.a || n.status.b',
      wantError: 'd.status.a || n.status.b compares objects with each other (d, n)',
    },
    {
      name: 'a whole object',
      input: 'size(d) > 0',
      wantError: 'd stands for the whole object: only fields of it can be asked for',
    },
    {
      name: 'has of a top-level field',
      input: 'has(d.status)',
      wantError: "has(d.status) asks for a top-level field, which CEL cannot do for an object's own fields",
    },
    { name: 'has of no field', input: 'has(1)', wantError: 'has() asks for one field' },
    {
      name: 'an unknown function',
      input: 'quantity(d.spec.x) > 1',
      wantError: 'quantity() is not a function of standard CEL',
    },
    {
      name: 'an unknown method',
      input: 'd.spec.x.lowerAscii() == 1',
      wantError: 'lowerAscii() is not a function of standard CEL',
    },
    { name: 'an unknown name', input: 'z.spec.x == 1', wantError: 'z is not a key of an object' },
    {
      name: 'a macro variable that would hide the field',
      input: 'd.status.list.all(spec, spec == d.spec.x)',
      wantError: 'the variable spec of a macro hides the field d.spec: give it another name',
    },
    {
      name: 'a reserved word as field',
      input: 'd.package == 1',
      wantError: 'd.package has the name of a reserved word',
    },
    {
      name: 'a computed field name',
      input: "d['a' + 'b'] == 1",
      wantError: "d['a' + 'b'] names its field in a way that is not understood here",
    },
    {
      name: 'a macro without a variable',
      input: 'd.a.all(1, true)',
      wantError: 'all() wants a variable and an expression',
    },
    { name: 'an absolute name', input: '.d.x == 1', wantError: '"." is out of place' },
    { name: 'optional fields', input: 'd.?x == 1', wantError: '"?" is out of place' },
    { name: 'a message', input: 'd.a{b: 1} == 1', wantError: 'messages are not understood here' },
    { name: 'an open string', input: "d.a == 'b", wantError: 'a string is not closed' },
    { name: 'an unknown character', input: 'd.a == §', wantError: '"§" means nothing in CEL' },
    { name: 'an early end', input: 'd.a ==', wantError: 'it ends too early' },
    { name: 'a second expression', input: 'd.a d.b', wantError: '"d" is out of place' },
    { name: 'a trailing comma in a call', input: 'size(d.a,)', wantError: '")" is out of place' },
    { name: 'a reserved word', input: 'for == 1', wantError: 'for is a reserved word' },
    { name: 'endless nesting', input: `${'('.repeat(5000)}d.a`, wantError: 'it is nested too deeply' },
    { name: 'endless negation', input: `${'!'.repeat(5000)}d.a`, wantError: 'it is nested too deeply' },
  ]
  it.each(cases)('$name', ({ input, wantError }) => {
    expect(() => expressions(input)).toThrow(expect.objectContaining({ name: 'CelError', message: wantError }))
  })

  it('refuses two objects under one key, and none at all', () => {
    expect(() => expressions('d.a', [deployment, { ...other, key: 'd' }])).toThrow('two objects have the key "d"')
    expect(() => expressions('true', [])).toThrow('it speaks of no object')
  })
})
