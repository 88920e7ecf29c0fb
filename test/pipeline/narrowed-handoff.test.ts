import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { render } from '../../src/pipeline/render.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { tempFolder } from '../support/temp-folder.ts'

const example = join(import.meta.dirname, '../../examples/fleet')

test('a run for a cluster named like the folder of stacks takes none of them out of the handoff', async () => {
  const folder = await tempFolder()
  await cp(example, folder, { recursive: true })
  const config = await readFile(join(folder, 'stackmason.yaml'), 'utf8')
  await writeFile(join(folder, 'stackmason.yaml'), config.replace('../../rendered', 'rendered'))
  const cluster = await readFile(join(folder, 'clusters/team-a/edge/cluster.yaml'), 'utf8')
  await cp(join(folder, 'clusters/team-a/edge'), join(folder, 'clusters/platform/stacks'), { recursive: true })
  const moved = cluster.replace('name: edge', 'name: stacks').replace('namespace: team-a', 'namespace: platform')
  await writeFile(join(folder, 'clusters/platform/stacks/cluster.yaml'), moved)
  await rm(join(folder, 'clusters/team-a/edge'), { recursive: true })
  const run = async (clusters: readonly string[]): Promise<string> => {
    const options = { start: folder, clusters, stacks: [], check: false, allowEmpty: false, overwriteEdited: false }
    await render(options, createNodePorts(), () => undefined)
    return readFile(join(folder, 'rendered/handoff/platform/stacks/kustomization.yaml'), 'utf8')
  }
  const whole = await run([])
  expect(whole.match(/flux-kustomization-\S+/g)).toEqual([
    'flux-kustomization-stack-docker-classic-1-33-v1.yaml',
    'flux-kustomization-stack-docker-demo-1-34-v3.yaml',
    'flux-kustomization-stacks-addons.yaml',
    'flux-kustomization-stacks.yaml',
  ])
  expect(await run(['platform/stacks'])).toBe(whole)
})

test('a run for one cluster leaves the namespaces of others, and adds none of its own', async () => {
  const folder = await tempFolder()
  await cp(example, folder, { recursive: true })
  const config = await readFile(join(folder, 'stackmason.yaml'), 'utf8')
  const run = async (clusters: readonly string[]): Promise<readonly string[]> => {
    const options = { start: folder, clusters, stacks: [], check: false, allowEmpty: false, overwriteEdited: false }
    const { changes } = await render(options, createNodePorts(), () => undefined)
    return changes.map(({ change, path }) => `${change} ${path}`)
  }
  const write = async (text: string): Promise<void> => {
    await writeFile(join(folder, 'stackmason.yaml'), text.replace('../../rendered', 'rendered'))
  }
  await write(config)
  await run([])
  await write(config.replace('  handoff:\n', '  handoff:\n    createNamespaces: true\n'))
  expect(await run(['team-a/edge'])).toEqual([])
  const added = [
    'changed handoff/platform/kustomization.yaml',
    'added handoff/platform/namespace-platform.yaml',
    'changed handoff/team-a/kustomization.yaml',
    'added handoff/team-a/namespace-team-a.yaml',
    'changed handoff/team-b/kustomization.yaml',
    'added handoff/team-b/namespace-team-b.yaml',
  ]
  expect(await run([])).toEqual(added)
  expect(await run(['team-a/edge'])).toEqual([])
  // neither does it take a word to leave them out again
  await write(config)
  expect(await run([])).toEqual(added.map((line) => line.replace('added', 'removed')))
})
