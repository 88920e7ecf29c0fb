import { describe, expect, test } from 'vitest'
import { deletionMarks } from '../../../src/handoff/committed-units.ts'
import { readCommittedAddons } from '../../../src/sources/committed/committed-addons.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'

const base = 'clusters/team-a/web'
const index = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- 01-cni\n- 12-csi\n'
const object = (name: string, annotations = ''): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}${annotations}}}`
const flux = ', annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}'
const argo = ", annotations: {argocd.argoproj.io/sync-options: 'Delete=confirm,Prune=false'}"
const plain = (metadata: string): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n${metadata}\nspec:\n  template:\n    metadata:\n      name: other\n`

describe('the addons of a committed tree', () => {
  test.each([
    { name: 'of a cluster without any', files: {}, want: {} },
    {
      name: 'each in the unit of all, or in one of its own, without its number',
      files: {
        'addons/kustomization.yaml': index,
        'addons/01-cni/kustomization.yaml': index,
        'addons/01-cni/.stackmason-inventory.yaml': 'a: b',
        'addons/01-cni/a.yaml': object('a', flux),
        'addons/03-ccm/b.yaml': object('b'),
        'addons-own/kustomization.yaml': index.replace('01-cni', 'door'),
        'addons-own/door/c.yaml': object('c', flux),
        'addons-own/01-odd/d.yaml': object('d'),
      },
      want: {
        '/ConfigMap//a': 'addons/01-cni of addons, let go',
        '/ConfigMap//b': 'addons/03-ccm of addons/ccm',
        '/ConfigMap//c': 'addons-own/door of addons-own, let go',
        '/ConfigMap//d': 'addons-own/01-odd of addons-own/01-odd',
      },
    },
    {
      name: 'the note of a unit that nothing is left of',
      files: {
        'addons-own/kustomization.yaml': 'kind: Kustomization\nresources:\n- configmap-note.yaml\n',
        'addons-own/configmap-note.yaml': object('note, namespace: kube-system'),
      },
      want: { '/ConfigMap/kube-system/note': 'addons-own of addons-own' },
    },
    {
      name: 'by what their lines say, or their YAML',
      files: {
        'addons/01-cni/a.yaml': plain('  labels:\n    name: x\n  name: a\n  namespace: b'),
        'addons/01-cni/b.yaml': plain('  name: "1"\n  namespace: b'),
        'addons/01-cni/c.yaml': plain("  name: c\n  namespace: '2'"),
        'addons/01-cni/d.yaml': plain('  annotations:\n    kustomize.toolkit.fluxcd.io/prune: disabled\n  name: d'),
      },
      want: {
        'apps/Deployment/b/a': 'addons/01-cni of addons/cni',
        'apps/Deployment/b/1': 'addons/01-cni of addons/cni',
        'apps/Deployment/2/c': 'addons/01-cni of addons/cni',
        'apps/Deployment//d': 'addons/01-cni of addons/cni, let go',
      },
    },
  ])('$name', ({ files, want }) => {
    const { objects } = readCommittedAddons(base, new Map(Object.entries(files)), deletionMarks.flux)
    const short = (path: string): string => path.replace(`${base}/`, '')
    expect(
      Object.fromEntries(
        [...objects].map(([key, { folder, unit, isOrphaned }]) => [
          key,
          `${short(folder)} of ${short(unit)}${isOrphaned ? ', let go' : ''}`,
        ]),
      ),
    ).toEqual(want)
  })

  test('are not guessed from a file that holds no object', async () => {
    const files = new Map([
      ['addons/kustomization.yaml', index],
      ['addons/01-cni/a.yaml', '<<<<<<< HEAD'],
    ])
    const found = await diagnosticsOf(
      Promise.resolve().then(() => readCommittedAddons(base, files, deletionMarks.flux)),
    )
    expect(found.map(({ code, file }) => [code, file])).toEqual([
      ['OBJECT_INVALID', 'clusters/team-a/web/addons/01-cni/a.yaml'],
    ])
  })

  // a chart may bring annotations for a tool that does not apply it
  test.each([
    { tool: 'flux', annotations: flux, want: { isOrphaned: true } },
    { tool: 'flux', annotations: argo, want: { isOrphaned: false } },
    { tool: 'argocd', annotations: argo, want: { isOrphaned: true } },
    { tool: 'argocd', annotations: flux, want: { isOrphaned: false } },
    {
      tool: 'argocd',
      annotations: ", annotations: {argocd.argoproj.io/sync-options: 'Prune=confirm'}",
      want: { isOrphaned: false, isConfirmed: true },
    },
  ] as const)('of $tool with$annotations', ({ tool, annotations, want }) => {
    const files = new Map([['addons/01-cni/a.yaml', object('a', annotations)]])
    const { objects } = readCommittedAddons(base, files, deletionMarks[tool])
    expect(objects.get('/ConfigMap//a')).toEqual({
      folder: `${base}/addons/01-cni`,
      unit: `${base}/addons/cni`,
      ...want,
    })
  })
})
