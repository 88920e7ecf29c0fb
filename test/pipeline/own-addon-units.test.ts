import { execFileSync } from 'node:child_process'
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { render } from '../../src/pipeline/render.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { tempFolder } from '../support/temp-folder.ts'

const example = join(import.meta.dirname, '../../examples/fleet')
const cluster = 'rendered/clusters/team-b/batch'
const engines = {
  flux: '  handoff:\n    units: perOwner\n    flux: {source: {kind: GitRepository, name: fleet}, path: ./rendered}\n',
  argocd: '  handoff:\n    units: perOwner\n    argocd: {repoURL: https://git.example/fleet.git, path: rendered}\n',
}
const marks = { flux: 'kustomize.toolkit.fluxcd.io/prune: disabled', argocd: 'Prune=false' }

interface Fleet {
  readonly folder: string
  readonly run: (check?: 'check') => Promise<readonly string[]>
  readonly edit: (path: string, from: string | RegExp, to: string) => Promise<void>
  readonly commit: () => void
  /** Paths below the cluster's folders of addons, without inventories and indexes, and its GitOps objects. */
  readonly state: () => Promise<readonly string[]>
  readonly read: (path: string) => Promise<string>
}

async function fleetOf(engine: keyof typeof engines): Promise<Fleet> {
  const folder = await tempFolder()
  await cp(example, folder, { recursive: true })
  await rm(join(folder, 'clusters/team-a'), { recursive: true })
  await rm(join(folder, 'clusters/values'), { recursive: true })
  const read = (path: string): Promise<string> => readFile(join(folder, path), 'utf8')
  const edit: Fleet['edit'] = async (path, from, to) => {
    const text = await read(path)
    expect(text).toMatch(from)
    await writeFile(join(folder, path), text.replace(from, to))
  }
  await edit('stackmason.yaml', '../../rendered', 'rendered')
  await edit('stackmason.yaml', /^ {2}handoff:\n(?: {4}.*\n)+/m, engines[engine])
  const below = async (path: string): Promise<readonly string[]> =>
    (await readdir(join(folder, path), { recursive: true }).catch(() => []))
      .filter((name) => /(?:^|\/)[^./][^/]*\.yaml$/.test(name) && !name.endsWith('kustomization.yaml'))
      .toSorted()
  return {
    folder,
    read,
    edit,
    run: async (check) => {
      const options = { start: folder, clusters: [], stacks: [], check: check === 'check', allowEmpty: false }
      const ports = createNodePorts()
      const { findings, changes } = await render({ ...options, overwriteEdited: true }, ports, () => undefined)
      expect(check === 'check' ? changes : []).toEqual([])
      return findings.filter(({ code }) => code === 'HANDOFF_UNIT_CHANGES').map(({ message }) => message)
    },
    commit: () => {
      for (const words of [
        ['init', '-q'],
        ['add', '-A'],
        ['commit', '-qm', 'a step'],
      ])
        execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...words], { cwd: folder })
    },
    state: async () => [
      ...(await below(`${cluster}/addons`)).map((path) => `addons/${path}`),
      ...(await below(`${cluster}/addons-own`)).map((path) => `addons-own/${path}`),
      ...(await below('rendered/handoff/team-b/batch')).filter((path) => /addons/.test(path)),
    ],
  }
}

const objects = [
  'namespace-imports.yaml',
  'namespace-reports.yaml',
  'resourcequota-pods@imports.yaml',
  'resourcequota-pods@reports.yaml',
]
const release = 'addons/01-cluster-addon/configmap-cluster-facts.yaml'
const units = {
  flux: (...names: readonly string[]) =>
    names.map((name) => `flux-kustomization-batch-${name.replaceAll('.', '-')}.yaml`),
  argocd: (...names: readonly string[]) => names.map((name) => `application-team-b.batch.${name}.yaml`),
}

describe.each(['flux', 'argocd'] as const)('own addons under %s', (engine) => {
  const unitsOf = units[engine]

  test('move from the unit of all, where they were, to their own, and from there to one each', async () => {
    const { folder, run, edit, commit, state, read } = await fleetOf(engine)
    await run()
    const apart = [
      release,
      ...objects.map((name) => `addons-own/quotas/${name}`),
      ...unitsOf('addons-own', 'addons').toSorted(),
    ].toSorted()
    expect((await state()).toSorted()).toEqual(apart)

    // as the version before wrote it
    await rename(join(folder, cluster, 'addons-own/quotas'), join(folder, cluster, 'addons/02-quotas'))
    await rm(join(folder, cluster, 'addons-own'), { recursive: true })
    await rm(join(folder, 'rendered/handoff/team-b/batch', unitsOf('addons-own')[0] ?? ''))
    await edit(`${cluster}/addons/kustomization.yaml`, '- 01-cluster-addon\n', '- 01-cluster-addon\n- 02-quotas\n')
    commit()

    const message = `cluster team-b/batch: quotas will leave the unit batch-addons with the next commit; with this one the unit only lets go of what it has applied`
    expect(await run()).toEqual([message])
    const held = [release, ...objects.map((name) => `addons/02-quotas/${name}`), ...unitsOf('addons')].toSorted()
    expect((await state()).toSorted()).toEqual(held)
    for (const name of objects) expect(await read(`${cluster}/addons/02-quotas/${name}`)).toContain(marks[engine])
    expect(await run()).toEqual([message])
    expect(await run('check')).toEqual([message])
    commit()

    expect(await run()).toEqual([])
    expect((await state()).toSorted()).toEqual(apart)
    expect(await read(`${cluster}/addons-own/quotas/${objects[2] ?? ''}`)).not.toContain(marks[engine])
    expect(await run('check')).toEqual([])
    commit()

    await edit('stackmason.yaml', 'units: perOwner', 'units: perAddon')
    expect(await run()).toEqual([])
    const each = [
      release,
      ...objects.map((name) => `addons-own/quotas/${name}`),
      ...unitsOf('addons.01-cluster-addon', 'addons-own.quotas'),
    ].toSorted()
    expect((await state()).toSorted()).toEqual(each)
    commit()

    // the cluster itself has the last word
    await edit('clusters/team-b/batch/addons.yaml', 'spec:\n', 'spec:\n  units: perOwner\n')
    expect(await run()).toEqual([])
    expect((await state()).toSorted()).toEqual(apart)
  })

  test('that go are taken out of their unit before it goes', async () => {
    const { run, edit, commit, state, read } = await fleetOf(engine)
    await run()
    commit()
    await edit('clusters/team-b/batch/addons.yaml', 'namespace: default', 'namespace: default\n      enabled: false')
    const emptied = [
      release,
      'addons-own/configmap-stackmason-batch-addons-own.yaml',
      ...unitsOf('addons', 'addons-own'),
    ].toSorted()
    for (const check of [undefined, undefined, 'check'] as const) {
      await run(check)
      expect((await state()).toSorted()).toEqual(emptied)
    }
    const unit = await read(`rendered/handoff/team-b/batch/${unitsOf('addons-own')[0] ?? ''}`)
    expect(unit).toMatch(/deletionPolicy: Delete|resources-finalizer/)
    commit()
    await run('check')
    await run()
    expect((await state()).toSorted()).toEqual([release, ...unitsOf('addons')].toSorted())
  })

  test('stay as they are committed in a cluster that is frozen', async () => {
    const { folder, run, edit, commit, state } = await fleetOf(engine)
    await run()
    const before = await state()
    commit()
    const options = 'apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {freeze: true}\n'
    await writeFile(join(folder, 'clusters/team-b/batch/options.yaml'), options)
    await edit('stackmason.yaml', 'units: perOwner', 'units: perAddon')
    await run()
    expect(await state()).toEqual(before)
  })
})
