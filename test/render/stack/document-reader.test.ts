import { describe, expect, test } from 'vitest'
import { fieldAt } from '../../../src/model/field.ts'
import { createDocumentReader } from '../../../src/render/stack/document-reader.ts'

const origin = { from: 'release', unit: 'dns', template: 'dns/templates/config.yaml' }

describe('createDocumentReader', () => {
  test.each([
    { style: '|', want: 'first\nlast\n' },
    { style: '>', want: 'first last\n' },
    { style: '|-', want: 'first\nlast' },
    { style: '|+', want: 'first\nlast\n' },
  ])('a document that ends with a block scalar ($style) reads as what helm template writes', ({ style, want }) => {
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  key: ${style}\n    first\n    last`
    const [manifest] = createDocumentReader().manifests(text, origin)
    expect(fieldAt(manifest?.object ?? null, 'data', 'key')).toBe(want)
  })

  test('equal texts of one template are read once', () => {
    const reader = createDocumentReader()
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}'
    expect(reader.manifests(text, origin)).toBe(reader.manifests(text, origin))
  })
})
