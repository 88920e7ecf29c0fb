/**
 * What the quick check of JSON Schemas saves: valid values against the schemas of real charts, by the walk that decides
 * most of them, and by the full validator, in CPU time; see bench/README.md.
 *   tsx bench/schemas.ts
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseGoJson } from '../src/codec/json/go-json.ts'
import { parseGoYaml } from '../src/codec/go-yaml/go-yaml-parse.ts'
import { withField } from '../src/model/field.ts'
import { Dict, type Value } from '../src/model/value.ts'
import { sharedFolder } from '../tools/fleets/shared-folder.ts'
import { machineLoad, median } from './support/measure.ts'

const shared = sharedFolder()
if (shared === undefined) throw new Error('needs the shared data')
const charts = join(shared, 'charts')

const runs = 7
const beforeLoading = cpuTime()
// the program loads it on first use; here it is loaded with the module below otherwise
await Promise.all([import('ajv'), import('ajv/dist/2019.js'), import('ajv/dist/2020.js')])
const loading = cpuTime() - beforeLoading
const { compileSchema } = await import('../src/codec/json-schema/json-schema.ts')

/** CPU time in milliseconds: what else runs on the machine counts less for it. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** The median of some runs, each with a schema of its own: equal ones are compiled once. */
function timed(schema: Dict, values: Value): number {
  const times = Array.from({ length: runs }, (_, run) => {
    const own = withField(schema, ['$comment'], `run ${String(run)}`)
    const started = cpuTime()
    if (compileSchema(own).validate(values).length > 0) throw new Error('the values are not valid')
    return cpuTime() - started
  })
  return median(times)
}

function dictOf(value: Value): Dict {
  if (value instanceof Dict) return value
  throw new TypeError('no map')
}

process.stdout.write(
  `loading the full validator: ${loading.toFixed(0)} ms (${machineLoad()}, Node ${process.version})\n`,
)
for (const name of ['external-secrets', 'cert-manager', 'node-feature-discovery', 'grafana-community--loki']) {
  const read = (file: string): string => readFileSync(join(charts, name, file), 'utf8')
  const schema = dictOf(parseGoJson(read('values.schema.json')))
  const values = parseGoYaml(read('values.yaml'))
  // the quick check has no anchors, and leaves such a schema to the full validator
  const full = timed(withField(schema, ['$anchor'], 'x'), values)
  const quick = timed(schema, values)
  process.stdout.write(`${name}: quick check ${quick.toFixed(1)} ms, full validator ${full.toFixed(1)} ms\n`)
}
