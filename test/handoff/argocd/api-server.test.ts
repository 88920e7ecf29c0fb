import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { compileSchema } from '../../../src/codec/json-schema/json-schema.ts'
import { formatGoJson, parseGoJson } from '../../../src/codec/json/go-json.ts'
import { toPlain } from '../../../src/codec/json/plain-value.ts'
import { textAt, withField } from '../../../src/model/field.ts'
import { crdToJsonSchema } from '../../../tools/crd-schema.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'
import { refusals, type KubeObject } from '../../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../../tools/servers/kube.ts'
import { renderArgo } from '../../../tools/fleets/hand-over.ts'
import { sampleConfig, sampleContext, sampleUnits } from './sample-units.ts'

const shared = sharedFolder()
if (shared === undefined) console.warn('SKIPPED, no shared data: objects of Argo CD against its definitions')

const manifests = renderArgo(sampleUnits, sampleConfig, sampleContext).handoff.flatMap((folder) => folder.manifests)

function definitions(): readonly string[] {
  const folder = join(shared ?? '', 'crds/argo-cd')
  return readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
}

describe.runIf(shared !== undefined)("Argo CD's definitions", () => {
  it.each(manifests.filter(({ apiVersion }) => apiVersion.startsWith('argoproj.io/')))(
    'take $kind $name',
    ({ kind, object }) => {
      const crd = definitions()
        .map((text) => parseGoYaml(text))
        .find((value) => textAt(value, 'spec', 'names', 'kind') === kind)
      // the schema is one for files that people write, whose names are simpler; the API server judges those here
      const renamed = withField(object, ['metadata', 'name'], 'name')
      const schema = crdToJsonSchema(toPlain(crd ?? null), {
        version: 'v1alpha1',
        id: 'https://example.com/schema.json',
        description: '',
        examples: [],
      })
      expect(compileSchema(parseGoJson(JSON.stringify(schema))).validate(renamed)).toEqual([])
    },
  )
})

describe.runIf(shared !== undefined && hasKube())('a real API server', () => {
  let kube: Kube

  beforeAll(async () => {
    kube = await startKube()
  }, 120_000)

  afterAll(async () => {
    await kube.close()
  })

  it('takes every object', async () => {
    await kube.installCrds([join(shared ?? '', 'crds/argo-cd')])
    await kube.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } }])
    const objects = manifests.map(({ object }) => JSON.parse(formatGoJson(object)) as KubeObject)
    expect(refusals(await kube.apply(objects, { dryRun: true }))).toEqual([])
    expect(refusals(await kube.apply(objects))).toEqual([])
  })
})
