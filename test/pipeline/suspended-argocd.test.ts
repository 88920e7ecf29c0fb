import { expect, test } from 'vitest'
import type { StepPlan } from '../../src/model/steps.ts'
import { copyExample, handoffs } from '../../tools/fleets/example-fleet.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

const file = 'clusters/team-b/batch/options.yaml'
const options = (spec: string): string =>
  `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nmetadata: {name: batch}\nspec: ${spec}\n`

async function fleetOf(tool: 'flux' | 'argocd'): Promise<() => Promise<readonly StepPlan[]>> {
  const fleet = new FleetFolder(await tempFolder())
  copyExample(fleet, { clusters: ['team-b/batch'], handoff: [handoffs[tool]] })
  const run = async (): Promise<readonly StepPlan[]> => (await fleet.render()).steps ?? []
  expect(await run()).toEqual([])
  fleet.commit()
  fleet.write(file, options('{suspend: true}'))
  return run
}

const begun =
  'A sync that has begun goes on without automated sync, and one that fails is tried again with the newest commit. ' +
  'End each that is Running in `status.operationState.phase`: '

test('a suspended cluster says how its syncs end that have begun, under Argo CD', async () => {
  const run = await fleetOf('argocd')
  const steps = (await run()).map(({ due, then }) => ({ ...due, then }))
  expect(steps).toEqual([
    {
      action: 'keep',
      className: 'docker-classic-1-33-v1',
      addons: 'docker-classic-1-33-v1',
      summary: 'everything of docker-classic-1-33-v1, suspended',
      before: [
        `${begun}\`argocd app terminate-op team-b.batch.cluster\`, \`argocd app terminate-op team-b.batch.addons\`, \`argocd app terminate-op team-b.batch.addons-own\`.`,
      ],
      then: [],
    },
  ])
})

test('Flux ends by itself what it suspends', async () => {
  const run = await fleetOf('flux')
  expect(await run()).toEqual([])
})
