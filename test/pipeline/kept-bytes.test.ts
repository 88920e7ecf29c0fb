import { describe, expect, test } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { Dict, GoInt, type Value } from '../../src/model/value.ts'
import { cluster, type HandoffFleet, handoffFleet, options } from './handoff-fleet.ts'

const TREE = 'rendered/clusters/team-a/web'
const HANDOFF = 'rendered/handoff/team-a/web'
const STACK = 'rendered/stacks/platform/docker-demo-1-34-v3'
const optionsFile = 'clusters/team-a/web/options.yaml'

/** How a cluster comes to keep what is committed of it. */
const lives: Readonly<Record<string, readonly string[]>> = {
  frozen: ['{freeze: true}'],
  'prepared for its end': ['{decommission: {}}'],
  deleted: ['{decommission: {}}', '{decommission: {step: delete}}'],
}

/** The same in JSON, which is YAML, every map and every list of resources the other way round, with a comment. */
function restyled(text: string): string {
  const head = text.split('\n').filter((line) => line.startsWith('#'))
  return `${head.join('\n')}\n# looked at\n${JSON.stringify(reversed(parseGoYaml(text, { integers: 'int' })), undefined, 4)}\n`
}

function reversed(value: Value): unknown {
  if (value instanceof GoInt) return Number(value.value)
  if (Array.isArray(value)) return value.map((item: Value) => reversed(item))
  if (!(value instanceof Dict)) return value
  const fields = [...value].map(([key, item]): readonly [string, unknown] => {
    const other = reversed(item)
    return [key, key === 'resources' && Array.isArray(other) ? other.toReversed() : other]
  })
  return Object.fromEntries(fields.toReversed())
}

function restyle(fleet: HandoffFleet, folder: string): void {
  for (const path of fleet.filesBelow(folder))
    fleet.write(`${folder}/${path}`, restyled(fleet.read(`${folder}/${path}`)))
}

/** What differs on disk from the last commit, beside what `render` itself says. */
async function differing(fleet: HandoffFleet): Promise<readonly string[]> {
  const { changes } = await fleet.render()
  const changed = fleet.git('status', '--short', '--', 'rendered').split('\n').filter(Boolean)
  const checked = await fleet.render({ check: true })
  return [...[...changes].map(({ path }) => path), ...changed, ...[...checked.changes].map(({ path }) => path)]
}

describe.each(['flux', 'argocd'] as const)('of a cluster that stays as it is committed, under %s,', (tool) => {
  test.each(Object.entries(lives))('no byte changes, in whatever order its files say it: %s', async (_, specs) => {
    const fleet = await handoffFleet(tool)
    for (const spec of specs) {
      fleet.write(optionsFile, options(spec))
      await fleet.render()
      fleet.commit()
    }
    for (const folder of [TREE, HANDOFF]) restyle(fleet, folder)
    fleet.commit()
    expect(await differing(fleet)).toEqual([])
  })

  test('what the next step changes is all that changes', async () => {
    const fleet = await handoffFleet(tool)
    for (const folder of [TREE, HANDOFF]) restyle(fleet, folder)
    fleet.commit()
    fleet.write(optionsFile, options('{decommission: {}}'))
    const { changes } = await fleet.render()
    expect([...changes].map(({ path }) => path).filter((path) => path.startsWith('clusters/'))).toEqual([
      'clusters/team-a/web/cluster/cluster-web.yaml',
    ])
  })

  test('a file keeps its name, and a list what else it says', async () => {
    const fleet = await handoffFleet(tool)
    fleet.write(optionsFile, options('{freeze: true}'))
    await fleet.render()
    const addon = `${TREE}/addons/01-dns-cache`
    fleet.write(`${addon}/cache.yaml`, fleet.read(`${addon}/configmap-dns-cache.yaml`))
    fleet.remove(`${addon}/configmap-dns-cache.yaml`)
    fleet.edit(`${addon}/kustomization.yaml`, '- configmap-dns-cache.yaml', '- cache.yaml')
    const list = `${TREE}/addons/kustomization.yaml`
    fleet.write(list, `${fleet.read(list)}commonAnnotations: {reviewed: 'yes'}\n`)
    fleet.commit()
    expect(await differing(fleet)).toEqual([])
  })

  test('a change on disk that nobody committed goes back to the very bytes', async () => {
    const fleet = await handoffFleet(tool)
    fleet.write(optionsFile, options('{freeze: true}'))
    await fleet.render()
    restyle(fleet, TREE)
    fleet.commit()
    fleet.remove(`${TREE}/addons`)
    await fleet.render()
    expect(fleet.git('status', '--short', '--', TREE)).toBe('')
  })

  test('no byte of its class changes when the release is gone', async () => {
    const fleet = await handoffFleet(tool)
    fleet.write(optionsFile, options('{freeze: true}'))
    await fleet.render()
    restyle(fleet, STACK)
    fleet.edit('stackmason.yaml', 'version: v3', 'version: v4')
    fleet.edit('stacks/demo.yaml', '- v3', '- v4')
    fleet.edit(cluster, 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
    fleet.commit()
    await fleet.render()
    expect(fleet.git('status', '--short', '--', STACK, TREE)).toBe('')
  })
})
