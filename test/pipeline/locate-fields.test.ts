import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gzip } from '../../src/codec/bytes/gzip.ts'
import { writeTar } from '../../src/codec/bytes/tar.ts'
import { encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import type { PathStep } from '../../src/model/field.ts'
import { pathOf, positionAt, type Span } from '../../src/model/source.ts'
import { expandFleet } from '../../src/pipeline/expand/expand-fleet.ts'
import type { ExpandedFolders } from '../../src/pipeline/expand/expanded-unit.ts'
import { openFleet } from '../../src/pipeline/fleet/open-fleet.ts'
import { stacksOf } from '../../src/pipeline/expand/stack-state.ts'
import { exampleFleet, handoffs } from '../../tools/fleets/example-fleet.ts'

const packed = {
  'Chart.yaml': 'apiVersion: v2\nname: doors\nversion: 1.0.0\n',
  'values.yaml': 'color: red\nsize: 3\n',
  'templates/_names.tpl': '{{- define "doors.name" -}}\n{{ .Release.Name }}-front\n{{- end -}}\n',
  'templates/door.yaml': `apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: ConfigMap
    metadata: {name: {{ include "doors.name" . }}}
    data:
      color: {{ .Values.color }}
      size: {{ .Values.size | quote }}
      {{- range .Values.keys }}
      {{ . }}: "yes"
      {{- end }}
  - apiVersion: v1
    kind: Secret
    metadata: {name: lock}
    data:
      pin: {{ .Values.pin | b64enc }}
`,
  'crds/doors.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: doors.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Door, plural: doors}
  versions: []
`,
}

const files: Readonly<Record<string, string>> = {
  '+clusters/team-a/web/cluster.yaml':
    '---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: beside\ndata: {a: b}\n',
  'clusters/team-a/web/addons.yaml': `apiVersion: stackmason.dev/v1alpha1
kind: Addons
spec:
  addons:
    - {name: doors, chart: {path: doors.tgz}, namespace: default}
    - {name: notes, templates: {path: notes}, namespace: default}
`,
  'clusters/team-a/web/values/doors.yaml': 'color: blue\nkeys: [left, right]\npin: "1234"\n',
  'clusters/team-a/web/values/notes.yaml': 'notes:\n  - name: one\n    text: first\n  - name: two\n    text: second\n',
  'clusters/team-a/web/notes/plain.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\ndata:\n  a: b\n',
  'clusters/team-a/web/notes/notes.yaml.hbs': `{{#each values.notes}}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: note-{{name}}
data:
  text: {{quote text}}
  cluster: {{@root.cluster.metadata.name}}
  mirror: {{#each @root.cluster.spec.topology.variables}}{{#if (eq name "registryMirror")}}{{value}}{{/if}}{{/each}}
{{/each}}
`,
  'clusters/team-a/web/patches/args.yaml': `apiVersion: stackmason.dev/v1alpha1
kind: Patch
spec:
  target: {kind: Deployment, name: metrics-agent}
  jsonPatch:
    - {op: add, path: /spec/template/spec/containers/0/args/0, value: --quiet}
    - {op: remove, path: /spec/template/spec/containers/0/args/2}
    - op: add
      path: /spec/template/spec/containers/-
      value:
        name: helper
        image: helper:1
    - {op: copy, from: /spec/template/spec/containers/0/image, path: /metadata/annotations}
    - {op: remove, path: /metadata/annotations}
    - {op: move, from: /spec/template/spec/serviceAccountName, path: /spec/template/spec/hostname}
---
apiVersion: stackmason.dev/v1alpha1
kind: Patch
spec:
  target: {kind: Deployment, name: metrics-agent}
  mergePatch:
    spec:
      revisionHistoryLimit: 3
      template: {spec: {nodeSelector: {disk: ssd}}}
`,
}

const folder = mkdtempSync(join(tmpdir(), 'stackmason-locate-'))
const units: Pick<ExpandedFolders, 'rendered' | 'locator'>[] = []

beforeAll(async () => {
  const fleet = exampleFleet(folder, { clusters: ['team-a/web', 'team-b/batch'], handoff: [handoffs.flux] })
  for (const [path, text] of Object.entries(files)) {
    const own = path.replace('+', '')
    fleet.write(own, path.startsWith('+') ? fleet.read(own) + text : text)
  }
  const chart = Object.entries(packed).map(([path, text]) => ({
    path: `doors/${path}`,
    bytes: encodeUtf8(text),
    mode: 0o644,
  }))
  fleet.write('clusters/team-a/web/doors.tgz', gzip(writeTar(chart)))
  const { ports } = fleet
  const { stacks } = await expandFleet(
    await openFleet({ start: folder }, ports),
    { selection: { clusters: [], stacks: [] }, revision: { from: 'disk' }, network: 'offline', until: 'rendered' },
    { ports, take: (expanded) => void units.push(expanded) },
  )
  units.push(...stacksOf(stacks, 'rendered').map(({ stack, locator }) => ({ rendered: [stack.folder], locator })))
})

afterAll(() => {
  rmSync(folder, { recursive: true })
})

function show({ source, start }: Span): string {
  const { line, column } = positionAt(source, start)
  return `${pathOf(source).replace(`${folder}/`, '')}:${String(line)}:${String(column)}`
}

interface Row {
  /** `Kind name` or `Kind namespace/name`. */
  readonly object: string
  readonly path: readonly PathStep[]
  /** The place of a finding, then those of its trace. */
  readonly want: readonly string[]
}

const container = ['spec', 'template', 'spec', 'containers', 0] as const
const doors = 'clusters/team-a/web/doors.tgz!/doors'
const agent = 'providers/docker/demo/cluster-addon/metrics/charts/metrics-agent'
const notes = 'clusters/team-a/web/notes'
const patch = 'clusters/team-a/web/patches/args.yaml'
const demoClass = 'providers/docker/demo/cluster-class/templates'

const ofWeb: readonly Row[] = [
  { object: 'Cluster web', path: ['spec', 'topology', 'version'], want: ['clusters/team-a/web/cluster.yaml:25:14'] },
  {
    object: 'Cluster web',
    path: ['spec', 'topology', 'variables', 0, 'value'],
    want: ['clusters/team-a/web/cluster.yaml:35:16'],
  },
  // what is not written has the place of what it would be part of
  { object: 'Cluster web', path: ['spec', 'paused'], want: ['clusters/team-a/web/cluster.yaml:9:1'] },
  { object: 'ConfigMap beside', path: ['data', 'a'], want: ['clusters/team-a/web/cluster.yaml:41:11'] },
  { object: 'ConfigMap beside', path: ['metadata', 'namespace'], want: ['clusters/team-a/web/cluster.yaml:39:1'] },

  { object: 'Deployment metrics-agent', path: ['kind'], want: [`${agent}/templates/deployment.yaml:2:7`] },
  {
    object: 'Deployment metrics-agent',
    path: ['spec', 'replicas'],
    want: ['clusters/team-a/web/values/metrics.yaml:2:13', `${agent}/templates/deployment.yaml:8:16`],
  },
  {
    object: 'Deployment metrics-agent',
    path: ['metadata', 'labels', 'domain'],
    want: [
      'clusters/team-a/web/cluster.yaml:19:11',
      'providers/docker/demo/cluster-addon/metrics/overwrite.yaml:11:15',
      `${agent}/templates/_helpers.tpl:5:4`,
      `${agent}/templates/deployment.yaml:6:9`,
    ],
  },
  {
    object: 'Deployment metrics-agent',
    path: ['metadata', 'labels', 'clusterstack.x-k8s.io/instance'],
    want: [`${agent}/templates/deployment.yaml:5:3`],
  },
  { object: 'Deployment metrics-agent', path: [...container, 'args', 0], want: [`${patch}:6:71`] },
  // before the patch: item 0, the default of a class's variable through overwrite.yaml
  {
    object: 'Deployment metrics-agent',
    path: [...container, 'args', 1],
    want: [
      `${demoClass}/cluster-class.yaml:48:20`,
      'providers/docker/demo/cluster-addon/metrics/overwrite.yaml:9:17',
      `${agent}/templates/deployment.yaml:22:15`,
    ],
  },
  // before the patch: item 2, of a values file of the chart that no file of the fleet overrides
  {
    object: 'Deployment metrics-agent',
    path: [...container, 'args', 2],
    want: [`${agent}/templates/deployment.yaml:25:18`, 'providers/docker/demo/cluster-addon/metrics/values.yaml:3:7'],
  },
  {
    object: 'Deployment metrics-agent',
    path: ['spec', 'template', 'spec', 'containers', 1, 'image'],
    want: [`${patch}:12:16`],
  },
  { object: 'Deployment metrics-agent', path: ['spec', 'template', 'spec', 'containers', 1], want: [`${patch}:10:7`] },
  {
    object: 'Deployment metrics-agent',
    path: ['spec', 'template', 'spec', 'hostname'],
    want: [`${agent}/templates/deployment.yaml:17:30`],
  },
  { object: 'Deployment metrics-agent', path: ['spec', 'revisionHistoryLimit'], want: [`${patch}:23:29`] },
  {
    object: 'Deployment metrics-agent',
    path: ['spec', 'template', 'spec', 'nodeSelector', 'disk'],
    want: [`${patch}:24:46`],
  },
  {
    object: 'Deployment metrics-agent',
    path: ['spec', 'template', 'spec', 'nodeSelector'],
    want: [`${patch}:24:25`],
  },

  // a chart in an archive
  {
    object: 'ConfigMap doors-front',
    path: ['metadata', 'name'],
    want: [`${doors}/templates/_names.tpl:2:4`, `${doors}/templates/door.yaml:6:25`],
  },
  {
    object: 'ConfigMap doors-front',
    path: ['data', 'color'],
    want: ['clusters/team-a/web/values/doors.yaml:1:8', `${doors}/templates/door.yaml:8:17`],
  },
  {
    object: 'ConfigMap doors-front',
    path: ['data', 'size'],
    want: [`${doors}/templates/door.yaml:9:16`, `${doors}/values.yaml:2:7`],
  },
  {
    object: 'ConfigMap doors-front',
    path: ['data', 'right'],
    want: [`${doors}/templates/door.yaml:11:16`],
  },
  {
    object: 'Secret lock',
    path: ['data', 'pin'],
    want: ['clusters/team-a/web/values/doors.yaml:3:6', `${doors}/templates/door.yaml:17:15`],
  },
  {
    object: 'CustomResourceDefinition doors.example.com',
    path: ['spec', 'scope'],
    want: [`${doors}/crds/doors.yaml:6:10`],
  },

  // templates of the fleet
  { object: 'ConfigMap plain', path: ['data', 'a'], want: [`${notes}/plain.yaml:5:6`] },
  {
    object: 'ConfigMap note-two',
    path: ['data', 'text'],
    want: ['clusters/team-a/web/values/notes.yaml:5:11', `${notes}/notes.yaml.hbs:8:9`],
  },
  {
    object: 'ConfigMap note-two',
    path: ['data', 'cluster'],
    want: ['clusters/team-a/web/cluster.yaml:5:9', `${notes}/notes.yaml.hbs:9:12`],
  },
  {
    object: 'ConfigMap note-one',
    path: ['data', 'mirror'],
    want: ['clusters/team-a/web/cluster.yaml:35:16', `${notes}/notes.yaml.hbs:10:92`],
  },
]

const ofBatch: readonly Row[] = [
  {
    object: 'ResourceQuota imports/pods',
    path: ['spec', 'hard', 'pods'],
    want: ['clusters/team-b/batch/values/quotas.yaml:5:11', 'clusters/team-b/batch/quotas/quotas.yaml.hbs:17:11'],
  },
  {
    object: 'ResourceQuota reports/pods',
    path: ['metadata', 'namespace'],
    want: ['clusters/team-b/batch/values/quotas.yaml:2:11', 'clusters/team-b/batch/quotas/quotas.yaml.hbs:14:14'],
  },
]

const ofClass: readonly Row[] = [
  {
    object: 'ClusterClass docker-demo-1-34-v3',
    path: ['metadata', 'name'],
    want: [`${demoClass}/_names.tpl:2:4`, `${demoClass}/cluster-class.yaml:4:12`],
  },
  {
    object: 'ClusterClass docker-demo-1-34-v3',
    path: ['spec', 'variables', 1, 'name'],
    want: [`${demoClass}/cluster-class.yaml:42:13`],
  },
]

function placesOf({ object, path }: Row, folderOfUnit: string): readonly string[] {
  const unit = units.find(({ rendered }) => rendered.some((one) => one.path.startsWith(folderOfUnit)))
  const manifest = unit?.rendered
    .flatMap(({ manifests }) => manifests)
    .find(({ kind, namespace, name }) => [`${kind} ${name}`, `${kind} ${namespace ?? ''}/${name}`].includes(object))
  if (manifest === undefined) throw new Error(`no ${object}`)
  const { at, trace = [] } = unit?.locator?.locate(manifest, path) ?? {}
  return [at, ...trace.map((step) => step.at)].flatMap((span) => (span === undefined ? [] : [show(span)]))
}

describe('a field of a rendered object has the place of what decided it, and of its templates', () => {
  test.each(ofWeb)('$object $path', (row) => {
    expect(placesOf(row, 'clusters/team-a/web/')).toEqual(row.want)
  })
  test.each(ofBatch)('$object $path', (row) => {
    expect(placesOf(row, 'clusters/team-b/batch/')).toEqual(row.want)
  })
  test.each(ofClass)('$object $path of the class', (row) => {
    expect(placesOf(row, 'stacks/platform/docker-demo-')).toEqual(row.want)
  })
})
