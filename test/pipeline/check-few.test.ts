import { renameSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../src/model/diagnostic.ts'
import type { Code } from '../../src/model/error-codes.ts'
import type { Span } from '../../src/model/source.ts'
import { moreOf } from '../../src/model/bound-findings.ts'
import { type CheckedRest, saidByAll } from '../../src/pipeline/checking/checked-parts.ts'
import { formatParts } from '../../src/pipeline/reuse/cluster-parts.ts'
import { toldAgain } from '../../src/pipeline/reuse/rest-of-run.ts'
import type { TraceStep } from '../../src/model/trace-step.ts'
import {
  bothChecks,
  box,
  type CheckedFleet,
  configure,
  definition,
  document,
  healthCheck,
  openFleet,
  other,
  told,
} from './checked-fleet.ts'
import { cluster, type HandoffFleet } from './handoff-fleet.ts'

const addons = 'clusters/team-b/batch/addons.yaml'

/** A fleet whose checks tell whether they have read the cluster that no test edits. */
async function watchedFleet(): Promise<{ readonly checked: CheckedFleet; readonly read: Set<string> }> {
  const checked = await openFleet()
  const read = new Set<string>()
  const { files } = checked.ports
  const noting: typeof files = {
    ...files,
    read: (path, from) => {
      read.add(path)
      return files.read(path, from)
    },
  }
  return { checked: { ...checked, ports: { ...checked.ports, files: noting } }, read }
}

/** Checks with what earlier ones have kept, which must say the same as one without; tells whether it read all clusters. */
async function readsAll({ checked, read }: Awaited<ReturnType<typeof watchedFleet>>): Promise<boolean> {
  read.clear()
  const said = await told(checked, { reuses: { program: 'test', isClean: () => true } })
  const isRead = read.has(checked.fleet.path(cluster))
  expect(said).toBe(await told(checked, {}))
  return isRead
}

/** The codes of the findings; the line before them tells of all rules. */
const codesIn = (said: string): readonly string[] =>
  said
    .split('\n')
    .slice(1)
    .map((line) => /"code":"([A-Z_]+)"/.exec(line)?.[1] ?? '')

const grow = (fleet: HandoffFleet, size: number): void =>
  fleet.write(other, fleet.read(other).replace(/size: \d+/, `size: ${String(size)}`))
const add = (path: string, text: string) => (fleet: HandoffFleet) =>
  fleet.write(path, fleet.read(path) + document(text))

describe('a check where one cluster is another', () => {
  test.each<[string, (fleet: HandoffFleet) => void]>([
    ['a value of an object', (fleet) => grow(fleet, 4)],
    ['a comment', (fleet) => fleet.write(other, `# above\n${fleet.read(other)}`)],
    [
      'one more object of an addon',
      (fleet) =>
        fleet.write(
          'clusters/team-b/batch/quotas/more.yaml.hbs',
          '{apiVersion: v1, kind: ConfigMap, metadata: {name: more, namespace: default}}\n',
        ),
    ],
    ['lines above what is said', (fleet) => fleet.write(other, `# above\n\n${fleet.read(other)}`)],
  ])('reads that one alone, of which the same is said: %s', async (_, edit) => {
    const fleet = await watchedFleet()
    await readsAll(fleet)
    edit(fleet.checked.fleet)
    expect([await readsAll(fleet), await readsAll(fleet)]).toEqual([false, false])
    grow(fleet.checked.fleet, 7)
    expect(await readsAll(fleet)).toBe(false)
  })

  test.each<[string, (fleet: HandoffFleet) => void]>([
    ['it has one more object', add(other, box('more', 2))],
    ['of it more is said', (fleet) => grow(fleet, 10)],
    ['of the fleet more is said', add(other, healthCheck('lost', 'team-c'))],
    [
      'its files declare an API version',
      (fleet) => fleet.edit(addons, /^spec:$/m, 'spec:\n  apiVersions: [example.org/v1/Crate]'),
    ],
    [
      'a file of all clusters is another, too',
      (fleet) => {
        grow(fleet, 4)
        fleet.write('clusters/values/dns-cache.yaml', 'replicas: 3\n')
      },
    ],
  ])('reads all where %s', async (_, edit) => {
    const fleet = await watchedFleet()
    await readsAll(fleet)
    edit(fleet.checked.fleet)
    expect(await readsAll(fleet)).toBe(true)
  })

  test('says what is said once of the first that it is true of', async () => {
    const fleet = await watchedFleet()
    const { fleet: folder } = fleet.checked
    const later = 'clusters/team-b/later/cluster.yaml'
    folder.write(later, folder.read(other).replaceAll('batch', 'later'))
    await folder.render()
    folder.commit()
    await readsAll(fleet)
    for (const path of [later, other]) {
      folder.write(path, folder.read(path).replace('size: 3', 'size: 4'))
      expect(await readsAll(fleet)).toBe(false)
    }
    // nobody says it of the first any more
    folder.write(other, folder.read(other).replace('v1beta1', 'v1beta2'))
    await readsAll(fleet)
    folder.write(later, folder.read(later).replace('size: 4', 'size: 5'))
    await readsAll(fleet)
  })

  test('says of it what was said once of a later one', async () => {
    const fleet = await watchedFleet()
    const { fleet: folder } = fleet.checked
    const rule = "self.size < 5 || url('https://a/b').getQuery() == {}"
    folder.write('crds/box.yaml', definition(9, rule))
    grow(folder, 7)
    await folder.render()
    folder.commit()
    await readsAll(fleet)
    // it comes before the one of which it was said
    folder.edit(cluster, 'size: 3', 'size: 8')
    await expect(readsAll(fleet)).resolves.toBeDefined()
  })

  test('looks at all that differ from the commit', async () => {
    const fleet = await watchedFleet()
    add(cluster, box('more', 2))(fleet.checked.fleet)
    await readsAll(fleet)
    grow(fleet.checked.fleet, 4)
    expect(await readsAll(fleet)).toBe(true)
    // as it was committed: the next one looks at the other one alone
    fleet.checked.fleet.git('checkout', '-q', '--', cluster)
    await readsAll(fleet)
    grow(fleet.checked.fleet, 5)
    expect(await readsAll(fleet)).toBe(false)
  })

  test('reads all where it is in no commit, and may be like others', async () => {
    const fleet = await watchedFleet()
    const { fleet: folder } = fleet.checked
    // with a tool it would be on its way
    folder.git('rm', '-rq', 'rendered')
    folder.git('commit', '-q', '-m', 'none')
    folder.handTo(undefined, ...fleet.checked.settings.values())
    await folder.render()
    folder.commit()
    const added = 'clusters/team-a/added/cluster.yaml'
    folder.write(added, folder.read(cluster).replaceAll('web', 'added'))
    await readsAll(fleet)
    folder.write(added, folder.read(added).replace(/replicas: \d+/, 'replicas: 7'))
    expect(await readsAll(fleet)).toBe(true)
  })

  test('reads it alone where nothing is committed', async () => {
    const fleet = await watchedFleet()
    const { fleet: folder } = fleet.checked
    folder.git('rm', '-rq', '--cached', 'rendered')
    folder.git('commit', '-q', '-m', 'none')
    await readsAll(fleet)
    grow(folder, 4)
    expect(await readsAll(fleet)).toBe(false)
  })
})

describe('a check says the same with what an earlier one has kept, where', () => {
  test('an object goes from one cluster to another in two edits', async () => {
    const checked = await openFleet()
    const { fleet } = checked
    add(cluster, healthCheck('moved', 'team-a'))(fleet)
    await fleet.render()
    fleet.commit()
    await bothChecks(checked)
    fleet.git('checkout', '-q', 'HEAD~1', '--', cluster)
    await bothChecks(checked)
    add(other, healthCheck('moved', 'team-a'))(fleet)
    expect(codesIn(await bothChecks(checked))).toContain('OBJECT_CHANGES_UNIT')
  })

  test('a folder of templates is a link to one beside the clusters', async () => {
    const checked = await openFleet()
    const { fleet } = checked
    renameSync(fleet.path('clusters/team-b/batch/quotas'), fleet.path('shared'))
    symlinkSync('../../../shared', fleet.path('clusters/team-b/batch/quotas'))
    await fleet.render()
    fleet.commit()
    const before = await bothChecks(checked)
    fleet.write(
      'shared/more.yaml.hbs',
      '{apiVersion: v1, kind: ConfigMap, metadata: {name: more, namespace: default}}\n',
    )
    const after = await bothChecks(checked)
    expect([before, after].map((text) => Number(/"objects":(\d+)/.exec(text)?.[1]))).toEqual([
      expect.any(Number),
      Number(/"objects":(\d+)/.exec(before)?.[1]) + 1,
    ])
    fleet.remove('shared/more.yaml.hbs')
    expect(await bothChecks(checked)).toBe(before)
  })

  test('a chart lies around all clusters', async () => {
    const checked = await openFleet()
    const { fleet } = checked
    const image = 'clusters/team-b/batch/image.txt'
    fleet.write(image, 'nginx:1.2.3')
    fleet.write('Chart.yaml', 'apiVersion: v2\nname: around\nversion: 1.0.0\n')
    fleet.write(
      'templates/pod.yaml',
      `{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: default}, spec: {containers: [{name: a, image: '{{ .Files.Get "${image}" }}'}]}}\n`,
    )
    fleet.write(
      'clusters/team-a/web/addons.yaml',
      'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {addons: [{name: around, chart: {path: ../../..}, namespace: default}]}\n',
    )
    await fleet.render()
    fleet.commit()
    expect(codesIn(await bothChecks(checked))).not.toContain('IMAGE_TAG_FLOATS')
    fleet.write(image, 'nginx')
    expect(codesIn(await bothChecks(checked))).toContain('IMAGE_TAG_FLOATS')
  })

  test('definitions lie in the folders of clusters', async () => {
    const checked = await openFleet()
    const { fleet, settings } = checked
    settings.set('schemas', 'check: {schemas: [clusters]}')
    fleet.remove('crds')
    const path = 'clusters/team-b/batch/box.yaml'
    fleet.write(path, definition(2, 'true'))
    // of the other cluster alone it is not true
    grow(fleet, 1)
    configure(checked)
    expect(codesIn(await bothChecks(checked))).toContain('OBJECT_FIELD_INVALID')
    fleet.write(path, definition(9, 'true'))
    expect(codesIn(await bothChecks(checked))).not.toContain('OBJECT_FIELD_INVALID')
  })

  test('a rule is off, and acknowledged', async () => {
    const checked = await openFleet()
    const { fleet, settings } = checked
    const template = 'clusters/team-b/batch/quotas/pod.yaml.hbs'
    const pod = (image: string): string =>
      `{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: default}, spec: {containers: [{name: a, image: ${image}}]}}\n`
    settings.set('schemas', 'check: {schemas: [crds], rules: {IMAGE_TAG_FLOATS: off}}')
    settings.set('acknowledged', 'acknowledged: [{code: IMAGE_TAG_FLOATS, reason: known, until: 2999-01-01}]')
    configure(checked)
    fleet.write(template, pod('nginx:1.2.3'))
    await fleet.render()
    fleet.commit()
    expect(codesIn(await bothChecks(checked))).toContain('ACKNOWLEDGEMENT_UNUSED')
    fleet.write(template, pod('nginx:latest'))
    expect(codesIn(await bothChecks(checked))).not.toContain('ACKNOWLEDGEMENT_UNUSED')
    fleet.write(template, pod('nginx:1.2.4'))
    expect(codesIn(await bothChecks(checked))).toContain('ACKNOWLEDGEMENT_UNUSED')
  })

  test('two clusters come to have the same object', async () => {
    const checked = await openFleet()
    const { fleet } = checked
    add(cluster, healthCheck('both', 'team-a'))(fleet)
    await fleet.render()
    fleet.commit()
    await bothChecks(checked)
    add(other, healthCheck('both', 'team-a'))(fleet)
    expect(codesIn(await bothChecks(checked))).toContain('OBJECT_OWNED_TWICE')
  })

  test('a patch of all clusters comes to be of no use', async () => {
    const checked = await openFleet()
    const { fleet } = checked
    const template = 'clusters/team-b/batch/quotas/more.yaml.hbs'
    fleet.write(template, '{apiVersion: v1, kind: ConfigMap, metadata: {name: more, namespace: default}}\n')
    fleet.write(
      'clusters/patches/more.yaml',
      'apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec: {target: {addon: quotas, name: more}, mergePatch: {data: {a: b}}}\n',
    )
    await fleet.render()
    fleet.commit()
    await bothChecks(checked)
    fleet.edit(template, 'name: more', 'name: another')
    expect(codesIn(await bothChecks(checked))).toContain('PATCH_TARGET_NOT_FOUND')
  })
})

describe('findings about clusters that all clusters together come to', () => {
  const rest: CheckedRest = {
    inputs: '/f/clusters',
    output: '/f/rendered',
    imagesFrom: [],
    isCompared: true,
    hash: 'sha1',
    said: [],
    differing: [],
    definitions: [],
  }
  const parts = formatParts(
    rest,
    ['a/b', 'a/c'].map((key) => [key, {}]),
  )
  const crossing = new Set<Code>(['CREDENTIALS_MISSING'])
  const said = (path: string | undefined, more: Partial<Diagnostic> = {}): boolean => {
    const at = path === undefined ? undefined : { source: { name: path, path, text: 'a' }, start: 0, end: 1 }
    const about = { cluster: 'a/b' }
    const finding: Diagnostic = { code: 'CREDENTIALS_MISSING', severity: 'warning', message: 'm', about, at, ...more }
    return saidByAll(parts, ['a/b'], { crossing })(finding)
  }

  test('stand in the files of others', () => {
    expect(said('/f/clusters/a/c/cluster.yaml')).toBe(true)
  })

  test.each<[string, string | undefined, Partial<Diagnostic>]>([
    ['in its own file', '/f/clusters/a/b/cluster.yaml', {}],
    ['in a file of all', '/f/clusters/values/cni.yaml', {}],
    ['elsewhere', '/f/stackmason.yaml', {}],
    ['nowhere', undefined, {}],
    ['by way of its own file', '/f/clusters/a/c/cluster.yaml', { trace: [step('/f/clusters/a/b/cluster.yaml')] }],
    ['in the file of another, of a rule about single clusters', '/f/clusters/a/c/x.yaml', { code: 'API_DEPRECATED' }],
    ['in the file of another, of a change', '/f/clusters/a/c/x.yaml', { isNew: true }],
  ])('do not stand %s', (_, path, more) => {
    expect(said(path, more)).toBe(false)
  })

  function step(path: string): TraceStep {
    return { what: 'by', at: { source: { name: path, path, text: 'a' }, start: 0, end: 1 } }
  }
})

describe('what is said of a cluster is told again', () => {
  const about = (message: string, more: Partial<Diagnostic> = {}): Diagnostic => ({
    code: 'API_DEPRECATED',
    severity: 'error',
    message,
    ...more,
  })
  const place = (path: string, start = 0): Span => ({
    source: { name: path, path, text: 'some text' },
    start,
    end: start + 1,
  })
  const file = '/f/clusters/a/b/cluster.yaml'
  const own = about('it', { about: { cluster: 'a/b' } })
  const others = about('others', { about: { cluster: 'a/c' }, at: place('/f/values.yaml') })
  const moved = { ...others, at: place('/f/values.yaml', 1) }
  const [first, later] = [about('a place', { at: place(file) }), about('a place', { at: place(file, 3) })]
  const byWayOf = (start: number): Diagnostic => ({ ...others, trace: [{ what: 'by', at: place(file, start) }] })
  const [by, byLater] = [byWayOf(0), byWayOf(3)]
  const own21 = Array.from({ length: 21 }, (_, at) =>
    about(at < 2 ? 'a' : String(at), {
      at: place(file, at < 2 ? 0 : at),
      about: { cluster: 'a/b', addon: String(at) },
    }),
  )
  const MORE = moreOf(others, 3).hint
  const longer = about('a', { at: place('/f/clusters/a/bb/cluster.yaml') })

  test.each<[string, readonly Diagnostic[], readonly Diagnostic[], readonly Diagnostic[] | undefined]>([
    ['nothing', [], [], []],
    ['of others alone', [], [others], [others]],
    ['the same', [others, own], [others, own], [others, own]],
    ['of it alone', [own], [others, own], [others, own]],
    ['less', [], [own], undefined],
    ['more', [own], [], undefined],
    ['more of others', [others], [], undefined],
    ['others elsewhere', [moved], [others], undefined],
    ['another place in its file', [later], [first, others], [later, others]],
    ['another way by its file', [byLater], [others, by], [others, byLater]],
    ['less by way of its file', [], [others, by], undefined],
    ['another text', [about('other', { at: place(file) })], [first], undefined],
    ['another file of it', [about('a place', { at: place('/f/clusters/a/b/addons.yaml') })], [first], undefined],
    ['of a cluster with a longer name', [], [longer], [longer]],
    ['beside what is only counted', [own], [own, { ...others, hint: MORE }], undefined],
    [
      'another place in a file of all',
      [{ ...own, at: place('/f/values.yaml', 1) }],
      [{ ...own, at: place('/f/values.yaml') }],
      undefined,
    ],
    ['more of a file than are listed', own21.map((one, at) => ({ ...one, at: place(file, at) })), own21, undefined],
    ['less of a change of several', [], [about('two', { isNew: true })], undefined],
  ])('%s', (_, now, before, expected) => {
    expect(toldAgain(['a/b'], now, before)).toEqual(expected)
  })
})
