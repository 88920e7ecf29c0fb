import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import { fieldAt } from '../../src/model/field.ts'
import { Dict, type Value } from '../../src/model/value.ts'
import { generateSchemaTexts, schemaTextsFile } from '../../tools/schemas.ts'

const root = join(import.meta.dirname, '../..')
const written = ['addons', 'cluster-options', 'clusterstack', 'fleet', 'lock', 'patch', 'release-index'] as const
const names = readdirSync(join(root, 'schemas')).map((file) => file.replace('.json', ''))

function load(name: string): Value {
  return parseGoJson(readFileSync(join(root, 'schemas', `${name}.json`), 'utf8'))
}

function examplesOf(schema: Value): readonly Value[] {
  const examples = fieldAt(schema, 'examples')
  return Array.isArray(examples) ? examples : []
}

/** Every property that a schema names, with its own schema: `spec.sources[].name`. */
function propertiesOf(schema: Value, whole: Value, path = ''): readonly (readonly [path: string, schema: Value])[] {
  const reference = fieldAt(schema, '$ref')
  const at = typeof reference === 'string' ? (fieldAt(whole, ...reference.slice(2).split('/')) ?? null) : schema
  const properties = fieldAt(at, 'properties')
  const items = fieldAt(at, 'items')
  return [
    ...(properties instanceof Dict ? [...properties] : []).flatMap(([name, child]) => {
      const place = path === '' ? name : `${path}.${name}`
      return [[place, child] as const, ...propertiesOf(child, whole, place)]
    }),
    ...(items === undefined ? [] : propertiesOf(items, whole, `${path}[]`)),
  ]
}

/** Every path of a value in the same form. */
function pathsOf(value: Value, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsOf(item, `${path}[]`))
  if (!(value instanceof Dict)) return []
  return [...value].flatMap(([key, child]) => {
    const place = path === '' ? key : `${path}.${key}`
    return [place, ...pathsOf(child, place)]
  })
}

it('the program carries the schemas of schemas/', async () => {
  const text = readFileSync(join(root, schemaTextsFile), 'utf8')
  expect(text, 'run `npx tsx tools/schemas.ts`').toBe(await generateSchemaTexts())
})

describe.each(names)('%s.json', (name) => {
  it('is a draft-07 schema (what editors know best) with its address', () => {
    const schema = load(name)
    expect(fieldAt(schema, '$schema')).toBe('http://json-schema.org/draft-07/schema#')
    expect(fieldAt(schema, '$id')).toMatch(
      new RegExp(`^https://stackmason\\.dev/schemas/(?:v1alpha1/)?${name}\\.json$`),
    )
    expect(fieldAt(schema, 'title')).toMatch(/./)
    expect(fieldAt(schema, 'description')).toMatch(/./)
    expect(compileSchema(schema).validate(5)).not.toEqual([])
  })

  it('accepts its examples', () => {
    const schema = load(name)
    const { validate } = compileSchema(schema)
    expect(examplesOf(schema).flatMap((example) => validate(example))).toEqual([])
  })
})

describe.each(written)('%s.json, which is written by hand,', (name) => {
  const schema = load(name)

  it('shows every field in an example', () => {
    const shown = new Set(examplesOf(schema).flatMap((example) => pathsOf(example)))
    expect(examplesOf(schema).length).toBeGreaterThan(0)
    expect(
      propertiesOf(schema, schema)
        .map(([path]) => path)
        .filter((path) => !shown.has(path)),
    ).toEqual([])
  })

  it('describes every field', () => {
    const silent = propertiesOf(schema, schema).filter(([, child]) => typeof fieldAt(child, 'description') !== 'string')
    expect(silent.map(([path]) => path)).toEqual([])
  })

  it('knows no other field', () => {
    const open = propertiesOf(schema, schema).filter(
      ([path, child]) =>
        fieldAt(child, 'properties') !== undefined &&
        fieldAt(child, 'additionalProperties') === undefined &&
        path !== '',
    )
    expect(open.map(([path]) => path)).toEqual([])
  })
})

describe.each(['cluster-v1beta1', 'cluster-v1beta2'])('%s.json, which is made from upstream,', (name) => {
  const { validate } = compileSchema(load(name))
  const cluster = (spec: string): Value =>
    parseGoJson(
      `{"apiVersion":"cluster.x-k8s.io/${name.slice(8)}","kind":"Cluster","metadata":{"name":"a"},"spec":${spec}}`,
    )
  const named = name.endsWith('1') ? '"class":"c"' : '"classRef":{"name":"c"}'

  it('refuses unknown fields, but not in what variables hold', () => {
    const variables = '"variables":[{"name":"v","value":{"anything":[1,{"goes":null}]}}]'
    expect(validate(cluster(`{"topology":{${named},"version":"v1.34.7",${variables}}}`))).toEqual([])
    const found = validate(cluster(`{"topology":{${named},"version":"v1.34.7","worker":{}},"status":{}}`))
    expect(found.map(({ keyword, property }) => [keyword, property])).toEqual([
      ['additionalProperties', 'status'],
      ['additionalProperties', 'worker'],
    ])
  })

  it('takes numbers and strings where Kubernetes does', () => {
    const checks = (value: string): string =>
      name.endsWith('1')
        ? `"controlPlane":{"machineHealthCheck":{"maxUnhealthy":${value}}}`
        : `"controlPlane":{"healthCheck":{"remediation":{"triggerIf":{"unhealthyLessThanOrEqualTo":${value}}}}}`
    for (const value of ['1', '"40%"']) {
      expect(validate(cluster(`{"topology":{${named},"version":"v1.34.7",${checks(value)}}}`))).toEqual([])
    }
    expect(validate(cluster(`{"topology":{${named},"version":"v1.34.7",${checks('[]')}}}`))).toHaveLength(1)
  })
})

it('files that name a schema for the editor name one that is there', () => {
  const all = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  const files = all.filter((file) => file.endsWith('.yaml')).map((file) => join('examples', file))
  const lines = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/^# yaml-language-server: \$schema=(\S+)$/gm)].map(
      ([, path = '']) => resolve(root, dirname(file), path),
    ),
  )
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.filter((path) => !names.some((name) => path === join(root, 'schemas', `${name}.json`)))).toEqual([])
})
