import { describe, expect, test } from 'vitest'
import { copyExample, handoffs } from '../../tools/fleets/example-fleet.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

class CommittedFleet extends FleetFolder {
  /** What git shows of a run, file by file. */
  async diff(): Promise<readonly string[]> {
    await this.render()
    this.git('add', '--all', 'rendered')
    const printed = this.git('diff', '--cached', '--numstat', '--no-renames', '--', 'rendered')
    return printed.split('\n').filter((line) => line !== '')
  }
}

/** The example fleet in a repository of its own, rendered and committed. */
async function committedFleet(): Promise<CommittedFleet> {
  const fleet = new CommittedFleet(await tempFolder())
  copyExample(fleet, { handoff: [handoffs.flux] })
  fleet.git('init', '-q')
  await fleet.render()
  fleet.commit()
  // as in a clone: nothing is remembered
  fleet.remove('rendered/.stackmason')
  return fleet
}

const cluster = 'clusters/team-a/web/cluster.yaml'
const addon = 'clusters/team-a/web/addons/02-metrics/deployment-metrics-agent.yaml'

describe('what git shows of one change', () => {
  test.each([
    {
      name: 'a value',
      file: 'clusters/team-a/web/values/metrics.yaml',
      from: 'replicas: 2',
      to: 'replicas: 3',
      want: [`1\t1\trendered/${addon}`],
    },
    {
      name: 'replicas of a cluster',
      file: cluster,
      from: 'replicas: 4',
      to: 'replicas: 5',
      want: ['1\t1\trendered/clusters/team-a/web/cluster/cluster-web.yaml'],
    },
    {
      name: 'an image',
      file: 'clusters/team-a/web/values/metrics.yaml',
      from: 'metrics-agent:',
      to: 'metrics-agent:\n  image: {tag: 9.9.9}',
      want: [`1\t1\trendered/${addon}`],
    },
  ])('$name: one line of one file', async ({ file, from, to, want }) => {
    const fleet = await committedFleet()
    fleet.edit(file, from, to)
    expect(await fleet.diff()).toEqual(want)
  })
})
