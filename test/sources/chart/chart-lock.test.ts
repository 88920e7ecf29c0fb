import { describe, expect, test } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { buildChart } from '../../../src/sources/chart/build-chart.ts'
import type { Chart } from '../../../src/model/chart.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'

const ports = createNodePorts()

function chartOf(files: readonly (readonly [string, string])[]): Chart {
  const chartYaml =
    'apiVersion: v2\nname: wrapper\nversion: 1.0.0\ndependencies:\n- {name: a, version: 1.x, repository: ""}\n'
  const all = [['Chart.yaml', chartYaml] as const, ...files]
  return buildChart(
    all.map(([path, text]) => ({ path, bytes: encodeUtf8(text) })),
    'wrapper',
    ports,
  )
}

function refusal(lock: string): string {
  try {
    chartOf([['Chart.lock', lock]])
  } catch (error) {
    if (error instanceof StackmasonError) return `${error.diagnostics[0]?.code ?? ''}: ${error.message}`
    throw error
  }
  return 'none'
}

describe('the lock of a chart', () => {
  test('is kept with what its digest is taken over', () => {
    const { lock } = chartOf([['Chart.lock', 'dependencies:\n- {name: a, version: "1.5"}\n- null\ndigest: sha256:0\n']])
    expect(lock).toMatchObject({
      source: { name: 'wrapper/Chart.lock' },
      digest: 'sha256:0',
      dependencies: [
        { name: 'a', version: '1.5', repository: '' },
        { name: '', version: '', repository: '' },
      ],
      digestOf: [
        '[[{"name":"a","version":"1.x","repository":""}],[{"name":"a","version":"1.5","repository":""},null]]',
        '{"dependencies":[{"name":"a","version":"1.x","repository":""}]}',
      ],
    })
  })

  test.each([
    ['', 'null'],
    ['dependencies:\n', 'null'],
    ['dependencies: []\n', '[]'],
  ])('of %j has no dependencies', (text, written) => {
    expect(chartOf([['Chart.lock', text]]).lock?.digestOf[0]).toBe(
      `[[{"name":"a","version":"1.x","repository":""}],${written}]`,
    )
  })

  test('is the last one where there are two', () => {
    const locks = [['Chart.lock', 'digest: sha256:1\n'] as const, ['requirements.lock', 'digest: sha256:2\n'] as const]
    expect(chartOf(locks).lock?.digest).toBe('sha256:2')
    expect(chartOf(locks.toReversed()).lock?.digest).toBe('sha256:1')
  })

  test.each([
    ['a: [', 'CHART_INVALID: cannot load Chart.lock:'],
    ['- a\n', 'CHART_INVALID: cannot load Chart.lock: it must be a map'],
    ['dependencies: {a: 1}\n', 'CHART_INVALID: dependencies must be a list'],
    ['dependencies: [text]\n', 'CHART_INVALID: dependencies must be maps'],
    ['dependencies: [{name: [a]}]\n', 'CHART_INVALID: dependencies.0.name must be text'],
    ['dependencies: [{tags: a}]\n', 'CHART_INVALID: dependencies.0.tags must be a list'],
    ['digest: {}\n', 'CHART_INVALID: digest must be text'],
  ])('stops the chart when it is %j', (text, want) => {
    expect(refusal(text)).toContain(want)
  })
})
