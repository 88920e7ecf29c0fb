import { expect, test } from 'vitest'
import type { Diagnostic } from '../../src/model/diagnostic.ts'
import { check } from '../../src/pipeline/commands/check.ts'
import { bothClusters, cluster, type HandoffFleet, handoffFleet, wantNext } from './handoff-fleet.ts'
import { told } from './remote-fleet.ts'

const TREE = 'rendered/clusters/team-a/web'
const AGENT = `${TREE}/addons/01-dns-cache/configmap-dns-cache.yaml`

/** What a run says of its output and git. */
async function says(
  fleet: HandoffFleet,
  options: Parameters<HandoffFleet['render']>[0] = {},
): Promise<readonly string[]> {
  const { findings } = await fleet.render(options)
  return findings
    .filter(({ code }) => code === 'OUTPUT_UNCOMMITTED')
    .map((finding) => told(finding, fleet.folder).replaceAll(fleet.folder, 'FLEET'))
}

const way = (path: string): string =>
  `\`git check-ignore -v FLEET/${path}\` names the line that does it. Take it out, and commit the output folder.`

const ignored = (what: string, path: string): string =>
  `OUTPUT_UNCOMMITTED ${path} git ignores ${what}: no commit holds that, so nothing shows what a GitOps tool has applied, and no step ${path === 'rendered' ? '' : 'of a cluster that it belongs to '}follows on another | ` +
  way(path)

const listed = (path: string): string =>
  `OUTPUT_UNCOMMITTED ${path} the last commit lacks a rendered file or folder, though it lists it: FLEET/${path}. git ignores that, so a GitOps tool and other checkouts do not get it | ` +
  way(path)

test.each([
  ['nothing of the tree', 'node_modules/\n*.log\n.idea/\n', []],
  ['all of it', 'rendered/\n', [ignored('all of the output folder', 'rendered')]],
  ['an addon', 'addons/\n', [ignored(`FLEET/${TREE}/addons and 1 more`, `${TREE}/addons`)]],
  ['an object', 'configmap-dns*\n', [ignored(`FLEET/${AGENT}`, AGENT)], [listed(AGENT)]],
])('a run says where git ignores what it writes: %s', async (_, lines, wanted, checked = wanted) => {
  const fleet = await handoffFleet('flux', bothClusters)
  fleet.git('rm', '-rq', '--cached', 'rendered')
  fleet.write('.gitignore', lines)
  fleet.write('rendered/clusters/team-a/.idea/x.yaml', 'a: b\n')
  fleet.commit()
  expect([await says(fleet), await says(fleet, { check: true })]).toEqual([wanted, checked])
})

test('a commit that lists files which git ignores is not right, and other clusters go on', async () => {
  const fleet = await handoffFleet('flux', bothClusters)
  fleet.write('.git/info/exclude', 'daemonset*\n')
  fleet.write('clusters/team-a/next/cluster.yaml', fleet.read(cluster).replace('name: web', 'name: next'))
  wantNext(fleet)
  fleet.edit('clusters/team-a/next/cluster.yaml', 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
  await fleet.render()
  fleet.commit()
  const path = 'rendered/clusters/team-a/next/addons/01-dns-cache/daemonset-dns-cache.yaml'
  const severities = (findings: readonly Diagnostic[]): readonly string[] =>
    findings.filter(({ code }) => code === 'OUTPUT_UNCOMMITTED').map(({ severity }) => severity)
  expect(await says(fleet, { check: true })).toEqual([listed(path)])
  expect(severities((await fleet.render({ check: true })).findings)).toEqual(['error'])
  const checked = await check({ start: fleet.folder, clusters: [], stacks: [] }, fleet.ports, () => undefined)
  expect(severities(checked.findings)).toEqual(['warning'])
  const run = await fleet.render()
  expect(fleet.steps(run)).toEqual(['class'])
  expect(severities(run.findings)).toEqual(['warning'])
  expect(run.findings.map((finding) => told(finding, fleet.folder).replaceAll(fleet.folder, 'FLEET'))).toContain(
    ignored(`FLEET/${path}`, path),
  )
})

test('git ignores no output that is not there', async () => {
  const fleet = await handoffFleet('flux')
  fleet.git('rm', '-rq', 'rendered')
  fleet.git('commit', '-qm', 'gone')
  fleet.write('rendered/.stackmason/.gitignore', '*\n')
  expect(await says(fleet, { check: true })).toEqual([])
})

test.each(['flux', 'argocd'] as const)(
  'a step that is written and not added to git waits, and the run says what is to be added: %s',
  async (tool) => {
    const fleet = await handoffFleet(tool, bothClusters)
    wantNext(fleet)
    await fleet.render()
    fleet.commit()
    fleet.git('rm', '-rq', '--cached', `${TREE}/addons`)
    fleet.git('commit', '-qam', 'without new files')
    const index = `${TREE}/addons/01-dns-cache/configmap-dns-cache.yaml`
    expect(await says(fleet)).toEqual([
      `OUTPUT_UNCOMMITTED ${index} the last commit lacks FLEET/${index} and 10 more, which nobody has added to git: the step that holds that counts as not applied | ` +
        '`git add -A -- FLEET/rendered`, and commit.',
    ])
    fleet.commit()
    expect(await says(fleet)).toEqual([])
  },
)

test.each([
  ['its addons, and those of another', 'addons/\n', [ignored(`FLEET/${TREE}/addons`, `${TREE}/addons`)]],
  ['all of the output', 'rendered/\n', [ignored('all of the output folder', 'rendered')]],
  ['only that of another cluster', 'rendered/clusters/team-b/batch/addons/\n', []],
  ['that of a cluster whose name its own begins with', 'rendered/clusters/team-a/we/\n', []],
])('a run of one cluster says where git ignores what it writes: %s', async (_, lines, wanted) => {
  const fleet = await handoffFleet('flux', bothClusters)
  await fleet.render()
  fleet.git('rm', '-rq', '--cached', 'rendered')
  fleet.write('.gitignore', lines)
  fleet.commit()
  fleet.write('rendered/clusters/team-a/we/addons/x.yaml', 'a: b\n')
  expect(await says(fleet, { clusters: ['team-a/web'] })).toEqual(wanted)
})

test.each(['flux', 'argocd'] as const)('a commit that leaves new rendered files out is not right: %s', async (tool) => {
  const fleet = await handoffFleet(tool)
  const all = async (): Promise<readonly (readonly string[])[]> => {
    const { findings } = await check({ start: fleet.folder, clusters: [], stacks: [] }, fleet.ports, () => undefined)
    const told = findings.filter(({ code }) => code === 'OUTPUT_UNCOMMITTED').map(({ severity }) => severity)
    return [await says(fleet, { check: true }), await says(fleet), told]
  }
  fleet.write('clusters/team-a/next/cluster.yaml', fleet.read(cluster).replace('name: web', 'name: next'))
  await fleet.render()
  // whatever is committed is whole
  expect(await all()).toEqual([[], [], []])
  fleet.git('add', 'clusters')
  fleet.git('commit', '-qam', 'another cluster')
  const [first, second, third, ...others] = fleet.git('ls-files', '--others', '--exclude-standard').trim().split('\n')
  const wanted =
    `OUTPUT_UNCOMMITTED ${first ?? ''} the last commit lacks ${String(others.length + 3)} rendered files, though it lists some of them: ` +
    `${[first, second, third].map((path) => `FLEET/${path ?? ''}`).join(', ')}, and ${String(others.length)} more. ` +
    'Nobody has added that to git, so a GitOps tool and other checkouts do not get it | ' +
    '`git add -A -- FLEET/rendered`, and commit: with `--amend` where nobody has the last commit yet. `git commit -a` leaves new files out.'
  expect(await all()).toEqual([[wanted], [], ['warning']])
  expect(await says(fleet, { check: true, clusters: ['team-a/web'] })).toEqual([])
  // what is only meant to be added is in no commit
  fleet.git('add', '--intent-to-add', 'rendered')
  expect(await all()).toEqual([[wanted], [], ['warning']])
  fleet.git('add', '-A', 'rendered')
  expect(await all()).toEqual([[], [], []])
})

const NEXT = 'clusters/team-a/next'
const leftInput = (shown: string, add: string): string =>
  `OUTPUT_UNCOMMITTED ${shown} the last commit has the tree that is rendered from ${shown}, and lacks that, which nobody has added to git: in other checkouts, as that of CI, the tree is stale | ` +
  `\`git add -A -- FLEET/${add}\`, and commit: with \`--amend\` where nobody has the last commit yet. Do not run \`render\` in another checkout until then: it removes from the tree what these files make.`

/** What check, render and `render --check` say, with the severity of each. */
async function allSay(fleet: HandoffFleet): Promise<readonly (readonly string[])[]> {
  const options = { start: fleet.folder, clusters: [], stacks: [] }
  const runs = [
    await check(options, fleet.ports, () => undefined),
    await fleet.render(),
    await fleet.render({ check: true }),
  ]
  return runs.map(({ findings }) =>
    findings
      .filter(({ code }) => code === 'OUTPUT_UNCOMMITTED')
      .map((finding) => `${finding.severity} ${told(finding, fleet.folder).replaceAll(fleet.folder, 'FLEET')}`),
  )
}

test.each(['flux', 'argocd'] as const)(
  'a tree is committed without the cluster.yaml of a new cluster: %s',
  async (tool) => {
    const fleet = await handoffFleet(tool)
    fleet.write(`${NEXT}/cluster.yaml`, fleet.read(cluster).replace('name: web', 'name: next'))
    fleet.write(`${NEXT}/values/dns-cache.yaml`, '{}\n')
    fleet.write('notes.txt', 'nothing reads it\n')
    expect(await allSay(fleet)).toEqual([[], [], []])
    await fleet.render()
    expect(await allSay(fleet)).toEqual([[], [], []])
    fleet.git('commit', '-qam', 'half of it')
    const hints = (await fleet.render({ check: true })).findings.map(({ hint }) =>
      hint?.replaceAll(fleet.folder, 'FLEET'),
    )
    expect(hints[0]).toBe(
      `\`git add -A -- FLEET/rendered FLEET/${NEXT}\`, and commit: with \`--amend\` where nobody has the last commit yet. \`git commit -a\` leaves new files out.`,
    )
    fleet.git('add', '-A', 'rendered')
    expect(await allSay(fleet)).toEqual([[], [], []])
    fleet.git('commit', '-qm', 'the tree')
    const wanted = leftInput(`${NEXT}/cluster.yaml`, NEXT).replace(
      `from ${NEXT}/cluster.yaml`,
      `from ${NEXT}/cluster.yaml, ${NEXT}/values/dns-cache.yaml`,
    )
    expect(await allSay(fleet)).toEqual([[`warning ${wanted}`], [], [`error ${wanted}`]])
    fleet.git('add', '-A', NEXT)
    expect(await allSay(fleet)).toEqual([[], [], []])
  },
)

test('a tree is committed without a new file of values', async () => {
  const fleet = await handoffFleet('flux')
  const file = 'clusters/team-a/web/values/dns-cache.yaml'
  fleet.write(file, 'localAddress: 169.254.20.11\n')
  await fleet.render()
  expect(await allSay(fleet)).toEqual([[], [], []])
  fleet.git('commit', '-qam', 'without new files')
  expect(await allSay(fleet)).toEqual([
    [],
    [],
    [`warning ${leftInput(file, file).replace('tree is stale', 'tree may be stale')}`],
  ])
  // whoever is at work on it hears nothing
  fleet.write(file, 'localAddress: 169.254.20.12\n')
  expect(await allSay(fleet)).toEqual([[], [], []])
})
