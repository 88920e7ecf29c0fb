import { describe } from 'vitest'
import { parsePositionedYaml } from '../../../src/codec/yaml/positioned-yaml.ts'
import { Dict } from '../../../src/model/value.ts'
import type { Manifest } from '../../../src/model/manifest.ts'
import { traceFile } from '../../../src/render/explain/document-trace.ts'
import { createLocator } from '../../../src/render/explain/locator.ts'
import type { TracedObject } from '../../../src/render/explain/traced-objects.ts'
import { testGrowth } from '../../support/growth.ts'

/** A file of that many Services, as the unit that took it as it is knows it. */
function fileOfServices(count: number): readonly TracedObject[] {
  const services = Array.from(
    { length: count },
    (_, at) => `{apiVersion: v1, kind: Service, metadata: {name: s${at}}, spec: {ports: [{port: 80}]}}\n`,
  )
  const source = { name: 'own/services.yaml', text: services.join('---\n') }
  const trace = traceFile(source)
  return parsePositionedYaml(source).documents.flatMap(({ value }, document): TracedObject[] => {
    if (!(value instanceof Dict)) return []
    const manifest: Manifest = {
      apiVersion: 'v1',
      kind: 'Service',
      name: `s${document}`,
      object: value,
      origin: { unit: 'own', from: source.name, template: source.name, document },
    }
    return [{ manifest, trace }]
  })
}

describe('the steps that places take of a finding in each of many objects', () => {
  testGrowth(
    [{ what: 'in one file', make: (count) => count }],
    (count) => {
      // a new file each time: what was read of one is remembered
      const objects = fileOfServices(count)
      const { locate } = createLocator({ patches: [], traced: () => objects })
      for (const { manifest } of objects) locate(manifest, ['spec', 'ports', 0, 'port'])
    },
    50,
  )
})
