/**
 * What `check` refuses by schemas against what a real API server refuses (server-side apply, dry run, strict): all
 * objects of the real stacks and of the charts of the shared data, seeded changes of both, and objects at the limits of
 * what servers take, with values of one another; see bench/README.md.
 *   tsx bench/schema-agreement.ts [CHANGES] [SEED]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StackmasonError } from '../src/model/diagnostic.ts'
import { template } from '../src/pipeline/commands/template.ts'
import { createNodePorts } from '../src/system/node-ports.ts'
import { corpusFolder, corpusOptions, readCorpus } from '../tools/corpus.ts'
import { recombined } from '../tools/fleets/recombine-objects.ts'
import { refusedObjects } from '../tools/fleets/refused-objects.ts'
import type { RealShape } from '../tools/fleets/real-fleet.ts'
import {
  definitionsBelow,
  isDefinition,
  mutated,
  realObjects,
  runTrial,
  type TrialObject,
  trialObjects,
  type TrialResult,
  trialSchemas,
} from '../tools/fleets/schema-trial.ts'
import { sharedFolder } from '../tools/fleets/shared-folder.ts'
import { startKube } from '../tools/servers/kube.ts'

const shared = sharedFolder()
if (shared === undefined) throw new Error('needs the shared data')
const [count = 3000, seed = 1] = process.argv.slice(2).map(Number)
const shapes: readonly RealShape[] = [
  { tool: 'flux', provider: 'docker', kubernetes: '1.30.10' },
  { tool: 'flux', provider: 'openstack', kubernetes: '1.32.5' },
]
const ports = createNodePorts()
const charts = corpusFolder(shared)

const objects: { readonly what: string; readonly object: TrialObject }[] = []
for (const entry of readCorpus(shared)) {
  try {
    const options = { ...corpusOptions(entry), cwd: charts, includeCrds: true, skipTests: true, noHooks: true }
    const made = trialObjects((await template(options, ports)).output)
    const whole = made.filter(({ json }) => typeof json.kind === 'string' && typeof json.metadata.name === 'string')
    objects.push(...whole.map((object) => ({ what: `${entry.name} ${object.json.metadata.name}`, object })))
  } catch (error) {
    // some cases are there to be refused, and some output is no object
    if (!(error instanceof StackmasonError || error instanceof Error)) throw error
  }
}

const root = mkdtempSync(join(tmpdir(), 'stackmason-bench-'))
const stacks: TrialObject[] = []
try {
  for (const shape of shapes) stacks.push(...(await realObjects(join(root, shape.provider), shared, shape)))
} finally {
  rmSync(root, { recursive: true })
}

const definitions = new Map(
  [
    ...definitionsBelow(
      ['cluster-api-1.9', 'openstack', 'flux'].map((name) => join(shared, 'crds', name)).concat('templates/crds'),
    ),
    ...[...objects.map(({ object }) => object), ...stacks].filter(isDefinition),
  ].map((definition) => [definition.json.metadata.name, definition]),
)
// of a definition that two charts bring in different versions the server has one, and refuses to go back to the other
const asked = objects.filter(
  ({ object }) => !isDefinition(object) || definitions.get(object.json.metadata.name) === object,
)
const schemas = trialSchemas('1.34', [...definitions.values()])
const kube = await startKube()
try {
  const namespaces = [...asked.map(({ object }) => object), ...stacks].flatMap(
    ({ json }) => json.metadata.namespace ?? [],
  )
  await kube.createNamespaces([...new Set(namespaces)])
  await kube.apply([...definitions.values()].map(({ json }) => json))
  const sides = { kube, schemas }
  const named = stacks.map((object) => ({ what: object.json.metadata.name, object }))
  show('real stacks, as rendered', await runTrial(named, sides))
  show('real stacks, changed', await runTrial(changes(stacks, Math.ceil(count / 4)), sides))
  show('charts, as rendered', await runTrial(asked, sides))
  const ofCharts = objects.map(({ object }) => object)
  show('charts, changed', await runTrial(changes(ofCharts, count), sides))
  show('objects at limits, recombined', await runTrial(atLimits(count), sides))
} finally {
  await kube.close()
}

function changes(of: readonly TrialObject[], number: number): ReturnType<typeof mutated> {
  return mutated(
    of.filter((object) => !isDefinition(object)),
    { seed, count: number },
  )
}

/** Objects of the table of refused ones and near ones, with values of one another. */
function atLimits(number: number): ReturnType<typeof mutated> {
  const known = refusedObjects.flatMap(({ fault, near }) => [fault, near]).flatMap(trialObjects)
  return recombined(
    known.map(({ json }) => JSON.parse(JSON.stringify(json))),
    { seed, count: number },
  ).flatMap(({ what, object }) => trialObjects(JSON.stringify(object)).map((made) => ({ what, object: made })))
}

function show(what: string, { refusedByBoth, takenByBoth, changed, onlyOurs, onlyServer }: TrialResult): void {
  const figures = [
    `refused by both ${String(refusedByBoth)}`,
    `taken by both ${String(takenByBoth)}`,
    `taken, but stored otherwise ${String(changed.length)}`,
    `refused by us alone ${String(onlyOurs.length)}`,
    `refused by the server alone ${String(onlyServer.length)}`,
  ]
  const lines = [...onlyOurs.map((line) => `us: ${line}`), ...onlyServer.map((line) => `server: ${line}`)]
  process.stdout.write(
    [`${what}: ${figures.join(', ')}`, ...lines.map((line) => `  ${line.slice(0, 300)}`), ''].join('\n'),
  )
}
