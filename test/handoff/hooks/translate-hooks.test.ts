import { describe, expect, it } from 'vitest'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { createHookTranslator } from '../../../src/handoff/hooks/translate-hooks.ts'
import { textAt } from '../../../src/model/field.ts'
import type { GitopsTool } from '../../../src/model/gitops-tool.ts'
import { parseManifests, toManifest } from '../../../src/render/stack/parse-manifests.ts'
import { manifestOf, objectOf } from '../../render/stack/objects.ts'

function object(kind: string, events: string, more = ''): string {
  const apiVersion = kind === 'Job' ? 'batch/v1' : 'v1'
  return `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: x, namespace: kube-system, annotations: {helm.sh/hook: "${events}", helm.sh/hook-weight: "-5", helm.sh/hook-delete-policy: before-hook-creation, own: "1"}}${more}}`
}

const spec = ', spec: {ttlSecondsAfterFinished: 5, template: {spec: {containers: []}}}'
const name = (hash: string): string => `x-${hash}`

const cases: readonly {
  readonly tool: GitopsTool
  readonly input: string
  readonly want: { readonly name?: string; readonly annotations: string } | 'left out'
  readonly report: string
}[] = [
  ...(['flux', 'argocd'] as const).flatMap((tool) => [
    {
      tool,
      input: object('ServiceAccount', 'pre-install,pre-upgrade'),
      want: { annotations: 'own: "1"\nstackmason.dev/helm-hook: pre-install,pre-upgrade' },
      report:
        'HOOK_TRANSLATED hooks of addon (release) are applied as ordinary objects: ServiceAccount x (pre-install, pre-upgrade)',
    },
    {
      tool,
      input: object('ConfigMap', ' Post-Upgrade , crd-install'),
      want: { annotations: 'own: "1"\nstackmason.dev/helm-hook: post-upgrade,crd-install' },
      report:
        'HOOK_TRANSLATED hooks of addon (release) are applied as ordinary objects: ConfigMap x (post-upgrade, crd-install)',
    },
    {
      tool,
      input: object('PersistentVolumeClaim', 'pre-install'),
      want: { annotations: 'helm.sh/resource-policy: keep\nown: "1"\nstackmason.dev/helm-hook: pre-install' },
      report:
        'HOOK_TRANSLATED hooks of addon (release) are applied as ordinary objects that are never pruned, because Helm never deletes what it made for a hook: PersistentVolumeClaim x (pre-install)',
    },
    {
      tool,
      input: object('Pod', 'test-success'),
      want: 'left out' as const,
      report:
        'HOOK_LEFT_OUT hooks of addon (release) are left out, because tests run when somebody asks for them: Pod x (test-success)',
    },
    {
      tool,
      input: object('Job', 'pre-delete,post-rollback', spec),
      want: 'left out' as const,
      report:
        'HOOK_LEFT_OUT hooks of addon (release) are skipped: a GitOps tool has no deletion or rollback of a release at which to run them: Job x (pre-delete, post-rollback)',
    },
    {
      tool,
      input: object('ConfigMap', 'post-instal'),
      want: 'left out' as const,
      report:
        'HOOK_LEFT_OUT hooks of addon (release) are left out, because Helm knows no such event, and leaves them out, too: ConfigMap x (post-instal)',
    },
    {
      tool,
      input: object('Job', '', spec),
      want: 'left out' as const,
      report:
        'HOOK_LEFT_OUT hooks of addon (release) are left out, because Helm knows no such event, and leaves them out, too: Job x',
    },
    {
      tool,
      input: object('ConfigMap', 'pre-install').replace('own: "1"', 'helm.sh/resource-policy: keep'),
      want: { annotations: 'helm.sh/resource-policy: keep\nstackmason.dev/helm-hook: pre-install' },
      report:
        'HOOK_TRANSLATED hooks of addon (release) are applied as ordinary objects that are never pruned, because Helm never deletes what it made for a hook: ConfigMap x (pre-install)',
    },
    {
      tool,
      input: object('ConfigMap', '').replace('helm.sh/hook: "", ', ''),
      want: { annotations: 'own: "1"' },
      report:
        'HOOK_TRANSLATED hooks of addon (release) are applied without the annotations of hooks that they have, because they name no event, and Argo CD would go by their weight: ConfigMap x',
    },
  ]),
  {
    tool: 'flux',
    input: object('Job', 'post-install', spec),
    want: {
      name: 'x',
      annotations: 'kustomize.toolkit.fluxcd.io/ssa: IfNotPresent\nown: "1"\nstackmason.dev/helm-hook: post-install',
    },
    report:
      'HOOK_TRANSLATED hooks of addon (release) are made once and left alone then, as at an install: Job x (post-install)',
  },
  {
    tool: 'flux',
    input: object('Job', 'pre-install,pre-upgrade,pre-rollback', spec),
    want: {
      name: 'x',
      annotations:
        'kustomize.toolkit.fluxcd.io/force: enabled\nown: "1"\nstackmason.dev/helm-hook: pre-install,pre-upgrade,pre-rollback',
    },
    report:
      'HOOK_TRANSLATED hooks of addon (release) are recreated, and so run again, when the pod template changes: Job x (pre-install, pre-upgrade, pre-rollback)',
  },
  {
    tool: 'flux',
    input: object('Job', 'post-upgrade', spec),
    want: {
      name: 'x',
      annotations: 'kustomize.toolkit.fluxcd.io/force: enabled\nown: "1"\nstackmason.dev/helm-hook: post-upgrade',
    },
    report:
      'HOOK_TRANSLATED hooks of addon (release) are recreated, and so run again, when the pod template changes, and at first already, where Helm would wait for an upgrade: Job x (post-upgrade)',
  },
  ...(
    [
      [
        'post-install',
        'named after their content: run once, and again when it changes, where Helm would run them at an install only',
      ],
      [
        'post-upgrade',
        'named after their content: run once, and again when it changes, and at first already, where Helm would wait for an upgrade',
      ],
      ['post-install,post-upgrade', 'named after their content: run once, and again when it changes'],
    ] as const
  ).map(([events, fate]) => ({
    tool: 'argocd' as const,
    input: object('Job', events, spec),
    want: { name: name('6c8d9f1a'), annotations: `own: "1"\nstackmason.dev/helm-hook: ${events}` },
    report: `HOOK_TRANSLATED hooks of addon (release) are ${fate}: Job x (${events.replace(',', ', ')})`,
  })),
]

describe('createHookTranslator', () => {
  it.each(cases)('$tool: $input', ({ tool, input, want, report }) => {
    const manifest = manifestOf(input)
    const translate = createHookTranslator(tool)
    const result = translate([manifest])
    expect(result.report.map(({ code, message }) => `${code} ${message}`)).toEqual([report])
    expect(result.report[0]).toMatchObject({
      severity: report.includes('because tests run') ? 'note' : 'warning',
      file: 'addon/templates/x.yaml',
      hint: expect.any(String),
    })
    const [kept] = result.manifests
    const text = kept === undefined ? '' : formatManifestYaml(kept.object)
    const annotations = /annotations:\n((?: {4}.*\n)*)/.exec(text)?.[1]?.replaceAll(/^ {4}/gm, '').trim()
    const shown = kept === undefined ? 'left out' : { name: kept.name, annotations }
    expect(shown).toEqual(want === 'left out' ? want : { name: 'x', ...want })
    expect(textAt(kept?.object ?? null, 'metadata', 'name')).toBe(kept?.name ?? '')
    expect(text).not.toContain('ttlSeconds')
    // the chart's object stays as it was, and clusters share the result
    expect(formatManifestYaml(manifest.object)).toContain('helm.sh/hook-weight')
    expect(translate([manifest]).manifests[0]).toBe(kept)
  })

  it('leaves other objects alone, the record of resource policies too', () => {
    const plain = manifestOf(
      '{apiVersion: v1, kind: ConfigMap, metadata: {name: one, annotations: {helm.sh/resource-policy: keep}}}',
    )
    const bare = manifestOf('{apiVersion: v1, kind: ConfigMap, metadata: {name: two}}')
    const result = createHookTranslator('argocd')([plain, bare])
    expect(result.manifests[0]).toBe(plain)
    expect(result.manifests[1]).toBe(bare)
    expect(result.report).toEqual([])
  })

  it.each(['flux', 'argocd'] as const)('never takes a Cluster, or what lies beside it, from %s', (tool) => {
    const file = 'clusters/team-a/web/cluster.yaml'
    const cluster = objectOf(
      '{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: web, namespace: team-a, annotations: {helm.sh/hook: test}}}',
    )
    const result = createHookTranslator(tool)([toManifest(cluster, { from: file, unit: 'cluster', template: file })])
    expect(result.manifests.map(({ object }) => formatManifestYaml(object))).toEqual([
      'apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata:\n  name: web\n  namespace: team-a\n  annotations:\n    stackmason.dev/helm-hook: test\n',
    ])
    expect(result.report.map(({ code, message }) => `${code} ${message}`)).toEqual([
      `HOOK_TRANSLATED hooks of cluster (${file}) are applied as ordinary objects, because hooks are for charts and no chart made these: Cluster web (test)`,
    ])
  })

  it('takes the items of a list for hooks when the list is one', () => {
    const list =
      'apiVersion: v1\nkind: List\nmetadata: {annotations: {helm.sh/hook: pre-delete, helm.sh/hook-weight: "1", other: x}}\n' +
      'items:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: one}}\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: two, annotations: {own: "1"}}}\n'
    const manifests = parseManifests(list, { from: 'release', unit: 'addon', template: 'addon/templates/x.yaml' })
    expect(manifests.map(({ object }) => formatManifestYaml(object).split('annotations:')[1])).toEqual([
      '\n    helm.sh/hook: pre-delete\n    helm.sh/hook-weight: "1"\n',
      '\n    helm.sh/hook: pre-delete\n    helm.sh/hook-weight: "1"\n    own: "1"\n',
    ])
    expect(createHookTranslator('flux')(manifests).manifests).toEqual([])
  })

  it('says one thing for each addon and fate', () => {
    const { report } = createHookTranslator('flux')([
      manifestOf(object('ServiceAccount', 'pre-install'), 'one'),
      manifestOf(object('ConfigMap', 'pre-install'), 'one'),
      manifestOf(object('ConfigMap', 'pre-install'), 'two'),
      manifestOf(object('Job', 'pre-install', spec), 'one'),
    ])
    expect(report.map(({ message }) => message)).toEqual([
      'hooks of one (release) are applied as ordinary objects: ServiceAccount x (pre-install), ConfigMap x (pre-install)',
      'hooks of two (release) are applied as ordinary objects: ConfigMap x (pre-install)',
      'hooks of one (release) are made once and left alone then, as at an install: Job x (pre-install)',
    ])
  })

  it('gives a changed Job another name, which fits a label', () => {
    const translate = createHookTranslator('argocd')
    const named = (text: string): string | undefined => translate([manifestOf(text)]).manifests[0]?.name
    const before = object('Job', 'post-install', ', spec: {template: {a: 1}}')
    expect(named(before)).toBe(named(before))
    expect(named(before)).not.toBe(named(before.replace('a: 1', 'a: 2')))
    expect(named(before.replace('name: x', `name: ${'y'.repeat(63)}`))).toMatch(/^y{54}-[0-9a-f]{8}$/)
  })
})
