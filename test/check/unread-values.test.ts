import { describe, expect, test } from 'vitest'
import { lab } from '../../tools/fleets/lab-fleet.ts'
import { checkLab, type LabRow } from './check-lab.ts'

interface Row {
  readonly name: string
  /** The default values of the chart. */
  readonly defaults?: string
  /** Its template; `map` is a ConfigMap. */
  readonly template?: string
  readonly files?: LabRow['files']
  /** Of the fleet. */
  readonly values: string
  readonly found?: readonly string[]
}

const map = (data: string, name = 'web'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata:\n${data}\n`
const finding = (severity: string, place: string, message: string, hint: string): string =>
  `${severity} VALUES_KEY_UNREAD ${lab.values}:${place} no template reads the key ${message} [team/one web] → ${hint}`
const LOOK = 'Remove it, or look up its name in the values.yaml of the chart.'
const sub = 'stack/cluster-addon/web/charts/cilium'
const withSub: LabRow['files'] = {
  [lab.chart]:
    'apiVersion: v2\nname: web\nversion: v1\ndependencies: [{name: cilium, version: v1, condition: cilium.enabled}]\n',
  [`${sub}/Chart.yaml`]: 'apiVersion: v2\nname: cilium\nversion: v1\n',
  [`${sub}/values.yaml`]: 'enabled: true\nhubble: {enabled: false, relay: {replicas: 1}}\n',
  [`${sub}/templates/a.yaml`]: map(
    '  a: {{ .Values.hubble.enabled | quote }}\n  {{ if .Values.hubble.enabled }}b: {{ .Values.hubble.relay.replicas | quote }}{{ end }}',
    'cilium',
  ),
}

const rows: readonly Row[] = [
  { name: 'a key of the defaults', values: 'message: x\n' },
  {
    name: 'a misspelt key',
    values: 'mesage: x\n',
    found: [finding('error', '1:1', '"mesage"', 'Did you mean message?')],
  },
  {
    name: 'a key that is near to none',
    values: 'message: x\nfoo: {bar: 1}\n',
    found: [finding('warning', '2:1', '"foo"', LOOK)],
  },
  {
    name: 'the chart below misspelt',
    files: withSub,
    values: 'cillium: {hubble: {enabled: true}}\n',
    found: [finding('error', '1:1', '"cillium"', 'Did you mean cilium?')],
  },
  {
    name: 'a key of the chart below, misspelt',
    files: withSub,
    values: 'cilium: {hubble: {enabld: true}}\n',
    found: [finding('error', '1:19', '"enabld" below cilium.hubble', 'Did you mean enabled?')],
  },
  { name: 'below what no template looks at', files: withSub, values: 'cilium: {hubble: {relay: {foo: 1}}}\n' },
  {
    name: 'below what templates look at now',
    files: withSub,
    values: 'cilium: {hubble: {enabled: true, relay: {foo: 1}}}\n',
    found: [finding('warning', '1:42', '"foo" below cilium.hubble.relay', LOOK)],
  },
  { name: 'globals and tags', files: withSub, values: 'global: {foo: 1}\ntags: {a: true}\n' },
  {
    name: 'an alias',
    files: {
      ...withSub,
      [lab.chart]: 'apiVersion: v2\nname: web\nversion: v1\ndependencies: [{name: cilium, version: v1, alias: net}]\n',
    },
    values: 'net: {hubble: {enabled: true}}\ncilium: {}\n',
    found: [finding('warning', '2:1', '"cilium"', LOOK)],
  },
  {
    name: 'a chart below that is off',
    files: withSub,
    values: 'cilium: {enabled: false, foo: 1}\n',
  },
  { name: 'an empty default', defaults: 'message: x\nlabels: {}\n', values: 'labels: {foo: 1}\n' },
  { name: 'a default that is null', defaults: 'message: x\nlabels:\n', values: 'labels: {foo: 1}\n' },
  {
    name: 'a map that goes to toYaml',
    defaults: 'labels: {a: b}\n',
    template: map('{{ toYaml .Values.labels | indent 2 }}'),
    values: 'labels: {foo: bar}\n',
  },
  {
    name: 'a map that a range goes through',
    defaults: 'labels: {a: b}\n',
    template: map('{{ range $k, $v := .Values.labels }}  {{ $k }}: {{ $v }}\n{{ end }}'),
    values: 'labels: {foo: bar}\n',
  },
  {
    name: 'a map that is merged with another',
    defaults: 'labels: {a: b}\n',
    template: map('  {{ $m := merge (dict) .Values.labels }}a: {{ $m.a }}'),
    values: 'labels: {foo: bar}\n',
  },
  {
    name: 'a map that is read key by key in a named template',
    defaults: 'labels: {a: b}\n',
    template: `{{ define "x" }}{{ .a }}{{ end }}${map('  a: {{ include "x" .Values.labels }}')}`,
    values: 'labels: {foo: bar}\n',
    found: [finding('warning', '1:10', '"foo" below labels', LOOK)],
  },
  {
    name: 'a key that a template has as a word, in a branch that is not taken',
    template: map('  a: b{{ if .Values.message | eq "never" }}{{ get .Values "foo" }}{{ end }}'),
    values: 'foo: bar\n',
  },
  {
    name: 'a key whose name a template makes',
    template: map('  a: {{ index .Values (printf "%s%s" "fo" "o") }}'),
    values: 'foo: bar\n',
  },
  {
    name: 'all values at once',
    template: map('  a: {{ .Values | toJson | quote }}'),
    values: 'foo: bar\n',
  },
  {
    name: 'a key that a text of the values names for tpl',
    template: map('  a: {{ tpl .Values.message . }}'),
    values: 'message: "{{ .Values.foo }}"\nfoo: bar\n',
  },
  {
    name: 'a key that only the schema has',
    files: {
      'stack/cluster-addon/web/values.schema.json':
        '{"properties": {"foo": {"type": "object", "properties": {"bar": {}}}}}',
    },
    values: 'foo: {bar: 1}\n',
  },
  {
    name: 'a key of a schema that takes any',
    files: { 'stack/cluster-addon/web/values.schema.json': '{"additionalProperties": {"type": "string"}}' },
    values: 'foo: x\n',
  },
  {
    name: 'a chart of charts, which has no template of its own',
    files: { ...withSub, [lab.template]: null, [lab.defaults]: null },
    values: 'hubble: {enabled: true}\n',
    found: [finding('error', '1:1', '"hubble"', 'The chart cilium has it: write it below cilium.')],
  },
  {
    name: 'values of a folder of templates',
    files: {
      [lab.addons]:
        'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {addons: [{name: own, templates: {path: own}}]}\n',
      'clusters/team/one/own/a.yaml.hbs': map('  a: {{values.message}}', 'own'),
      'clusters/team/one/values/own.yaml': 'message: x\nmesage: y\nother: z\n',
    },
    values: '',
    found: [
      'error VALUES_KEY_UNREAD clusters/team/one/values/own.yaml:2:1 no template reads the key "mesage" [team/one own] → Did you mean message?',
      `warning VALUES_KEY_UNREAD clusters/team/one/values/own.yaml:3:1 no template reads the key "other" [team/one own] → ${LOOK}`,
    ],
  },
  {
    name: 'values of a folder of templates that goes through all',
    files: {
      [lab.addons]:
        'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {addons: [{name: own, templates: {path: own}}]}\n',
      'clusters/team/one/own/a.yaml.hbs': map('{{#each values}}  {{@key}}: {{this}}\n{{/each}}', 'own'),
      'clusters/team/one/values/own.yaml': 'other: z\n',
    },
    values: 'message: x\n',
  },
]

describe('values that no template reads:', () => {
  test.each(rows)('$name', async ({ defaults, template, files = {}, values, found = [] }) => {
    const all = {
      [lab.values]: values,
      ...(defaults !== undefined && { [lab.defaults]: defaults }),
      ...(template !== undefined && { [lab.template]: template }),
      ...files,
    }
    const changed = Object.fromEntries(Object.entries(all).filter(([path, text]) => text !== '' || path !== lab.values))
    expect(await checkLab({ files: changed })).toEqual(found)
  })
})
