import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RealShape } from '../../tools/fleets/real-fleet.ts'
import {
  definitionsBelow,
  isDefinition,
  mutated,
  realObjects,
  runTrial,
  type TrialObject,
  trialSchemas,
} from '../../tools/fleets/schema-trial.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { hasKube, type Kube, startKube } from '../../tools/servers/kube.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'

const shared = sharedFolder() ?? ''
if (shared === '') console.warn('SKIPPED: schemas against an API server over the real cluster stacks: no ../shared')

const folders = ['cluster-api-1.9', 'openstack', 'flux'].map((name) => join(shared, 'crds', name))
const shapes: readonly RealShape[] = [
  { tool: 'flux', provider: 'docker', kubernetes: '1.30.10' },
  { tool: 'flux', provider: 'openstack', kubernetes: '1.32.5' },
]

describe.runIf(shared !== '' && hasKube())('a real API server and the schemas agree', () => {
  const folder = tempFolderForFile()
  let kube: Kube
  let objects: readonly TrialObject[] = []
  const definitions = shared === '' ? [] : definitionsBelow([...folders, 'templates/crds'])

  beforeAll(async () => {
    const rendered = await Promise.all(shapes.map((shape) => realObjects(join(folder, shape.provider), shared, shape)))
    objects = rendered.flat()
    kube = await startKube()
    await kube.createCrds([...definitions, ...objects.filter(isDefinition)].map(({ json }) => json))
    await kube.createNamespaces([...new Set(objects.map(({ json }) => json.metadata.namespace ?? 'default'))])
  }, 240_000)
  afterAll(() => kube.close())

  test('on every object of real stacks: none is refused', async () => {
    const schemas = trialSchemas('1.34', [...definitions, ...objects.filter(isDefinition)])
    const asked = objects.map((object) => ({ what: object.json.metadata.name, object }))
    expect(await runTrial(asked, { kube, schemas })).toEqual({
      refusedByBoth: 0,
      takenByBoth: 98,
      changed: [],
      onlyOurs: [],
      onlyServer: [],
    })
  })

  test('on 200 of them with a change', async () => {
    const schemas = trialSchemas('1.34', [...definitions, ...objects.filter(isDefinition)])
    const asked = mutated(
      objects.filter((object) => !isDefinition(object)),
      { seed: 1, count: 200 },
    )
    expect(await runTrial(asked, { kube, schemas })).toEqual({
      refusedByBoth: 118,
      takenByBoth: 81,
      // the server stores another number, for 32 bits are too few
      changed: [
        'Deployment too much for /spec/template/spec/containers/0/livenessProbe/periodSeconds: /spec/template/spec/containers/0/livenessProbe/periodSeconds not-allowed an integer of 32 bits',
      ],
      onlyOurs: [],
      onlyServer: [],
    })
  })
})
