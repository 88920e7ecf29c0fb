import { renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findEditedInputs } from '../../src/pipeline/publishing/edited-inputs.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

const cluster = 'clusters/team/one/cluster.yaml'

/** A committed fleet with a file in each of its folders. */
async function committed(): Promise<FleetFolder> {
  const fleet = new FleetFolder(await tempFolder())
  fleet.change({ 'stackmason.yaml': '', [cluster]: 'a: 1\n', 'stacks/lab.yaml': 'b: 1\n', 'other/x.yaml': 'c: 1\n' })
  fleet.commit()
  return fleet
}

/** The paths that are told of, and how often git was asked for files of the commit and of the index. */
async function told({ folder, ports }: FleetFolder): Promise<{ readonly paths: string; readonly asked: number }> {
  let asked = 0
  const git: typeof ports.git = {
    ...ports.git,
    listCommitted: (...words) => {
      asked += 1
      return ports.git.listCommitted(...words)
    },
    listUnchanged: (...words) => {
      asked += 1
      return ports.git.listUnchanged(...words)
    },
  }
  const found = await findEditedInputs(folder, { files: ports.files, git })
  return { paths: found.map(({ message }) => message.replace(/^.*: /, '')).join(), asked }
}

test('git is asked once about both folders of inputs', async () => {
  const fleet = await committed()
  expect(await told(fleet)).toEqual({ paths: '', asked: 2 })
  fleet.write(cluster, 'a: 2\n')
  fleet.write('stacks/lab.yaml', 'b: 1\r\n')
  fleet.write('other/x.yaml', 'c: 2\n')
  expect(await told(fleet)).toEqual({ paths: cluster, asked: 2 })
  fleet.remove('stacks')
  fleet.write('clusters/new.yaml', '')
  expect(await told(fleet)).toEqual({ paths: `clusters/new.yaml, ${cluster}, stacks/lab.yaml`, asked: 2 })
  writeFileSync(fleet.path('stacks'), '')
  expect(await told(fleet)).toEqual({ paths: `clusters/new.yaml, ${cluster}, stacks/lab.yaml`, asked: 2 })
})

test('a folder of inputs that is a link is looked at where it leads', async () => {
  const fleet = await committed()
  renameSync(fleet.path('clusters'), fleet.path('elsewhere'))
  symlinkSync('elsewhere', fleet.path('clusters'))
  fleet.commit()
  expect(await told(fleet)).toEqual({ paths: '', asked: 4 })
  fleet.write(cluster, 'a: 2\n')
  fleet.write('stacks/lab.yaml', 'b: 2\n')
  expect(await told(fleet)).toEqual({ paths: `${cluster}, stacks/lab.yaml`, asked: 4 })
})

test('a folder of inputs that is a submodule is looked at as the repository that it is', async () => {
  const fleet = await committed()
  const own = new FleetFolder(fleet.path('clusters'))
  fleet.git('rm', '-q', '-r', '--cached', 'clusters')
  own.commit()
  fleet.commit()
  expect(await told(fleet)).toEqual({ paths: '', asked: 4 })
  fleet.write(cluster, 'a: 2\n')
  expect(await told(fleet)).toEqual({ paths: cluster, asked: 4 })
})
