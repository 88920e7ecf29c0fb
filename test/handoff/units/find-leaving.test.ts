import { expect, test } from 'vitest'
import { findLeaving, nameWaiting } from '../../../src/handoff/units/find-leaving.ts'
import type { CommittedObject } from '../../../src/model/handoff.ts'
import type { StepPlan } from '../../../src/model/steps.ts'
import { addonsUnit } from '../argocd/sample-units.ts'

const cluster = { namespace: 'team-a', name: 'web' }
const base = 'clusters/team-a/web'
const together: CommittedObject = { folder: `${base}/addons/01-cni`, unit: `${base}/addons`, isOrphaned: false }
const alone: CommittedObject = { folder: `${base}/addons/02-dns`, unit: `${base}/addons/dns`, isOrphaned: false }
const step = (before: readonly string[]): StepPlan => ({
  cluster,
  suspends: 'none',
  due: { action: 'addons', summary: 'addons', before },
  then: [],
  content: 'rendered',
  clusterObject: 'held',
  classes: [],
})

test.each<{ name: string; object: CommittedObject; paths: readonly string[]; key?: string; found: readonly string[] }>([
  { name: 'an ordinary object', object: together, paths: ['addons'], found: [] },
  { name: 'kept', object: { ...together, isOrphaned: true }, paths: ['addons'], found: ['HANDOFF_OBJECT_STAYS'] },
  {
    name: 'to be confirmed',
    object: { ...together, isConfirmed: true },
    paths: ['addons'],
    found: ['HANDOFF_WAITS_FOR_CONFIRMATION'],
  },
  {
    name: 'of an Application that goes',
    object: { ...together, isConfirmed: true },
    paths: ['addons/01-cni'],
    found: [],
  },
  {
    name: 'of an Application of its own',
    object: { ...alone, isConfirmed: true },
    paths: ['addons', 'addons/02-dns'],
    found: ['HANDOFF_WAITS_FOR_CONFIRMATION'],
  },
  { name: 'of one with another number', object: { ...alone, isConfirmed: true }, paths: ['addons/03-dns'], found: [] },
  {
    name: 'still there',
    object: { ...together, isOrphaned: true },
    paths: ['addons'],
    key: '/Namespace//kept',
    found: [],
  },
])('an object that leaves: $name', ({ object, paths, key = '/Namespace//gone', found }) => {
  const units = paths.map((path) => ({ ...addonsUnit, path: `${base}/${path}` }))
  const committed = { units: new Map<string, string>(), objects: new Map([[key, object]]) }
  const leaving = findLeaving(
    { cluster, committed, objects: new Set(['/Namespace//kept']), units },
    { tool: 'argocd', namespace: 'argocd' },
  )
  expect(leaving.findings.map(({ code }) => code)).toEqual(found)
  expect(leaving.waiting.length).toBe(found.includes('HANDOFF_WAITS_FOR_CONFIRMATION') ? 1 : 0)
})

test('a namespace that the tree still uses is not to be deleted', () => {
  const units = [{ ...addonsUnit, path: `${base}/addons` }]
  const kept = { ...together, isOrphaned: true }
  const objects = new Map(['/Namespace//edge', '/Namespace//old'].map((key) => [key, kept]))
  const leaving = {
    cluster,
    committed: { units: new Map(), objects },
    objects: new Set(['apps/Deployment/edge/a']),
    units,
  }
  const hints = findLeaving(leaving, { tool: 'flux', namespace: '' }).findings.map(({ hint }) => hint)
  expect(hints).toEqual([
    'When the commit is applied and nothing needs it any more, delete by hand in that cluster: `kubectl delete namespace old`. Keep Namespace edge: other objects of the tree are in it. Let an addon have it.',
  ])
})

test('odd names are one word of a shell', () => {
  const units = [{ ...addonsUnit, path: `${base}/addons` }]
  const objects = new Map([["rbac.authorization.k8s.io/ClusterRole//$(x) 'y'", { ...together, isOrphaned: true }]])
  const { findings } = findLeaving(
    { cluster, committed: { units: new Map(), objects }, objects: new Set(), units },
    { tool: 'argocd', namespace: 'a' },
  )
  expect(findings[0]?.hint).toContain(String.raw`kubectl delete clusterrole.rbac.authorization.k8s.io '$(x) '\''y'\'''`)
})

test('the step names the confirmation first, where another step follows', () => {
  const waiting = [{ cluster, name: 'team-a.web.addons' }]
  const plans = [step(['Look.']), step([]), { ...step(['Look.']), cluster: { ...cluster, name: 'api' } }]
  const named = nameWaiting(plans, { findings: [], waiting }, 'gitops')
  const sentence =
    'Application team-a.web.addons waits before it applies anything: confirm what it deletes with `kubectl -n gitops annotate application team-a.web.addons argocd.argoproj.io/deletion-approved=$(date -u +%Y-%m-%dT%H:%M:%SZ) --overwrite`.'
  expect(named.map(({ due }) => due.before)).toEqual([[sentence, 'Look.'], [], ['Look.']])
})
