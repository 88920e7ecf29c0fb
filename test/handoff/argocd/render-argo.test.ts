import { describe, expect, it } from 'vitest'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { fieldAt, textAt } from '../../../src/model/field.ts'
import { renderArgo } from '../../../tools/fleets/hand-over.ts'
import {
  addonsUnit,
  clusterUnit,
  manifestOf,
  ownTemplates,
  sampleConfig,
  sampleContext,
  sampleUnits,
} from './sample-units.ts'

const { folders, handoff } = renderArgo(sampleUnits, sampleConfig, sampleContext)
const objects = handoff.flatMap(({ path, manifests }) => manifests.map((manifest) => ({ path, manifest })))

function refusalsOf(run: () => unknown): readonly string[] {
  try {
    run()
    return []
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return error.diagnostics.map(({ code, message }) => `${code} ${message}`)
  }
}

describe('renderArgo', () => {
  it('lays its objects out so that each folder is one Application, and a broken cluster holds up no other', () => {
    expect(objects.map(({ path, manifest }) => `${path} ${manifest.kind} ${manifest.name}`)).toEqual([
      'handoff AppProject handoff',
      'handoff AppProject platform.management',
      'handoff AppProject team-a.management',
      'handoff AppProject team-a.workload',
      'handoff Application platform.handoff',
      'handoff Application team-a.handoff',
      'handoff/argocd.health ConfigMap argocd-cm',
      'handoff/platform Application platform.stack.openstack-demo-1-34-v2',
      'handoff/team-a Application team-a.web.handoff',
      'handoff/team-a Application team-a.batch.handoff',
      'handoff/team-a/batch Application team-a.batch.cluster',
      'handoff/team-a/batch Application team-a.batch.addons',
      'handoff/team-a/web Application team-a.web.cluster',
      'handoff/team-a/web ApplicationSet team-a.web.addons',
      'handoff/team-a/web Application team-a.web.addons.02-csi',
    ])
  })

  it.each(objects.filter(({ manifest }) => manifest.kind !== 'ConfigMap'))(
    'writes $manifest.kind $manifest.name as in test/golden/argocd',
    async ({ manifest }) => {
      await expect(formatManifestYaml(manifest.object)).toMatchFileSnapshot(
        `../../golden/argocd/${manifest.kind.toLowerCase()}-${manifest.name}.yaml`,
      )
    },
  )

  it('lets Applications take along other Applications, and nothing else', () => {
    const cascading = objects.flatMap(({ manifest: { kind, name, object } }) =>
      kind !== 'AppProject' &&
      [['metadata'], ['spec', 'template', 'metadata']].some(
        (path) => fieldAt(object, ...path, 'finalizers') !== undefined,
      )
        ? name
        : [],
    )
    expect(cascading).toEqual(['platform.handoff', 'team-a.handoff', 'team-a.web.handoff', 'team-a.batch.handoff'])
  })

  it.each([
    { mayDelete: undefined, prune: false, finalizers: undefined, options: 'Prune=confirm,Delete=confirm' },
    { mayDelete: 'cluster', prune: true, finalizers: undefined, options: undefined },
    {
      mayDelete: 'everything',
      prune: true,
      finalizers: ['resources-finalizer.argocd.argoproj.io'],
      options: undefined,
    },
  ] as const)('lets a unit that may delete $mayDelete do just that', ({ mayDelete, prune, finalizers, options }) => {
    const unit = mayDelete === undefined ? clusterUnit : { ...clusterUnit, mayDelete }
    const made = renderArgo([unit], sampleConfig, { ...sampleContext, placeholders: [] })
    const application = made.handoff
      .flatMap(({ manifests }) => manifests)
      .find(({ name }) => name === 'team-a.web.cluster')
    expect(fieldAt(application?.object ?? null, 'spec', 'syncPolicy', 'automated', 'prune')).toBe(prune)
    expect(fieldAt(application?.object ?? null, 'metadata', 'finalizers')).toEqual(finalizers)
    const cluster = made.folders
      .flatMap(({ manifests }) => manifests)
      .find(({ name, kind }) => name === 'web' && kind === 'Cluster')
    expect(fieldAt(cluster?.object ?? null, 'metadata', 'annotations', 'argocd.argoproj.io/sync-options')).toBe(options)
  })

  it('keeps the patches of a cluster whose folders stay as they are committed', () => {
    const kept = handoff.flatMap(({ manifests }) => manifests)
    const again = renderArgo(sampleUnits, sampleConfig, { ...sampleContext, placeholders: [], kept })
    expect(again).toEqual({ folders, handoff })
  })

  it('annotates what the units hold, and nothing else of them', () => {
    const annotations = folders.flatMap(({ manifests }) =>
      manifests.map(({ kind, name, object }) => {
        const found = ['sync-options', 'sync-wave'].flatMap((key) => {
          const value = fieldAt(object, 'metadata', 'annotations', `argocd.argoproj.io/${key}`)
          return typeof value === 'string' ? `${key} ${value}` : []
        })
        return [kind, name, ...found].join(' ')
      }),
    )
    expect(annotations).toEqual([
      'ClusterClass openstack-demo-1-34-v2',
      'Image ubuntu-v1.34.1 sync-wave -1',
      'NodeImageGate openstack-demo-1-34-v2 sync-wave -1',
      'Cluster web sync-options Prune=confirm,Delete=confirm',
      'RuntimeValues web',
      'DaemonSet cilium.agent',
      'ConfigMap cilium',
      'CustomResourceDefinition pools.cilium.example.com sync-options Prune=confirm,Delete=confirm',
      'Pool default',
      'ServiceAccount csi',
      'StorageClass fast',
      'Cluster batch sync-options Prune=confirm,Delete=confirm',
      'Namespace reports sync-options Prune=false,Delete=false',
    ])
  })

  it('takes the AppProject of the fleet for all that hold Applications', () => {
    const made = renderArgo(sampleUnits, { ...sampleConfig, project: 'blue' }, sampleContext)
    const projects = made.handoff.flatMap(({ manifests }) =>
      manifests.flatMap(({ kind, name, object }) =>
        kind === 'AppProject' || name.endsWith('.handoff')
          ? `${name} ${textAt(object, 'spec', 'project')}`.trimEnd()
          : [],
      ),
    )
    expect(projects).toEqual([
      'blue',
      'platform.management',
      'team-a.management',
      'team-a.workload',
      'platform.handoff blue',
      'team-a.handoff blue',
      'team-a.web.handoff blue',
      'team-a.batch.handoff blue',
    ])
  })

  it.each([
    { name: 'its class', dependsOn: [{ unit: 'stack-a' }], want: '0' },
    { name: 'a class of another namespace', dependsOn: [{ unit: 'stack-a', namespace: 'platform' }], want: '0' },
    {
      name: 'a class of another namespace and node images of its own',
      dependsOn: [{ unit: 'stack-a', namespace: 'platform' }, { unit: 'stack-a' }],
      want: '1',
    },
  ])('orders a cluster only behind what Cluster API does not wait for: with $name', ({ dependsOn, want }) => {
    const made = renderArgo([{ ...clusterUnit, dependsOn }], sampleConfig, { ...sampleContext, placeholders: [] })
    const parent = made.handoff.flatMap(({ manifests }) => manifests).find(({ name }) => name === 'team-a.web.handoff')
    expect(fieldAt(parent?.object ?? null, 'metadata', 'annotations', 'argocd.argoproj.io/sync-wave')).toBe(want)
  })

  it.each([
    { name: 'a tab first in a text with lines', text: '\tplaceholder\nb\n', refused: true },
    { name: 'a tab first in a line', text: '\tplaceholder', refused: false },
    { name: 'a tab first in a later line', text: 'placeholder\n\tb\n', refused: false },
    { name: 'a tab first in a text beside the placeholder', text: 'placeholder', other: '\ta\nb', refused: true },
    { name: 'a tab first where no placeholder is', text: undefined, other: '\ta\nb', refused: false },
  ])('refuses what kustomize cannot patch: $name', ({ text, other = '', refused }) => {
    const manifest = manifestOf(
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: kube-system}\ndata: {a: ${JSON.stringify(text ?? '')}, b~/: ${JSON.stringify(other)}}`,
    )
    const folder = { path: addonsUnit.path, manifests: [manifest] }
    const placeholder = {
      object: { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'kube-system' },
      folder: folder.path,
      pointer: '/data/a',
      text: text?.replace('placeholder', '${A}') ?? '',
      parts: [{ name: 'A' }],
      written: text ?? '',
      names: ['A'],
    }
    const run = (): unknown =>
      renderArgo([{ ...addonsUnit, manifests: [manifest] }], sampleConfig, {
        ...sampleContext,
        folders: [folder],
        placeholders: text === undefined ? [] : [placeholder],
      })
    const place = other === '' ? '/data/a' : '/data/b~0~1'
    const wanted = [
      `HOLE_NOT_PATCHABLE ConfigMap kube-system/a needs values of the running cluster, and its text at ${place} has several lines and begins with a tab: kustomize cannot patch the object`,
    ]
    expect(refusalsOf(run)).toEqual(refused ? wanted : [])
  })

  it('takes further sync options from a template of the fleet', () => {
    const templates = ownTemplates()
    const template = 'argocd/application.yaml.hbs'
    const text = templates
      .get(template)
      ?.text.replace(
        '{{json syncOptions}}',
        '\n      - PruneLast=true\n{{#each syncOptions}}\n      - {{this}}\n{{/each}}',
      )
    templates.set(template, { name: `fleet/${template}`, text: text ?? '' })
    const made = renderArgo(sampleUnits, sampleConfig, { ...sampleContext, templates })
    const cluster = made.handoff.flatMap(({ manifests }) => manifests).find(({ name }) => name === 'team-a.web.cluster')
    expect(fieldAt(cluster?.object ?? null, 'spec', 'syncPolicy', 'syncOptions')).toEqual([
      'PruneLast=true',
      'ServerSideApply=true',
      'ApplyOutOfSyncOnly=true',
      'RespectIgnoreDifferences=true',
      'SkipDryRunOnMissingResource=true',
      'CreateNamespace=true',
    ])
  })

  it.each([
    {
      template: 'argocd/application.yaml.hbs',
      from: '  annotations:\n',
      to: '  annotations:\n    example.com/team: a\n    argocd.argoproj.io/sync-options: Prune=confirm\n',
    },
    {
      template: 'argocd/application.yaml.hbs',
      from: '    path: {{quote path}}',
      to: `    path: {{quote path}}\n    kustomize: {commonLabels: {a: b}, patches: [{target: {kind: Cluster}, patch: '[{"op": "add", "path": "/metadata/labels/a", "value": "b"}]'}]}`,
    },
    {
      template: 'argocd/applicationset.yaml.hbs',
      from: 'applicationsSync: sync',
      to: 'applicationsSync: create-update',
    },
    {
      template: 'argocd/applicationset.yaml.hbs',
      from: '    - clusters:\n',
      to: '    - clusters:\n        values: {template: {a: b}}\n',
    },
    {
      template: 'argocd/applicationset.yaml.hbs',
      from: '{{json template}}',
      to: `{spec: {{json template.spec}}, metadata: {name: {{json template.metadata.name}}, annotations: {a: '\\{{ .name }}'} } }`,
    },
  ])('takes a template of the fleet with $to', ({ template, from, to }) => {
    const templates = ownTemplates()
    const text = templates.get(template)?.text ?? ''
    expect(text).toContain(from)
    templates.set(template, { name: `fleet/${template}`, text: text.replace(from, to) })
    expect(refusalsOf(() => renderArgo(sampleUnits, sampleConfig, { ...sampleContext, templates }))).toEqual([])
  })

  it.each([
    {
      name: 'parents that leave Applications behind',
      template: 'argocd/application.yaml.hbs',
      from: '    - {{quote finalizer}}',
      to: '    - example.com/other',
    },
    {
      name: 'a finalizer',
      template: 'argocd/application.yaml.hbs',
      from: '{{#if finalizer}}\n  finalizers:\n    - {{quote finalizer}}\n{{/if}}',
      to: '  finalizers: [resources-finalizer.argocd.argoproj.io]',
    },
    { name: 'another project', template: 'argocd/application.yaml.hbs', from: '{{quote project}}', to: 'default' },
    { name: 'pruning', template: 'argocd/application.yaml.hbs', from: 'prune: {{prune}}', to: 'prune: true' },
    { name: 'emptying', template: 'argocd/application.yaml.hbs', from: 'allowEmpty: false', to: 'allowEmpty: true' },
    { name: 'another path', template: 'argocd/application.yaml.hbs', from: '{{quote path}}', to: 'elsewhere' },
    {
      name: 'other names',
      template: 'argocd/application.yaml.hbs',
      from: '    path: {{quote path}}',
      to: '    path: {{quote path}}\n    kustomize: {namePrefix: x-}',
    },
    {
      name: 'a patch that lets Argo CD delete',
      template: 'argocd/application.yaml.hbs',
      from: '    path: {{quote path}}',
      to: `    path: {{quote path}}\n    kustomize: {patches: [{target: {kind: Cluster}, patch: '[{"op": "remove", "path": "/metadata/annotations/argocd.argoproj.io~1sync-options"}]'}]}`,
    },
    {
      name: 'deletion with the ApplicationSet',
      template: 'argocd/applicationset.yaml.hbs',
      from: 'preserveResourcesOnDeletion: true',
      to: 'preserveResourcesOnDeletion: false',
    },
    {
      name: 'leniency about missing values',
      template: 'argocd/applicationset.yaml.hbs',
      from: 'missingkey=error',
      to: 'missingkey=zero',
    },
    {
      name: 'a sync of its own',
      template: 'argocd/application.yaml.hbs',
      from: 'spec:\n',
      to: 'operation: {sync: {prune: true, syncStrategy: {apply: {force: true}}}}\nspec:\n',
    },
    ...[
      ['repoURL: {{quote repoURL}}', 'repoURL: https://other.example.com/x.git'],
      ['targetRevision: {{quote targetRevision}}', 'targetRevision: other'],
      ['    targetRevision: {{quote targetRevision}}\n', ''],
    ].map(([from = '', to = '']) => ({
      name: `'${to}' in place of ${from.trim()}`,
      template: 'argocd/application.yaml.hbs',
      from,
      to,
    })),
    ...[
      ['project', 'project: default'],
      [
        'repoURL',
        'source: {repoURL: "https://other.example.com/x.git", targetRevision: {{json template.spec.source.targetRevision}}, path: {{json template.spec.source.path}}, kustomize: {{json template.spec.source.kustomize}} }',
      ],
      [
        'targetRevision',
        'source: {repoURL: {{json template.spec.source.repoURL}}, targetRevision: other, path: {{json template.spec.source.path}}, kustomize: {{json template.spec.source.kustomize}} }',
      ],
      ['path', 'source: {path: elsewhere, kustomize: {{json template.spec.source.kustomize}} }'],
      ['server', 'destination: {server: "https://kubernetes.default.svc"}'],
      ['cluster', 'destination: {name: elsewhere}'],
      ['source beside it', 'sources: [{repoURL: "https://git.example.com/other", path: elsewhere}]'],
    ].map(([name = '', change = '']) => ({
      name: `an ApplicationSet with another ${name}`,
      template: 'argocd/applicationset.yaml.hbs',
      from: '{{json template}}',
      to: `{metadata: {{json template.metadata}}, spec: {${['project', 'source', 'destination', 'syncPolicy']
        .filter((field) => !change.startsWith(`${field}:`))
        .map((field) => `${field}: {{json template.spec.${field}}}, `)
        .join('')} ${change} } }`,
    })),
    {
      name: 'fewer sync options',
      template: 'argocd/application.yaml.hbs',
      from: '{{json syncOptions}}',
      to: '[ServerSideApply=true]',
    },
    ...['Replace=true', 'Force=true', 'ServerSideApply=false'].map((option) => ({
      name: `the sync option ${option}`,
      template: 'argocd/application.yaml.hbs',
      from: '    syncOptions: {{json syncOptions}}',
      to: `    syncOptions:\n      - ${option}\n{{#each syncOptions}}\n      - {{this}}\n{{/each}}`,
    })),
    {
      name: 'an ApplicationSet that replaces',
      template: 'argocd/applicationset.yaml.hbs',
      from: '{{json template}}',
      to: '{metadata: {{json template.metadata}}, spec: {source: {{json template.spec.source}}, syncPolicy: {automated: {prune: true, allowEmpty: false}, syncOptions: [Replace=true]}}}',
    },
    ...[
      'argocd.argoproj.io/hook: Sync',
      'argocd.argoproj.io/hook-delete-policy: HookSucceeded',
      'helm.sh/hook: pre-install',
      'argocd.argoproj.io/sync-options: "Prune=confirm, Replace=true"',
      'argocd.argoproj.io/sync-options: Force=true',
      'argocd.argoproj.io/deletion-approved: "2099-01-01T00:00:00Z"',
      'argocd.argoproj.io/skip-reconcile: "true"',
      'argocd.argoproj.io/tracking-id: a',
    ].map((annotation) => ({
      name: `the annotation ${annotation}`,
      template: 'argocd/application.yaml.hbs',
      from: '  annotations:\n',
      to: `  annotations:\n    ${annotation}\n`,
    })),
    {
      name: 'an AppProject that is a hook',
      template: 'argocd/appproject.yaml.hbs',
      from: 'metadata:\n',
      to: 'metadata:\n  annotations: {argocd.argoproj.io/hook: Sync}\n',
    },
    {
      name: 'owners',
      template: 'argocd/application.yaml.hbs',
      from: 'metadata:\n',
      to: 'metadata:\n  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: a, uid: b}]\n',
    },
    ...[
      'helm: {releaseName: a}',
      'plugin: {name: a}',
      'chart: a',
      'directory: {exclude: "*"}',
      'directory: {recurse: true}',
      'directory: {}',
      'kustomize: {components: [a]}',
      `kustomize: {patches: [{target: {kind: Cluster}, patch: '--- {kind: Cluster, $patch: delete}'}]}`,
      'kustomize: {patches: [{target: {kind: Cluster}, path: a.yaml}]}',
      `kustomize: {patches: [{target: {kind: Cluster}, patch: '[{"op": "remove", "path": "x/metadata/annotations"}]'}]}`,
    ].map((field) => ({
      name: `the source field ${field}`,
      template: 'argocd/application.yaml.hbs',
      from: '    path: {{quote path}}',
      to: `    path: {{quote path}}\n    ${field}`,
    })),
    {
      name: 'another source that is made of one',
      template: 'argocd/application.yaml.hbs',
      from: '  syncPolicy:',
      to: '  sourceHydrator: {}\n  syncPolicy:',
    },
    {
      name: 'a Namespace that is said to be of another Application',
      template: 'argocd/application.yaml.hbs',
      from: '  syncPolicy:',
      to: '  syncPolicy:\n    managedNamespaceMetadata: {annotations: {argocd.argoproj.io/tracking-id: a}}',
    },
    {
      name: 'a later option of Go templates',
      template: 'argocd/applicationset.yaml.hbs',
      from: '    - missingkey=error',
      to: '    - missingkey=error\n    - missingkey=zero',
    },
    {
      name: 'an ApplicationSet that changes no Application',
      template: 'argocd/applicationset.yaml.hbs',
      from: 'applicationsSync: sync',
      to: 'applicationsSync: create-only',
    },
    {
      name: 'an ApplicationSet that syncs in steps',
      template: 'argocd/applicationset.yaml.hbs',
      from: 'spec:\n',
      to: 'spec:\n  strategy: {type: RollingSync}\n',
    },
    {
      name: 'a generator that has a template',
      template: 'argocd/applicationset.yaml.hbs',
      from: '    - clusters:\n',
      to: '    - clusters:\n        template: {metadata: {finalizers: [a]}, spec: {project: a}}\n',
    },
    {
      name: 'a generator of generators, one of which has a template',
      template: 'argocd/applicationset.yaml.hbs',
      from: '  generators:\n',
      to: '  generators:\n    - matrix: {generators: [{list: {elements: [], template: {}}}]}\n',
    },
    ...[
      'annotations: {argocd.argoproj.io/deletion-approved: "2099-01-01T00:00:00Z"}',
      'annotations: {argocd.argoproj.io/sync-options: "{{ .name }}"}',
      `annotations: {'{{ "argocd.argoproj.io/skip-reconcile" }}': "true"}`,
      'labels: {kustomize.toolkit.fluxcd.io/force: enabled}',
      'ownerReferences: []',
      'finalizers: [resources-finalizer.argocd.argoproj.io]',
    ].map((metadata) => ({
      name: `an ApplicationSet whose Applications have ${metadata}`,
      template: 'argocd/applicationset.yaml.hbs',
      from: '{{json template}}',
      to: `{spec: {{json template.spec}}, metadata: {name: {{json template.metadata.name}}, ${metadata.replaceAll('{{ ', String.raw`\{{ `)} } }`,
    })),
    {
      name: 'a patch that Argo CD is to evaluate',
      template: 'argocd/applicationset.yaml.hbs',
      from: '{{json template}}',
      to: `
    metadata: {{json template.metadata}}
    spec:
      project: {{json template.spec.project}}
      destination: {{json template.spec.destination}}
      syncPolicy: {{json template.spec.syncPolicy}}
      source:
        repoURL: {{json template.spec.source.repoURL}}
        path: {{json template.spec.source.path}}
        kustomize:
          patches:
{{#each template.spec.source.kustomize.patches}}
            - {{json this}}
{{/each}}
            - target: {kind: Cluster}
              patch: '\\{{ "a: b" }}'`,
    },
  ])('refuses a template of the fleet with $name', ({ template, from, to }) => {
    const templates = ownTemplates()
    const own = templates.get(template)
    const text = own?.text.replace(from, to) ?? ''
    expect(text).not.toBe(own?.text)
    templates.set(template, { name: `fleet/${template}`, text })
    const run = (): unknown => renderArgo(sampleUnits, sampleConfig, { ...sampleContext, templates })
    expect(run).toThrow(StackmasonError)
    expect(run).toThrow(
      /which (?:must be|must hold|may not be there|may not hold|may not patch|may not have|may not read|may hold nothing|takes)/,
    )
  })
})
