import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LOCAL_CONFIG } from '../../../src/handoff/without-build-marks.ts'
import { describe, expect, test } from 'vitest'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { compileSchema } from '../../../src/codec/json-schema/json-schema.ts'
import { parseGoJson } from '../../../src/codec/json/go-json.ts'
import { toPlain } from '../../../src/codec/json/plain-value.ts'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { textAt } from '../../../src/model/field.ts'
import type { FluxHandoff } from '../../../src/model/handoff-config.ts'
import type { HandoffFolders, Unit } from '../../../src/model/handoff.ts'
import { crdToJsonSchema } from '../../../tools/crd-schema.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { renderFlux } from '../../../tools/fleets/hand-over.ts'
import { contextOf, plainConfig, templates, units } from './units.ts'

const shared = sharedFolder()
if (shared === undefined)
  console.warn('SKIPPED: Kustomizations are not held against the CRD of Flux, which is not there')

const fullConfig: FluxHandoff = {
  ...plainConfig,
  source: { kind: 'OCIRepository', name: 'fleet', namespace: 'flux-system' },
  path: 'deploy/out',
  interval: '30m',
  retryInterval: '1m',
  timeout: '90s',
  serviceAccountName: 'applier',
  decryption: { provider: 'sops', secretName: 'keys' },
  shard: '1',
}

function render(given: readonly Unit[], config: FluxHandoff = plainConfig): HandoffFolders {
  return renderFlux(given, config, contextOf(given))
}

function kustomizations(folders: HandoffFolders): ReadonlyMap<string, string> {
  const found = folders.handoff.flatMap(({ manifests }) => manifests)
  return new Map(found.map(({ name, object }) => [name, formatManifestYaml(object)]))
}

function unitWith(name: string, over: Partial<Unit>): Unit {
  const unit = units.find((candidate) => candidate.name === name)
  if (unit === undefined) throw new Error(`no unit ${name}`)
  return { ...unit, ...over }
}

/** Files in test/golden/flux; `vitest -u` writes them anew: read the difference as a reviewer of a fleet would. */
const rows: readonly { readonly file: string; readonly unit: Unit; readonly config?: FluxHandoff }[] = [
  { file: 'stack', unit: unitWith('stack-openstack-scs2-1-34-v3', {}) },
  { file: 'stack-without-images', unit: unitWith('stack-openstack-scs2-1-34-v3', { manifests: [], gate: 'objects' }) },
  { file: 'cluster', unit: unitWith('web', {}) },
  { file: 'cluster-decommissioned', unit: unitWith('web', { mayDelete: 'everything' }) },
  { file: 'addons-with-placeholders', unit: unitWith('web-addons', {}) },
  { file: 'addons-suspended', unit: unitWith('web-addons', { manifests: [], isSuspended: true }) },
  { file: 'condition', unit: unitWith('web-addons-03-csi-before', {}) },
  { file: 'stack-with-everything', unit: unitWith('stack-openstack-scs2-1-34-v3', {}), config: fullConfig },
  { file: 'addons-with-everything', unit: unitWith('web-addons', {}), config: fullConfig },
]

describe('Kustomizations', () => {
  test.each(rows)('$file', async ({ file, unit, config }) => {
    const text = kustomizations(render([unit], config)).get(unit.name) ?? ''
    await expect(text).toMatchFileSnapshot(`../../golden/flux/${file}.yaml`)
  })

  test.skipIf(shared === undefined).each(rows)('$file is what the CRD of Flux allows', ({ unit, config }) => {
    const crd = readFileSync(join(shared ?? '', 'crds/flux/kustomize.toolkit.fluxcd.io_kustomizations.yaml'), 'utf8')
    const schema = crdToJsonSchema(toPlain(parseGoYaml(crd)), { version: 'v1', id: 'x', description: '', examples: [] })
    const { validate } = compileSchema(parseGoJson(JSON.stringify(schema)))
    const found = render([unit], config).handoff.flatMap(({ manifests }) => manifests)
    expect(found.map(({ object }) => validate(object))).toEqual([[]])
  })

  test('folders name what lies below them', () => {
    const { handoff } = render(units)
    expect(handoff.map(({ path, manifests, includes }) => [path, manifests.map(({ name }) => name), includes])).toEqual(
      [
        ['handoff', [], ['platform', 'team-a']],
        ['handoff/platform', [], ['stacks']],
        ['handoff/platform/stacks', ['stack-openstack-scs2-1-34-v3'], undefined],
        ['handoff/team-a', [], ['web']],
        ['handoff/team-a/web', ['web', 'web-addons', 'web-addons-03-csi-before'], undefined],
      ],
    )
  })

  test('a folder below a unit belongs to the nearest unit; others are left alone', () => {
    const given = [unitWith('web-addons', {}), unitWith('web-addons-03-csi-before', {})]
    const manifests = unitWith('web-addons', {}).manifests.slice(1)
    const folders = ['clusters/team-a/web/addons/01-cni', 'clusters/team-a/web/addons/03-csi-before', 'elsewhere'].map(
      (path) => ({ path, manifests }),
    )
    const annotations = renderFlux(given, plainConfig, { folders, templates }).folders.map((folder) =>
      folder.manifests.map(({ object }) => [
        textAt(object, 'metadata', 'annotations', 'kustomize.toolkit.fluxcd.io/prune'),
        textAt(object, 'metadata', 'annotations', 'kustomize.toolkit.fluxcd.io/substitute'),
      ]),
    )
    expect(annotations).toEqual([[['disabled', 'disabled']], [['disabled', 'disabled']], [['', '']]])
  })

  test('what is left of a unit without objects can be applied, so that the rest is pruned', () => {
    const given = [unitWith('web', { manifests: [], mayDelete: 'cluster' })]
    const [folder] = render(given).folders
    expect(folder?.manifests.map(({ kind, name, namespace }) => [kind, name, namespace])).toEqual([
      ['ConfigMap', 'stackmason-web', 'team-a'],
    ])
  })

  test('a Cluster on its way out loses its protection', () => {
    const pruneOf = (unit: Unit): string =>
      textAt(
        render([unit]).folders[0]?.manifests[0]?.object ?? null,
        'metadata',
        'annotations',
        'kustomize.toolkit.fluxcd.io/prune',
      )
    expect(pruneOf(unitWith('web', {}))).toBe('disabled')
    expect(pruneOf(unitWith('web', { mayDelete: 'cluster' }))).toBe('')
  })

  test('placeholders that nothing fills are a defect', () => {
    const { runtimeValues: _, ...unit } = unitWith('web-addons', {})
    expect(() => render([unit])).toThrow('ConfigMap "cni" of unit web-addons has placeholders that nothing fills')
  })
})

describe('names', () => {
  const long = 'a'.repeat(64)
  test.each([
    {
      name: 'of a unit too long for a label',
      given: [unitWith('web', { name: long })],
      want: [
        `HANDOFF_NAME_TOO_LONG the Kustomization "${long}" has a name of 64 characters; Flux writes it into labels, which hold 63`,
      ],
    },
    {
      name: 'of a release too long for a label',
      given: [unitWith('web', { release: long })],
      want: [
        `HANDOFF_NAME_TOO_LONG the release "${long}" has a name of 64 characters; Flux writes it into labels, which hold 63`,
      ],
    },
    {
      name: 'of two units alike',
      given: [
        unitWith('web-addons', {}),
        unitWith('web', { name: 'web-addons', path: 'clusters/team-a/web-addons/cluster' }),
      ],
      want: [
        'HANDOFF_NAME_CONFLICT the addons of cluster team-a/web and cluster team-a/web would both be the Kustomization "web-addons" in namespace team-a',
      ],
    },
  ])('$name', async ({ given, want }) => {
    const found = await diagnosticsOf(Promise.resolve().then(() => render(given)))
    expect(found.map(({ code, message }) => `${code} ${message}`)).toEqual(want)
  })
})

describe('a template of the fleet', () => {
  const shipped = templates.get('flux/kustomization.yaml.hbs')?.text ?? ''
  function renderWith(text: string, unit = unitWith('web-addons', {}), config = plainConfig): HandoffFolders {
    const own = new Map([
      ['flux/kustomization.yaml.hbs', { name: 'templates/handoff/flux/kustomization.yaml.hbs', text }],
    ])
    return renderFlux([unit], config, contextOf([unit], { templates: own }))
  }

  test.each([
    { name: 'more', more: '  force: false\n' },
    {
      name: 'that the source is in its own namespace',
      edit: (text: string) =>
        text.replace('name: {{quote source.name}}', 'name: {{quote source.name}}\n    namespace: {{quote namespace}}'),
    },
    { name: 'labels for all objects', more: '  commonMetadata: {labels: {team: a}}\n' },
    {
      name: 'health of a kind that the unit says nothing of',
      unit: unitWith('web', {}),
      edit: (text: string) =>
        text.replace(
          'healthCheckExprs: {{json healthCheckExprs}}',
          'healthCheckExprs:\n{{#each healthCheckExprs}}\n    - {{json this}}\n{{/each}}\n    - {apiVersion: example.com/v1, kind: Thing, current: "true"}',
        ),
    },
    {
      name: 'what it waits for beside its stack',
      unit: unitWith('web', {}),
      edit: (text: string) => text.replace('  dependsOn:\n', '  dependsOn:\n    - name: other\n'),
    },
  ])('may say $name', ({ more = '', edit = (text: string) => text, unit = unitWith('web-addons', {}) }) => {
    expect(kustomizations(renderWith(`${edit(shipped)}${more}`, unit)).size).toBe(1)
  })

  test.each([
    'example.com/team: a',
    'kustomize.toolkit.fluxcd.io/substitute: disabled',
    'kustomize.toolkit.fluxcd.io/ssa: Merge',
    'argocd.argoproj.io/sync-options: Prune=false',
  ])('may have the annotation %s', (annotation) => {
    const text = shipped.replace('metadata:\n', `metadata:\n  annotations: {${annotation}}\n`)
    expect(kustomizations(renderWith(text)).size).toBe(1)
  })

  test('may begin after a comment', () => {
    expect(kustomizations(renderWith(`# ours\n\n--- # first\n${shipped}`)).size).toBe(1)
  })

  const cut = (start: string): string =>
    shipped.replace(new RegExp(`\\{\\{#if ${start}\\}\\}[^]*?\\n\\{\\{/if\\}\\}\\n(?=\\{\\{#if|  \\w|$)`), '')
  const withAnnotation = (annotation: string): string =>
    shipped.replace('metadata:\n', `metadata:\n  annotations: {${annotation}}\n`)
  const cluster = unitWith('web', {})
  const stack = unitWith('stack-openstack-scs2-1-34-v3', {})
  const condition = unitWith('web-addons-03-csi-before', {})
  const secured: FluxHandoff = { ...plainConfig, serviceAccountName: 'applier', shard: '1' }
  const encrypted: FluxHandoff = { ...plainConfig, decryption: { provider: 'sops', secretName: 'keys' } }

  test.each<{
    readonly name: string
    readonly text: string
    readonly want: string
    readonly unit?: Unit
    readonly config?: FluxHandoff
    /** Where the finding points to. */
    readonly at?: string
  }>([
    {
      name: 'that deletes with the Kustomization',
      text: shipped.replace('{{deletionPolicy}}', 'Delete'),
      want: 'its object has spec.deletionPolicy "Delete", which must be "Orphan"',
      at: 'deletionPolicy: Delete',
    },
    {
      name: 'that does not prune',
      text: shipped.replace('prune: true', 'prune: false'),
      want: 'its object has spec.prune false, which must be true',
      at: 'prune: false',
    },
    {
      name: 'that takes another source',
      text: shipped.replace('{{quote source.name}}', 'other'),
      want: 'its object has spec.sourceRef.name "other", which must be "fleet"',
      at: 'name: other',
    },
    {
      name: 'that takes a source of another kind',
      text: shipped.replace('{{quote source.kind}}', 'Bucket'),
      want: 'its object has spec.sourceRef.kind "Bucket", which must be "GitRepository"',
      at: 'kind: Bucket',
    },
    {
      name: 'that takes a source of another namespace',
      text: shipped.replace('name: {{quote source.name}}', 'name: fleet\n    namespace: other'),
      want: 'its object has spec.sourceRef.namespace "other", which must be "team-a"',
      at: 'namespace: other',
    },
    {
      name: 'that forgets the namespace of the source',
      text: cut('source.namespace'),
      config: { ...plainConfig, source: { ...plainConfig.source, namespace: 'flux-system' } },
      want: 'its object has spec.sourceRef.namespace (missing), which must be "flux-system"',
      at: 'sourceRef:',
    },
    {
      name: 'that makes objects anew',
      text: `${shipped}  force: true\n`,
      unit: cluster,
      want: 'its object has spec.force true, which deletes objects that the API server refuses to change',
      at: 'force: true',
    },
    {
      name: 'that says with a text whether it makes objects anew',
      text: `${shipped}  force: "true"\n`,
      unit: cluster,
      want: 'its object has spec.force "true", which must be false, or may not be there',
      at: 'force: "true"',
    },
    {
      name: 'that names another way to the cluster beside its Secret',
      text: shipped.replace('  kubeConfig:\n', '  kubeConfig:\n    configMapRef: {name: other}\n'),
      want: 'its object has spec.kubeConfig.configMapRef (a map), which may not be there',
      at: 'configMapRef:',
    },
    {
      name: 'that says for all objects what each says for itself',
      text: `${shipped}  commonMetadata: {annotations: {kustomize.toolkit.fluxcd.io/prune: enabled}}\n`,
      unit: cluster,
      want: 'its object has spec.commonMetadata.annotations (a map), which may not set kustomize.toolkit.fluxcd.io/prune for all objects',
      at: 'commonMetadata:',
    },
    {
      name: 'that gives objects other names',
      text: `${shipped}  namePrefix: x-\n`,
      unit: cluster,
      want: 'its object has spec.namePrefix "x-", which may not be there',
    },
    {
      name: 'that applies a Cluster elsewhere',
      text: `${shipped}  kubeConfig: {configMapRef: {name: other}}\n`,
      unit: cluster,
      want: 'its object has spec.kubeConfig (a map), which may not be there',
    },
    {
      name: 'that forgets the kubeconfig',
      text: shipped.replace(/\{\{#if kubeConfigSecret\}\}[^]*?\{\{\/if\}\}\n/, ''),
      want: 'its object has spec.kubeConfig.secretRef.name (missing), which must be "web-kubeconfig"',
      at: 'spec:',
    },
    {
      name: 'that forgets the service account',
      text: cut('serviceAccountName'),
      unit: cluster,
      config: secured,
      want: 'its object has spec.serviceAccountName (missing), which must be "applier"',
    },
    {
      name: 'that forgets the decryption',
      text: cut('decryption'),
      unit: cluster,
      config: encrypted,
      want: 'its object has spec.decryption.provider (missing), which must be "sops"',
    },
    {
      name: 'that decrypts with other keys',
      text: shipped.replace('{{quote decryption.secretName}}', 'other'),
      unit: cluster,
      config: encrypted,
      want: 'its object has spec.decryption.secretRef.name "other", which must be "keys"',
      at: 'name: other',
    },
    {
      name: 'that forgets the shard',
      text: cut('shard'),
      config: secured,
      want: 'its object has metadata.labels.sharding.fluxcd.io/key (missing), which must be "1"',
      at: 'labels:',
    },
    {
      name: 'that does not wait for the stack',
      text: cut('dependsOn'),
      unit: cluster,
      want: 'its object has spec.dependsOn (missing), which must name platform/stack-openstack-scs2-1-34-v3',
    },
    {
      name: 'that waits for a stack of another namespace',
      text: shipped.replace(
        'namespace: {{quote namespace}}\n{{/if}}\n{{/each}}',
        'namespace: other\n{{/if}}\n{{/each}}',
      ),
      unit: cluster,
      want: 'its object has spec.dependsOn (a list), which must name platform/stack-openstack-scs2-1-34-v3',
    },
    {
      name: 'without a gate',
      text: cut('wait'),
      unit: stack,
      want: 'its object has spec.wait (missing), which must be true',
    },
    {
      name: 'without the expressions of a gate',
      text: cut('healthCheckExprs'),
      unit: cluster,
      want: 'its object has spec.healthCheckExprs (missing), which must hold {"apiVersion":"cluster.x-k8s.io/v1beta2","current":',
    },
    {
      name: 'that judges a gate in another way',
      text: shipped.replace(
        'healthCheckExprs: {{json healthCheckExprs}}',
        'healthCheckExprs:\n{{#each healthCheckExprs}}\n    - {{json this}}\n{{/each}}\n    - {apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster, current: "true"}',
      ),
      unit: cluster,
      want: 'its object has spec.healthCheckExprs (a list), which may not judge Cluster in another way',
    },
    {
      name: 'that waits for other objects than those of a condition',
      text: `${shipped}  wait: true\n`,
      unit: { ...condition, isSuspended: false },
      want: 'its object has spec.wait true, which would take the place of healthChecks',
    },
    {
      name: 'that leaves placeholders as they are',
      text: shipped.replace(/\{\{#if substitute\}\}[^]*$/, ''),
      want: 'its object has spec.postBuild.substitute.MISSING (missing), which must be "@"',
    },
    {
      name: 'that has a variable of another value',
      text: shipped.replace('{{json substitute}}', "{MISSING: '@', QUOTE: x}"),
      want: 'its object has spec.postBuild.substitute.QUOTE "x", which must be "\\""',
    },
    {
      name: 'that applies what was rendered for another Kustomization',
      text: cut('patches'),
      want: 'its object has spec.patches (missing), which must hold {"patch":"apiVersion: v1\\ndata:\\n  paired: \\"true\\"',
    },
    {
      name: 'that lets Flux prune a Cluster',
      text: `${shipped}  patches: [{target: {kind: Cluster}, patch: '[{"op": "remove", "path": "/metadata/annotations/kustomize.toolkit.fluxcd.io~1prune"}]'}]\n`,
      unit: cluster,
      want: 'its object has spec.patches (a list), which may not patch /metadata/annotations/kustomize.toolkit.fluxcd.io~1prune',
    },
    {
      name: 'that has components',
      text: `${shipped}  components: [../x]\n`,
      unit: cluster,
      want: 'its object has spec.components (a list), which may not be there',
    },
    {
      name: 'that goes on without values',
      text: shipped.replace('optional: false', 'optional: true'),
      want: 'its object has spec.postBuild.substituteFrom (a list), which must name ConfigMap web, not optional',
    },
    {
      name: 'that substitutes where nothing is prepared for it',
      text: `${shipped}  postBuild: {substitute: {a: b}}\n`,
      unit: cluster,
      want: 'its object has spec.postBuild (a map), which may not be there',
    },
    {
      name: 'that suspends',
      text: `${shipped}  suspend: true\n`,
      want: 'its object has spec.suspend true, which may not be there',
    },
    {
      name: 'of another name',
      text: shipped.replace('{{quote name}}', 'own-{{name}}'),
      want: 'its object has metadata.name "own-web-addons", which must be "web-addons"',
    },
    {
      name: 'of another kind',
      text: shipped.replace('kind: Kustomization', 'kind: List'),
      want: 'its object has kind "List", which must be "Kustomization"',
      at: 'kind: List',
    },
    {
      name: 'with items, which Flux would apply instead',
      text: `${shipped}items: []\n`,
      want: 'its object has items (a list), which may not be there',
    },
    {
      name: 'that kustomize leaves out',
      text: shipped.replace('metadata:\n', `metadata:\n  annotations: {${LOCAL_CONFIG}: "true"}\n`),
      want: `its object has metadata.annotations.${LOCAL_CONFIG} "true", which may not be there`,
    },
    {
      name: 'that kustomize renames',
      text: withAnnotation('internal.config.kubernetes.io/needsHashSuffix: enabled'),
      want: 'its object has metadata.annotations (a map), which may not have internal.config.kubernetes.io/needsHashSuffix',
      at: 'annotations:',
    },
    {
      name: 'that Flux makes anew',
      text: withAnnotation('kustomize.toolkit.fluxcd.io/force: Enabled'),
      want: 'its object has metadata.annotations (a map), which may not have this value of kustomize.toolkit.fluxcd.io/force',
    },
    {
      name: 'that Flux leaves as it was',
      text: withAnnotation('kustomize.toolkit.fluxcd.io/ssa: Ignore'),
      want: 'its object has metadata.annotations (a map), which may not have this value of kustomize.toolkit.fluxcd.io/ssa',
    },
    {
      name: 'that Flux leaves as it was, by a label',
      text: shipped.replace('  labels:\n', '  labels:\n    kustomize.toolkit.fluxcd.io/reconcile: disabled\n'),
      want: 'its object has metadata.labels (a map), which may not have this value of kustomize.toolkit.fluxcd.io/reconcile',
    },
    {
      name: 'with owners, which Kubernetes would delete it with',
      text: shipped.replace('metadata:\n', 'metadata:\n  ownerReferences: []\n'),
      want: 'its object has metadata.ownerReferences (a list), which may not be there',
    },
    {
      name: 'with a patch of several documents',
      text: `${shipped}  patches: [{target: {kind: Cluster}, patch: '--- {kind: Cluster, $patch: delete}'}]\n`,
      unit: cluster,
      want: 'its object has spec.patches (a list), which must hold patches of one object or one list of operations',
    },
    {
      name: 'with patches of an older form',
      text: `${shipped}  patchesJson6902: []\n`,
      want: 'its object has spec.patchesJson6902 (a list), which may not be there',
    },
    { name: 'that gives nothing', text: '{{! nothing }}\n', want: 'it gives no object' },
    {
      name: 'with a second document',
      text: `${shipped}---\nkind: ConfigMap\n`,
      want: 'it gives more than one document',
    },
    { name: 'that is not a map', text: '- a\n', want: 'it gives no object' },
    {
      name: 'that names what is not there',
      text: '{{nothing}}\n',
      want: '"nothing" is not defined',
    },
    { name: 'that does not parse', text: 'a\n{{#if}\n', want: 'the template does not parse' },
    { name: 'that gives no YAML', text: 'a: [\n', want: 'it gives no valid YAML: ' },
    {
      name: 'that gives no YAML in a line of its own',
      text: shipped.replace('  prune: true\n', '  prune: true\n  labels: a: b\n'),
      want: 'it gives no valid YAML: mapping values are not allowed in this context',
      at: ': b\n',
    },
    {
      name: 'that gives no YAML in a line with a value',
      text: shipped.replace('path: {{quote path}}', 'path: {{quote path}} {{quote name}}'),
      want: 'it gives no valid YAML: did not find expected key',
      at: String.raw`\{\{quote path\}\} \{\{quote name`,
    },
    {
      name: 'that gives no YAML in a line that is written more than once',
      text: shipped.replace('  prune: true\n', "  prune: true\n{{#each dependsOn}}\n  - {{name}}: 'a\n{{/each}}\n"),
      unit: cluster,
      want: 'it gives no valid YAML: ',
      at: String.raw`- \{\{name`,
    },
  ])('$name is refused', async ({ text, want, unit, config, at = '' }) => {
    const found = await diagnosticsOf(Promise.resolve().then(() => renderWith(text, unit, config)))
    expect([...new Set(found.map(({ code }) => code))]).toEqual(['HANDOFF_TEMPLATE'])
    expect(found[0]?.message).toContain(want)
    expect(found[0]?.at?.source.name).toBe('templates/handoff/flux/kustomization.yaml.hbs')
    expect(text.slice(found[0]?.at?.start)).toMatch(new RegExp(`^${at}`))
  })

  test('with labels and annotations that no API server takes is refused, each at its line', async () => {
    const values = 'allowed are A-Z, a-z, 0-9, -, _ and ., first and last a letter or digit, 63 characters at most'
    const keys = `${values}, after a domain and / if there is one`
    const text = shipped.replace(
      '  labels:\n',
      '  annotations:\n    "x y": a\n  labels:\n    team: a b\n    "bad key": "bad value !"\n',
    )
    const found = await diagnosticsOf(Promise.resolve().then(() => renderWith(text)))
    expect(
      found.map(({ code, message, at }) => `${code} ${text.slice(at?.start).split(':', 1)[0] ?? ''}: ${message}`),
    ).toEqual([
      `OBJECT_NAME_INVALID "bad key": no API server takes the label of 7 characters of its object; ${keys}`,
      `OBJECT_NAME_INVALID team: no API server takes the value of label "team" of its object; ${values}`,
      `OBJECT_NAME_INVALID "bad key": no API server takes the value of label of 7 characters of its object; ${values}`,
      `OBJECT_NAME_INVALID "x y": no API server takes the annotation of 3 characters of its object; ${keys}`,
    ])
  })
})
