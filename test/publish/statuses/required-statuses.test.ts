import { describe, expect, it, test } from 'vitest'
import { isRequired, requiredStatuses } from '../../../src/publish/statuses/required-statuses.ts'

const web = { cluster: { namespace: 'team-a', name: 'web' }, units: ['web', 'web-addons'] }

describe('the statuses that a cluster needs', () => {
  const cases: readonly { readonly names: readonly string[]; readonly want: readonly string[] }[] = [
    { names: ['ci/smoke'], want: ['ci/smoke'] },
    { names: ['{namespace}/{cluster}/{cluster}'], want: ['team-a/web/web'] },
    { names: ['kustomization/{unit}/*'], want: ['kustomization/web/*', 'kustomization/web-addons/*'] },
    { names: ['argocd/{unit}', 'argocd/web'], want: ['argocd/web', 'argocd/web-addons'] },
  ]
  it.each(cases)('$names', ({ names, want }) => {
    expect(requiredStatuses(names, web).map(({ pattern }) => pattern)).toEqual(want)
  })

  it('are never there for a cluster without units', () => {
    expect(requiredStatuses(['kustomization/{unit}/*'], { ...web, units: [] })).toEqual([
      { pattern: 'kustomization/{unit}/*' },
    ])
  })
})

const matches: readonly (readonly [pattern: string, context: string, want: boolean])[] = [
  ['kustomization/web/*', 'kustomization/web/6f1a', true],
  ['kustomization/web/*', 'kustomization/web-addons/6f1a', false],
  ['kustomization/web/*', 'kustomization/web', false],
  ['kustomization/web/*', 'kustomization/web/6f1a/x', false],
  ['kustomization/web/*', 'kustomization/web/', true],
  ['*-rollout', 'web-rollout', true],
  ['*-rollout', '-rollout', true],
  ['*-rollout', 'rollout', false],
  ['a*b*b', 'ab', false],
  ['a*b*b', 'abb', true],
  ['a*b*c', 'axbxbxc', true],
  ['ab*ba', 'aba', false],
  ['a.c', 'abc', false],
]
test.each(matches)('%s is meant by %s: %s', (pattern, context, want) => {
  expect(isRequired({ pattern }, context)).toBe(want)
})
