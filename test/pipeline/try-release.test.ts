import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../src/model/diagnostic.ts'
import { pathOf, positionAt } from '../../src/model/source.ts'
import { build } from '../../src/pipeline/commands/build.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import {
  changed,
  chartYaml,
  configMap,
  type FileMap,
  singleFolder,
  stagesFolder,
} from '../../tools/fleets/stack-folder.ts'
import { archiveOf, writeFiles } from '../../tools/fleets/stack-folder.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ports = createNodePorts()

interface Told {
  readonly built: readonly string[]
  readonly told: readonly string[]
}

/** Builds v1 of a provider directory, and gives what lies in the output folder, and what was told. */
async function buildOf(files: FileMap): Promise<Told> {
  const folder = await tempFolder()
  const directory = join(folder, 'stack')
  const output = join(folder, 'out')
  await writeFiles(directory, files)
  const running = build(
    {
      directory,
      output,
      version: { mode: 'explicit', clusterStack: 'v1' },
      rows: 'none',
      push: false,
      index: false,
      overwrite: false,
      dryRun: false,
      network: 'offline',
      start: folder,
      plainHttp: false,
    },
    ports,
  )
  const findings = await running.then(
    (result) => result.findings,
    () => diagnosticsOf(running),
  )
  const told = findings.map((finding) => shown(finding).replaceAll(`${directory}/`, ''))
  return { built: await readdir(output).catch(() => []), told }
}

function shown({ severity, code, message, at, file }: Diagnostic): string {
  const { line, column } = at === undefined ? {} : positionAt(at.source, at.start)
  const place = at === undefined ? file : `${pathOf(at.source)}:${line}:${column}`
  return [severity, code, place, message].join(' ')
}

const CLASS = 'cluster-class/templates/class.yaml'
const CNI = 'cluster-addon/cni/templates/a.yaml'
const OVERWRITE = 'cluster-addon/metrics/overwrite.yaml'

const clusterClass = (template: string, variable = 'size'): string => `apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata: {name: '{{ .Release.Name }}-{{ .Chart.Version }}'}
spec:
  infrastructure:
    templateRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: DockerClusterTemplate, name: ${template}}
  controlPlane:
    templateRef: {apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlaneTemplate, name: plane}
  variables:
    - {name: size, required: true, schema: {openAPIV3Schema: {type: integer, minimum: 3}}}
    - {name: zone, required: false, schema: {openAPIV3Schema: {type: string, default: a}}}
  patches:
    - name: size
      definitions:
        - selector:
            apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
            kind: DockerClusterTemplate
            matchResources: {infrastructureCluster: true}
          jsonPatches:
            - {op: add, path: /spec/template/spec/size, valueFrom: {variable: ${variable}}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: DockerClusterTemplate
metadata: {name: infra}
---
apiVersion: controlplane.cluster.x-k8s.io/v1beta2
kind: KubeadmControlPlaneTemplate
metadata: {name: plane}
`

/** Values of the class and of the Cluster itself, as overwrite.yaml reads them. */
const reading = `values: |
  version: {{ .Cluster.spec.topology.version }}
{{- range .Cluster.spec.topology.variables }}
  {{ .name }}: {{ .value }}
{{- end }}
  host: {{ .Cluster.spec.controlPlaneEndpoint.host }}
  pods: {{ index .Cluster.spec.clusterNetwork.pods.cidrBlocks 0 }}
`

describe('what no cluster can mend stops a build', () => {
  const cases: readonly (readonly [string, Readonly<Record<string, string | Uint8Array>>, readonly string[]])[] = [
    [
      'a class that includes what is not there',
      { [CLASS]: configMap('{{ include "nowhere" . }}') },
      [
        `error TEMPLATE_EXECUTION ${CLASS}:3:22 error calling include: no template has the name that it was given: "nowhere"`,
      ],
    ],
    [
      'a class whose document is no object',
      { [CLASS]: 'a: 1\n' },
      [`error OBJECT_INVALID ${CLASS}:1:1 the document has no apiVersion`],
    ],
    [
      'a class that names a template that is not there',
      { [CLASS]: clusterClass('infr') },
      [
        `error CLASS_TEMPLATE_MISSING ${CLASS}:6:107 ClusterClass docker-demo-1-30-v1 names DockerClusterTemplate infr, which its release does not have`,
      ],
    ],
    [
      'a patch with a variable that the class does not define',
      { [CLASS]: clusterClass('infra', 'siz') },
      [
        `error CLASS_INVALID ${CLASS}:20:79 ClusterClass docker-demo-1-30-v1: patch "size" takes its value from the variable "siz", which the class does not define`,
      ],
    ],
    [
      'an addon that does not parse',
      { [CNI]: configMap('{{ .Values.a }') },
      [`error TEMPLATE_PARSE ${CNI}:3:32 unexpected "}" in operand`],
    ],
    [
      'an addon that includes what is not there',
      { [CNI]: configMap('{{ include "nowhere" . }}') },
      [
        `error TEMPLATE_EXECUTION ${CNI}:3:22 error calling include: no template has the name that it was given: "nowhere"`,
      ],
    ],
    [
      'an addon for another Kubernetes',
      { 'cluster-addon/cni/Chart.yaml': `${chartYaml('cni')}kubeVersion: '>=1.31'\n` },
      [
        'error CHART_KUBE_VERSION cluster-addon/cni chart requires kubeVersion: >=1.31 which is incompatible with Kubernetes v1.30.4',
      ],
    ],
    [
      'an addon that lacks charts, and does not parse',
      {
        'cluster-addon/cni/Chart.yaml': `${chartYaml('cni')}dependencies: [{name: base, version: 1.0.0, repository: oci://registry.invalid/charts}]\n`,
        [CNI]: configMap('{{ if }}'),
      },
      [`error TEMPLATE_PARSE ${CNI}:3:25 missing value for if`],
    ],
    [
      'an overwrite.yaml that does not parse',
      { [OVERWRITE]: 'values: |\n  a: {{ .Cluster\n' },
      [`error TEMPLATE_PARSE ${OVERWRITE}:3:1 unclosed action started at ${OVERWRITE}:2`],
    ],
    [
      'each of them is told',
      { [CNI]: configMap('{{ end }}'), [OVERWRITE]: '{{ nope }}' },
      [
        `error TEMPLATE_PARSE ${CNI}:3:26 unexpected {{end}}`,
        `error TEMPLATE_PARSE ${OVERWRITE}:1:4 function "nope" not defined`,
      ],
    ],
  ]
  test.each(cases)('%s', async (_, change, want) => {
    expect(await buildOf(changed(stagesFolder, change))).toEqual({ built: [], told: want })
  })

  test('also of the old form', async () => {
    const files = changed(singleFolder, { 'cluster-addon-values.yaml': '{{ if }}' })
    expect(await buildOf(files)).toEqual({
      built: [],
      told: ['error TEMPLATE_PARSE cluster-addon-values.yaml:1:7 missing value for if'],
    })
  })
})

describe('what clusters may mend does not', () => {
  const doubt = 'without values of a cluster the addon cannot be rendered:'
  const cases: readonly (readonly [string, Readonly<Record<string, string | Uint8Array>>, readonly string[]])[] = [
    [
      'a value that is required',
      { [CNI]: configMap('{{ required "say where" .Values.zone }}') },
      [`warning TEMPLATE_FAIL ${CNI}:3:22 ${doubt} say where`],
    ],
    [
      'a schema that demands one',
      { 'cluster-addon/cni/values.schema.json': '{"required": ["zone"]}' },
      [
        `warning CHART_VALUES_SCHEMA cluster-addon/cni/values.schema.json ${doubt} values of CNI: missing property 'zone'`,
      ],
    ],
    [
      'a field of one that is not there',
      { [CNI]: configMap('{{ .Values.a.b }}') },
      [`warning TEMPLATE_EXECUTION ${CNI}:3:29 ${doubt} nil pointer evaluating interface {}.b`],
    ],
    [
      'what a chart defines that values switch on',
      {
        'cluster-addon/cni/Chart.yaml': `${chartYaml('cni')}dependencies: [{name: base, version: 1.0.0, condition: base.enabled}]\n`,
        'cluster-addon/cni/values.yaml': 'base: {enabled: false}\n',
        'cluster-addon/cni/charts/base-1.0.0.tgz': archiveOf({
          'base/Chart.yaml': chartYaml('base', '1.0.0'),
          'base/templates/_names.tpl': '{{ define "base.name" }}a{{ end }}',
        }),
        [CNI]: configMap('{{ include "base.name" . }}'),
      },
      [
        `warning TEMPLATE_EXECUTION ${CNI}:3:22 ${doubt} error calling include: no template has the name that it was given: "base.name"`,
      ],
    ],
    [
      'a field that the sample does not have',
      { [OVERWRITE]: 'values: |\n  version: {{ .Cluster.metadata.nme }}\n' },
      [
        `warning CHART_VALUES_INVALID ${OVERWRITE}:2:3 the template prints <no value> for version: a Cluster need not have the field that it reads`,
      ],
    ],
    [
      'another name for values',
      { [OVERWRITE]: 'vals: |\n  version: 1\n' },
      [`warning VALUES_KEY_UNREAD ${OVERWRITE}:1:1 no template reads the key "vals"`],
    ],
    [
      'a key that the chart does not know',
      { [OVERWRITE]: 'values: |\n  versoin: 1\n' },
      [`warning VALUES_KEY_UNREAD ${OVERWRITE}:2:3 no template reads the key "versoin"`],
    ],
  ]
  test.each(cases)('%s', async (_, change, want) => {
    expect(await buildOf(changed(stagesFolder, change))).toEqual({ built: ['docker-demo-1-30-v1'], told: want })
  })
})

describe('nothing is told', () => {
  const cases: readonly (readonly [string, Readonly<Record<string, string | Uint8Array>>])[] = [
    [
      'of variables, defaults, networks, and fields of the running cluster',
      {
        [CLASS]: clusterClass('infra'),
        [OVERWRITE]: reading,
        'cluster-addon/metrics/values.yaml': 'version: none\nsize: 0\nzone: b\nhost: none\npods: none\n',
        'cluster-addon/metrics/templates/a.yaml': configMap('{{ .Values.size | int }}-{{ .Values.zone }}'),
      },
    ],
    [
      'of what charts decide that are fetched later',
      {
        'cluster-addon/cni/Chart.yaml': `${chartYaml('cni')}dependencies: [{name: base, version: 1.0.0, repository: oci://registry.invalid/charts}]\n`,
        [CNI]: configMap('{{ include "base.name" . }}'),
      },
    ],
    ['of kinds whose scope a fleet says', { [CNI]: 'apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n' }],
  ]
  test.each(cases)('%s', async (_, change) => {
    expect(await buildOf(changed(stagesFolder, change))).toEqual({ built: ['docker-demo-1-30-v1'], told: [] })
  })
})
