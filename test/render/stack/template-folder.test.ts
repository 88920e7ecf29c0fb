import { describe, expect, test } from 'vitest'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { positionAt } from '../../../src/model/source.ts'
import { renderTemplateFolder } from '../../../src/render/stack/template-folder.ts'
import { objectOf } from './objects.ts'

const data = {
  cluster: objectOf('{metadata: {name: web}, spec: {topology: {version: v1.34.7}}}'),
  values: objectOf('{list: [{name: a, size: 3}, {name: b, size: 4}], map: {k: v}, constructor: mine}'),
  release: { name: 'own', namespace: 'default' },
  layers: [],
  valuesFile: 'values/own.yaml',
}
const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n'

function render(text: string, name = 'own/x.yaml.hbs'): string {
  return renderTemplateFolder([{ name, text }], 'own', data)
    .map((manifest) => formatManifestYaml(manifest.object))
    .join('---\n')
}

describe('renderTemplateFolder', () => {
  const rows: readonly { readonly name: string; readonly text: string; readonly want: string }[] = [
    {
      name: 'fields',
      text: `${head}data:\n  c: {{cluster.metadata.name}}\n  r: {{release.namespace}}\n`,
      want: `${head}data:\n  c: web\n  r: default\n`,
    },
    {
      name: 'each, with numbers',
      text: `${head}data:\n{{#each values.list}}  {{name}}: {{quote size}}\n{{/each}}`,
      want: `${head}data:\n  a: "3"\n  b: "4"\n`,
    },
    {
      name: 'nothing is HTML-escaped',
      text: `${head}data:\n  a: '{{default "<&>" values.map.k}}'\n`,
      want: `${head}data:\n  a: v\n`,
    },
    {
      name: 'yaml and json',
      text: `${head}data:\n  j: '{{json values.map}}'\n`,
      want: `${head}data:\n  j: '{"k":"v"}'\n`,
    },
    {
      name: 'constructor is an ordinary key',
      text: `${head}data:\n  a: {{values.constructor}}\n`,
      want: `${head}data:\n  a: mine\n`,
    },
    {
      name: 'a condition that leaves nothing',
      text: `{{#if (eq cluster.metadata.name "other")}}${head}{{/if}}`,
      want: '',
    },
  ]
  test.each(rows)('$name', ({ text, want }) => {
    expect(render(text)).toBe(want)
  })

  const item = `{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}`
  test('lists are taken apart, those in lists too', () => {
    const list = `apiVersion: v1\nkind: ThingList\nitems: [{apiVersion: v1, kind: List, items: [${item}]}]\n`
    expect(render(list)).toBe(head)
  })

  test('a list that no kind says is refused, at its place', () => {
    let caught: unknown
    try {
      render(`${head}items: [${item}]\n`, 'own/x.yaml')
    } catch (error) {
      caught = error
    }
    if (!(caught instanceof StackmasonError)) throw new Error('nothing was thrown')
    const [found] = caught.diagnostics
    const at = found?.at
    expect([found?.code, found?.message, at && positionAt(at.source, at.start), found?.hint]).toEqual([
      'OBJECT_INVALID',
      'ConfigMap "x" has a list of items: what applies it would take the items for objects, and leave out the rest',
      expect.objectContaining({ line: 5, column: 1 }),
      'Write each item as a document of its own, or name a kind that ends in List.',
    ])
  })

  test('a file without .hbs is taken as it is', () => {
    expect(render(`${head}data:\n  a: '{{x}}'\n`, 'own/x.yaml')).toBe(`${head}data:\n  a: '{{x}}'\n`)
  })

  const broken: readonly {
    readonly name: string
    readonly text: string
    readonly message: string
    readonly at: string
  }[] = [
    {
      name: 'a name that is not there',
      text: `${head}data:\n  a: {{values.nothing}}\n`,
      message: '"nothing" is not defined',
      at: '6:8',
    },
    {
      name: 'an unclosed block',
      text: `${head}{{#if values}}\n`,
      message: 'the block {{#if}} is not closed',
      at: '5:1',
    },
    {
      name: 'an unknown helper',
      text: `${head}data:\n  a: {{readFile "x"}}\n`,
      message: 'there is no helper "readFile"',
      at: '6:8',
    },
    {
      name: 'a map as text',
      text: `${head}data:\n  a: {{values}}\n`,
      message: 'a map is printed as text',
      at: '6:8',
    },
    {
      name: 'endless recursion',
      text: `{{#*inline "x"}}{{> x}}{{/inline}}{{> x}}`,
      message: 'partials call each other more than 100 deep',
      at: '1:1',
    },
    {
      name: 'a prototype is out of reach',
      text: `${head}data:\n  a: {{cluster.constructor}}\n`,
      message: '"constructor" is not defined',
      at: '6:8',
    },
  ]
  test.each(broken)('$name', ({ text, message, at }) => {
    let caught: unknown
    try {
      render(text)
    } catch (error) {
      caught = error
    }
    if (!(caught instanceof StackmasonError)) throw new Error('nothing was thrown')
    const [diagnostic] = caught.diagnostics
    const span = diagnostic?.at
    const position = span === undefined ? undefined : positionAt(span.source, span.start)
    expect({
      code: diagnostic?.code,
      message: diagnostic?.message,
      at: `${position?.line}:${position?.column}`,
    }).toEqual({ code: 'ADDON_TEMPLATE', message, at })
  })
})
