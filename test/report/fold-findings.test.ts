import { describe, expect, test } from 'vitest'
import { foldFindings } from '../../src/report/fold-findings.ts'
import { formatSubjects } from '../../src/report/format-subjects.ts'
import type { Diagnostic, FindingSubject } from '../../src/model/diagnostic.ts'

const finding = (over: Partial<Diagnostic> = {}): Diagnostic => ({
  code: 'CONFIG_SYNTAX',
  severity: 'warning',
  message: 'm',
  ...over,
})
const web = { cluster: 'a/web' }
const api = { cluster: 'a/api' }
const source = { name: 'templates/a.yaml', path: '/x/templates/a.yaml', text: 'abc' }

/** At an offset of a file in the archive of a release, which may hold the archive of a chart. */
const inArchive = (tag: string, start: number, chart = 'csi-2.1.0'): Pick<Diagnostic, 'at'> => ({
  at: { source: { ...source, path: `/x/${tag}/addon-${tag}.tgz!/csi/charts/${chart}.tgz!/csi/a.yaml` }, start, end: 3 },
})

const folds: readonly { name: string; given: readonly Diagnostic[]; want: readonly (readonly FindingSubject[])[] }[] = [
  { name: 'nothing', given: [], want: [] },
  { name: 'one of the fleet', given: [finding()], want: [[]] },
  { name: 'two clusters', given: [finding({ about: web }), finding({ about: api })], want: [[web, api]] },
  { name: 'one cluster twice', given: [finding({ about: web }), finding({ about: { ...web } })], want: [[web]] },
  {
    name: 'one place of a file that was read twice',
    given: [
      finding({ about: web, at: { source, start: 1, end: 2 } }),
      finding({ about: api, at: { source: { ...source }, start: 1, end: 2 } }),
    ],
    want: [[web, api]],
  },
  {
    name: 'two messages',
    given: [finding({ about: web }), finding({ about: api, message: 'n' })],
    want: [[web], [api]],
  },
  { name: 'two hints', given: [finding({ about: web }), finding({ about: api, hint: 'h' })], want: [[web], [api]] },
  {
    name: 'two severities',
    given: [finding({ about: web }), finding({ about: api, severity: 'error' })],
    want: [[web], [api]],
  },
  {
    name: 'files of equal names in two folders',
    given: [
      finding({ about: web, at: { source, start: 1, end: 2 } }),
      finding({ about: api, at: { source: { ...source, path: '/y/templates/a.yaml' }, start: 1, end: 2 } }),
    ],
    want: [[web], [api]],
  },
  {
    name: 'one file of two releases, at other lines, of other versions of its chart',
    given: [
      finding({ about: web, ...inArchive('v1', 1) }),
      finding({ about: api, ...inArchive('v2', 2, 'csi-2.2.0') }),
    ],
    want: [[web, api]],
  },
  {
    name: 'two places of one release, both of them in another, too',
    given: [
      finding({ about: web, ...inArchive('v1', 0) }),
      finding({ about: web, ...inArchive('v1', 1) }),
      finding({ about: api, ...inArchive('v2', 1) }),
      finding({ about: api, ...inArchive('v2', 2) }),
    ],
    want: [
      [web, api],
      [web, api],
    ],
  },
  {
    name: 'files of two charts of one release',
    given: [
      finding({ about: web, ...inArchive('v1', 0) }),
      finding({ about: api, ...inArchive('v1', 0, 'other-1.0.0') }),
    ],
    want: [[web], [api]],
  },
]

describe('foldFindings', () => {
  test.each(folds)('$name', ({ given, want }) => {
    expect(foldFindings(given).map(({ about }) => about)).toEqual(want)
  })
})

const clusters = (count: number): readonly FindingSubject[] =>
  Array.from({ length: count }, (_, index) => ({ cluster: `a/c${index}`, addon: 'cni', release: 'docker-x-1-34-v1' }))

describe('formatSubjects', () => {
  test.each([
    { given: [], want: '' },
    { given: [{ release: 'r' }], want: 'release r' },
    { given: clusters(1), want: 'cluster a/c0, addon cni, release docker-x-1-34-v1' },
    { given: clusters(2), want: 'clusters a/c0, a/c1; addon cni; release docker-x-1-34-v1' },
    { given: clusters(5), want: 'clusters a/c0, a/c1, a/c2, a/c3, a/c4; addon cni; release docker-x-1-34-v1' },
    {
      given: clusters(6),
      want: 'clusters a/c0, a/c1, a/c2, a/c3 and 2 more; addon cni; release docker-x-1-34-v1',
    },
    { given: [{ release: 'r' }, { release: 's' }], want: 'releases r, s' },
  ])('$want', ({ given, want }) => {
    expect(formatSubjects(given)).toBe(want)
  })
})
