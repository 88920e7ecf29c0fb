import { expect, test } from 'vitest'
import { findBadNames } from '../../../src/render/stack/find-bad-names.ts'
import { manifestOf } from './objects.ts'

const subdomain =
  'a-z, 0-9, - and ., first and last of each part between dots a letter or digit, 253 characters at most'
const label = 'a-z, 0-9 and -, first and last a letter or digit, 63 characters at most'
const value = 'A-Z, a-z, 0-9, -, _ and ., first and last a letter or digit, 63 characters at most'
const key = `${value}, after a domain and / if there is one`
const dataKeys = 'A-Z, a-z, 0-9, -, _ and ., not beginning with .., 253 characters at most'
const long = (length: number): string => 'a'.repeat(length)
const object = (apiVersion: string, kind: string, name: string, more = ''): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: "${name}"}\n${more}`
const labelled = (labels: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b, labels: {${labels}}}\n`

test.each([
  { name: 'names of subdomains', yaml: object('v1', 'ConfigMap', `a.b-1.${long(247)}`), want: [] },
  { name: 'roles of any name', yaml: object('rbac.authorization.k8s.io/v1', 'Role', 'system:a_B'), want: [] },
  { name: 'definitions', yaml: object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'a.b.c'), want: [] },
  {
    name: 'labels and annotations of every form',
    yaml: `apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n  labels: {app.kubernetes.io/name: A_b.c, empty: "", x: "${long(63)}"}\n  annotations: {Example.com/A: "any / text"}\ndata: {.a-B_c: ""}\n`,
    want: [],
  },
  {
    name: 'capital letters',
    yaml: object('v1', 'ConfigMap', 'My_Config'),
    want: [`ConfigMap <name of 9 characters>: no API server takes this name; allowed are ${subdomain} (metadata.name)`],
  },
  {
    name: 'too long a name',
    yaml: object('example.com/v1', 'Thing', long(254)),
    want: [`Thing ${long(254)}: no API server takes this name; allowed are ${subdomain} (metadata.name)`],
  },
  {
    name: 'a dot in a Service',
    yaml: object('v1', 'Service', 'a.b'),
    want: [`Service a.b: no API server takes this name; allowed are ${label} (metadata.name)`],
  },
  {
    name: 'a dot in a StatefulSet',
    yaml: object('apps/v1', 'StatefulSet', 'a.b'),
    want: [`StatefulSet a.b: no API server takes this name; allowed are ${label} (metadata.name)`],
  },
  { name: 'jobs of the longest names', yaml: object('batch/v1', 'Job', long(63)), want: [] },
  {
    name: 'too long a job',
    yaml: object('batch/v1', 'Job', long(64)),
    want: [
      `Job ${long(64)}: no API server takes this name; allowed are ${subdomain.replace('253', '63')} (metadata.name)`,
    ],
  },
  { name: 'jobs in series of the longest names', yaml: object('batch/v1', 'CronJob', long(52)), want: [] },
  {
    name: 'too long a job in series',
    yaml: object('batch/v1', 'CronJob', long(53)),
    want: [
      `CronJob ${long(53)}: no API server takes this name; allowed are ${subdomain.replace('253', '52')} (metadata.name)`,
    ],
  },
  {
    name: 'labels and annotations of machines',
    yaml: object(
      'cluster.x-k8s.io/v1beta2',
      'Cluster',
      'a',
      'spec: {topology: {controlPlane: {metadata: {labels: {ok: x, zone: "a b"}}}, workers: {machineDeployments: [{metadata: {annotations: {"a b": x}}}]}}}\n',
    ),
    want: [
      `Cluster a: no API server takes the value of label "zone"; allowed are ${value} (spec.topology.controlPlane.metadata.labels.zone)`,
      `Cluster a: no API server takes the annotation of 3 characters; allowed are ${key} (spec.topology.workers.machineDeployments.0.metadata.annotations.a b)`,
    ],
  },
  {
    name: 'a slash in a role',
    yaml: object('rbac.authorization.k8s.io/v1', 'Role', 'a/b'),
    want: [
      'Role <name of 3 characters>: no API server takes this name; allowed are anything without / and % (metadata.name)',
    ],
  },
  {
    name: 'a namespace',
    yaml: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: Team_A}\n',
    want: [
      `ConfigMap <name of 6 characters>/a: no API server takes this namespace; allowed are ${label} (metadata.namespace)`,
    ],
  },
  {
    name: 'values of labels, unshown',
    yaml: labelled(`version: "1.0+secret", note: "${long(64)}", ok: x`),
    want: ['version', 'note'].map(
      (name) =>
        `ConfigMap b/a: no API server takes the value of label "${name}"; allowed are ${value} (metadata.labels.${name})`,
    ),
  },
  {
    name: 'keys of labels',
    yaml: labelled('"a b": x, /a: x, "Example.com/a": x'),
    want: [
      ['of 3 characters', 'a b'],
      ['"/a"', '/a'],
      ['"Example.com/a"', 'Example.com/a'],
    ].map(
      ([shown = '', name = '']) =>
        `ConfigMap b/a: no API server takes the label ${shown}; allowed are ${key} (metadata.labels.${name})`,
    ),
  },
  {
    name: 'labels of pods',
    yaml: object(
      'apps/v1',
      'Deployment',
      'a',
      'spec: {template: {metadata: {labels: {a: "x/y"}}}, selector: {matchLabels: {b: -}}}',
    ),
    want: ['a (spec.template.metadata.labels.a', 'b (spec.selector.matchLabels.b'].map((text) => {
      const [name = '', place = ''] = text.split(' (')
      return `Deployment a: no API server takes the value of label "${name}"; allowed are ${value} (${place})`
    }),
  },
  {
    name: 'keys of data',
    yaml: object('v1', 'ConfigMap', 'a', 'data: {a/b: "", ..x: "", ok.yaml: ""}'),
    want: ['a/b', '..x'].map(
      (name) => `ConfigMap a: no API server takes the key "${name}"; allowed are ${dataKeys} (data.${name})`,
    ),
  },
])('$name', ({ yaml, want }) => {
  const found = findBadNames([manifestOf(yaml)])
  expect(found.map(({ message, on }) => `${message} (${on?.path.join('.') ?? ''})`)).toEqual(want)
  expect(new Set(found.map(({ code, severity }) => `${severity} ${code}`)).size).toBeLessThan(2)
})
