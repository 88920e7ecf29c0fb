import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageFolder } from '../cli/run-cli.ts'
import { checkLab } from './check-lab.ts'

const tools = {
  flux: 'handoff: {flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}}}',
  argocd: 'handoff: {argocd: {repoURL: https://git.example.com/fleet.git}}',
} as const

interface Row {
  readonly name: string
  /** Below `templates/handoff`. */
  readonly template: string
  /** Replaced in ours. */
  readonly from?: string
  readonly to?: string
  readonly files?: Readonly<Record<string, string>>
  readonly spec?: readonly string[]
  readonly found?: readonly string[]
}

const kustomization = 'flux/kustomization.yaml'
const application = 'argocd/application.yaml'
const project = 'argocd/appproject.yaml'
const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: kustomizations.kustomize.toolkit.fluxcd.io}
spec:
  group: kustomize.toolkit.fluxcd.io
  scope: Namespaced
  names: {kind: Kustomization, plural: kustomizations}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}
`

const rows: readonly Row[] = [
  { name: 'of Flux, as render writes them', template: kustomization },
  { name: 'of Argo CD, as render writes them', template: application },
  {
    name: 'a misspelt field',
    template: kustomization,
    from: '  prune: true\n',
    to: '  prune: true\n  retryIntervall: 1m\n',
    found: [
      'error OBJECT_FIELD_UNKNOWN templates/handoff/flux/kustomization.yaml.hbs:24:3 Kustomization team/one: the kind has no field spec.retryIntervall [team/one] → Did you mean retryInterval?',
    ],
  },
  {
    name: 'a kind that is none below another `kind`',
    template: kustomization,
    from: '  prune: true\n',
    to: '  prune: true\n  healthChecks:\n    - apiVersion: v1\n      kind: 7\n      name: a\n',
    found: [
      'error OBJECT_FIELD_INVALID templates/handoff/flux/kustomization.yaml.hbs:26:7 Kustomization team/one: spec.healthChecks[0].kind has to be text [team/one] → Correct it where the message points: in the template, in the values that it reads, or with a patch.',
    ],
  },
  {
    name: 'a field that a newer Flux has, with its definition',
    template: kustomization,
    from: '  prune: true\n',
    to: '  prune: true\n  novelty: true\n',
    files: { 'crds/flux.yaml': definition },
    spec: ['check: {schemas: [crds]}'],
  },
  {
    name: 'a value of the wrong type',
    template: kustomization,
    from: '  prune: true\n',
    to: '  prune: true\n  images: a\n',
    found: [
      'error OBJECT_FIELD_INVALID templates/handoff/flux/kustomization.yaml.hbs:24:3 Kustomization team/one: spec.images has to be a list [team/one] → Correct it where the message points: in the template, in the values that it reads, or with a patch.',
    ],
  },
  {
    name: 'a misspelt field of an Application',
    template: application,
    from: '      selfHeal: true\n',
    to: '      selfHeal: true\n      selfheal: true\n',
    found: [
      'error OBJECT_FIELD_UNKNOWN templates/handoff/argocd/application.yaml.hbs:35:7 Application argocd/team.one.cluster: the kind has no field spec.syncPolicy.automated.selfheal [team/one] → Did you mean selfHeal?',
    ],
  },
  {
    name: 'a misspelt field of an AppProject',
    template: project,
    from: 'spec:\n',
    to: 'spec:\n  sourceNamespace: [argocd]\n',
    found: [
      'error OBJECT_FIELD_UNKNOWN templates/handoff/argocd/appproject.yaml.hbs:11:3 AppProject argocd/handoff: the kind has no field spec.sourceNamespace [] → Did you mean sourceNamespaces?',
    ],
  },
]

describe('templates of the fleet for objects of the GitOps tool:', () => {
  test.each(rows)('$name', async ({ template, from, to = '', files = {}, spec = [], found = [] }) => {
    const path = `templates/handoff/${template}.hbs`
    const ours = readFileSync(join(packageFolder, path), 'utf8')
    const own = from === undefined ? {} : { [path]: ours.replace(from, to) }
    const tool = template.startsWith('flux') ? tools.flux : tools.argocd
    const lines = await checkLab({ files: { ...own, ...files }, spec: [tool, ...spec] })
    expect(lines.filter((line) => line.includes('OBJECT_FIELD') || line.includes(path))).toEqual(found)
  })
})
