import { expect, test } from 'vitest'
import type { Acknowledgement } from '../../src/model/acknowledgement.ts'
import type { Diagnostic } from '../../src/model/diagnostic.ts'
import { unusedAcknowledgements } from '../../src/pipeline/fleet/acknowledge-findings.ts'

const entry = (more: Partial<Acknowledgement>): Acknowledgement => ({
  code: 'CREDENTIALS_MISSING',
  reason: 'known',
  until: '2999-01-01',
  at: { source: { name: 'stackmason.yaml', text: 'a' }, start: 0, end: 1 },
  ...more,
})
const finding = (object?: string): Diagnostic => ({
  code: 'CREDENTIALS_MISSING',
  severity: 'warning',
  message: 'm',
  ...(object !== undefined && { object }),
})

test.each<[string, Partial<Acknowledgement>, readonly Diagnostic[], readonly (string | undefined)[]]>([
  ['an entry that matches', { object: 'Cluster/a/b' }, [finding('Cluster/a/b')], []],
  ['no finding of its code', {}, [{ ...finding('x'), code: 'IMAGE_TAG_FLOATS' }], [undefined]],
  ['findings without an object', { cluster: 'a/b' }, [finding()], [undefined]],
  [
    'findings of other objects',
    { object: 'Secret/a/cloud' },
    ['Cluster/a/b', 'Cluster/a/b', 'Image/a/i'].map(finding),
    [
      'Findings of this code have the object Cluster/a/b, Image/a/i: correct the object, cluster, release or addon of the entry, or remove it.',
    ],
  ],
  [
    'more of them than are told',
    { object: 'Secret/a/cloud' },
    ['a', 'b', 'c', 'd', 'e'].map(finding),
    [
      'Findings of this code have the object a, b, c and 2 more: correct the object, cluster, release or addon of the entry, or remove it.',
    ],
  ],
])('a hint names what could be meant: %s', (_, more, findings, hints) => {
  expect(unusedAcknowledgements(findings, [entry(more)], ['a/b']).map(({ hint }) => hint)).toEqual(hints)
})
