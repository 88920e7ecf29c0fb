import { describe, expect, it } from 'vitest'
import { placeholderPatches } from '../../../src/handoff/argocd/placeholder-patches.ts'
import type { Placeholder, PlaceholderPart } from '../../../src/model/binding.ts'
import { textAt } from '../../../src/model/field.ts'
import { dict } from '../../../src/model/value.ts'
import { evaluate } from './go-template.ts'

type ArgoPlaceholder = Parameters<typeof placeholderPatches>[0][number]

/** A placeholder in short: `${NAME}` stands for a value, `<NAME>` for the same text written by the chart. */
type ShortPlaceholder = Pick<ArgoPlaceholder, 'pointer' | 'isInteger'> & Pick<Placeholder, 'text'>

function placeholderOf({ text, ...placeholder }: ShortPlaceholder): Omit<ArgoPlaceholder, 'object'> {
  const parts = text
    .split(/\$\{([A-Z]+)\}/)
    .map((part, index): PlaceholderPart => (index % 2 === 1 ? { name: part } : { text: part.replace('<A>', '${A}') }))
    .filter((part) => 'name' in part || part.text !== '')
  return { ...placeholder, parts, written: PLACEHOLDER }
}

const PLACEHOLDER = 'place {{ holder }}'

const object: Placeholder['object'] = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', namespace: 'n' }

function patchOf(...placeholders: readonly ShortPlaceholder[]): string {
  const patches = placeholderPatches(placeholders.map((placeholder) => ({ object, ...placeholderOf(placeholder) })))
  return textAt(patches[0] ?? dict(), 'patch')
}

/** What the patch does, with values for NAME and so on. */
function operationsOf(patch: string, values: Readonly<Record<string, string>>): unknown {
  const annotations = Object.entries(values).map(([name, value]) => [`values.stackmason.dev/${name}`, value] as const)
  return JSON.parse(evaluate(patch, { 'kubernetes.io/other': 'x', ...Object.fromEntries(annotations) }))
}

describe('placeholderPatches', () => {
  it.each<{
    readonly name: string
    readonly placeholder: ShortPlaceholder
    readonly value: string
    readonly want: unknown
  }>([
    { name: 'a value alone', placeholder: { pointer: '/a', text: '${A}' }, value: '192.0.2.10', want: '192.0.2.10' },
    {
      name: 'text that looks like a number',
      placeholder: { pointer: '/a', text: '${A}' },
      value: '6443',
      want: '6443',
    },
    {
      name: 'text that looks like a boolean',
      placeholder: { pointer: '/a', text: '${A}' },
      value: 'true',
      want: 'true',
    },
    { name: 'a number', placeholder: { pointer: '/a', text: '${A}', isInteger: true }, value: '6443', want: 6443 },
    {
      name: 'digits around a number',
      placeholder: { pointer: '/a', text: '3${A}', isInteger: true },
      value: '80',
      want: 380,
    },
    { name: 'zero', placeholder: { pointer: '/a', text: '${A}', isInteger: true }, value: '0', want: 0 },
    {
      name: 'a value in text',
      placeholder: { pointer: '/a', text: 'https://${A}:6443/' },
      value: 'h',
      want: 'https://h:6443/',
    },
    {
      name: 'text of the chart that looks like the placeholder beside it',
      placeholder: { pointer: '/a', text: '<A> ${A}' },
      value: 'h',
      want: '${A} h',
    },
    { name: 'a value twice', placeholder: { pointer: '/a', text: '${A}${A}' }, value: 'h', want: 'hh' },
    {
      name: 'other text with dollars',
      placeholder: { pointer: '/a', text: '$A ${a} ${ $${A} \\$' },
      value: 'h',
      want: '$A ${a} ${ $h \\$',
    },
    {
      name: 'our text with templates',
      placeholder: { pointer: '/a', text: '{{ .x }}{{- fail "x" -}}${A}{{{}}}' },
      value: 'h',
      want: '{{ .x }}{{- fail "x" -}}h{{{}}}',
    },
    {
      name: 'our text with all that quotes trip over',
      placeholder: { pointer: '/a', text: '"\\\'`\n\r\t\u0000\u2028é🎉%s${A}' },
      value: 'h',
      want: '"\\\'`\n\r\t\u0000\u2028é🎉%sh',
    },
    {
      name: 'quotes in the value',
      placeholder: { pointer: '/a', text: '${A}' },
      value: '"},{"op":"remove","path":"/x"}',
      want: '"},{"op":"remove","path":"/x"}',
    },
    {
      name: 'lines in the value',
      placeholder: { pointer: '/a', text: '${A}' },
      value: '-----BEGIN X-----\nabc\n-----END X-----\n',
      want: '-----BEGIN X-----\nabc\n-----END X-----\n',
    },
    {
      name: 'templates in the value',
      placeholder: { pointer: '/a', text: '${A}' },
      value: '{{ fail "no" }}',
      want: '{{ fail "no" }}',
    },
    {
      name: 'another placeholder in the value',
      placeholder: { pointer: '/a', text: '${A}' },
      value: '${A}',
      want: '${A}',
    },
    {
      name: 'backslashes in the value',
      placeholder: { pointer: '/a', text: '${A}' },
      value: '\\u0022\\',
      want: '\\u0022\\',
    },
    {
      name: 'markup in the value',
      placeholder: { pointer: '/a', text: '${A}' },
      value: '<a href="&">',
      want: '<a href="&">',
    },
    {
      name: 'characters of all planes in the value',
      placeholder: { pointer: '/a', text: '${A}' },
      value: 'é\u2028🎉',
      want: 'é\u2028🎉',
    },
  ])('fills $name', ({ placeholder, value, want }) => {
    expect(operationsOf(patchOf(placeholder), { A: value })).toEqual([
      { op: 'test', path: placeholder.pointer, value: PLACEHOLDER },
      { op: 'replace', path: placeholder.pointer, value: want },
    ])
  })

  it.each<{
    readonly name: string
    readonly placeholder: ShortPlaceholder
    readonly values: Readonly<Record<string, string>>
    readonly want: RegExp
  }>([
    {
      name: 'a missing value',
      placeholder: { pointer: '/a', text: 'x${A}' },
      values: { B: 'b' },
      want: /no value for A yet/,
    },
    {
      name: 'an empty value',
      placeholder: { pointer: '/a', text: 'x${A}' },
      values: { A: '' },
      want: /no value for A yet/,
    },
    {
      name: 'one of two',
      placeholder: { pointer: '/a', text: '${A}${B}' },
      values: { A: 'a' },
      want: /no value for B yet/,
    },
    {
      name: 'no integer',
      placeholder: { pointer: '/a', text: '${A}', isInteger: true },
      values: { A: '1.5' },
      want: /the value for A is no integer/,
    },
    {
      name: 'an octal number',
      placeholder: { pointer: '/a', text: '${A}', isInteger: true },
      values: { A: '0777' },
      want: /the value for A is no integer/,
    },
    {
      name: 'more than an integer',
      placeholder: { pointer: '/a', text: '${A}', isInteger: true },
      values: { A: '1},{"op":"remove","path":"/x"' },
      want: /the value for A is no integer/,
    },
    {
      name: 'an integer and a line',
      placeholder: { pointer: '/a', text: '${A}', isInteger: true },
      values: { A: '1\n' },
      want: /the value for A is no integer/,
    },
  ])('refuses $name', ({ placeholder, values, want }) => {
    expect(() => operationsOf(patchOf(placeholder), values)).toThrow(want)
  })

  it('refuses a cluster Secret without annotations', () => {
    expect(() => evaluate(patchOf({ pointer: '/a', text: '${A}' }))).toThrow(/no value for A yet/)
  })

  it('writes pointers that no template touches', () => {
    const pointer = '/data/{{ .x }}~1"\\'
    expect(operationsOf(patchOf({ pointer, text: '${A}' }), { A: 'a' })).toEqual([
      { op: 'test', path: pointer, value: PLACEHOLDER },
      { op: 'replace', path: pointer, value: 'a' },
    ])
  })

  it('writes one patch for each object, which no other object matches, whatever the order', () => {
    const placeholders: readonly ArgoPlaceholder[] = [
      { object, ...placeholderOf({ pointer: '/b', text: '${A}' }) },
      { object: { ...object, namespace: 'other' }, ...placeholderOf({ pointer: '/a', text: '${A}' }) },
      {
        object: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'system:c.d+(e)' },
        ...placeholderOf({ pointer: '/a', text: '${A}' }),
      },
      { object, ...placeholderOf({ pointer: '/a', text: '${B}' }) },
    ]
    const patches = placeholderPatches(placeholders)
    expect(patches).toEqual(placeholderPatches(placeholders.toReversed()))
    expect(patches.map((patch) => patch.get('target'))).toEqual([
      dict([
        ['group', 'rbac\\.authorization\\.k8s\\.io'],
        ['version', 'v1'],
        ['kind', 'ClusterRole'],
        ['name', 'system:c\\.d\\+\\(e\\)'],
      ]),
      dict([
        ['version', 'v1'],
        ['kind', 'ConfigMap'],
        ['name', 'c'],
        ['namespace', 'n'],
      ]),
      dict([
        ['version', 'v1'],
        ['kind', 'ConfigMap'],
        ['name', 'c'],
        ['namespace', 'other'],
      ]),
    ])
    expect(operationsOf(textAt(patches[1] ?? dict(), 'patch'), { A: 'a', B: 'b' })).toEqual([
      { op: 'test', path: '/a', value: PLACEHOLDER },
      { op: 'replace', path: '/a', value: 'b' },
      { op: 'test', path: '/b', value: PLACEHOLDER },
      { op: 'replace', path: '/b', value: 'a' },
    ])
  })
})
