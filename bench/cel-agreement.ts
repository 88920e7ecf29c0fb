/**
 * What rules in CEL say here against what a real API server says (dry run): of definitions, about objects made by their
 * schemas, and of policies, about all objects of the charts of the shared data; see bench/README.md.
 *   tsx bench/cel-agreement.ts [OBJECTS] [SEED]
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { template } from '../src/pipeline/commands/template.ts'
import { createNodePorts } from '../src/system/node-ports.ts'
import { corpusFolder, corpusOptions, readCorpus } from '../tools/corpus.ts'
import { type CelTrialResult, isWhole, madeObjects, runPolicyTrial, runRuleTrial } from '../tools/fleets/cel-trial.ts'
import { seeded } from '../tools/fleets/mutate-object.ts'
import {
  definitionsBelow,
  isDefinition,
  type TrialObject,
  trialObjects,
  trialSchemas,
} from '../tools/fleets/schema-trial.ts'
import { sharedFolder } from '../tools/fleets/shared-folder.ts'
import { startKube } from '../tools/servers/kube.ts'

const shared = sharedFolder()
if (shared === undefined) throw new Error('needs the shared data')
const [count = 60, seed = 1] = process.argv.slice(2).map(Number)
const ports = createNodePorts()
const charts = corpusFolder(shared)

const objects: TrialObject[] = []
for (const entry of readCorpus(shared)) {
  try {
    const options = { ...corpusOptions(entry), cwd: charts, includeCrds: true, skipTests: true, noHooks: true }
    objects.push(...trialObjects((await template(options, ports)).output).filter(isWhole))
  } catch (error) {
    // some cases are there to be refused, and some output is no object
    if (!(error instanceof Error)) throw error
  }
}
const folders = readdirSync(join(shared, 'crds')).map((name) => join(shared, 'crds', name))
const definitions = new Map<string, TrialObject>()
for (const definition of [...definitionsBelow(folders), ...plainDefinitions(charts), ...objects.filter(isDefinition)])
  if (JSON.stringify(definition.json).includes('x-kubernetes-validations'))
    definitions.set(definition.json.metadata.name, definition)

const kube = await startKube()
try {
  const served = await kube.createCrds([...definitions.values()].map(({ json }) => json))
  const random = seeded(seed)
  const made = [...definitions.values()].flatMap((definition) => madeObjects(definition, random, count))
  const schemas = trialSchemas('1.34', [...definitions.values()])
  process.stdout.write(
    `${String(definitions.size)} definitions, ${String(made.length)} objects ${String(served ?? '')}\n`,
  )
  show('rules of definitions', await runRuleTrial(made, { kube, schemas }))
  const asked = objects.filter((object) => !isDefinition(object) && typeof object.json.metadata.name === 'string')
  await kube.createNamespaces([...new Set(asked.flatMap(({ json }) => json.metadata.namespace ?? []))])
  show('policies', await runPolicyTrial(asked, { kube, schemas }))
} finally {
  await kube.close()
}

/** Definitions in files of charts that are no templates. */
function plainDefinitions(folder: string): readonly TrialObject[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?:^|\/)crds\/.*\.ya?ml$/.test(name) && !name.includes('templates/'))
    .sort()
    .flatMap((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      return text.includes('x-kubernetes-validations') ? trialObjects(text).filter(isDefinition) : []
    })
}

function show(
  what: string,
  { refusedByBoth, takenByBoth, others, notEvaluated, onlyOurs, onlyServer }: CelTrialResult,
): void {
  const figures = [
    `refused by both ${String(refusedByBoth)}`,
    `taken by both ${String(takenByBoth)}`,
    `wrong otherwise ${String(others)}`,
    `not evaluated ${String(notEvaluated.length)}`,
    `refused by us alone ${String(onlyOurs.length)}`,
    `refused by the server alone ${String(onlyServer.length)}`,
  ]
  const lines = [
    ...onlyOurs.map((line) => `us: ${line}`),
    ...onlyServer.map((line) => `server: ${line}`),
    ...notEvaluated.map((line) => `nobody: ${line}`),
  ]
  process.stdout.write(
    [`${what}: ${figures.join(', ')}`, ...lines.map((line) => `  ${line.slice(0, 400)}`), ''].join('\n'),
  )
}
