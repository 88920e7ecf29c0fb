import { expect, test } from 'vitest'
import { createTokenTable } from '../../../src/model/token.ts'
import { dict } from '../../../src/model/value.ts'
import { createCapabilities } from '../../../src/render/chart/capabilities.ts'
import { chunkText, createEngine } from '../../../src/render/engine/engine.ts'
import { defaultLimits } from '../../../src/render/engine/limits.ts'
import { chartFunctions } from '../../../src/render/functions/registry.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'

function render(text: string): string {
  const engine = createEngine({
    functions: chartFunctions,
    lateBound: true,
    limits: defaultLimits,
    crypto: createNodePorts().crypto,
    tokens: createTokenTable(),
    generate: 'token',
    onFinding: () => {},
  })
  const capabilities = createCapabilities({ kubeVersion: undefined, apiVersions: [], helmVersion: 4 })
  const set = engine.createSet([engine.parse({ name: 't', text: `{{ define "i" }}{{ . }}{{ end }}${text}` })])
  return chunkText(engine.execute(set, 't', dict([['Capabilities', capabilities]])))
}

// As helm 4.1.4 prints them: the version's text only while the value can still be reached through its pointer.
test.each([
  ['{{ .Capabilities.KubeVersion }}', 'v1.35.0'],
  ['{{ $x := .Capabilities.KubeVersion }}{{ $x }}', 'v1.35.0'],
  ['{{ with .Capabilities.KubeVersion }}{{ . }}{{ end }}', 'v1.35.0'],
  ['{{ template "i" .Capabilities.KubeVersion }}', 'v1.35.0'],
  ['{{ or .Capabilities.KubeVersion 1 }}', 'v1.35.0'],
  ['{{ .Capabilities.KubeVersion | print }}', '{v1.35.0 v1.35.0 1 35}'],
  ['{{ default "x" .Capabilities.KubeVersion }}', '{v1.35.0 v1.35.0 1 35}'],
  ['{{ required "x" .Capabilities.KubeVersion }}', '{v1.35.0 v1.35.0 1 35}'],
  ['{{ include "i" .Capabilities.KubeVersion }}', '{v1.35.0 v1.35.0 1 35}'],
  ['{{ (dict "k" .Capabilities.KubeVersion).k }}', '{v1.35.0 v1.35.0 1 35}'],
  ['{{ range list .Capabilities.KubeVersion }}{{ . }}{{ end }}', '{v1.35.0 v1.35.0 1 35}'],
])('%s prints %s', (text, want) => {
  expect(render(text)).toBe(want)
})
