import { expect, test } from 'vitest'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { fieldAt } from '../../../src/model/field.ts'
import { Dict, dict } from '../../../src/model/value.ts'
import { renderTemplateFolder } from '../../../src/render/stack/template-folder.ts'

const CANARY = 'hunter2Kanarienvogel'

function rendered(expression: string, spec: string): string {
  const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: "${expression}"}\n`
  return renderedText(text, spec)
}

function renderedText(text: string, spec: string): string {
  const cluster = parseGoYaml(`{metadata: {name: web, namespace: team}, spec: ${spec}}`, { integers: 'int' })
  if (!(cluster instanceof Dict)) throw new TypeError('no map')
  const values = dict([
    ['name', CANARY],
    ['list', [CANARY, 'x']],
  ])
  const data = { cluster, values, release: { name: 'own', namespace: 'kube-system' }, layers: [], valuesFile: 'v' }
  try {
    const [manifest] = renderTemplateFolder([{ name: 'own/a.yaml.hbs', text }], 'own', data)
    return JSON.stringify(manifest === undefined ? '' : fieldAt(manifest.object, 'data', 'a'))
  } catch (error) {
    if (error instanceof StackmasonError)
      return error.diagnostics.map(({ code, message }) => `${code} ${message}`).join()
    throw error
  }
}

const endpoint = 'cluster.spec.controlPlaneEndpoint'

test.each([
  { text: `{{${endpoint}.host}}`, spec: '{controlPlaneEndpoint: {host: 192.0.2.1}}', want: '"192.0.2.1"' },
  { text: `{{${endpoint}.host}}`, spec: '{}', want: 'ADDON_TEMPLATE "host" is not defined, nor is what it is read of' },
  { text: `{{${endpoint}.host}}`, spec: '{controlPlaneEndpoint: {}}', want: 'ADDON_TEMPLATE "host" is not defined' },
  {
    text: `{{${endpoint}.host}}`,
    spec: '{controlPlaneEndpoint: {host: ""}}',
    want: 'ADDON_TEMPLATE "host" is not defined',
  },
  {
    text: `{{${endpoint}.port}}`,
    spec: '{controlPlaneEndpoint: {port: 0}}',
    want: 'ADDON_TEMPLATE "port" is not defined',
  },
  {
    text: '{{cluster.status.phase}}',
    spec: '{}',
    want: 'ADDON_TEMPLATE "phase" is not defined, nor is what it is read of',
  },
  { text: '{{cluster.metadata.uid}}', spec: '{}', want: 'ADDON_TEMPLATE "uid" is not defined' },
  {
    text: '{{ .Cluster.spec.controlPlaneEndpoint.host }}',
    spec: '{}',
    want: 'ADDON_TEMPLATE the template does not parse: unexpected "."',
  },
  {
    text: '${CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST}',
    spec: '{}',
    want: '"${CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST}"',
  },
])('an own template with $text of a Cluster with $spec', ({ text, spec, want }) => {
  expect(rendered(text, spec)).toBe(want)
})

const spec = `{secret: ${CANARY}, hosts: [${CANARY}]}`

test.each([
  {
    text: '{{values.list.first}}',
    want: 'ADDON_TEMPLATE "first" is read of a list, whose items are [0], [1] and so on',
  },
  { text: '{{values.name.first}}', want: 'ADDON_TEMPLATE "first" is read of a text, which has no fields' },
  { text: '{{cluster.spec.secret.x}}', want: 'ADDON_TEMPLATE "x" is read of a text, which has no fields' },
  {
    text: '{{cluster.spec.hosts.x}}',
    want: 'ADDON_TEMPLATE "x" is read of a list, whose items are [0], [1] and so on',
  },
  { text: '{{> (lookup values "name")}}', want: 'ADDON_TEMPLATE the partial that a value names here is not there' },
  { text: 'a: *{{values.name}}', want: 'OBJECT_INVALID no anchor of this name has a complete value before this' },
  {
    text: 'a: &{{values.name}} [*{{values.name}}]',
    want: 'OBJECT_INVALID no anchor of this name has a complete value before this',
  },
  { text: 'a: !!int {{values.name}}', want: 'OBJECT_INVALID the value does not fit the tag before it' },
  { text: '{ {a: {{cluster.spec.secret}} }: b}', want: 'OBJECT_INVALID a key must be text' },
  { text: '~: {{values.name}}', want: 'OBJECT_INVALID a key must be text' },
  {
    text: '{{values.name}}: 1\n{{values.name}}: [',
    want: 'OBJECT_INVALID the list in brackets is not closed, or a comma is missing in it',
  },
  {
    text: '{{values.name}}: : x',
    want: 'OBJECT_INVALID a second `: ` in one line; quote the value, or put the inner map on lines of its own',
  },
])('an own template with $text says nothing of what it was given', ({ text, want }) => {
  const problem = renderedText(text, spec)
  expect(problem).toBe(want)
  expect(problem).not.toContain(CANARY)
})
