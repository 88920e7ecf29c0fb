import { execFileSync } from 'node:child_process'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { render } from '../../src/pipeline/render.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { tempFolder } from '../support/temp-folder.ts'

const example = join(import.meta.dirname, '../../examples/fleet')
const condition = `
      waitForPostCondition:
        objects: [{key: d, apiVersion: apps/v1, kind: Deployment, name: x, namespace: kube-system}]
        conditions: d.spec.replicas == 1`
const addons = 'rendered/clusters/team-a/web/addons'

test('an addon that gets a condition moves to a unit of its own with the commit after the one that lets go of it', async () => {
  const folder = await tempFolder()
  await cp(example, folder, { recursive: true })
  const edit = async (path: string, from: string | RegExp, to: string): Promise<void> => {
    const text = await readFile(join(folder, path), 'utf8')
    expect(text).toMatch(from)
    await writeFile(join(folder, path), text.replace(from, to))
  }
  const commit = (): void => {
    for (const words of [
      ['init', '-q'],
      ['add', '-A'],
      ['commit', '-qm', 'a step'],
    ])
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...words], { cwd: folder })
  }
  const run = async (check = false): Promise<readonly string[]> => {
    const options = { start: folder, clusters: [], stacks: [], check, allowEmpty: false, overwriteEdited: false }
    const { findings, changes } = await render(options, createNodePorts(), () => undefined)
    expect(check ? changes : []).toEqual([])
    return findings.filter(({ code }) => code === 'HANDOFF_UNIT_CHANGES').map(({ message }) => message)
  }
  /** What the unit of all addons applies, the other units, and how many objects of the addon Flux must not prune. */
  const state = async (): Promise<readonly unknown[]> => {
    const index = await readFile(join(folder, addons, 'kustomization.yaml'), 'utf8')
    const units = await readdir(join(folder, 'rendered/handoff/team-a/web'))
    const files = (await readdir(join(folder, addons, '02-metrics'))).filter((name) => /^[a-z]/.test(name))
    const texts = await Promise.all(files.map((name) => readFile(join(folder, addons, '02-metrics', name), 'utf8')))
    const released = texts.filter((text) => text.includes('kustomize.toolkit.fluxcd.io/prune: disabled'))
    return [
      index.match(/\d\d-\S+/g),
      units.filter((name) => name.includes('metrics')),
      released.length === files.length - 1,
    ]
  }
  await rm(join(folder, 'clusters/team-a/edge'), { recursive: true })
  await edit('stackmason.yaml', '../../rendered', 'rendered')
  await edit(
    'stackmason.yaml',
    /^ {2}handoff:\n(?: {4}.*\n)+/m,
    '  handoff:\n    flux: {source: {kind: GitRepository, name: fleet}, path: ./rendered}\n',
  )
  expect(await run()).toEqual([])
  const together = ['01-dns-cache', '02-metrics']
  expect(await state()).toEqual([together, [], false])
  commit()

  await edit('stackmason.yaml', 'version: v3', 'version: v4')
  await edit('stacks/demo.yaml', '- v3', '- v4')
  await edit('clusters/team-a/web/cluster.yaml', 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
  await edit('providers/docker/demo/clusteraddon.yaml', /(- name: metrics\n +action: apply)/, `$1${condition}`)
  const message =
    'cluster team-a/web: metrics will leave the unit web-addons with the next commit; with this one the unit only lets go of what it has applied'
  expect(await run()).toEqual([message])
  expect(await state()).toEqual([together, [], true])
  // rendered again, and looked at: the same
  expect(await run()).toEqual([message])
  expect(await run(true)).toEqual([message])
  expect(await state()).toEqual([together, [], true])
  commit()
  expect(await run(true)).toEqual([message])

  expect(await run()).toEqual([])
  expect(await state()).toEqual([['01-dns-cache'], ['flux-kustomization-web-addons-02-metrics.yaml'], false])
  expect(await run(true)).toEqual([])
})
