import { describe, expect, test } from 'vitest'
import { lab } from '../../tools/fleets/lab-fleet.ts'
import { checkLab } from './check-lab.ts'

const NAME = 'CustomResourceDefinition things.example.com'
const version = (name: string, fields: string, isStored: boolean): string =>
  `{name: ${name}, served: true, storage: ${String(isStored)}, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {${fields}}}, status: {type: object, properties: {${name}: {type: string}}}}}}}`
const definition = (versions: readonly string[], conversion = '', annotations = ''): string =>
  `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.example.com, annotations: {${annotations}}}, spec: {group: example.com, scope: Namespaced, names: {kind: Thing, plural: things}, versions: [${versions.join(', ')}]${conversion === '' ? '' : `, conversion: {${conversion}}`}}}`
const size = 'size: {type: integer}'
const sizeAndColor = `${size}, color: {type: string}`
const stored = version('v1', size, true)
const webhook = (client: string): string =>
  definition(
    [stored, version('v1beta1', sizeAndColor, false)],
    `strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {${client}}}`,
  )
const SERVICE =
  '{apiVersion: v1, kind: Service, metadata: {name: hook, namespace: kube-system}, spec: {ports: [{port: 443}]}}'
const service = 'service: {name: hook, namespace: kube-system}'
const role = (verbs: string): string =>
  `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: hook}, rules: [{apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [${verbs}]}]}`
const unsigned = `warning CONVERSION_MISSING ${NAME} is converted by a webhook without a caBundle: the API server trusts no certificate of it, and every read and write of the kind fails → Add the caBundle, or have it filled in (cert-manager.io/inject-ca-from); if the program itself does, acknowledge this finding.`

interface Row {
  readonly name: string
  readonly objects: readonly string[]
  readonly found?: readonly string[]
}

const rows: readonly Row[] = [
  {
    name: 'a field that only the other version has',
    objects: [definition([stored, version('v1beta1', sizeAndColor, false)])],
    found: [
      `warning CONVERSION_MISSING ${NAME} serves v1beta1 and stores v1 without a conversion: spec.color of v1beta1 is dropped when an object is written → Write objects in v1; a definition of your own needs a conversion webhook, or the same fields in both versions.`,
    ],
  },
  { name: 'the same fields', objects: [definition([stored, version('v1beta1', size, false)])] },
  {
    name: 'a version that is not served',
    objects: [definition([stored, version('v1beta1', sizeAndColor, false).replace('served: true', 'served: false')])],
  },
  {
    name: 'a field of a map that is kept as a whole',
    objects: [
      definition([
        version('v1', 'more: {type: object, x-kubernetes-preserve-unknown-fields: true}', true),
        version('v1beta1', 'more: {type: object, properties: {color: {type: string}}}', false),
      ]),
    ],
  },
  {
    name: 'a webhook of no address',
    objects: [definition([stored], 'strategy: Webhook')],
    found: [
      `error CONVERSION_MISSING ${NAME} is converted by a webhook, and nothing says where it is: the API server refuses that → Add webhook.clientConfig with the service, or its url.`,
    ],
  },
  { name: 'a webhook without a bundle', objects: [SERVICE, webhook(service)], found: [unsigned] },
  {
    name: 'a webhook without a bundle, and a role that only reads definitions',
    objects: [SERVICE, webhook(service), role('get, list')],
    found: [unsigned],
  },
  { name: 'a webhook with a bundle', objects: [SERVICE, webhook(`${service}, caBundle: Cg==`)] },
  { name: 'a webhook of a public address', objects: [webhook('url: "https://convert.example.com"')] },
  {
    name: 'a webhook whose bundle is filled in',
    objects: [
      SERVICE,
      webhook(service).replace('annotations: {}', 'annotations: {cert-manager.io/inject-ca-from: kube-system/hook}'),
    ],
  },
  {
    name: 'a webhook of a program that may write definitions',
    objects: [SERVICE, webhook(service), role('get, patch')],
  },
]

describe('definitions of several versions:', () => {
  test.each(rows)('$name', async ({ objects, found = [] }) => {
    const template = objects.map((object) => `---\n${object}\n`).join('')
    const lines = await checkLab({ files: { [lab.template]: template, [lab.defaults]: '' } })
    expect(
      lines
        .filter((line) => line.includes('CONVERSION_MISSING'))
        .map((line) => line.replace(/ \S+:\d+:\d+ /, ' ').replace(' [team/one web]', '')),
    ).toEqual(found)
  })

  test('are found where they are written', async () => {
    const files = { [lab.template]: webhook(service), [lab.defaults]: '' }
    const [first = ''] = (await checkLab({ files })).filter((line) => line.includes('CONVERSION_MISSING'))
    expect(first).toMatch(/^warning CONVERSION_MISSING stack\/cluster-addon\/web\/templates\/web\.yaml:1:\d+ /)
  })
})
