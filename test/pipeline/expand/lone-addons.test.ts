import { expect, test } from 'vitest'
import { createHookTranslator } from '../../../src/handoff/hooks/translate-hooks.ts'
import type { Manifest, RenderedFolder } from '../../../src/model/manifest.ts'
import { createTokenTable } from '../../../src/model/token.ts'
import { dict } from '../../../src/model/value.ts'
import { type LoneContext, loneAddon, loneAddons } from '../../../src/pipeline/expand/lone-addons.ts'
import { nodeCrypto as crypto } from '../../../src/system/node-crypto.ts'

const path = 'clusters/team-a/web/addons/01-a'
const source = { name: 'addons.yaml', text: '' }
const at = { source, start: 0, end: 0 }

function object(kind: string, more: Partial<Manifest> = {}): Manifest {
  const head = { apiVersion: 'v1', kind, name: 'a', namespace: 'kube-system' }
  return { ...head, object: dict([]), origin: { from: 'a', unit: 'a', template: 'a' }, ...more }
}

const hook = dict([['metadata', dict([['annotations', dict([['helm.sh/hook', 'post-install']])]])]])
const deferred = [{ pointer: '/data/a', text: '', tokens: createTokenTable(), written: '' }]

function context(more: Partial<LoneContext> = {}): LoneContext {
  return { cluster: { existingSecrets: [] }, crypto, translate: createHookTranslator('flux'), ...more }
}

function objectsOf(manifests: readonly Manifest[], of: LoneContext = context()): string | undefined {
  return loneAddon({ folder: { path, manifests }, charts: [] }, of)?.objects
}

test.each<[string, readonly Manifest[], LoneContext?]>([
  ['no object', []],
  ['a value that is known later', [object('ConfigMap'), object('Secret', { deferred })]],
  ['a definition', [object('CustomResourceDefinition', { apiVersion: 'apiextensions.k8s.io/v1' })]],
  ['a hook', [object('Job', { object: hook })]],
  [
    'a Secret, where some are there already',
    [object('Secret')],
    context({ cluster: { existingSecrets: [{ name: 'a', namespace: 'kube-system', at }] } }),
  ],
])('an addon is not alone with %s', (_, manifests, of) => {
  expect(objectsOf(manifests, of)).toBeUndefined()
})

test('an addon is known by what its objects are, and not by what they hold', () => {
  const one = [object('ConfigMap'), object('Secret')]
  const other = [object('ConfigMap', { object: dict([['data', dict([['a', 'b']])]]) }), object('Secret')]
  expect(objectsOf(one)).toBeDefined()
  expect(objectsOf(other)).toBe(objectsOf(one))
  for (const more of [{ name: 'b' }, { namespace: 'b' }, { apiVersion: 'v2' }, { kind: 'B' }])
    expect(objectsOf([object('ConfigMap', more), object('Secret')])).not.toBe(objectsOf(one))
  // without a tool nobody translates hooks
  expect(objectsOf([object('Job', { object: hook })], context({ translate: undefined }))).toBeDefined()
})

const manifests = [object('ConfigMap')]
const unit = {
  kind: 'addons',
  name: 'web-addons',
  namespace: 'team-a',
  path: 'clusters/team-a/web/addons',
  manifests,
  target: 'workload',
  gate: 'none',
  dependsOn: [],
  release: 'a',
  isSuspended: false,
} as const
const finding = { code: 'NAMESPACE_MISSING', severity: 'warning', message: '', about: { addon: 'a' } } as const

test.each<[string, Partial<Parameters<typeof loneAddons>[1]>, readonly string[]]>([
  ['', {}, ['a']],
  ['whose objects move to another unit', { units: [{ ...unit, orphans: new Set(['a']) }] }, []],
  ['whose unit goes', { units: [{ ...unit, mayDelete: 'everything' }] }, []],
  ['of which something is said', { findings: [finding] }, []],
  ['beside one of which something is said', { findings: [{ ...finding, about: { addon: 'b' } }] }, ['a']],
  ['without a folder', { folders: [] }, []],
  ['of which objects are taken out', { folders: [{ path, manifests: [] }] }, []],
  ['whose folder says more', { folders: [{ path, manifests, kustomization: dict([]) }] }, []],
])('alone in a cluster: an addon %s', (_, made, names) => {
  const folder: RenderedFolder = { path, manifests }
  const plain = new Map([['a', { folder, charts: [] }]])
  const found = loneAddons(plain, { folders: [folder], units: [unit], findings: [], ...made }, context())
  expect([...found.keys()]).toEqual(names)
})
