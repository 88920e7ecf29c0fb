import { describe, expect, test } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import type { Chart } from '../../../src/model/chart.ts'
import { buildChart } from '../../../src/sources/chart/build-chart.ts'
import { lockedVersions } from '../../../src/sources/dependency/locked-versions.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'

const ports = createNodePorts()

function chartOf(files: Readonly<Record<string, string>>): Chart {
  const list = Object.entries(files).map(([path, text]) => ({ path, bytes: encodeUtf8(text) }))
  return buildChart(list, 'wrapper', ports)
}

const chartYaml = `apiVersion: v2
name: wrapper
version: 1.0.0
dependencies:
- name: app
  version: '>=1.0.0 <2 || ~3 & <x>'
  repository: https://charts.example
  condition: app.enabled, other.enabled
  tags: [one, "t&wo"]
  import-values: [data, {child: a.b, parent: c, extra: [1, 2.5, true, null]}]
  alias: my-app
- name: plain
  version: 1.x
  repository: oci://registry.example/charts
  enabled: true
`

function lockOf(digest: string): string {
  return `dependencies:
- name: app
  repository: https://charts.example
  version: 1.9.1
- name: plain
  repository: oci://registry.example/charts
  version: v1.4.0
digest: ${digest}
generated: "2026-01-01T00:00:00Z"
`
}

describe('lockedVersions', () => {
  // Digests by internal/resolver of Helm 4.1.4.
  const digest = 'sha256:a790da3a1c5a418e33fa8ba779f03a2a561d0f45df8c0296b4e4796b905d1768'
  const digestV1 = 'sha256:cb5853a631048a5db2b21ea9f388b072ae72b5ae76a3f4a0e799c056ccbb862f'
  const digestHelm2 = 'sha256:1d85ea405e387cbe1fe4790462e1c2fcad56174bacb807e3006f8b4577a3173e'

  test('takes the versions of a lock that fits', () => {
    const chart = chartOf({ 'Chart.yaml': chartYaml, 'Chart.lock': lockOf(digest) })
    const { versions, findings } = lockedVersions(chart, ports.crypto)
    expect([...versions].map(([{ name }, version]) => [name, version])).toEqual([
      ['app', '1.9.1'],
      ['plain', 'v1.4.0'],
    ])
    expect(findings).toEqual([])
  })

  test.each([
    { name: 'Helm 3 and 4', lockDigest: digestV1 },
    { name: 'Helm 2', lockDigest: digestHelm2 },
  ])('reads requirements.lock as $name write it', ({ lockDigest }) => {
    const requirements = 'dependencies:\n- name: app\n  version: ^1\n  repository: https://charts.example\n'
    const lock = `dependencies:\n- name: app\n  repository: https://charts.example\n  version: 1.9.1\ndigest: ${lockDigest}\ngenerated: 2019-01-01T00:00:00Z\n`
    const chart = chartOf({
      'Chart.yaml': 'apiVersion: v1\nname: wrapper\nversion: 1.0.0\n',
      'requirements.yaml': requirements,
      'requirements.lock': lock,
    })
    const { versions, findings } = lockedVersions(chart, ports.crypto)
    expect([...versions.values()]).toEqual(['1.9.1'])
    expect(findings).toEqual([])
  })

  test('passes over a lock that was made for other declarations', () => {
    const chart = chartOf({ 'Chart.yaml': chartYaml.replace('1.x', '2.x'), 'Chart.lock': lockOf(digest) })
    expect(lockedVersions(chart, ports.crypto)).toEqual({
      versions: new Map(),
      findings: [
        {
          code: 'DEPENDENCY_LOCK_STALE',
          severity: 'warning',
          message: 'the lock of chart wrapper does not fit its declared dependencies and was skipped',
          file: 'wrapper/Chart.lock',
          hint: 'Run `helm dependency update` in the chart and commit the result, or remove the lock.',
        },
      ],
    })
  })

  test('passes over a lock whose versions were edited', () => {
    const chart = chartOf({ 'Chart.yaml': chartYaml, 'Chart.lock': lockOf(digest).replace('1.9.1', '1.9.2') })
    expect(lockedVersions(chart, ports.crypto).findings).toMatchObject([{ code: 'DEPENDENCY_LOCK_STALE' }])
  })

  test('has nothing to say about a chart without a lock', () => {
    expect(lockedVersions(chartOf({ 'Chart.yaml': chartYaml }), ports.crypto)).toEqual({
      versions: new Map(),
      findings: [],
    })
  })
})
