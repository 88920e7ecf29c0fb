import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { template } from '../../src/pipeline/commands/template.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'

const cwd = mkdtempSync(join(tmpdir(), 'stackmason-template-'))
const ports = createNodePorts()

beforeAll(() => {
  const files: Readonly<Record<string, string>> = {
    'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'crds/x.yaml': 'kind: CustomResourceDefinition\n---\nkind: CustomResourceDefinition\n',
    'templates/a.yaml': 'kind: B\nname: {{ .Release.Name }}\n---\nkind: A\n',
    'templates/test.yaml': 'kind: Pod\nmetadata: {annotations: {helm.sh/hook: test}}\n',
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, 'web', path)), { recursive: true })
    writeFileSync(join(cwd, 'web', path), text)
  }
})
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

describe('template --output-dir', () => {
  test('writes one file for each template, as helm does', async () => {
    const { output } = await template(
      { chart: 'web', cwd, releaseName: 'x', includeCrds: true, outputDir: 'out' },
      ports,
    )
    const paths = ['crds/x.yaml', 'templates/a.yaml', 'templates/test.yaml']
    expect(output).toBe(paths.map((path) => `wrote ${join(cwd, 'out/web', path)}\n`).join(''))
    expect(paths.map((path) => readFileSync(join(cwd, 'out/web', path), 'utf8'))).toEqual([
      '---\n# Source: web/crds/x.yaml\nkind: CustomResourceDefinition\n---\nkind: CustomResourceDefinition\n\n',
      '---\n# Source: web/templates/a.yaml\nkind: A\n---\n# Source: web/templates/a.yaml\nkind: B\nname: x\n',
      '---\n# Source: web/templates/test.yaml\nkind: Pod\nmetadata: {annotations: {helm.sh/hook: test}}\n',
    ])
  })

  test('with --show-only the named templates only', async () => {
    await template({ chart: 'web', cwd, showOnly: ['templates/test.yaml'], outputDir: 'some' }, ports)
    expect(
      readdirSync(join(cwd, 'some'), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.yaml')),
    ).toEqual(['web/templates/test.yaml'])
  })
})

test('--name-template is a template without data', async () => {
  const { output } = await template(
    { chart: 'web', cwd, nameTemplate: '{{ "Abc" | lower }}-{{ add 1 2 }}', showOnly: ['templates/a.yaml'] },
    ports,
  )
  expect(output).toContain('name: abc-3\n')
})
