import { describe, expect, it } from 'vitest'
import { positionAt } from '../../../src/model/source.ts'
import { spanInTemplate } from '../../../src/render/explain/positioned-template.ts'

const block = `{{- $host := .Cluster.spec.controlPlaneEndpoint.host }}
# values: of a comment
values: |
  cni:
    host: {{ $host }}
    "quoted key": 'a: b'   
  {{- range .Cluster.spec.topology.variables }}
    port: 1
  {{- end }}
  host: other
  list:
  - name: x
`
const plain = 'host: {{ .Cluster.metadata.name }}\nvalues:\n  host: a\n'

describe('a value of a template', () => {
  const rows: readonly {
    readonly text: string
    readonly path: readonly (string | number)[]
    readonly value: string
    readonly key: string
  }[] = [
    { text: block, path: ['cni', 'host'], value: '5:11 {{ $host }}', key: '5:5 host' },
    { text: block, path: ['host'], value: '10:9 other', key: '10:3 host' },
    { text: block, path: ['cni', 'quoted key'], value: "6:19 'a: b'", key: '6:6 quoted key' },
    { text: block, path: ['cni', 'port'], value: '8:11 1', key: '8:5 port' },
    { text: block, path: ['cni', 'none'], value: '4:3 cni:', key: '4:3 cni' },
    { text: block, path: ['list', 0, 'name'], value: '11:3 list:', key: '11:3 list' },
    { text: block, path: ['none'], value: '1:1 ', key: '1:1 ' },
    { text: plain, path: ['host'], value: '1:7 {{ .Cluster.metadata.name }}', key: '1:1 host' },
    { text: plain, path: ['values', 'host'], value: '3:9 a', key: '3:3 host' },
    { text: '', path: ['a'], value: '1:1 ', key: '1:1 ' },
  ]
  it.each(rows)('$path', ({ text, path, value, key }) => {
    const source = { name: 'overwrite.yaml', text }
    const [ofValue, ofKey] = (['value', 'key'] as const).map((part) => {
      const { start, end } = spanInTemplate(source, path, part)
      const { line, column } = positionAt(source, start)
      return `${String(line)}:${String(column)} ${text.slice(start, end)}`
    })
    expect({ value: ofValue, key: ofKey }).toEqual({ value, key })
  })
})
