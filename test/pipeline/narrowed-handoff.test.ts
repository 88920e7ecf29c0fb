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
