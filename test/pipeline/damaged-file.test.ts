import { expect, test } from 'vitest'
import { type Damage, DamagedFleet, damageKinds, lifeStates, seededNumbers } from '../../tools/fleets/damaged-file.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Another one tries other files; `bench/damaged-file.ts` tries all of them. */
const SEED = 7

test.each(['flux', 'argocd'] as const)(
  'any one file that is damaged, in any state of a cluster, is mended or refused, and no step is taken on it: %s',
  { timeout: 300_000 },
  async (tool) => {
    const next = seededNumbers(SEED)
    const fleet = await DamagedFleet.open(await tempFolder(), tool)
    const found: Record<string, readonly string[]> = {}
    for (const state of lifeStates) {
      const files = fleet.files(state)
      const kind = damageKinds[next(damageKinds.length)] ?? 'delete'
      const damage: Damage = {
        kind,
        file: files[next(files.length)] ?? '',
        is: next(3) === 0 ? 'on disk' : 'committed',
      }
      found[`${state}: ${kind} ${damage.file} ${damage.is}`] = await fleet.try(state, damage)
    }
    expect(Object.entries(found).filter(([, wrong]) => wrong.length > 0)).toEqual([])
    expect(Object.keys(found)).toHaveLength(lifeStates.length)
    // a render that does not look at the damage is seen
    const unit = fleet.files('step 1').find((file) => /^handoff\/team-a\/web\/.*addons\.yaml$/.test(file)) ?? ''
    expect(await fleet.try('step 1', { kind: 'delete', file: unit, is: 'committed' }, { by: 'blind' })).toEqual([
      'takes the next step on a commit that does not hold this one',
    ])
  },
)
