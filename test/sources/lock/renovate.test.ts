import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatLock } from '../../../src/sources/lock/format-lock.ts'
import { parseLock } from '../../../src/sources/lock/parse-lock.ts'
import { fakeDigest, lockedDependency, lockedRelease, lockOf } from './locks.ts'

interface Manager {
  readonly customType: string
  readonly managerFilePatterns: readonly string[]
  readonly matchStrings: readonly string[]
  readonly datasourceTemplate: string
  readonly versioningTemplate?: string
}

const page = readFileSync(join(import.meta.dirname, '../../../docs/12-lock-and-cache.md'), 'utf8')
const [, configuration = ''] = /<!-- renovate -->\n\n```json\n(.*?)```\n/s.exec(page) ?? []
const { customManagers }: { readonly customManagers: readonly Manager[] } = JSON.parse(configuration)

const text = formatLock(
  lockOf(
    [
      lockedRelease('openstack-scs2-1-34-v2'),
      lockedRelease('openstack-scs2-1-34-v10', { from: 'oci://localhost:5000/a/b/c:openstack-scs2-1-34-v10' }),
      lockedRelease('docker-demo-1-34-v1', {
        source: 'forge',
        from: 'https://github.com/SovereignCloudStack/cluster-stacks/releases/tag/docker-demo-1-34-v1',
      }),
      lockedRelease('docker-demo-1-33-v1', {
        source: 'forge',
        from: 'https://github.example.com/kaas/stacks/releases/tag/docker-demo-1-33-v1',
      }),
      lockedRelease('local-demo-1-34-v1', { from: 'providers/local/demo', assets: new Map() }),
      lockedRelease('web-demo-1-34-v1', { from: 'https://releases.example.com/stacks/web-demo-1-34-v1' }),
    ],
    [
      lockedDependency('cilium', '1.18.5'),
      lockedDependency('cilium', '1.10', { request: '>=1.10 <1.11' }),
      lockedDependency('ccm', '2.34.2', {
        repository: 'oci://registry.example.com:5000/charts',
        url: 'oci://registry.example.com:5000/charts/ccm:2.34.2',
      }),
    ],
  ),
)

/** What a manager of the page sees, as Renovate reads it: every match of every expression. */
function seenBy(datasource: string, kind: 'release' | 'chart'): readonly Readonly<Record<string, string>>[] {
  const managers = customManagers.filter(
    ({ datasourceTemplate, versioningTemplate }) =>
      datasourceTemplate === datasource && (versioningTemplate?.startsWith('regex:') === true) === (kind === 'release'),
  )
  return managers.flatMap(({ matchStrings }) =>
    matchStrings.flatMap((expression) =>
      Array.from(text.matchAll(new RegExp(expression, 'g')), ({ groups }) => ({ ...groups })),
    ),
  )
}

describe('the Renovate configuration of the documentation', () => {
  it('looks at stackmason.lock only', () => {
    const expressions = customManagers
      .flatMap((manager) => manager.managerFilePatterns)
      .map((pattern) => new RegExp(pattern.slice(1, -1)))
    expect(customManagers.map(({ customType }) => customType)).toEqual(['regex', 'regex', 'regex', 'regex'])
    for (const expression of expressions) {
      expect(
        ['stackmason.lock', 'fleets/a/stackmason.lock', 'my-stackmason.lock', 'stackmason.lock.md'].map((file) =>
          expression.test(file),
        ),
      ).toEqual([true, true, false, false])
    }
  })

  it('sees releases in registries', () => {
    const digestOf = (name: string): string => fakeDigest(`r${name.slice(-20)}`)
    expect(seenBy('docker', 'release')).toEqual([
      {
        currentValue: 'openstack-scs2-1-34-v10',
        depName: 'localhost:5000/a/b/c',
        currentDigest: digestOf('openstack-scs2-1-34-v10'),
      },
      {
        currentValue: 'openstack-scs2-1-34-v2',
        depName: 'registry.example.com/kaas/cluster-stacks',
        currentDigest: digestOf('openstack-scs2-1-34-v2'),
      },
    ])
  })

  it('sees releases on GitHub', () => {
    expect(seenBy('github-releases', 'release')).toEqual([
      { currentValue: 'docker-demo-1-33-v1', registryUrl: 'https://github.example.com', depName: 'kaas/stacks' },
      {
        currentValue: 'docker-demo-1-34-v1',
        registryUrl: 'https://github.com',
        depName: 'SovereignCloudStack/cluster-stacks',
      },
    ])
  })

  it('sees charts', () => {
    expect(seenBy('helm', 'chart')).toEqual([
      { depName: 'cilium', registryUrl: 'https://charts.example.com', currentValue: '1.10' },
      { depName: 'cilium', registryUrl: 'https://charts.example.com', currentValue: '1.18.5' },
    ])
    expect(seenBy('docker', 'chart')).toEqual([
      { depName: 'registry.example.com:5000/charts/ccm', currentValue: '2.34.2' },
    ])
  })

  it('tells versions of one stack and minor from others', () => {
    const versionings = new Set(
      customManagers.flatMap(({ versioningTemplate = '' }) =>
        versioningTemplate.startsWith('regex:') ? [versioningTemplate] : [],
      ),
    )
    expect(versionings.size).toBe(1)
    const [versioning = ''] = versionings
    const expression = new RegExp(versioning.slice('regex:'.length))
    const read = (tag: string): Readonly<Record<string, string>> => ({ ...expression.exec(tag)?.groups })
    expect(read('openstack-scs2-1-34-v10')).toEqual({ compatibility: 'openstack-scs2-1-34', major: '10' })
    expect(read('openstack-scs2-1-34-v0-sha-abc1234')).toEqual({})
    expect(read('latest')).toEqual({})
  })
})

describe('the example of the documentation', () => {
  it('is a lock as it is written', () => {
    const [, example = ''] = /```yaml\n(# Written by.*?)```\n/s.exec(page) ?? []
    expect(formatLock(parseLock({ name: 'stackmason.lock', text: example }))).toBe(example)
  })
})
