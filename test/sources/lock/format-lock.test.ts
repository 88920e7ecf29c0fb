import { describe, expect, it } from 'vitest'
import type { Lock } from '../../../src/model/lock.ts'
import { formatLock } from '../../../src/sources/lock/format-lock.ts'
import { parseLock } from '../../../src/sources/lock/parse-lock.ts'
import { lockedDependency, lockedRelease, lockOf } from './locks.ts'

/** The lock without where its entries stood. */
function withoutPlaces(lock: Lock): Lock {
  const strip = <Item extends object>(item: Item): Item => {
    const copy = { ...item }
    Reflect.deleteProperty(copy, 'at')
    return copy
  }
  return { releases: lock.releases.map(strip), dependencies: lock.dependencies.map(strip) }
}

function reread(lock: Lock): Lock {
  return withoutPlaces(parseLock({ name: 'stackmason.lock', text: formatLock(lock) }))
}

describe('formatLock', () => {
  it('writes one block for each entry', () => {
    const lock = lockOf(
      [
        lockedRelease('openstack-scs2-1-34-v2'),
        lockedRelease('docker-demo-1-33-v1', {
          source: 'local',
          from: 'providers/docker/demo',
          stacks: ['platform/b', 'platform/a'],
          addons: new Map(),
          assets: new Map(),
          kubernetesVersion: 'v1.33.1',
        }),
      ].map((release) => (release.source === 'local' ? withoutRevision(release) : release)),
      [lockedDependency('cilium', '1.18.5')],
    )
    expect(formatLock(lock)).toBe(`\
# Written by \`stackmason update\`; commit it, never edit it. After a merge conflict take both sides and run \`stackmason update\`.
apiVersion: stackmason.dev/v1alpha1
kind: Lock

releases:

  - name: docker-demo-1-33-v1
    source: local
    kubernetesVersion: v1.33.1
    stacks: [platform/a, platform/b]
    from: providers/docker/demo
    addons: {}
    digest: sha256:64646f636b65722d64656d6f2d312d33332d7631000000000000000000000000

  - name: openstack-scs2-1-34-v2
    source: releases
    kubernetesVersion: v1.34.7
    stacks: [platform/openstack-scs2]
    from: oci://registry.example.com/kaas/cluster-stacks:openstack-scs2-1-34-v2
    addons: {ccm: 2.34.2, cilium: "1.18", metrics-server: 3.13.0}
    revision: sha256:72656e737461636b2d736373322d312d33342d76320000000000000000000000
    assets:
      clusteraddon.yaml: sha256:73616d6500000000000000000000000000000000000000000000000000000000
      metadata.yaml: sha256:6d656e737461636b2d736373322d312d33342d76320000000000000000000000
      node-images.yaml: sha256:73616d6500000000000000000000000000000000000000000000000000000000
      openstack-scs2-1-34-v2-cluster-class.tgz: sha256:63656e737461636b2d736373322d312d33342d76320000000000000000000000
    digest: sha256:64656e737461636b2d736373322d312d33342d76320000000000000000000000

# Charts that own addons take from a repository, or charts depend on and do not carry.
# Name, repository and request are what these ask for; the rest is what that resolved to.
dependencies:

  - url: https://charts.example.com/cilium-1.18.5.tgz
    name: cilium
    repository: https://charts.example.com
    request: ~1.18.5
    version: 1.18.5
    digest: sha256:63696c69756d312e31382e350000000000000000000000000000000000000000

...
`)
  })

  it('gives the same bytes for any order of entries', () => {
    const releases = ['a-b-1-34-v10', 'a-b-1-34-v9', 'a-b-1-33-v1'].map((name) => lockedRelease(name))
    const dependencies = [
      lockedDependency('x', '2.0.0'),
      lockedDependency('x', '1.0.0'),
      lockedDependency('a', '1.0.0'),
    ]
    const text = formatLock(lockOf(releases, dependencies))
    expect(formatLock(lockOf(releases.toReversed(), dependencies.toReversed()))).toBe(text)
    expect(Array.from(text.matchAll(/ name: (.*)/g), ([, name]) => name)).toEqual([
      'a-b-1-33-v1',
      'a-b-1-34-v10',
      'a-b-1-34-v9',
      'a',
      'x',
      'x',
    ])
  })

  it.each([
    { name: 'an empty lock', lock: lockOf([]) },
    { name: 'everything', lock: lockOf([lockedRelease('a-b-1-34-v1')], [lockedDependency('x', '1.0.0')]) },
    {
      name: 'texts that YAML would take for something else',
      lock: lockOf(
        [
          lockedRelease('a-b-1-34-v1', {
            source: 'yes',
            from: '1.0',
            addons: new Map([
              ['0x10', '1e3'],
              ['__proto__', '12:30:45'],
              ['constructor', '1.10'],
              ['null', '~'],
            ]),
            stacks: ['a/b', 'a/{c}, d'.replaceAll(' ', '')],
          }),
        ],
        [
          lockedDependency('x', '1.10', { request: '>=1.0.0 <2 || ^3 # x' }),
          lockedDependency('y', '1', { request: '*' }),
          lockedDependency('z', '2024-01-01', { request: '' }),
          lockedDependency('z', '1.0.0', { request: 'two\nlines: "\u0007"\u2028' }),
        ],
      ),
    },
  ])('reads back $name as it was written', ({ lock }) => {
    expect(reread(lock)).toEqual(lock)
  })

  it('keeps credentials out of addresses', () => {
    const lock = lockOf(
      [lockedRelease('a-b-1-34-v1', { from: 'https://user:hunter2@git.example.com/stacks.git?token=hunter2' })],
      [
        lockedDependency('x', '1.0.0', {
          repository: 'https://user:hunter2@charts.example.com/a',
          url: 'https://hunter2@charts.example.com/a/x-1.0.0.tgz?X-Signature=hunter2',
        }),
      ],
    )
    expect(formatLock(lock)).not.toContain('hunter2')
    expect(reread(lock).releases[0]?.from).toBe('https://git.example.com/stacks.git')
    expect(reread(lock).dependencies[0]).toMatchObject({
      repository: 'https://charts.example.com/a',
      url: 'https://charts.example.com/a/x-1.0.0.tgz',
    })
  })

  it('refuses a credential where none can be cut off', () => {
    const lock = lockOf([lockedRelease('a-b-1-34-v1', { revision: 'https://user:hunter2@git.example.com' })])
    expect(() => formatLock(lock)).toThrow('an address with credentials was about to be locked')
  })
})

function withoutRevision<Release extends { readonly revision?: string }>(release: Release): Release {
  const copy = { ...release }
  Reflect.deleteProperty(copy, 'revision')
  return copy
}
