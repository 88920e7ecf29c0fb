import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import {
  bothChecks,
  type CheckedFleet,
  configure,
  definition,
  document,
  healthCheck,
  openFleet,
  other,
  policy,
  recordsOf,
  told,
} from './checked-fleet.ts'
import { addonTemplate, cluster } from './handoff-fleet.ts'
import { editKept, keptTexts } from './kept-units.ts'

/** Steps of a random life; longer ones are asked for in the environment. */
const LENGTH = process.env['STACKMASON_LONG'] === undefined ? 8 : 60
const values = 'clusters/team-a/web/values/dns-cache.yaml'
const patch = 'clusters/team-a/web/patches/other.yaml'

type Edit = (checked: CheckedFleet, seed: number) => Promise<void> | void

/** Edits that each make a check say something else, together or alone. */
const edits: Readonly<Record<string, Edit>> = {
  nothing: () => undefined,
  'a value that nothing reads': ({ fleet }, seed) => fleet.write(values, `localAdress: 169.254.20.1${String(seed)}\n`),
  'lines above it': ({ fleet }, seed) =>
    fleet.write(values, `${'# above\n'.repeat((seed % 3) + 1)}localAdress: 169.254.20.10\n`),
  'a value of all clusters': ({ fleet }, seed) =>
    fleet.write('clusters/values/dns-cache.yaml', `clusterDomain: cluster.local${String(seed)}\nunread: 1\n`),
  'lines above a cluster': ({ fleet }) => fleet.write(other, `# above\n${fleet.read(other)}`),
  'another size': ({ fleet }, seed) =>
    fleet.write(other, fleet.read(other).replace(/size: \d+/, `size: ${String((seed % 8) + 1)}`)),
  'a definition that allows less': ({ fleet }, seed) =>
    fleet.write('crds/box.yaml', definition((seed % 4) + 1, 'self.size != 2')),
  'a rule about changes': ({ fleet }) => fleet.write('crds/box.yaml', definition(9, 'self.size >= oldSelf.size')),
  'a rule that is not evaluated': ({ fleet }) =>
    fleet.write('crds/box.yaml', definition(9, "url('https://a/b').getQuery() == {}")),
  'a policy': ({ fleet }, seed) => fleet.write('policies/few.yaml', policy((seed % 4) + 1)),
  'lines above a policy': ({ fleet }) => {
    const path = 'policies/few.yaml'
    fleet.write(path, `# above\n${fleet.has(path) ? fleet.read(path) : policy(2)}`)
  },
  'an object of a cluster that is nowhere': ({ fleet }, seed) =>
    fleet.write(cluster, fleet.read(cluster) + document(healthCheck(`h${String(seed)}`, 'team-a'))),
  'an object in a namespace that is nowhere': ({ fleet }, seed) =>
    fleet.write(other, fleet.read(other) + document(healthCheck(`n${String(seed)}`, 'team-c'))),
  'an object of both clusters': ({ fleet }, seed) => {
    for (const path of [cluster, other])
      fleet.write(path, fleet.read(path) + document(healthCheck(`b${String(seed)}`, 'team-a')))
  },
  'a patch': ({ fleet }, seed) =>
    fleet.write(
      patch,
      `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {addon: dns-cache, kind: ConfigMap}\n  mergePatch: {immutable: a${String(seed)}}\n`,
    ),
  'a template of the stack': ({ fleet }, seed) =>
    fleet.edit(addonTemplate, /^data:$/m, `data:\n  mark${String(seed)}: "\u200b"`),
  'the level of a rule': (checked, seed) => {
    const level = ['off', 'warning', 'error'][seed % 3] ?? 'off'
    checked.settings.set(
      'schemas',
      `check: {schemas: [crds], rules: {VALUES_KEY_UNREAD: ${level}, IMAGE_DIGEST_MISSING: warning}}`,
    )
    configure(checked)
  },
  'no definitions': (checked) => {
    checked.settings.delete('schemas')
    if (checked.fleet.has('crds')) checked.fleet.remove('crds')
    configure(checked)
  },
  'an acknowledgement': (checked) => {
    checked.settings.set(
      'acknowledged',
      'acknowledged: [{code: VALUES_KEY_UNREAD, cluster: team-a/web, reason: known, until: 2999-01-01}]',
    )
    configure(checked)
  },
  'a tree that is rendered and committed': async ({ fleet }) => {
    await fleet.render().catch((error: unknown) => {
      if (!(error instanceof StackmasonError)) throw error
    })
    fleet.commit()
  },
  'a damaged cache': (checked) => {
    for (const path of recordsOf(checked)) {
      const bytes = readFileSync(path)
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
      writeFileSync(path, bytes)
    }
  },
  'a cluster that is gone': ({ fleet }) => {
    if (fleet.has('clusters/team-b/batch')) fleet.remove('clusters/team-b')
  },
  'all as it is committed': ({ fleet }) => {
    fleet.git('checkout', '-q', '--', '.')
    fleet.git('clean', '-fdq')
  },
}

/** Edits that change what is said of a cluster, and not its files. */
const aboutRules = [
  'nothing',
  'a definition that allows less',
  'a rule about changes',
  'a rule that is not evaluated',
  'no definitions',
  'a policy',
  'lines above a policy',
  'the level of a rule',
  'an acknowledgement',
] as const

async function apply(checked: CheckedFleet, name: string, seed: number): Promise<void> {
  const inPlace = [
    'another size',
    'lines above a cluster',
    'an object in a namespace that is nowhere',
    'an object of both clusters',
  ]
  // without that cluster there is nothing to edit
  if (inPlace.includes(name) && !checked.fleet.has(other)) return
  await edits[name]?.(checked, seed)
}

describe('a check says the same with what an earlier one has kept:', () => {
  test('after each edit', async () => {
    const checked = await openFleet()
    const said = new Set<string>()
    // clusters that differ from the base are judged anew, and the others are not
    const back = 'all as it is committed'
    const order = [...aboutRules, back, ...Object.keys(edits)]
    for (const [seed, name] of order.entries()) {
      await apply(checked, name, seed)
      said.add(await bothChecks(checked))
    }
    expect(said.size).toBeGreaterThan(15)
  }, 120_000)

  test('where another commit has more than the cluster', async () => {
    const checked = await openFleet()
    const { fleet } = checked
    await bothChecks(checked)
    // a check of one cluster notes that the other one is as in the commit
    await apply(checked, 'another size', 4)
    await bothChecks(checked)
    const folder = 'rendered/clusters/team-a/web/addons/01-dns-cache'
    fleet.write(
      `${folder}/persistentvolumeclaim-data.yaml`,
      '{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: kube-system}}\n',
    )
    fleet.edit(`${folder}/kustomization.yaml`, /^resources:$/m, 'resources:\n- persistentvolumeclaim-data.yaml')
    fleet.commit()
    expect(await bothChecks(checked)).toContain('PersistentVolumeClaim kube-system/data')
    fleet.git('reset', '-q', '--hard', 'HEAD~1')
    expect(await bothChecks(checked)).not.toContain('PersistentVolumeClaim kube-system/data')
  })

  test('in a random life', async () => {
    const step = fc.record({ name: fc.constantFrom(...Object.keys(edits)), seed: fc.nat({ max: 9 }) })
    const life = fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: LENGTH, maxLength: LENGTH }), async (steps) => {
        const checked = await openFleet()
        await bothChecks(checked)
        for (const { name, seed } of steps) {
          await apply(checked, name, seed)
          await bothChecks(checked)
        }
      }),
      { numRuns: 1, endOnFailure: true, seed: 11 },
    )
    await expect(life).resolves.toBeUndefined()
  }, 120_000)
})

describe('a check does not repeat', () => {
  const reuses = { program: 'test', isClean: () => true }

  test('where nothing is another', async () => {
    const checked = await openFleet()
    const first = await told(checked, { reuses })
    const { looks } = checked
    expect([await told(checked, { reuses }), checked.looks]).toEqual([first, looks])
  })

  test('what it has said of clusters that are as they were', async () => {
    const checked = await openFleet()
    await apply(checked, 'a value that nothing reads', 1)
    await told(checked, { reuses })
    // whoever reads it tells what stands there
    for (const path of recordsOf(checked).filter((name) => name.endsWith('.units')))
      editKept(path, (text) => text.replaceAll('localAdress', 'localAddres'))
    // of which more is said: all are looked at
    await apply(checked, 'an object in a namespace that is nowhere', 7)
    const said = await told(checked, { reuses })
    expect(said).toContain('localAddres')
    expect(said).not.toBe(await told(checked, {}))
  })

  test('unless somebody else can have written it', async () => {
    const checked = await openFleet()
    await apply(checked, 'a value that nothing reads', 1)
    await told(checked, { reuses })
    for (const path of recordsOf(checked).filter((name) => name.endsWith('.units'))) {
      editKept(path, (text) => text.replaceAll('localAdress', 'localAddres'))
      chmodSync(path, 0o622)
    }
    await apply(checked, 'an object in a namespace that is nowhere', 7)
    expect(await told(checked, { reuses })).toBe(await told(checked, {}))
  })

  test('and keeps nothing that holds a secret', async () => {
    const checked = await openFleet()
    await apply(checked, 'a value that nothing reads', 1)
    await told(checked, { reuses: { program: 'test', isClean: (text) => !text.includes('localAdress') } })
    const kept = recordsOf(checked).map((path) =>
      path.endsWith('.units') ? keptTexts(path) : decodeUtf8(readFileSync(path)),
    )
    expect(kept.join('')).not.toContain('localAdress')
    expect(kept).toHaveLength(2)
  })
})
