import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { diff } from '../../src/pipeline/commands/diff.ts'
import { handoffs } from '../../tools/fleets/example-fleet.ts'
import { manyClusters } from '../../tools/fleets/many-clusters.ts'
import { clusterYaml, fleetYaml, releaseFiles, stackYaml } from '../../tools/servers/release-server.ts'
import { type CliRun, runCli } from '../cli/run-cli.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { problemsOf, remoteFleet, type RemoteFleet } from './remote-fleet.ts'

const v1 = 'docker-demo-1-34-v1'
const next = 'docker-demo-1-35-v1'

const nextStack = stackYaml('autoSubscribe: true', 'demo-1-35').replace('"1.34"', '"1.35"')

/** A fleet with a release of two minors on offer, one of them locked. */
async function lockedFleet(): Promise<RemoteFleet> {
  const fleet = await remoteFleet()
  fleet.offered.set(v1, releaseFiles('v1'))
  fleet.offered.set(next, releaseFiles('v1', { minor: 35 }))
  await fleet.update()
  return fleet
}

describe('a release that only the committed tree speaks of', () => {
  /** The second step of an upgrade to another minor is reverted, and the release before has left the lock. */
  async function reverted(): Promise<RemoteFleet> {
    const fleet = await lockedFleet()
    fleet.write('stackmason.yaml', fleetYaml(fleet.server.url, `  handoff: {${handoffs.flux}}\n`))
    await fleet.render()
    fleet.commit()
    fleet.offered.set('docker-demo-1-34-v2', releaseFiles('v2'))
    fleet.change({ 'stacks/next.yaml': nextStack, 'clusters/team-a/web/cluster.yaml': clusterYaml('v1', 35) })
    await fleet.update()
    for (const step of ['addons', 'cluster']) {
      await fleet.render()
      fleet.commit(step)
    }
    await fleet.update({ prune: true })
    await fleet.render()
    fleet.commit('prune')
    expect(fleet.read('stackmason.lock')).not.toContain(`- name: ${v1}\n`)
    fleet.git('revert', '--no-edit', 'HEAD~1')
    return fleet
  }

  const missing = async (fleet: RemoteFleet): Promise<readonly string[]> => {
    const [back, ...others] = await problemsOf(fleet.render(), fleet.folder)
    expect(back).toMatch(/^UPGRADE_GOES_BACK clusters\/team-a\/web\/cluster\.yaml:8:14 /)
    return others
  }

  test('is locked for the ClusterStack of its minor, which subscribes', async () => {
    const fleet = await reverted()
    expect(await missing(fleet)).toEqual([
      `LOCK_MISSING stacks/demo.yaml:3:18 release ${v1} is not in stackmason.lock | Run \`stackmason update --release ${v1}\` and commit stackmason.lock. \`stackmason list\` shows what sources offer.`,
    ])
    await fleet.update({ releases: [v1] })
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([])
  })

  test('is locked for the ClusterStack of its minor, which lists versions', async () => {
    const fleet = await reverted()
    fleet.write('stacks/demo.yaml', stackYaml('autoSubscribe: false, versions: [v2]'))
    expect(await missing(fleet)).toEqual([
      `LOCK_MISSING stacks/demo.yaml:3:18 release ${v1} is not in stackmason.lock | Add v1 to spec.versions of ClusterStack platform/demo-1-34, run \`stackmason update --stack platform/demo-1-34\` and commit stackmason.lock. \`stackmason list\` shows what sources offer.`,
    ])
    fleet.write('stacks/demo.yaml', stackYaml('autoSubscribe: false, versions: [v1, v2]'))
    await fleet.update({ stacks: ['demo-1-34'] })
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([])
  })

  test('needs a ClusterStack where none is about it any more', async () => {
    const fleet = await reverted()
    fleet.remove('stacks/demo.yaml')
    expect(await missing(fleet)).toEqual([
      `LOCK_MISSING clusters/team-a/web/cluster.yaml:7:22 release ${v1} is not in stackmason.lock | No ClusterStack in namespace platform is about it: add one to stacks/ with provider docker, name demo, kubernetesVersion "1.34" and version v1, run \`stackmason update\` and commit stackmason.lock. \`stackmason list\` shows what sources offer.`,
    ])
    fleet.write('stacks/demo.yaml', stackYaml('autoSubscribe: false, versions: [v1]'))
    await fleet.update()
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([])
  })
})

describe('a release of a preview', () => {
  const preview = (fleet: RemoteFleet, to: string): Promise<readonly string[]> =>
    problemsOf(
      diff({ start: fleet.folder, compared: { from: v1, to, clusters: [] } }, fleet.ports, () => undefined),
      fleet.folder,
    )

  test('needs a ClusterStack where none of the fleet is about it', async () => {
    const fleet = await lockedFleet()
    expect(await preview(fleet, next)).toEqual([
      `LOCK_MISSING - option --to: release ${next} is not in stackmason.lock | No ClusterStack in namespace platform is about it: add one to stacks/ with provider docker, name demo, kubernetesVersion "1.35" and version v1, run \`stackmason update\` and commit stackmason.lock. \`stackmason list\` shows what sources offer.`,
    ])
    fleet.write('stacks/next.yaml', nextStack)
    expect(await preview(fleet, next)).toEqual([
      `LOCK_MISSING - option --to: release ${next} is not in stackmason.lock | Run \`stackmason update --release ${next}\` and commit stackmason.lock. \`stackmason list\` shows what sources offer.`,
    ])
    await fleet.update({ releases: [next] })
    expect(await preview(fleet, next)).toEqual([])
  })

  test('that no source has is told so by the command that the error names', async () => {
    const fleet = await lockedFleet()
    const v9 = 'docker-demo-1-34-v9'
    expect(await preview(fleet, v9)).toEqual([
      `LOCK_MISSING - option --to: release ${v9} is not in stackmason.lock | Run \`stackmason update --release ${v9}\` and commit stackmason.lock. \`stackmason list\` shows what sources offer.`,
    ])
    expect(await problemsOf(fleet.update({ releases: [v9] }), fleet.folder)).toEqual([
      `RELEASE_NOT_FOUND stacks/demo.yaml:3:18 release ${v9} is not in source web | They offer: ${v1}, ${next}.`,
    ])
  })
})

describe('another lock than that of the fleet', () => {
  const differences = (fleet: RemoteFleet, lock: string): Promise<readonly string[]> =>
    problemsOf(
      diff(
        {
          start: fleet.folder,
          compared: { before: { kind: 'disk' }, after: { kind: 'render', lock: fleet.path(lock) } },
        },
        fleet.ports,
        () => undefined,
      ),
      fleet.folder,
    )

  const way = (lock: string): string =>
    `Bring ${lock} up to date where it comes from, or leave --lock out: \`stackmason update\` changes stackmason.lock alone.`

  test.each([
    {
      name: 'lacks a release',
      lock: 'other.lock',
      edit: (text: string) => text.replace(`- name: ${v1}\n`, '- name: docker-demo-1-34-v2\n'),
      want: `LOCK_MISSING clusters/team-a/web/cluster.yaml:7:22 release ${v1} is not in other.lock | ${way('other.lock')}`,
    },
    {
      name: 'has a release for another ClusterStack',
      lock: '../branch/stackmason.lock',
      edit: (text: string) => text.replace('stacks: [platform/', 'stacks: [lab/'),
      want: `LOCK_MISSING clusters/team-a/web/cluster.yaml:7:22 ../branch/stackmason.lock has release ${v1} for lab/demo-1-34, but not for ClusterStack platform/demo-1-34 | ${way('../branch/stackmason.lock')}`,
    },
    {
      name: 'has nothing for a ClusterStack that subscribes',
      lock: 'other.lock',
      edit: (text: string) => text.replace('stacks: [platform/', 'stacks: [lab/'),
      want: `LOCK_MISSING stacks/demo.yaml:3:18 other.lock has no stable release of docker-demo-1-34 for ClusterStack platform/demo-1-34, which subscribes | ${way('other.lock')}`,
    },
    {
      name: 'takes a release from another source',
      lock: 'other.lock',
      edit: (text: string) => text.replace('source: web', 'source: old'),
      want: `LOCK_MISMATCH other.lock:7:11 other.lock takes release ${v1} from source "old", which the fleet does not use for it | ${way('other.lock')}`,
    },
    {
      name: 'says another digest of a release',
      lock: 'other.lock',
      edit: (text: string) => text.replace(/(    digest: sha256:)[0-9a-f]{64}/, `$1${'0'.repeat(64)}`),
      want: `LOCK_MISMATCH other.lock:7:11 release ${v1} of source "web" is not what other.lock says: it has <digest 1>, the lock says <digest 2> | ${way('other.lock')}`,
    },
    {
      name: 'says another version of Kubernetes',
      lock: 'other.lock',
      edit: (text: string) => text.replace(/kubernetesVersion: v1\.34\.\d+/, 'kubernetesVersion: v1.34.99'),
      want: `LOCK_MISMATCH other.lock:7:11 other.lock says of release ${v1}: Kubernetes v1.34.99, but it is for v1.34.7 | ${way('other.lock')}`,
    },
  ])('is named where it $name', async ({ lock, edit, want }) => {
    const fleet = await lockedFleet()
    await fleet.render()
    const text = fleet.read('stackmason.lock')
    expect(edit(text)).not.toBe(text)
    fleet.write(lock, edit(text))
    expect(await differences(fleet, lock)).toContain(want)
    fleet.write(lock, text)
    expect(await differences(fleet, lock)).toEqual([])
  })
})

test('a release in a folder that has changed is accepted by the plain command, as the error says', async () => {
  const fleet = await manyClusters(join(await tempFolder(), 'fleet'), 2)
  const run = async (...words: readonly string[]): Promise<CliRun> => runCli(words, { cwd: fleet.folder })
  await run('update')
  const folder = 'releases/docker-small-1-32-v1'
  const hashes = fleet.entries(folder).find((name) => name.startsWith('metadata')) ?? ''
  fleet.edit(`${folder}/${hashes}`, /$/, '# more\n')
  const { stderr, status } = await run('render', '-q')
  expect(status).toBe(1)
  expect(stderr).toContain('LOCK_MISMATCH stackmason.lock:')
  expect(stderr).toContain(
    `  → Find out what has changed in ${folder}; \`stackmason update\` accepts it: files on this machine may change.\n`,
  )
  expect((await run('update')).status).toBe(0)
  expect(await run('render', '-q')).toEqual({ status: 0, stdout: '', stderr: '' })
})
