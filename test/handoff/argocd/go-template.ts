import { createTokenTable } from '../../../src/model/token.ts'
import { Dict, dict } from '../../../src/model/value.ts'
import { chunkText, createEngine } from '../../../src/render/engine/engine.ts'
import { runtimeFunctions } from '../../../src/render/functions/registry.ts'
import { defaultLimits } from '../../../src/render/engine/limits.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'

/**
 * Evaluates a template as Argo CD's ApplicationSet controller does for a cluster Secret with these annotations, or with
 * none at all.
 */
export function evaluate(template: string, annotations?: Readonly<Record<string, string>>): string {
  const engine = createEngine({
    functions: runtimeFunctions,
    lateBound: false,
    limits: defaultLimits,
    crypto: createNodePorts().crypto,
    tokens: createTokenTable(),
    generate: 'token',
    onFinding: () => {},
  })
  const values = new Dict(Object.entries(annotations ?? {}))
  values.goType = 'map[string]string'
  const data = dict([['metadata', dict(annotations === undefined ? [] : [['annotations', values]])]])
  return chunkText(engine.execute(engine.createSet([engine.parse({ name: 'patch', text: template })]), 'patch', data))
}
