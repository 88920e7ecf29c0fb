import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { positionAt, type Source } from '../../src/model/source.ts'
import { explain, type ExplainedLine } from '../../src/pipeline/explain.ts'
import { render } from '../../src/pipeline/render.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'

const ports = createNodePorts()
const folder = mkdtempSync(join(tmpdir(), 'stackmason-explain-'))
const deployment = 'clusters/team-a/web/addons/02-metrics/deployment-metrics-agent.yaml'

beforeAll(async () => {
  cpSync(join(import.meta.dirname, '../../examples/fleet'), folder, { recursive: true })
  const config = join(folder, 'stackmason.yaml')
  writeFileSync(config, readFileSync(config, 'utf8').replace('../../rendered', 'rendered'))
  await render(
    { start: folder, clusters: [], stacks: [], check: false, allowEmpty: false, overwriteEdited: false },
    ports,
    () => undefined,
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function place(source: Source, offset: number): string {
  const { line, column } = positionAt(source, offset)
  return `${source.name.split('/').slice(-2).join('/')}:${line}:${column}`
}

function summary(line: ExplainedLine): readonly string[] {
  return [
    ...line.templates.map(({ source, offset }) => place(source, offset)),
    ...(line.values === undefined ? [] : [`values ${place(line.values.source, line.values.start)}`]),
    ...(line.by === undefined ? [] : [line.by]),
    ...line.patches.map((patch) => `patch ${place(patch.source, patch.start)}`),
  ]
}

describe('explain', () => {
  const rows: readonly { readonly file: string; readonly text: string; readonly want: readonly string[] }[] = [
    { file: deployment, text: 'kind: Deployment', want: ['templates/deployment.yaml:2:7'] },
    { file: deployment, text: '  namespace: kube-system', want: ['namespace'] },
    {
      file: deployment,
      text: '    domain: web.clusters.example.com',
      want: ['templates/_helpers.tpl:5:4', 'templates/deployment.yaml:6:9', 'values metrics/overwrite.yaml:11:7'],
    },
    { file: deployment, text: '    clusterstack.x-k8s.io/instance: owned', want: ['instance-label'] },
    {
      file: deployment,
      text: '  replicas: 2',
      want: ['templates/deployment.yaml:8:16', 'values values/metrics.yaml:2:13'],
    },
    {
      file: deployment,
      text: '        - --scrape-interval=30s',
      want: ['templates/deployment.yaml:23:15', 'values values/metrics.yaml:3:19'],
    },
    {
      file: deployment,
      text: '        - --kubelet-insecure-tls',
      want: ['templates/deployment.yaml:25:18', 'values metrics/values.yaml:3:7'],
    },
    { file: deployment, text: '      tolerations:', want: ['patch patches/metrics-tolerations.yaml:5:3'] },
    { file: 'clusters/team-a/web/cluster/cluster-web.yaml', text: '  name: web', want: ['fleet'] },
    {
      file: 'stacks/platform/docker-demo-1-34-v3/clusterclass-docker-demo-1-34-v3.yaml',
      text: '  name: docker-demo-1-34-v3',
      want: ['templates/_names.tpl:2:4', 'templates/cluster-class.yaml:4:12'],
    },
  ]
  test.each(rows)('$text', async ({ file, text, want }) => {
    const path = join(folder, 'rendered', file)
    const line = readFileSync(path, 'utf8').split('\n').indexOf(text) + 1
    const { lines } = await explain({ start: folder, file: path, line }, ports)
    expect(lines.map(({ text: shown }) => shown)).toEqual([text])
    expect(lines.flatMap(summary)).toEqual(want)
  })

  test('without a line every line of the file is explained by something', async () => {
    const path = join(folder, 'rendered', deployment)
    const { lines, object, unit, from } = await explain({ start: folder, file: path }, ports)
    expect({ object, unit, from }).toEqual({
      object: 'Deployment kube-system/metrics-agent',
      unit: 'metrics',
      from: 'docker-demo-1-34-v3',
    })
    expect(lines.map(({ text }) => `${text}\n`).join('')).toBe(readFileSync(path, 'utf8'))
    // what the handoff adds for the GitOps tool comes from no input
    expect(lines.filter((line) => summary(line).length === 0).map(({ text }) => text)).toEqual([
      '  annotations:',
      '    kustomize.toolkit.fluxcd.io/substitute: disabled',
    ])
  })

  const refused: readonly (readonly [string, string])[] = [
    ['stackmason.yaml', 'there is nothing to explain: it does not lie in the output folder rendered'],
    [
      'rendered/clusters/team-a/web/addons/02-metrics/kustomization.yaml',
      'there is nothing to explain: the fleet renders no such file',
    ],
  ]
  test.each(refused)('%s', async (file, message) => {
    await expect(explain({ start: folder, file: join(folder, file) }, ports)).rejects.toThrow(message)
  })
})
