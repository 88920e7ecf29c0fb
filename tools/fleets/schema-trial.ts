/**
 * Compares what schemas and rules of names refuse with what an API server refuses: for a test, and at length for a
 * benchmark.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readBuiltInSchemas } from '../../src/check/schema/built-in-schemas.ts'
import { readCustomKind } from '../../src/check/schema/custom-kind.ts'
import { createSchemaSet, type SchemaSet } from '../../src/check/schema/schema-set.ts'
import { validateObject } from '../../src/check/schema/validate-object.ts'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { formatGoJson } from '../../src/codec/json/go-json.ts'
import { formatPointer, textAt } from '../../src/model/field.ts'
import type { Manifest } from '../../src/model/manifest.ts'
import { Dict } from '../../src/model/value.ts'
import { findBadNames } from '../../src/render/stack/find-bad-names.ts'
import { findRefusedFields } from '../../src/render/stack/find-refused-fields.ts'
import { fieldOf, type KubeObject } from '../servers/kube-client.ts'
import type { Kube } from '../servers/kube.ts'
import { mutateObject, seeded } from './mutate-object.ts'
import { realFleet, type RealShape } from './real-fleet.ts'

/** An object as it is asked about, in the forms of both sides. */
export interface TrialObject {
  readonly ours: Dict
  readonly json: KubeObject
}

/** What came of some objects; lines say what was done to which object, and what was said. */
export interface TrialResult {
  readonly refusedByBoth: number
  readonly takenByBoth: number
  /** Refused by us, and taken by the server, which stores another value than was applied. */
  readonly changed: readonly string[]
  /** Refused by us alone. */
  readonly onlyOurs: readonly string[]
  /** Refused by the server alone. */
  readonly onlyServer: readonly string[]
}

/** The objects of a text of YAML or JSON. */
export function trialObjects(text: string): readonly TrialObject[] {
  return text.split(/^---\n/m).flatMap((document) => {
    const ours = parseGoYaml(document, { integers: 'int' })
    if (!(ours instanceof Dict)) return []
    const json: KubeObject = JSON.parse(formatGoJson(ours))
    return [{ ours, json }]
  })
}

/** The objects of cluster `one` of a real stack and its class, with placeholders filled as Flux would. */
export async function realObjects(folder: string, shared: string, shape: RealShape): Promise<readonly TrialObject[]> {
  const fleet = realFleet(folder, shared, shape)
  await fleet.render()
  return fleet
    .filesBelow('rendered')
    .filter((path) => path.endsWith('.yaml') && !/kustomization\.yaml$|two/.test(path))
    .map((path) => fleet.read(`rendered/${path}`))
    .map((text) =>
      text.includes('substitute: disabled')
        ? text
        : text.replaceAll('${QUOTE}', '"').replaceAll('${CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST}', 'api.example.com'),
    )
    .flatMap(trialObjects)
}

/** The definitions in the files of folders. */
export function definitionsBelow(folders: readonly string[]): readonly TrialObject[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.yaml'))
      .sort()
      .flatMap((name) => trialObjects(readFileSync(join(folder, name), 'utf8')))
      .filter(isDefinition),
  )
}

/** True for a CustomResourceDefinition. */
export function isDefinition({ json }: TrialObject): boolean {
  return json.kind === 'CustomResourceDefinition'
}

/** The kinds of a server of a minor with these definitions. */
export function trialSchemas(minor: string, definitions: readonly TrialObject[]): SchemaSet {
  const text = readFileSync(join(import.meta.dirname, '../../templates/kubernetes/schemas.txt'), 'utf8')
  return createSchemaSet(
    readBuiltInSchemas(text).of(minor),
    definitions.map(({ ours }) => readCustomKind(ours)),
  )
}

/** What our side refuses about an object: pointers with words. */
function judgeTrial({ ours: object }: Pick<TrialObject, 'ours'>, schemas: SchemaSet): readonly string[] {
  const [apiVersion, kind, name] = [
    textAt(object, 'apiVersion'),
    textAt(object, 'kind'),
    textAt(object, 'metadata', 'name'),
  ]
  const namespace = textAt(object, 'metadata', 'namespace')
  const origin = { from: 'a', unit: 'a', template: 'a' }
  const manifest: Manifest = { apiVersion, kind, name, ...(namespace !== '' && { namespace }), object, origin }
  const names = [...findBadNames([manifest]), ...findRefusedFields([manifest])].map(({ message }) => message)
  const found = schemas.find(apiVersion, kind)
  if (found.state !== 'known') return [...names, `${found.state} ${apiVersion} ${kind}`]
  return [
    ...names,
    ...validateObject(object, found.schema).map(
      ({ kind: what, path, says }) => `${formatPointer(path)} ${what} ${says}`,
    ),
  ]
}

/** Asks both sides about objects as they are. */
export async function runTrial(
  objects: readonly { readonly what: string; readonly object: TrialObject }[],
  { kube, schemas }: { readonly kube: Kube; readonly schemas: SchemaSet },
): Promise<TrialResult> {
  let [refusedByBoth, takenByBoth] = [0, 0]
  const [changed, onlyOurs, onlyServer]: [string[], string[], string[]] = [[], [], []]
  for (const { what, object } of objects) {
    const [first] = judgeTrial(object, schemas)
    const [answer] = await kube.apply([object.json], { dryRun: true })
    const line = `${object.json.kind} ${what}`
    if (answer?.ok === true && first === undefined) takenByBoth++
    else if (answer?.ok === true)
      (isChanged(object, first ?? '', answer.body) ? changed : onlyOurs).push(`${line}: ${first ?? ''}`)
    else if (first === undefined) onlyServer.push(`${line}: ${answer?.message ?? ''}`)
    else refusedByBoth++
  }
  return { refusedByBoth, takenByBoth, changed, onlyOurs, onlyServer }
}

/** True if the server gives another value than was applied, where the finding points. */
function isChanged({ json }: TrialObject, finding: string, body: unknown): boolean {
  const path = (finding.split(' ')[0] ?? '').slice(1).replaceAll('/', '.')
  const [before, after] = [fieldOf(json, path), fieldOf(body, path)]
  return typeof before === 'number' && typeof after === 'number' && before !== after
}

/** Objects with faults, seeded: each of a random one. */
export function mutated(
  objects: readonly TrialObject[],
  { seed, count }: { readonly seed: number; readonly count: number },
): readonly { readonly what: string; readonly object: TrialObject }[] {
  const random = seeded(seed)
  return Array.from({ length: count }, () => {
    const original = objects[Math.floor(random() * objects.length)]
    const { what, object } = mutateObject(JSON.parse(JSON.stringify(original?.json ?? null)), random)
    return trialObjects(JSON.stringify(object)).map((made) => ({ what, object: made }))
  }).flat()
}
