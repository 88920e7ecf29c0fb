import { expect, test } from 'vitest'
import { bothClusters, handoffFleet } from '../pipeline/handoff-fleet.ts'
import { runCli } from './run-cli.ts'

const warned = (source: 'demo' | 'classic', place: string): string =>
  `warning CONFIG_REFERENCE stackmason.yaml:${place}: git ignores providers/docker/${source}, the folder of source "${source}": no other checkout of the fleet has it, as that of CI ` +
  `→ \`git check-ignore -v providers/docker/${source}\` names the line that does it. Take it out and commit the folder, or move the releases to one that git has.`

const parts = (source: 'demo' | 'classic', place: string, shown: string): string =>
  `warning CONFIG_REFERENCE stackmason.yaml:${place}: git ignores parts of the releases of source "${source}": ${shown}. No other checkout of the fleet has them, as that of CI ` +
  `→ \`git check-ignore -v providers/docker/${source}/${shown.split(/[ ,]/)[0]?.replace(/\/$/, '') ?? ''}\` names the line that does it. Take it out, or add \`!\` lines for these files, and commit them.`

test.each<readonly [lines: string, isTracked: boolean, wanted: readonly string[]]>([
  ['node_modules/\n*.log\n', false, []],
  ['classic/\n', false, [warned('classic', '10:13')]],
  ['providers/\n', false, [warned('demo', '6:13'), warned('classic', '10:13')]],
  ['/providers/docker/*\n!/providers/docker/demo/\n', false, [warned('classic', '10:13')]],
  ['*~\n.*.swp\n/providers/docker/classic/notes/\n*.log\n', false, []],
  [
    'templates/\n*~\n',
    false,
    [
      parts(
        'demo',
        '6:13',
        'cluster-addon/dns-cache/templates/, cluster-addon/metrics/charts/metrics-agent/templates/, cluster-class/templates/',
      ),
      parts('classic', '10:13', 'cluster-addon/templates/, cluster-class/templates/'),
    ],
  ],
  [
    'values.yaml\nChart.*\n',
    false,
    [
      parts(
        'demo',
        '6:13',
        'cluster-addon/dns-cache/Chart.yaml, cluster-addon/dns-cache/values.yaml, cluster-addon/metrics/Chart.yaml and 5 more',
      ),
      parts(
        'classic',
        '10:13',
        'cluster-addon/Chart.yaml, cluster-addon/values.yaml, cluster-class/Chart.yaml and 1 more',
      ),
    ],
  ],
  ['providers/\n', true, []],
])('check warns of sources that git ignores: %j', async (lines, isTracked, wanted) => {
  const fleet = await handoffFleet('flux', bothClusters)
  fleet.write('.gitignore', lines)
  if (!isTracked) fleet.git('rm', '-rq', '--cached', 'providers')
  fleet.commit()
  const told = async (): Promise<readonly string[]> => {
    const { stdout } = await runCli(['check'], { cwd: fleet.folder })
    const texts = stdout.split(/^(?=(?:error|warning) )/m).filter((text) => text.includes('git ignores'))
    return texts.map((text) =>
      text
        .replaceAll(/\n(?: +\S* \|.*\n)*(?:\S.*\n?)*/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
  }
  expect(await told()).toEqual(wanted)
  // an earlier run says it again
  expect(await told()).toEqual(wanted)
})

test('a fleet in no repository has nothing that git ignores', async () => {
  const fleet = await handoffFleet('flux')
  fleet.remove('.git')
  const { stdout } = await runCli(['check'], { cwd: fleet.folder })
  expect(stdout).not.toContain('git ignores')
})
