import { mkdirSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import { bothClusters, type HandoffFleet, handoffFleet } from './handoff-fleet.ts'
import { told } from './remote-fleet.ts'

/** What a run says, or which files it would change. */
async function says(
  fleet: HandoffFleet,
  options: Parameters<HandoffFleet['render']>[0] = {},
): Promise<readonly string[]> {
  try {
    const { changes } = await fleet.render({ check: true, ...options })
    return changes.map(({ path }) => path)
  } catch (error) {
    if (error instanceof StackmasonError) return error.diagnostics.map((found) => told(found, fleet.folder))
    throw error
  }
}

const sparse = (file: string, words: string, more = ''): string =>
  `INPUT_NOT_CHECKED_OUT ${file} a sparse checkout leaves this file${more} out of the work tree: what is left out would count as deleted | ` +
  `Run \`git sparse-checkout add ${words}\` at the root of the repository, or \`git sparse-checkout disable\`.`

const absent = (place: string, path: string): string =>
  `CONFIG_REFERENCE ${place}.providerDirectory.path: "${path}" is not there | Paths are relative to stackmason.yaml.`

test.each<readonly [kept: string, wanted: readonly string[]]>([
  ['clusters stacks templates rendered providers', []],
  [
    'clusters/team-a/web stacks rendered providers',
    [sparse('clusters/team-b/batch/addons.yaml', 'clusters', ', and 4 more,')],
  ],
  [
    'clusters stacks rendered',
    [
      absent('stackmason.yaml:8:15 spec.sources[0]', 'providers/docker/demo'),
      absent('stackmason.yaml:12:15 spec.sources[1]', 'providers/docker/classic'),
      sparse('providers/docker/classic/cluster-addon-values.yaml', 'providers', ', and 29 more,'),
    ],
  ],
  [
    'clusters stacks rendered providers/docker/demo/cluster-class providers/docker/demo/cluster-addon/dns-cache providers/docker/classic',
    [sparse('providers/docker/demo/cluster-addon/metrics/Chart.yaml', 'providers', ', and 7 more,')],
  ],
  ['clusters stacks providers', [sparse('rendered/.stackmason-tree', 'rendered', ', and 50 more,')]],
  ['clusters rendered providers', [sparse('stacks/classic.yaml', 'stacks', ', and 1 more,')]],
])('what a sparse checkout of %s leaves out is no deletion', async (kept, wanted) => {
  const fleet = await handoffFleet('flux', bothClusters)
  // git keeps files that it has not seen since they were written
  fleet.git('status')
  fleet.git('sparse-checkout', 'set', '--cone', ...kept.split(' '))
  expect(await says(fleet)).toEqual(wanted)
  fleet.git('sparse-checkout', 'disable')
  expect(await says(fleet)).toEqual([])
})

test('of what is left out only that is named which an error may come of', async () => {
  const fleet = await handoffFleet('flux', bothClusters)
  for (const folder of ['docs', 'more']) fleet.write(`${folder}/a.md`, 'a\n')
  fleet.commit()
  fleet.git('status')
  fleet.git('sparse-checkout', 'set', '--cone', 'clusters', 'stacks', 'rendered', 'providers/docker/demo')
  expect(await says(fleet)).toEqual([
    absent('stackmason.yaml:12:15 spec.sources[1]', 'providers/docker/classic'),
    sparse('providers/docker/classic/cluster-addon-values.yaml', 'providers', ', and 7 more,'),
  ])
  // here nothing is left out that could be the reason
  fleet.git('sparse-checkout', 'set', '--cone', 'clusters', 'stacks', 'rendered', 'providers')
  fleet.remove('providers/docker/classic')
  expect(await says(fleet)).toEqual([absent('stackmason.yaml:12:15 spec.sources[1]', 'providers/docker/classic')])
})

test('a file that a person has deleted is one, in a sparse checkout, too', async () => {
  const fleet = await handoffFleet('flux', bothClusters)
  fleet.git('status')
  fleet.git('sparse-checkout', 'set', '--cone', 'clusters', 'stacks', 'rendered', 'providers')
  fleet.remove('clusters/team-b/batch')
  const changes = await says(fleet)
  expect(changes).toContain('handoff/team-b/batch/kustomization.yaml')
  expect(changes.filter((change) => !change.includes('team-b/'))).toEqual(['handoff/kustomization.yaml'])
})

test('a file that git passes over without a sparse checkout, and that is not there, is no deletion', async () => {
  const fleet = await handoffFleet('flux', bothClusters)
  const folder = 'clusters/team-b/batch'
  const files = fleet.filesBelow(folder).map((path) => `${folder}/${path}`)
  fleet.git('update-index', '--skip-worktree', ...files)
  expect(await says(fleet)).toEqual([])
  fleet.remove(folder)
  const [first = ''] = files
  expect(await says(fleet)).toEqual([
    `INPUT_NOT_CHECKED_OUT ${first} git is told to pass over this file, and ${String(files.length - 1)} more, which is not there (skip-worktree): what is passed over would count as deleted | ` +
      `Run \`git update-index --no-skip-worktree ${files.join(' ')}\` at the root of the repository, and \`git restore\` for the same. ` +
      '`git ls-files -t` marks such files with S. Those that are meant to go must be deleted with `git rm`.',
  ])
  fleet.git('update-index', '--no-skip-worktree', ...files)
  fleet.git('restore', ...files)
  expect(await says(fleet)).toEqual([])
})

test('a file that git is to leave out, and is there all the same, is read', async () => {
  const fleet = await handoffFleet('flux', bothClusters)
  const text = fleet.read('clusters/team-b/batch/cluster.yaml')
  fleet.git('status')
  fleet.git('sparse-checkout', 'set', '--no-cone', '/*', '!/clusters/team-b/batch/cluster.yaml')
  expect(await says(fleet)).toEqual([sparse('clusters/team-b/batch/cluster.yaml', 'clusters')])
  fleet.write('clusters/team-b/batch/cluster.yaml', text)
  expect(await says(fleet)).toEqual([])
})

test.each([
  [
    'clusters/team-c',
    [
      'INPUT_NOT_CHECKED_OUT clusters/team-c this submodule is not checked out: the files in it would count as deleted | ' +
        'Run `git submodule update --init clusters/team-c` at the root of the repository. In CI, check out submodules, too.',
    ],
  ],
  // no source is read there
  ['providers/other', []],
])('a submodule at %s', async (path, wanted) => {
  const fleet = await handoffFleet('flux', bothClusters)
  const commit = fleet.git('rev-parse', 'HEAD').trim()
  fleet.write('.gitmodules', `[submodule "x"]\n\tpath = ${path}\n\turl = https://git.example/x\n`)
  fleet.git('update-index', '--add', '--cacheinfo', `160000,${commit},${path}`)
  mkdirSync(fleet.path(path), { recursive: true })
  fleet.git('add', '.gitmodules')
  fleet.git('commit', '-qm', 'with a submodule')
  expect(await says(fleet)).toEqual(wanted)
  fleet.git('init', '-q', '--template=', path)
  expect(await says(fleet)).toEqual([])
  rmSync(fleet.path(path), { recursive: true })
  expect(await says(fleet)).toEqual(wanted)
})
