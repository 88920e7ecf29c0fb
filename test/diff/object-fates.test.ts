import { describe, expect, test } from 'vitest'
import { compareTexts, shownTexts, type Texts } from './compare-texts.ts'

const NAMESPACE = '/namespace-shop.yaml'
const namespace = (options = ''): string =>
  `{apiVersion: v1, kind: Namespace, metadata: {name: shop, annotations: {argocd.argoproj.io/sync-options: "${options}"}}}`

const ADDONS = 'clusters/a/web/addons/01-own'
const UNIT = 'handoff/a/web/application-addons.yaml'
const ABOVE = 'handoff/a/application-web.yaml'

interface Settings {
  readonly prune?: boolean
  readonly finalizer?: boolean
}

const finalizers = (has = false): string => (has ? ', finalizers: [resources-finalizer.argocd.argoproj.io]' : '')

function application(name: string, path: string, { prune = true, finalizer = false }: Settings = {}): string {
  return `{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: ${name}, namespace: argocd${finalizers(finalizer)}}, spec: {source: {path: fleet/rendered/${path}}, syncPolicy: {automated: {prune: ${String(prune)}}}}}`
}

function applicationSet(name: string, path: string, preserve: boolean): string {
  return `{apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, metadata: {name: ${name}, namespace: argocd}, spec: {syncPolicy: {preserveResourcesOnDeletion: ${String(preserve)}}, template: {spec: {source: {path: ${path}}, syncPolicy: {automated: {prune: true}}}}}}`
}

function kustomization(name: string, path: string, policy: string): string {
  return `{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: ${name}, namespace: a}, spec: {path: ./rendered/${path}, prune: true, deletionPolicy: ${policy}}}`
}

const addons = 'clusters/a/web/addons'
const rows: readonly {
  readonly name: string
  readonly before: Texts
  readonly after: Texts
  /** Of the Namespace: its risks, and why. */
  readonly want: readonly string[]
}[] = [
  {
    name: 'an object of a unit that prunes',
    before: { [UNIT]: application('u', addons), [ADDONS + NAMESPACE]: namespace() },
    after: { [UNIT]: application('u', addons) },
    want: ['deletes', 'content-is-gone'],
  },
  {
    name: 'an object of a unit that does not prune',
    before: { [UNIT]: application('u', addons, { prune: false }), [ADDONS + NAMESPACE]: namespace() },
    after: { [UNIT]: application('u', addons, { prune: false }) },
    want: ['leaves-behind'],
  },
  {
    name: 'an object of a unit that prunes from now on',
    before: { [UNIT]: application('u', addons, { prune: false }), [ADDONS + NAMESPACE]: namespace() },
    after: { [UNIT]: application('u', addons) },
    want: ['deletes', 'content-is-gone'],
  },
  {
    name: 'an object whose deletion somebody has to confirm',
    before: { [UNIT]: application('u', addons), [ADDONS + NAMESPACE]: namespace('Prune=confirm') },
    after: { [UNIT]: application('u', addons) },
    want: ['deletes', 'when somebody confirms it in Argo CD', 'content-is-gone'],
  },
  {
    name: 'an object that is never pruned',
    before: { [UNIT]: application('u', addons), [ADDONS + NAMESPACE]: namespace('Prune=false') },
    after: { [UNIT]: application('u', addons) },
    want: ['leaves-behind'],
  },
  {
    name: 'a unit without a finalizer, with all that it applied',
    before: { [UNIT]: application('u', addons), [ADDONS + NAMESPACE]: namespace() },
    after: {},
    want: ['leaves-behind'],
  },
  {
    name: 'a unit with a finalizer, with all that it applied',
    before: { [UNIT]: application('u', addons, { finalizer: true }), [ADDONS + NAMESPACE]: namespace('Prune=false') },
    after: {},
    want: ['deletes', 'content-is-gone'],
  },
  {
    name: 'an object that does not go with its Application',
    before: { [UNIT]: application('u', addons, { finalizer: true }), [ADDONS + NAMESPACE]: namespace('Delete=false') },
    after: {},
    want: ['leaves-behind'],
  },
  {
    name: 'an object that goes with its Application when somebody confirms it',
    before: {
      [UNIT]: application('u', addons, { finalizer: true }),
      [ADDONS + NAMESPACE]: namespace('Delete=confirm'),
    },
    after: {},
    want: ['deletes', 'when somebody confirms it in Argo CD', 'content-is-gone'],
  },
  {
    name: 'a unit with a finalizer below one that does not prune',
    before: {
      [ABOVE]: application('w', 'handoff/a/web', { prune: false }),
      [UNIT]: application('u', addons, { finalizer: true }),
      [ADDONS + NAMESPACE]: namespace(),
    },
    after: { [ABOVE]: application('w', 'handoff/a/web', { prune: false }) },
    want: ['leaves-behind'],
  },
  {
    name: 'units with finalizers, one in the other',
    before: {
      [ABOVE]: application('w', 'handoff/a/web', { finalizer: true }),
      [UNIT]: application('u', addons, { finalizer: true }),
      [ADDONS + NAMESPACE]: namespace(),
    },
    after: {},
    want: ['deletes', 'content-is-gone'],
  },
  {
    name: 'an ApplicationSet that keeps what its Applications applied',
    before: { [UNIT]: applicationSet('u', `rendered/${addons}`, true), [ADDONS + NAMESPACE]: namespace() },
    after: {},
    want: ['leaves-behind'],
  },
  {
    name: 'an ApplicationSet that does not',
    before: { [UNIT]: applicationSet('u', `rendered/${addons}`, false), [ADDONS + NAMESPACE]: namespace() },
    after: {},
    want: ['deletes', 'content-is-gone'],
  },
  {
    name: 'an Application in whose place an ApplicationSet prunes',
    before: { [UNIT]: application('u', addons), [ADDONS + NAMESPACE]: namespace() },
    after: { 'handoff/a/web/applicationset-addons.yaml': applicationSet('u', `rendered/${addons}`, true) },
    want: ['deletes', 'content-is-gone'],
  },
  {
    name: 'a Kustomization of Flux that leaves behind what it applied',
    before: { [UNIT]: kustomization('u', addons, 'Orphan'), [ADDONS + NAMESPACE]: namespace() },
    after: {},
    want: ['leaves-behind'],
  },
  {
    name: 'a Kustomization of Flux that prunes',
    before: { [UNIT]: kustomization('u', addons, 'MirrorPrune'), [ADDONS + NAMESPACE]: namespace() },
    after: {},
    want: ['deletes', 'content-is-gone'],
  },
  {
    name: 'an object of a unit that is not in the tree',
    before: { [ADDONS + NAMESPACE]: namespace() },
    after: {},
    want: ['deletes', 'content-is-gone'],
  },
]

describe('what becomes of an object that leaves the tree', () => {
  test.each(rows)('$name', ({ before, after, want }) => {
    const { changes } = compareTexts(before, after)
    const change = changes.find((one) => one.before?.kind === 'Namespace')
    expect([
      ...(change?.risks ?? []),
      ...(change?.reasons ?? []).map(({ text }) => text),
      ...(change?.undo ?? []),
    ]).toEqual(want)
  })

  test('definitions are not tracked by Argo CD', () => {
    const crd = '{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: x.y}}'
    const { changes } = compareTexts(
      { [UNIT]: application('u', addons), [`${ADDONS}/crd.yaml`]: crd },
      { [UNIT]: application('u', addons) },
    )
    expect(changes.map(({ risks }) => risks)).toEqual([['leaves-behind']])
  })

  test('a unit in a cluster of the name of a folder of the tree is not the one above it', () => {
    const unit = 'handoff/a/handoff/application-addons.yaml'
    const folder = 'clusters/a/handoff/addons'
    const { changes } = compareTexts(
      { [unit]: application('u', folder), [`${folder}/01-own${NAMESPACE}`]: namespace() },
      { [unit]: application('u', folder) },
    )
    expect(changes.map(({ risks }) => risks)).toEqual([['deletes']])
  })
})

test('an Application that goes with nothing but Applications deletes nothing that runs', () => {
  expect(
    shownTexts(
      {
        [ABOVE]: application('w', 'handoff/a/web', { finalizer: true }),
        [UNIT]: application('u', addons),
        [ADDONS + NAMESPACE]: namespace(),
      },
      {},
    ),
  ).toContain('Application argocd/w (what it applied stays)')
})

test('one with an Application that takes along what it applied does', () => {
  expect(
    shownTexts(
      {
        [ABOVE]: application('w', 'handoff/a/web', { finalizer: true }),
        [UNIT]: application('u', addons, { finalizer: true }),
        [ADDONS + NAMESPACE]: namespace(),
      },
      {},
    ),
  ).toContain('Application argocd/w; a revert does not bring back what it deletes')
})
