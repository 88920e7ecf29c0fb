import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Diagnostic, StackmasonError } from '../../../src/model/diagnostic.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { readFleet } from '../../../src/sources/fleet/read-fleet.ts'
import { memoryFiles } from '../../support/memory-files.ts'
import { soundFleet } from './fleet-fixture.ts'

const addonsFile = 'clusters/team-a/web/addons.yaml'
const patchFile = 'clusters/team-a/web/patches/p.yaml'
const valuesFile = 'clusters/values/v.yaml'

const base: Readonly<Record<string, string>> = {
  ...soundFleet,
  [addonsFile]:
    'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  addons:\n    - name: a\n      enabled: false\n  runtimeValues:\n    Cluster.metadata.uid: x\n',
  [patchFile]:
    'apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {kind: A}\n  jsonPatch:\n    - {op: add, path: /a, value: 1}\n',
  [valuesFile]: 'a: {b: [1, 2]}\n',
}
const paths = Object.keys(base).filter((path) => path.endsWith('.yaml'))

/** Either a sound fleet, or a refusal whose diagnostics all have a place inside their file; anything else is thrown. */
async function outcome(changed: Readonly<Record<string, string | Uint8Array>>): Promise<'sound' | 'refused'> {
  const texts = new Map(
    Object.entries({ ...base, ...changed }).map(([path, text]) => [`/fleet/${path}`, text] as const),
  )
  try {
    await readFleet('/fleet/stackmason.yaml', { ...createNodePorts(), files: memoryFiles(texts) })
    return 'sound'
  } catch (error) {
    if (error instanceof StackmasonError && error.diagnostics.length > 0 && error.diagnostics.every(hasPlace)) {
      return 'refused'
    }
    throw error
  }
}

function hasPlace({ at, file }: Diagnostic): boolean {
  return at === undefined ? file !== undefined : at.start >= 0 && at.start <= at.end && at.end <= at.source.text.length
}

it('takes the base', async () => {
  expect(await outcome({})).toBe('sound')
})

const indicators = ['\n', ' ', '  ', '- ', ': ', '{', '}', '[', ']', '"', "'", '|', '>', '&a ', '*a', '<<: *a\n']
const marks = ['---\n', '...\n', '# c\n', '? ', '!!int ', '!x ', '\t', '\u0000', '\uFEFF', '💩', '%YAML 1.1\n']
const scalars = ['null', '~', '1', '1.30', 'yes', '.nan', '-.inf', '0x1F', 'a', 'name: ']
const lines = ['__proto__: 1\n', 'constructor: {}\n', 'kind: Cluster\n', 'spec:\n']
const fragment = fc.constantFrom(...indicators, ...marks, ...scalars, ...lines)

it('never crashes on damaged files', async () => {
  const damage = fc.record({
    path: fc.constantFrom(...paths),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    remove: fc.nat(30),
    insert: fc.array(fragment, { maxLength: 4 }),
  })
  const run = fc.check(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (damages) => {
      const changed: Record<string, string> = {}
      for (const { path, at, remove, insert } of damages) {
        const text = changed[path] ?? base[path] ?? ''
        const start = Math.floor(at * text.length)
        changed[path] = text.slice(0, start) + insert.join('') + text.slice(start + remove)
      }
      await outcome(changed)
    }),
    { seed: 1, numRuns: 400 },
  )
  expect(fc.defaultReportMessage(await run)).toBeUndefined()
})

it('never crashes on random YAML', async () => {
  const json = fc.json({ maxDepth: 4 })
  const text = fc.oneof(
    json,
    fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
  )
  const run = fc.check(
    fc.asyncProperty(fc.constantFrom(...paths), text, async (path, content) => {
      await outcome({ [path]: content })
    }),
    { seed: 1, numRuns: 400 },
  )
  expect(fc.defaultReportMessage(await run)).toBeUndefined()
})

it('never crashes on random values in known fields', async () => {
  const field = fc.constantFrom(
    'apiVersion',
    'kind',
    'metadata',
    'spec',
    'name',
    'topology',
    'class',
    'sources',
    'addons',
    'target',
    'jsonPatch',
  )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('stackmason.dev/v1alpha1', 'Fleet', 'Patch', 'Addons', 'Cluster', 'cluster.x-k8s.io/v1beta2'),
      fc.anything({ maxDepth: 1, withNullPrototype: true }),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(field, tie('tree'), { maxKeys: 5 }),
    ),
  }))
  const run = fc.check(
    fc.asyncProperty(fc.constantFrom(...paths), tree, async (path, value) => {
      await outcome({ [path]: JSON.stringify(value) ?? '' })
    }),
    { seed: 1, numRuns: 400 },
  )
  expect(fc.defaultReportMessage(await run)).toBeUndefined()
})

it('never crashes on random bytes', async () => {
  const run = fc.check(
    fc.asyncProperty(fc.constantFrom(...paths), fc.uint8Array({ maxLength: 40 }), async (path, bytes) => {
      await outcome({ [path]: bytes })
    }),
    { seed: 1, numRuns: 100 },
  )
  expect(fc.defaultReportMessage(await run)).toBeUndefined()
})

it('ends on aliases that multiply and on deep nesting', async () => {
  let bomb = 'a0: &a0 [x, x, x, x, x, x, x, x, x]\n'
  for (let i = 1; i < 12; i++)
    bomb += `a${i}: &a${i} [${Array(9)
      .fill(`*a${i - 1}`)
      .join(', ')}]\n`
  for (const path of paths) {
    expect(await outcome({ [path]: bomb })).toBe('refused')
    expect(await outcome({ [path]: '['.repeat(20_000) })).toBe('refused')
    expect(await outcome({ [path]: '{a: '.repeat(5_000) + '}'.repeat(5_000) })).toBe('refused')
  }
})

it('takes __proto__ for a key like any other', async () => {
  expect(await outcome({ [valuesFile]: '__proto__: {polluted: 1}\nconstructor: {prototype: {polluted: 1}}\n' })).toBe(
    'sound',
  )
  expect(await outcome({ [patchFile]: `${base[patchFile]}  __proto__: {polluted: 1}\n` })).toBe('refused')
  expect('polluted' in {}).toBe(false)
})
