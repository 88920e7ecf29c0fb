import { expect, test } from 'vitest'
import { findLoweredVersion, findRevertedVersion } from '../../../src/handoff/steps/find-lowered-version.ts'
import type { CommittedCluster, EarlierCluster, StepPlan } from '../../../src/model/steps.ts'
import { classOf, sampleCluster, versionOf } from './sample-cluster.ts'

/** A tree whose Cluster and addons are at these releases, on the way to 1.36. */
const at = (release: string, addons: string): CommittedCluster => ({
  object: sampleCluster(release).object,
  className: classOf(release),
  version: versionOf(release),
  addons: classOf(addons),
  target: classOf('1-36-v1'),
})

/** Commits of an upgrade from 1.34 to 1.36: addons, class, addons. */
const earlier: readonly EarlierCluster[] = [
  { commit: 'C3', committed: at('1-35-v1', '1-36-v1') },
  { commit: 'C2', committed: at('1-35-v1', '1-35-v1') },
  { commit: 'C1', committed: at('1-34-v1', '1-35-v1') },
]

const due = (release: string, addons: string): StepPlan => ({
  cluster: { name: 'web', namespace: 'team-a' },
  due: { action: 'class', className: classOf(release), addons: classOf(addons), summary: '', before: [] },
  then: [],
  content: 'rendered',
  clusterObject: 'as-is',
  classes: [],
  suspends: 'none',
})

const denial =
  ' If no GitOps tool has ever applied that commit, write `neverApplied: docker-scs-1-35-v1` under spec.upgrade in clusters/team-a/web/options.yaml.'

test.each([
  [
    'back to the addons of the first release on the way',
    at('1-34-v1', '1-35-v1'),
    due('1-35-v1', '1-35-v1'),
    [
      'warning Commit what this run writes: v1.35.1 again.',
      'error Run `stackmason render` and commit what it writes: v1.35.1 again.',
    ],
  ],
  [
    'back to the beginning',
    at('1-34-v1', '1-34-v1'),
    { ...due('1-34-v1', '1-35-v1'), clusterObject: 'held' as const },
    [
      'error Run `stackmason render --base C3 --cluster team-a/web` and commit what it writes: v1.35.1 again. Then `stackmason render` writes what else the fleet lacks for it.',
      'error Run `stackmason render --base C3 --cluster team-a/web` and commit what it writes: v1.35.1 again. Then `stackmason render` writes what else the fleet lacks for it.',
    ],
  ],
])('an upgrade over two versions that goes %s names the version that comes again', (_, committed, plan, wanted) => {
  const cluster = sampleCluster('1-36-v1')
  const context = { earlier, from: 'history' } as const
  const found = [
    findRevertedVersion(cluster, { committed, plan }, context),
    findLoweredVersion(cluster, committed, context),
  ]
  expect(found.map((one) => `${one?.severity ?? ''} ${one?.hint ?? ''}`)).toEqual(wanted.map((text) => text + denial))
})
