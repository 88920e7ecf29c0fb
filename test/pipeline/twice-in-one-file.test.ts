import { expect, test } from 'vitest'
import { pathOf, positionAt, type Span } from '../../src/model/source.ts'
import { exampleFleet, handoffs } from '../../tools/fleets/example-fleet.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'
import { tempFolder } from '../support/temp-folder.ts'

const cluster = 'clusters/team-b/batch'
const map = (name: string, namespace = ''): string =>
  `---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${namespace && `  namespace: ${namespace}\n`}`
const item = '- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: x\n'
const addons = (entry: string): Readonly<Record<string, string>> => ({
  [`${cluster}/addons.yaml`]: `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  runtimeValues:\n    Cluster.spec.controlPlaneEndpoint.host: 192.0.2.10\n  addons: [${entry}]\n`,
})
const templates = (file: string, text: string): Readonly<Record<string, string>> => ({
  ...addons('{name: quotas, templates: {path: own}}'),
  [`${cluster}/own/${file}`]: text,
})
const chart = (text: string): Readonly<Record<string, string>> => ({
  ...addons('{name: quotas, chart: {path: own}}'),
  [`${cluster}/own/Chart.yaml`]: 'apiVersion: v2\nname: own\nversion: 1.0.0\n',
  [`${cluster}/own/templates/a.yaml`]: text,
})

test.each([
  {
    name: 'of a folder of templates, three times',
    files: templates('a.yaml', map('x') + map('other') + map('x') + map('x')),
    places: ['own/a.yaml:15:9, the first own/a.yaml:5:9', 'own/a.yaml:20:9, the first own/a.yaml:5:9'],
  },
  {
    name: 'of a Handlebars template, the first without the namespace',
    files: templates('a.hbs', map('x', 'other') + map('x') + map('x', 'kube-system')),
    places: ['own/a.hbs:16:9, the first own/a.hbs:11:9'],
  },
  {
    name: 'of a List',
    files: templates('a.yaml', `apiVersion: v1\nkind: List\nitems:\n${item}${item}`),
    places: ['own/a.yaml:11:11, the first own/a.yaml:7:11'],
  },
  {
    name: 'beside the Cluster',
    files: {},
    append: map('x') + map('x', 'team-b'),
    places: ['cluster.yaml:32:9, the first cluster.yaml:27:9'],
  },
  {
    name: 'of a chart',
    files: chart(map('x') + map('x')),
    places: ['own/templates/a.yaml:10:9, the first own/templates/a.yaml:5:9'],
  },
  {
    name: 'of a named template that a chart includes twice',
    files: chart(`{{- define "x" }}\n${map('x')}{{- end }}\n{{ include "x" . }}\n{{ include "x" . }}\n`),
    places: [
      'own/templates/a.yaml:6:3, template "own/templates/a.yaml" own/templates/a.yaml:9:4, the first own/templates/a.yaml:8:4',
    ],
  },
])('two equal documents of one file have a place each: $name', async ({ files, append = '', places }) => {
  const fleet = exampleFleet(await tempFolder(), { clusters: ['team-b/batch'], handoff: [handoffs.flux] })
  fleet.change({ [`${cluster}/quotas`]: null, [`${cluster}/values`]: null, ...addons(''), ...files })
  fleet.write(`${cluster}/cluster.yaml`, fleet.read(`${cluster}/cluster.yaml`) + append)
  const shown = ({ source, start }: Span): string => {
    const { line, column } = positionAt(source, start)
    return `${pathOf(source).replace(fleet.path(`${cluster}/`), '')}:${String(line)}:${String(column)}`
  }
  const found = await diagnosticsOf(fleet.render())
  expect(found.map(({ code }) => code)).toEqual(places.map(() => 'OBJECT_DUPLICATE'))
  expect(
    found.map(({ at, trace = [] }) =>
      [at && shown(at), ...trace.map((step) => `${step.what} ${step.at ? shown(step.at) : ''}`)].join(', '),
    ),
  ).toEqual(places)
})
