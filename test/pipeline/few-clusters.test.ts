import { expect, test } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import type { Ports } from '../../src/model/ports.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { bothClusters, handoffFleet, HandoffFleet } from './handoff-fleet.ts'

/** The files of a fleet that are read below some folder, and the folders of git that are. */
function watchedPorts(folder: string): {
  readonly ports: Ports
  readonly read: string[]
  readonly committed: string[]
} {
  const ports = createNodePorts()
  const read: string[] = []
  const committed: string[] = []
  return {
    read,
    committed,
    ports: {
      ...ports,
      files: {
        ...ports.files,
        read: (path, from) => {
          if (path.includes(folder)) read.push(path)
          return ports.files.read(path, from)
        },
      },
      git: {
        ...ports.git,
        readCommitted: (path, isWanted, revision) => {
          committed.push(path)
          return ports.git.readCommitted(path, isWanted, revision)
        },
      },
    },
  }
}

const other = 'clusters/team-b/batch/cluster.yaml'

test('a run for one cluster reads nothing of another, and comes to the same', async () => {
  const { folder } = await handoffFleet('flux', bothClusters)
  const { ports, read, committed } = watchedPorts(`${folder}/clusters/team-b/`)
  const fleet = new HandoffFleet(folder, ports)
  fleet.edit('clusters/team-a/web/cluster.yaml', 'replicas: 4', 'replicas: 5')
  fleet.write(other, 'nobody: can read this\n')
  const { changes } = await fleet.render({ clusters: ['web'] })
  expect(changes.map(({ path }) => path)).toEqual(['clusters/team-a/web/cluster/cluster-web.yaml'])
  expect(read).toEqual([])
  expect(committed).toContain(`${folder}/rendered/clusters/team-a/web`)
  expect(committed).not.toContain(`${folder}/rendered/clusters`)
})

test.each([
  ['a name that no cluster has', { clusters: ['wbe'] }, 'USAGE'],
  ['a cluster that is broken itself', { clusters: ['team-b/batch'] }, 'CONFIG_'],
  ['a stack', { clusters: ['web'], stacks: ['platform/demo'] }, 'CONFIG_'],
])('a run for %s reads all', async (_, options, code) => {
  const fleet = await handoffFleet('flux', bothClusters)
  if (code !== 'USAGE') fleet.write(other, 'nobody: can read this\n')
  const error = await fleet.render(options).catch((thrown: unknown) => thrown)
  const found = error instanceof StackmasonError ? error.diagnostics : []
  expect(found.map((one) => one.code)).toContainEqual(expect.stringContaining(code))
  expect(found.map(({ hint = '' }) => hint).join()).toContain(code === 'USAGE' ? 'team-b/batch' : '')
})

test('a cluster that no commit has is new, where commits have others', async () => {
  const fleet = await handoffFleet('flux', bothClusters)
  fleet.write(
    'clusters/team-a/other/cluster.yaml',
    fleet.read('clusters/team-a/web/cluster.yaml').replaceAll('web', 'other'),
  )
  const { changes } = await fleet.render({ clusters: ['other'] })
  expect(changes.every(({ change }) => change === 'added')).toBe(true)
  expect(changes.length).toBeGreaterThan(5)
})
