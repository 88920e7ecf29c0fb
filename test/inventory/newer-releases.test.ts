import { expect, test } from 'vitest'
import { newerReleases } from '../../src/inventory/newer-releases.ts'
import { parseReleaseTag } from '../../src/model/release-name.ts'

const known = [
  'openstack-scs-1-33-v2',
  'openstack-scs-1-33-v10',
  'openstack-scs-1-34-v1',
  'openstack-scs-1-35-v1',
  'openstack-scs-1-35-v0-sha-abc1234',
  'openstack-scs-1-32-v99',
  'docker-scs-1-36-v9',
  'openstack-other-1-36-v9',
].map((tag) => parseReleaseTag(tag))

test.each([
  ['openstack-scs-1-33-v2', { ofMinor: 'openstack-scs-1-33-v10', ofLaterMinor: 'openstack-scs-1-35-v1' }],
  ['openstack-scs-1-33-v10', { ofLaterMinor: 'openstack-scs-1-35-v1' }],
  ['openstack-scs-1-35-v1', {}],
  // content hashes have no order
  ['openstack-scs-1-33-v0-sha-abc1234', {}],
])('newer than %s', (tag, newer) => {
  expect(newerReleases(parseReleaseTag(tag), known)).toEqual(newer)
})
