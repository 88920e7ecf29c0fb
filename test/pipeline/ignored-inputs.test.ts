import { gzipSync } from 'node:zlib'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import { check } from '../../src/pipeline/commands/check.ts'
import { formatLock } from '../../src/sources/lock/format-lock.ts'
import { packageFolder } from '../cli/run-cli.ts'
import { rawTar } from '../support/raw-tar.ts'
import { bothClusters, type HandoffFleet, handoffFleet, options } from './handoff-fleet.ts'
import { told } from './remote-fleet.ts'

const WEB = 'clusters/team-a/web'
const chart = (name: string): string => `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`
const entry = (name: string, path: string): string =>
  `    - {name: ${name}, chart: {path: ../../../charts/${path}}, namespace: own, enabled: false}\n`

/** A fleet that is read from files of all kinds, none of which is committed where a line of .gitignore hides it. */
async function fleetHiding(lines: string): Promise<HandoffFleet> {
  const fleet = await handoffFleet('flux', bothClusters)
  const packed = gzipSync(rawTar([{ name: 'packed/Chart.yaml', data: chart('packed') }]))
  fleet.change({
    [`${WEB}/addons.yaml`]: `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  addons:\n${entry('own', 'own')}${entry('packed', 'packed-1.0.0.tgz')}`,
    [`${WEB}/options.yaml`]: options('{suspend: true}'),
    'charts/own/Chart.yaml': chart('own'),
    'charts/own/values/note.yaml': '{}\n',
    'charts/own/notes.md': 'x\n',
    'charts/own/templates/x.yaml.bak': '{}\n',
    'charts/own/charts/sub/Chart.yaml': chart('sub'),
    'charts/packed-1.0.0.tgz': packed,
    'charts/other-1.0.0.tgz': packed,
    'policies/more.yaml': '',
    'scratch/clusters/values/x.yaml': '{}\n',
    '.gitignore': lines,
  })
  fleet.git('rm', '-rq', '--cached', '.')
  fleet.commit()
  return fleet
}

async function says(fleet: HandoffFleet, clusters: readonly string[] = []): Promise<readonly string[]> {
  const options = { start: fleet.folder, clusters, stacks: [] }
  const findings = await check(options, fleet.ports, () => undefined).then(
    (result) => result.findings,
    (error: unknown) => (error instanceof StackmasonError ? error.diagnostics : []),
  )
  return findings
    .filter(({ message }) => message.startsWith('git ignores'))
    .map((finding) => told(finding, fleet.folder).replaceAll(fleet.folder, 'FLEET'))
}

const ignored = (shown: string): string => {
  const first = /^[^ ,]+/.exec(shown)?.[0].replace(/\/$/, '') ?? ''
  return (
    `CONFIG_REFERENCE ${first} git ignores what the fleet is read from: ${shown}. No other checkout of the fleet has that, as that of CI | ` +
    `\`git check-ignore -v FLEET/${first}\` names the line that does it. Take it out, or add \`!\` lines for what the fleet needs, and commit the files.`
  )
}

test.each([
  ['nothing of it', '*.bak\n.idea/\n*.md\nscratch/\nother-*.tgz\nnote.yaml\n/templates/\n', []],
  ['a packed chart', '*.tgz\n', [ignored('charts/packed-1.0.0.tgz')]],
  ['folders of values', 'values/\n', [ignored(`${WEB}/values/, clusters/team-b/batch/values/, clusters/values/`)]],
  ['own charts', '/charts/\n', [ignored('charts/')]],
  ['what a chart vendors', '/charts/own/charts/\n', [ignored('charts/own/charts/')]],
  [
    'files of clusters',
    'addons.yaml\noptions.yaml\n',
    [ignored(`${WEB}/addons.yaml, ${WEB}/options.yaml, clusters/team-b/batch/addons.yaml`)],
  ],
  ['a namespace, and a stack', 'team-b/\nstacks/classic.yaml\n', [ignored('clusters/team-b/, stacks/classic.yaml')]],
  ['patches, and templates', 'patches/\n*.hbs\n', [ignored(`${WEB}/patches/, clusters/team-b/batch/quotas/`)]],
  ['policies', 'policies/\nnotes/\n', [ignored('policies/')]],
  [
    'more than is named',
    '*.tgz\n*.hbs\nvalues/\npatches/\n',
    [ignored(`charts/packed-1.0.0.tgz, ${WEB}/patches/, ${WEB}/values/ and 3 more`)],
  ],
])('check warns of inputs that git ignores: %s', async (_, lines, wanted) => {
  expect(await says(await fleetHiding(lines))).toEqual(wanted)
})

test.each([
  ['flux', 'kustomization.yaml.hbs', 'flux/kustomization.yaml.hbs'],
  ['argocd', 'application.yaml.hbs', 'argocd/application.yaml.hbs'],
  ['argocd', 'health/', 'argocd/health/'],
  ['argocd', '/templates/', 'templates/'],
  ['argocd', '/templates/other/', undefined],
] as const)('check warns of templates for %s that git ignores: %s', async (tool, line, shown) => {
  const fleet = await handoffFleet(tool)
  const folder = `templates/handoff/${tool}`
  fleet.copy(join(packageFolder, folder), folder)
  fleet.change({ 'templates/other/x.yaml': 'a: b\n', '.gitignore': `${line}\n` })
  fleet.commit()
  const path = shown === 'templates/' ? shown : `templates/handoff/${shown ?? ''}`
  expect(await says(fleet)).toEqual(shown === undefined ? [] : [ignored(path)])
})

test('what a chart vendors may come by the lock', async () => {
  const fleet = await fleetHiding('/charts/own/charts/\n*.lock\n')
  expect(await says(fleet)).toEqual([ignored('charts/own/charts/')])
  const dependency = {
    name: 'sub',
    repository: 'https://charts.example.com',
    request: '1.0.0',
    version: '1.0.0',
    url: 'https://charts.example.com/sub-1.0.0.tgz',
    digest: `sha256:${'0'.repeat(64)}`,
  }
  fleet.write('stackmason.lock', formatLock({ releases: [], dependencies: [dependency] }))
  expect(await says(fleet)).toEqual([ignored('stackmason.lock')])
})

test('a file that git has is not ignored', async () => {
  const fleet = await fleetHiding('*.tgz\n')
  fleet.git('add', '-f', 'charts/packed-1.0.0.tgz')
  expect(await says(fleet)).toEqual([])
})
