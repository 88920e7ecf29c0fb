import { execFileSync } from 'node:child_process'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RenderResult } from '../../src/pipeline/render.ts'
import { render } from '../../src/pipeline/render.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { tempFolder } from '../support/temp-folder.ts'

const example = join(import.meta.dirname, '../../examples/fleet')
const addons = 'rendered/clusters/team-b/batch/addons-own/quotas'
const templates = 'clusters/team-b/batch/quotas'
const engines = {
  flux: '  handoff:\n    flux: {source: {kind: GitRepository, name: fleet}, path: ./rendered}\n',
  argocd: '  handoff:\n    argocd: {repoURL: https://git.example/fleet.git, path: rendered, namespace: gitops}\n',
}
const more = [
  'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: cache, namespace: reports}\n',
  'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: cache, namespace: imports}\n',
  'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: asked\n  namespace: default\n  annotations: {argocd.argoproj.io/sync-options: "Prune=confirm"}\n',
].join('---\n')

interface Fleet {
  readonly folder: string
  readonly run: () => Promise<RenderResult>
  readonly found: () => Promise<readonly string[]>
  readonly commit: () => void
}

/** A fleet with one cluster whose own addon brings Namespaces, claims and what asks for a confirmation. */
async function fleetOf(engine: keyof typeof engines): Promise<Fleet> {
  const folder = await tempFolder()
  await cp(example, folder, { recursive: true })
  await rm(join(folder, 'clusters/team-a'), { recursive: true })
  await rm(join(folder, 'clusters/values'), { recursive: true })
  const config = await readFile(join(folder, 'stackmason.yaml'), 'utf8')
  await writeFile(
    join(folder, 'stackmason.yaml'),
    config.replace('../../rendered', 'rendered').replace(/^ {2}handoff:\n(?: {4}.*\n)+/m, engines[engine]),
  )
  await writeFile(join(folder, templates, 'more.yaml'), more)
  const run: Fleet['run'] = () =>
    render(
      { start: folder, clusters: [], stacks: [], check: false, allowEmpty: false, overwriteEdited: true },
      createNodePorts(),
      () => undefined,
    )
  return {
    folder,
    run,
    found: async () =>
      (await run()).findings
        .filter(({ code }) => code === 'HANDOFF_OBJECT_STAYS' || code === 'HANDOFF_WAITS_FOR_CONFIRMATION')
        .map(({ code, message, hint = '' }) => `${code} ${message} | ${hint}`),
    commit: () => {
      for (const words of [
        ['init', '-q'],
        ['add', '-A'],
        ['commit', '-qm', 'a step'],
      ])
        execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...words], { cwd: folder })
    },
  }
}

const values = 'clusters/team-b/batch/values/quotas.yaml'

async function edit({ folder }: Fleet, path: string, from: string, to: string): Promise<void> {
  const text = await readFile(join(folder, path), 'utf8')
  expect(text).toContain(from)
  await writeFile(join(folder, path), text.replaceAll(from, to))
}

describe('objects of addons that leave the tree', () => {
  test('stay under Argo CD, and only what asks for a confirmation is waited for', async () => {
    const fleet = await fleetOf('argocd')
    expect(await fleet.found()).toEqual([])
    fleet.commit()
    expect(await fleet.found()).toEqual([])
    const namespace = await readFile(join(fleet.folder, addons, 'namespace-reports.yaml'), 'utf8')
    expect(namespace).toContain('argocd.argoproj.io/sync-options: Prune=false,Delete=false')
    expect(namespace).toContain('argocd.argoproj.io/compare-options: IgnoreExtraneous')
    await edit(fleet, values, '  - name: reports\n    pods: 40\n', '')
    // one claim of two is left, whose file takes over the shorter name
    await writeFile(join(fleet.folder, templates, 'more.yaml'), more.split('---\n')[1] ?? '')
    const found = [
      'HANDOFF_WAITS_FOR_CONFIRMATION ConfigMap default/asked of quotas in cluster team-b/batch will leave with this commit, and the Application team-b.batch.addons-own applies nothing, the new addons included, before somebody confirms the deletion | Once it waits: `kubectl -n gitops annotate application team-b.batch.addons-own argocd.argoproj.io/deletion-approved=$(date -u +%Y-%m-%dT%H:%M:%SZ) --overwrite`. To keep it instead, put it back.',
      'HANDOFF_OBJECT_STAYS Namespace reports, PersistentVolumeClaim reports/cache of quotas will leave the tree and stay in cluster team-b/batch: Argo CD does not delete what says Prune=false | When the commit is applied and nothing needs it any more, delete by hand in that cluster: `kubectl delete namespace reports`; `kubectl delete persistentvolumeclaim cache -n reports`',
    ]
    expect(await fleet.found()).toEqual(found)
    expect(await fleet.found()).toEqual(found)
    fleet.commit()
    expect(await fleet.found()).toEqual([])
  })

  test('make the sync wait where an earlier version wrote them', async () => {
    const fleet = await fleetOf('argocd')
    await fleet.run()
    await edit(fleet, `${addons}/namespace-reports.yaml`, 'Prune=false,Delete=false', 'Prune=confirm,Delete=confirm')
    fleet.commit()
    expect(await fleet.found()).toEqual([])
    await edit(fleet, values, '  - name: reports\n    pods: 40\n', '')
    expect(await fleet.found()).toEqual([
      expect.stringMatching(
        /^HANDOFF_WAITS_FOR_CONFIRMATION Namespace reports of quotas in cluster team-b\/batch .*render and commit it with the object in place first: from then on the object stays/,
      ),
    ])
  })

  test('of a whole addon stay, too, and its unit is emptied', async () => {
    const fleet = await fleetOf('argocd')
    await fleet.run()
    fleet.commit()
    await edit(
      fleet,
      'clusters/team-b/batch/addons.yaml',
      'namespace: default',
      'namespace: default\n      enabled: false',
    )
    const codes = (await fleet.found()).map((text) => text.split(' ')[0])
    expect(codes).toEqual(['HANDOFF_WAITS_FOR_CONFIRMATION', 'HANDOFF_OBJECT_STAYS'])
    fleet.commit()
    expect(await fleet.found()).toEqual([])
  })

  test('are deleted by Flux, without a word', async () => {
    const fleet = await fleetOf('flux')
    await fleet.run()
    const names = await readdir(join(fleet.folder, addons))
    expect(names).toContain('namespace-reports.yaml')
    expect(await readFile(join(fleet.folder, addons, 'namespace-reports.yaml'), 'utf8')).not.toContain('argocd')
    fleet.commit()
    await edit(fleet, values, '  - name: reports\n    pods: 40\n', '')
    expect(await fleet.found()).toEqual([])
  })
})
