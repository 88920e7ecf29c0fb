import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compileSchema } from '../../../src/codec/json-schema.ts'
import { formatManifestYaml } from '../../../src/codec/manifest-yaml.ts'
import { parseGoYaml } from '../../../src/codec/go-yaml-parse.ts'
import { toPlain } from '../../../src/codec/plain-value.ts'
import { renderFlux } from '../../../src/handoff/flux/render-flux.ts'
import type { FluxHandoff } from '../../../src/model/handoff-config.ts'
import type { HandoffFolders, Unit } from '../../../src/model/handoff.ts'
import { textAt } from '../../../src/model/field.ts'
import { parseGoJson } from '../../../src/codec/go-json.ts'
import { crdToJsonSchema } from '../../../tools/crd-schema.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { sharedFolder } from '../../support/shared.ts'
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
  { file: 'addons-with-holes', unit: unitWith('web-addons', {}) },
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
    expect(annotations).toEqual([[['disabled', 'disabled']], [['disabled', '']], [['', '']]])
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

  test('holes that nothing fills are a defect', () => {
    const { runtimeValues: _, ...unit } = unitWith('web-addons', {})
    expect(() => render([unit])).toThrow('ConfigMap "cni" of unit web-addons has holes that nothing fills')
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
        'HANDOFF_NAME_CONFLICT clusters/team-a/web-addons/cluster and clusters/team-a/web/addons would both be the Kustomization "web-addons" in namespace team-a',
      ],
    },
  ])('$name', async ({ given, want }) => {
    const found = await diagnosticsOf(Promise.resolve().then(() => render(given)))
    expect(found.map(({ code, message }) => `${code} ${message}`)).toEqual(want)
  })
})

describe('a template of the fleet', () => {
  const shipped = templates.get('flux/kustomization.yaml.hbs')?.text ?? ''
  function renderWith(text: string, unit = unitWith('web-addons', {})): HandoffFolders {
    const own = new Map([
      ['flux/kustomization.yaml.hbs', { name: 'templates/handoff/flux/kustomization.yaml.hbs', text }],
    ])
    return renderFlux([unit], plainConfig, contextOf([unit], { templates: own }))
  }

  test('may say more', () => {
    const text = kustomizations(renderWith(`${shipped}  force: false\n`)).get('web-addons')
    expect(text).toContain('\n  force: false\n')
  })

  test.each([
    {
      name: 'that deletes with the Kustomization',
      text: shipped.replace('{{deletionPolicy}}', 'Delete'),
      want: 'its object has spec.deletionPolicy "Delete", which must be "Orphan"',
    },
    {
      name: 'that forgets the kubeconfig',
      text: shipped.replace(/\{\{#if kubeConfigSecret\}\}[^]*?\{\{\/if\}\}\n/, ''),
      want: 'its object has spec.kubeConfig.secretRef.name (missing), which must be "web-kubeconfig"',
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
      name: 'with a second document',
      text: `${shipped}---\nkind: ConfigMap\n`,
      want: 'it gives more than one document',
    },
    { name: 'that is no map', text: '- a\n', want: 'it gives no object' },
    {
      name: 'that names what is not there',
      text: '{{nothing}}\n',
      want: '"nothing" not defined',
    },
    { name: 'that does not parse', text: 'a\n{{#if}\n', want: 'the template does not parse' },
    { name: 'that gives no YAML', text: 'a: [\n', want: 'it gives no valid YAML: ' },
  ])('$name is refused', async ({ text, want }) => {
    const found = await diagnosticsOf(Promise.resolve().then(() => renderWith(text)))
    expect(found.map(({ code }) => code)).toEqual(['HANDOFF_TEMPLATE'])
    expect(found[0]?.message).toContain(want)
    expect(found[0]?.at?.source.name).toBe('templates/handoff/flux/kustomization.yaml.hbs')
  })
})
