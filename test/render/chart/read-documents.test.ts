import { expect, test } from 'vitest'
import { readDocuments } from '../../../src/render/chart/read-documents.ts'

const source = { name: 'templates/a.yaml', text: '# a comment\nkind: ConfigMap\n' }
const unknown = { text: 'apiVersion: v1\n' }
const known = { text: 'kind: ConfigMap\n', origin: { source, offset: source.text.indexOf('kind') } }
const place = (chunks: readonly (typeof unknown)[], offset: number): number | undefined =>
  readDocuments([{ path: 'a.yaml', file: 'a.yaml', chunks }], {}).manifests[0]?.locate(offset)?.start

test.each([
  { name: 'in text of a template', chunks: [known], offset: 6, want: 18 },
  { name: 'in text of no known origin', chunks: [unknown, known], offset: 3, want: 12 },
  { name: 'behind text of no known origin', chunks: [unknown, known], offset: unknown.text.length + 6, want: 18 },
  {
    name: 'in text of no known origin at the end',
    chunks: [known, unknown],
    offset: known.text.length,
    want: undefined,
  },
])('the place of a character $name', ({ chunks, offset, want }) => {
  expect(place(chunks, offset)).toBe(want)
})
