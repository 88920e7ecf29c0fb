import { utimesSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type HandoffFleet, handoffFleet } from './handoff-fleet.ts'
import { told } from './remote-fleet.ts'

const CHART = 'providers/docker/demo/cluster-addon/dns-cache/templates/configmap.yaml'
const NOTE = 'providers/docker/demo/cluster-addon/dns-cache/note.txt'

/** What a run says of line ends, and how many files differ. */
async function says(fleet: HandoffFleet, check = true): Promise<readonly string[]> {
  const { findings, changes } = await fleet.render({ check })
  const about = findings.filter(({ code }) => code === 'INPUT_LINE_ENDS')
  return [`${String(changes.length)} differ`, ...about.map((finding) => told(finding, fleet.folder))]
}

const warning = (paths: string): string =>
  `INPUT_LINE_ENDS ${/^[^ ,]+/.exec(paths)?.[0] ?? ''} git has checked inputs out with CRLF, and the commit has LF: ${paths}. ` +
  'What they render to here may differ from what they render to in any other checkout | ' +
  'Do not commit what a render changes for that. Commit your own work on inputs; where .gitattributes lacks `* -text`, write it above the other lines, and commit that file. ' +
  'Then `git rm -rq --cached . && git reset -q --hard` checks all files out as they are committed.'

/** A fleet of which git checks files out with CRLF; a text in the chart comes to other bytes with that. */
async function converted(...paths: readonly string[]): Promise<HandoffFleet> {
  const fleet = await handoffFleet('flux')
  fleet.edit(CHART, /^data:$/m, 'data:\n  length: {{ .Files.Get "note.txt" | len | quote }}')
  fleet.write('providers/docker/demo/cluster-addon/dns-cache/note.txt', 'a\nb\n')
  fleet.write('docs/a.md', 'a\n')
  await fleet.render()
  fleet.commit()
  fleet.git('config', 'core.autocrlf', 'true')
  for (const path of paths) {
    fleet.remove(path)
    fleet.git('checkout', '-q', '--', path)
  }
  // git looks into files again that are as young as its index
  if (paths.includes(NOTE)) utimesSync(fleet.path(NOTE), 1_700_000_000, 1_700_000_000)
  fleet.git('status')
  return fleet
}

test('a tree that is stale for line ends alone says which inputs have others', async () => {
  const fleet = await converted(NOTE, 'docs', 'rendered')
  expect(await says(fleet)).toEqual(['2 differ', warning(NOTE)])
  fleet.write('.gitattributes', '* -text\n')
  fleet.git('add', '.gitattributes')
  fleet.git('commit', '-qm', 'keep bytes')
  // a clone from before keeps what it has
  expect(await says(fleet)).toEqual(['2 differ', warning(NOTE)])
  fleet.git('rm', '-rq', '--cached', '.')
  fleet.git('reset', '-q', '--hard')
  expect(await says(fleet)).toEqual(['0 differ'])
})

test('a run that writes warns where the files of the fleet have other line ends, too', async () => {
  expect(await says(await converted(NOTE), false)).toEqual(['2 differ'])
  const fleet = await converted('stackmason.yaml', 'stacks', 'clusters', NOTE)
  expect(fleet.read('stackmason.yaml')).toContain('\r\n')
  const web = 'clusters/team-a/web'
  expect(await says(fleet, false)).toEqual([
    '2 differ',
    warning(`${web}/cluster.yaml, ${web}/patches/metrics-tolerations.yaml, ${web}/values/metrics.yaml and 4 more`),
  ])
})

test('inputs that make no difference are not told of', async () => {
  const fleet = await converted('stacks', 'docs')
  expect(await says(fleet)).toEqual(['0 differ'])
})

test('line ends that somebody has edited are not told of: the commit will have them', async () => {
  const fleet = await converted('docs')
  fleet.git('config', 'core.autocrlf', 'false')
  fleet.write(NOTE, 'a\r\nb\r\n')
  expect(await says(fleet)).toEqual(['2 differ'])
})
