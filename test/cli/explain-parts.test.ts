import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ADDON, makeFleet, MAP, VALUES } from './canary-fleet.ts'
import { runCli } from './run-cli.ts'

const helper = '{{ define "x.image" }}{{ printf "%s:%s" .repository .tag }}{{ end }}'

// the repository stands in the chart's values, the tag in those of the cluster, which is what people change
test.each([
  { name: 'two actions', image: '"{{ .Values.image.repository }}:{{ .Values.image.tag }}"' },
  { name: 'one action', image: '{{ printf "%s:%s" .Values.image.repository .Values.image.tag | quote }}' },
  { name: 'a template that is given the map', image: `${helper}{{ include "x.image" .Values.image }}` },
  { name: 'with', image: '{{ with .Values.image }}{{ .repository }}:{{ .tag }}{{ end }}' },
])('explain names the entry of the fleet for an image that $name put together', async ({ image }) => {
  const cwd = await makeFleet({
    [VALUES]: 'image:\n  tag: v9.9\n',
    [`${ADDON}/values.yaml`]: 'image:\n  repository: host/app\n  tag: v1\n',
    [MAP]: `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: welcome\ndata:\n  image: ${image}\n`,
  })
  await runCli(['render', '-q'], { cwd })
  const names = await readdir(join(cwd, 'rendered'), { recursive: true })
  const file = names.find((each) => each.endsWith('configmap-welcome.yaml')) ?? ''
  const { stdout } = await runCli(['explain', `rendered/${file}:11`], { cwd })
  const [, line, ...rows] = stdout.trimEnd().split('\n')
  expect([line, rows.at(-1)]).toEqual([
    '  11 |   image: host/app:v9.9',
    '     value from clusters/team-a/web/values/welcome.yaml:2:8',
  ])
})

test('places in JSON are the files that the text names', async () => {
  const cwd = await makeFleet()
  await runCli(['render', '-q'], { cwd })
  const names = await readdir(join(cwd, 'rendered'), { recursive: true })
  const file = names.find((each) => each.endsWith('configmap-welcome.yaml')) ?? ''
  const { stdout } = await runCli(['explain', `rendered/${file}`, '-o', 'json'], { cwd })
  const files = new Set(Array.from(stdout.matchAll(/"file": "([^"]*)"/g), ([, name = '']) => name))
  expect([...files].toSorted()).toEqual([
    'clusters/team-a/web/cluster.yaml',
    'providers/docker/starter/cluster-addon/welcome/overwrite.yaml',
    'providers/docker/starter/cluster-addon/welcome/templates/configmap.yaml',
    'providers/docker/starter/cluster-addon/welcome/values.yaml',
  ])
})

test('places in text are seen from the working folder, inside of the fleet', async () => {
  const root = await makeFleet()
  await runCli(['render', '-q'], { cwd: root })
  const names = await readdir(join(root, 'rendered'), { recursive: true })
  const file = join(root, 'rendered', names.find((each) => each.endsWith('configmap-welcome.yaml')) ?? '')
  const placesFrom = async (cwd: string): Promise<readonly string[]> => {
    const { stdout } = await runCli(['explain', file], { cwd })
    return [...new Set(Array.from(stdout.matchAll(/(?:written by|set in) (\S+?):\d+:/g), ([, name = '']) => name))]
  }
  const [template, cluster] = [
    'providers/docker/starter/cluster-addon/welcome/templates/configmap.yaml',
    'clusters/team-a/web/cluster.yaml',
  ]
  expect(await placesFrom(root)).toEqual([template, cluster])
  expect(await placesFrom(join(root, 'clusters/team-a'))).toEqual([`../../${template}`, 'web/cluster.yaml'])
  expect(await placesFrom(join(root, 'rendered'))).toEqual([`../${template}`, `../${cluster}`])
  expect(await placesFrom(dirname(root))).toEqual([template, cluster].map((path) => `${basename(root)}/${path}`))
  expect(await placesFrom('/usr')).toEqual([template, cluster].map((path) => join(root, path)))
})
