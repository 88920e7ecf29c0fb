import { expect, it } from 'vitest'
import { nearestReleases } from '../../src/model/nearest-release.ts'
import { formatTag, parseReleaseTag } from '../../src/model/release-name.ts'

it('puts what was most likely meant first', () => {
  const offered = [
    'docker-scs-1-30-v1',
    'openstack-scs-1-31-v1',
    'openstack-scs-1-32-v0-sha-abc',
    'openstack-scs-1-32-v9',
    'openstack-scs-1-32-v1',
    'openstack-scs2-1-32-v2',
    'openstack-scs-1-29-v1',
  ]
  const wanted = parseReleaseTag('openstack-scs-1-32-v2')
  expect(
    nearestReleases(
      wanted,
      offered.map((tag) => parseReleaseTag(tag)),
    ).map(formatTag),
  ).toEqual([
    'openstack-scs-1-32-v1',
    'openstack-scs-1-32-v9',
    'openstack-scs-1-32-v0-sha-abc',
    'openstack-scs-1-31-v1',
    'openstack-scs-1-29-v1',
    'openstack-scs2-1-32-v2',
    'docker-scs-1-30-v1',
  ])
})

it('gives the same order whatever the order of the input', () => {
  const offered = ['a-b-1-30-v1', 'a-b-1-30-v3', 'a-b-1-28-v1', 'a-b-1-32-v1'].map((tag) => parseReleaseTag(tag))
  const wanted = parseReleaseTag('a-b-1-30-v2')
  const want = ['a-b-1-30-v1', 'a-b-1-30-v3', 'a-b-1-28-v1', 'a-b-1-32-v1']
  expect(nearestReleases(wanted, offered).map(formatTag)).toEqual(want)
  expect(nearestReleases(wanted, offered.toReversed()).map(formatTag)).toEqual(want)
})
