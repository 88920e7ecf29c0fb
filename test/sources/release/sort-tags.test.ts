import { expect, test } from 'vitest'
import { parseReleaseTag } from '../../../src/model/release-name.ts'
import { sortTags } from '../../../src/sources/release/sort-tags.ts'

const source = { name: 'web', at: { source: { name: 'stackmason.yaml', text: '' }, start: 0, end: 0 } }

test('keeps release tags in order, the first of equal ones, with what came with them', () => {
  const tags = [
    ['openstack-scs2-1-34-v2', 1],
    ['docker-ferrol-1-27-v0-sha-hipstsw', 2],
    ['openstack-scs2-1-34-v2', 3],
  ] as const
  expect(sortTags(tags, source)).toEqual({
    releases: [
      { tag: tags[1][0], name: parseReleaseTag(tags[1][0]), content: 2 },
      { tag: tags[0][0], name: parseReleaseTag(tags[0][0]), content: 1 },
    ],
    findings: [],
  })
})

test.each<{ readonly case: string; readonly tags: readonly string[]; readonly message: string }>([
  { case: 'one', tags: ['latest'], message: 'source "web" has a tag that is not a release name, skipped: "latest"' },
  {
    case: 'another spelling of a release',
    tags: ['openstack-scs2-1-34-v02', 'openstack-scs2-1-034-v2', 'openstack-scs2-1-34-v2-stable-1'],
    message:
      'source "web" has 3 tags that are not release names, skipped: "openstack-scs2-1-034-v2", "openstack-scs2-1-34-v02", "openstack-scs2-1-34-v2-stable-1"',
  },
  {
    case: 'many, and some twice',
    tags: ['g', 'f', 'e', 'd', 'c', 'b', 'a', 'a'],
    message: 'source "web" has 7 tags that are not release names, skipped: "a", "b", "c", "d", "e" and 2 more',
  },
  {
    case: 'a hostile one',
    tags: [`\u001b[31m${'x'.repeat(100)}`],
    message: `source "web" has a tag that is not a release name, skipped: "\\u001b[31m${'x'.repeat(75)}…"`,
  },
])('reports odd tags once: $case', ({ tags, message }) => {
  const { releases, findings } = sortTags(
    tags.map((tag) => [tag, undefined]),
    source,
  )
  expect(releases).toEqual([])
  expect(findings).toEqual([
    {
      code: 'RELEASE_TAG_SKIPPED',
      severity: 'note',
      message,
      at: source.at,
      hint: 'A release is tagged <provider>-<stack>-<major>-<minor>-<version>, such as openstack-scs2-1-34-v2.',
    },
  ])
})
