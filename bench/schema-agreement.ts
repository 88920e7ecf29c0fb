/**
 * What `check` refuses by schemas against what a real API server refuses (server-side apply, dry run, strict): all
 * objects of the charts of the shared data, and seeded changes of them; see bench/README.md.
 *   tsx bench/schema-agreement.ts [CHANGES] [SEED]
 */
import { join } from 'node:path'
import { StackmasonError } from '../src/model/diagnostic.ts'
import { template } from '../src/pipeline/commands/template.ts'
import { createNodePorts } from '../src/system/node-ports.ts'
import { corpusFolder, corpusOptions, readCorpus } from '../tools/corpus.ts'
import {
  definitionsBelow,
  isDefinition,
  mutated,
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

const definitions = new Map(
  [
    ...definitionsBelow(['cluster-api-1.9', 'openstack', 'flux'].map((name) => join(shared, 'crds', name))),
    ...objects.map(({ object }) => object).filter(isDefinition),
  ].map((definition) => [definition.json.metadata.name, definition]),
)
const schemas = trialSchemas('1.34', [...definitions.values()])
const kube = await startKube()
try {
  const namespaces = objects.flatMap(({ object }) => object.json.metadata.namespace ?? [])
  await kube.createNamespaces([...new Set(namespaces)])
  await kube.apply([...definitions.values()].map(({ json }) => json))
  show('as rendered', await runTrial(objects, { kube, schemas }))
  const changeable = objects.map(({ object }) => object).filter((object) => !isDefinition(object))
  show('changed', await runTrial(mutated(changeable, { seed, count }), { kube, schemas }))
} finally {
  await kube.close()
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
