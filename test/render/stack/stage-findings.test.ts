import { describe, expect, it } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { positionAt } from '../../../src/model/source.ts'
import type { Release } from '../../../src/model/release.ts'
import { finalAddons, stageFindings } from '../../../src/render/stack/stage-findings.ts'
import { parseClusterAddon } from '../../../src/sources/release/cluster-addon.ts'

const head =
  'apiVersion: clusteraddonconfig.x-k8s.io/v1alpha1\nclusterAddonVersion: clusteraddons.clusterstack.x-k8s.io/v1alpha1\naddonStages:\n'
const condition =
  'waitForPreCondition: {objects: [{key: d, apiVersion: v1, kind: Node, name: x}], conditions: d.spec.a}'

/** `fresh` and `upgrade` as flow maps, one stage a line: those of the former start at line 5. */
function stagesOf(fresh: readonly string[], upgrade?: readonly string[]): Release['stages'] {
  const list = (hook: string, stages: readonly string[]): string =>
    `  ${hook}:\n${stages.map((stage) => `    - {${stage}}\n`).join('')}`
  const text = `${head}${list('AfterControlPlaneInitialized', fresh)}${upgrade === undefined ? '' : list('BeforeClusterUpgrade', upgrade)}`
  const known = { addons: ['a', 'b', 'c'], foldersWithoutChart: [] }
  return parseClusterAddon(encodeUtf8(text), 'clusteraddon.yaml', known).stages
}

const apply = (addon: string, more = ''): string => `name: ${addon}, action: apply${more === '' ? '' : `, ${more}`}`
const remove = (addon: string, more = ''): string => `name: ${addon}, action: delete${more === '' ? '' : `, ${more}`}`

const cases: readonly {
  readonly name: string
  readonly fresh: readonly string[]
  readonly upgrade?: readonly string[]
  readonly want: readonly string[]
  readonly tree: readonly string[]
}[] = [
  { name: 'one hook', fresh: [apply('a'), apply('b', condition)], want: [], tree: ['a', 'b'] },
  {
    name: 'equal hooks',
    fresh: [apply('a'), apply('b', condition)],
    upgrade: [apply('a'), apply('b', condition)],
    want: [],
    tree: ['a', 'b'],
  },
  {
    name: 'another order',
    fresh: [apply('a'), apply('b'), apply('c')],
    upgrade: [apply('a'), apply('c'), apply('b')],
    want: [
      '10 BeforeClusterUpgrade applies a, c, b in this order, AfterControlPlaneInitialized a, b, c; the tree has the latter',
    ],
    tree: ['a', 'b', 'c'],
  },
  {
    name: 'an addon left out of upgrades',
    fresh: [apply('a'), apply('b'), apply('c')],
    upgrade: [apply('a'), apply('c')],
    want: [],
    tree: ['a', 'b', 'c'],
  },
  {
    name: 'an addon of upgrades alone',
    fresh: [apply('a')],
    upgrade: [apply('b'), apply('a')],
    want: ['7 addon "b" is applied by BeforeClusterUpgrade only; the tree leaves it out, for upgraded clusters too'],
    tree: ['a'],
  },
  {
    name: 'an addon that upgrades delete',
    fresh: [apply('a'), apply('b')],
    upgrade: [remove('a'), apply('b')],
    want: [
      '8 addon "a" is deleted by BeforeClusterUpgrade but applied by AfterControlPlaneInitialized; the tree keeps it, for upgraded clusters too',
    ],
    tree: ['a', 'b'],
  },
  {
    name: 'an addon that upgrades delete and make anew',
    fresh: [apply('a')],
    upgrade: [remove('a'), apply('a')],
    want: [],
    tree: ['a'],
  },
  {
    name: 'an addon that only upgrades delete',
    fresh: [apply('a')],
    upgrade: [remove('b'), apply('a')],
    want: [],
    tree: ['a'],
  },
  {
    name: 'delete',
    fresh: [apply('a'), remove('b')],
    want: ['6 addon "b" is deleted by AfterControlPlaneInitialized: the tree leaves it out'],
    tree: ['a'],
  },
  {
    name: 'apply, then delete',
    fresh: [apply('a'), apply('b'), remove('a')],
    want: [
      '7 addon "a" is applied and then deleted by AfterControlPlaneInitialized: the tree leaves it out, so it never runs',
    ],
    tree: ['b'],
  },
  {
    name: 'delete, then apply',
    fresh: [remove('a', condition), apply('b'), apply('a')],
    want: [
      '5 addon "a" is deleted and then applied by AfterControlPlaneInitialized; the tree applies it, and nothing deletes it before',
    ],
    tree: ['b', 'a'],
  },
  {
    name: 'apply twice',
    fresh: [apply('a'), apply('b'), apply('a')],
    want: [
      '7 addon "a" is applied by two stages of AfterControlPlaneInitialized; in the tree it has one place, the first',
    ],
    tree: ['a', 'b'],
  },
  {
    name: 'other conditions in upgrades',
    fresh: [apply('a')],
    upgrade: [apply('a', condition)],
    want: [
      '7 the stage of addon "a" has other conditions under BeforeClusterUpgrade than under AfterControlPlaneInitialized; the latter are waited for, in upgrades too',
    ],
    tree: ['a'],
  },
]

describe('what a tree makes of stages', () => {
  it.each(cases)('$name', ({ fresh, upgrade, want, tree }) => {
    const stages = stagesOf(fresh, upgrade)
    const findings = stageFindings({ stages })
    expect(findings.map(({ at, message }) => `${at && positionAt(at.source, at.start).line} ${message}`)).toEqual(want)
    expect(findings.every(({ code, hint }) => code === 'RELEASE_STAGE_NOT_EXPRESSED' && hint !== undefined)).toBe(true)
    expect(finalAddons(stages.AfterControlPlaneInitialized ?? [])).toEqual(tree)
  })

  it('says that conditions of a deletion are not waited for', () => {
    expect(stageFindings({ stages: stagesOf([remove('b', condition)]) })[0]?.hint).toBe(
      'A GitOps tool removes what it applied from the tree before; what anything else has put into a cluster must be deleted by hand. Its conditions are not waited for.',
    )
  })
})
