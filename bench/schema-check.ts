/**
 * The schema pass of `check` against kubeconform, on the same files by the same schemas, in CPU time; see
 * bench/README.md.
 *   tsx bench/schema-check.ts [CLUSTERS]
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readBuiltInSchemas } from '../src/check/schema/built-in-schemas.ts'
import { createSchemaSet } from '../src/check/schema/schema-set.ts'
import { validateObject } from '../src/check/schema/validate-object.ts'
import { parseGoYaml } from '../src/codec/go-yaml/go-yaml-parse.ts'
import { textAt } from '../src/model/field.ts'
import { Dict } from '../src/model/value.ts'
import { FleetFolder } from '../tools/fleets/fleet-folder.ts'
import { sharedFolder } from '../tools/fleets/shared-folder.ts'
import { kubeconformBinary } from '../tools/kubeconform.ts'
import { makeFleet } from './support/make-fleet.ts'
import { machineLoad, measure } from './support/measure.ts'

const shared = sharedFolder()
const kubeconform = kubeconformBinary()
if (shared === undefined || kubeconform === undefined)
  throw new Error('needs the shared data and kubeconform (tools/kubeconform.ts)')

const minor = '1.32'
const clusters = Number(process.argv[2] ?? '40')
const schemas = readFileSync(join(import.meta.dirname, '../templates/kubernetes/schemas.txt'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'stackmason-bench-'))
try {
  await compare(folder, kubeconform, join(shared, 'cluster-stacks/providers/openstack/scs'))
} finally {
  rmSync(folder, { recursive: true })
}

async function compare(root: string, binary: string, providerDirectory: string): Promise<void> {
  makeFleet(root, { providerDirectory, provider: 'openstack', stack: 'scs', kubernetesVersion: 'v1.32.5', clusters })
  const fleet = new FleetFolder(root)
  await fleet.render()
  const paths = fleet
    .filesBelow('rendered')
    .filter((path) => path.includes('/addons/') && path.endsWith('.yaml') && !path.endsWith('kustomization.yaml'))
    .map((path) => fleet.path(`rendered/${path}`))

  const start = cpuTime()
  const set = createSchemaSet(readBuiltInSchemas(schemas).of(minor), [])
  const loaded = cpuTime()
  const objects = paths.map((path) => parseGoYaml(readFileSync(path, 'utf8'), { integers: 'int' }))
  const parsed = cpuTime()
  let [known, problems] = [0, 0]
  for (const object of objects) {
    if (!(object instanceof Dict)) continue
    const found = set.find(textAt(object, 'apiVersion'), textAt(object, 'kind'))
    if (found.state !== 'known') continue
    known++
    problems += validateObject(object, found.schema).length
  }
  const pass = cpuTime() - parsed + (loaded - start)
  const reading = parsed - loaded

  const location = join(root, 'schemas')
  writeJsonSchemas(location)
  const list = join(root, 'files.txt')
  writeFileSync(list, paths.join('\n'))
  const template = join(location, '{{.ResourceKind}}{{.KindSuffix}}.json')
  const script = `xargs -a ${list} -n 100000 ${binary} -strict -summary -ignore-missing-schemas -schema-location '${template}'`
  const run = await measure('sh', ['-c', script], { accept: [1, 123] })
  const theirs = run.cpu * 1000

  const line = (what: string, time: number): string => `${what} ${time.toFixed(0)} ms\n`
  process.stdout.write(
    `${String(clusters)} clusters of openstack/scs: ${String(paths.length)} objects (${machineLoad()}, Node ${process.version})\n` +
      line('stackmason: schema pass, with loading schemas', pass) +
      line('stackmason: reading the files, which a check does not', reading) +
      line('kubeconform: all', theirs) +
      `of ours ${String(known)} have a schema, and ${String(problems)} problems; kubeconform: ${summaryOf(run.stdout)}\n` +
      `kubeconform takes ${(theirs / pass).toFixed(1)} times as long as the schema pass, and ${(theirs / (pass + reading)).toFixed(1)} times as long as pass and reading\n`,
  )
}

/** It is started as often as its arguments need. */
function summaryOf(stdout: string): string {
  const sum = (word: string): number =>
    [...stdout.matchAll(new RegExp(`${word}: ([0-9]+)`, 'g'))].reduce((total, [, found]) => total + Number(found), 0)
  return ['Valid', 'Invalid', 'Errors', 'Skipped'].map((word) => `${word} ${String(sum(word))}`).join(', ')
}

/** The same schemas in the form that kubeconform reads, each with all definitions that it leads to. */
function writeJsonSchemas(location: string): void {
  mkdirSync(location)
  const definitions = new Map<string, string>()
  const kinds: (readonly [file: string, definition: string])[] = []
  for (const line of schemas.split('\n')) {
    const [type, name = '', ...rest] = line.split('\t')
    const [span = '', content = ''] = rest.slice(-2)
    if (type === 'minor' || !holdsFor(span)) continue
    if (type === 'schema') definitions.set(name, content)
    const group = name.includes('/') ? `${name.split('/')[0]?.split('.')[0] ?? ''}-` : ''
    if (type === 'kind') {
      const facts: { readonly schema: string } = JSON.parse(content)
      kinds.push([`${(rest[0] ?? '').toLowerCase()}-${group}${name.split('/').at(-1) ?? ''}.json`, facts.schema])
    }
  }
  for (const [file, definition] of kinds) {
    const needed = new Map<string, string>()
    const wanted = [definition]
    for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
      const text = definitions.get(name)
      if (needed.has(name) || text === undefined) continue
      for (const [, inner = ''] of text.matchAll(/"\$ref":"([^"]+)"/g)) wanted.push(inner)
      const strict = text.includes('"properties":') ? `${text.slice(0, -1)},"additionalProperties":false}` : text
      // null is a field that is not set
      const nullable = strict.replaceAll(/"type":"(\w+)"/g, '"type":["$1","null"]')
      needed.set(name, nullable.replaceAll('"$ref":"', '"$ref":"#/definitions/'))
    }
    const body = [...needed].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')
    writeFileSync(join(location, file), `{"$ref":"#/definitions/${definition}","definitions":{${body}}}`)
  }
}

function holdsFor(span: string): boolean {
  const [first = '', last = ''] = span.split('-').map((text) => Number(text.split('.')[1] ?? Infinity))
  const wanted = Number(minor.split('.')[1])
  return Number(first) <= wanted && wanted <= (last === '' ? Infinity : Number(last))
}

/** CPU time of this process in milliseconds. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
