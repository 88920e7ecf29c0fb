import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { runCli } from './run-cli.ts'

/** A line of ours, forged after each way to begin a line or to hide what stands before. */
const FORGED = 'error FORGED all is well'
const breaks = { 'a line feed': '\n', 'a carriage return': '\r', escape: '\u001B[2K', 'a turned direction': '\u202E' }

const MAP = 'providers/docker/starter/cluster-addon/welcome/templates/configmap.yaml'

/** Where text of strangers gets into findings. */
const places: Readonly<Record<string, (text: string) => Readonly<Record<string, string>>>> = {
  kind: (text) => ({
    [MAP]: `apiVersion: x.example/v1\nkind: ${JSON.stringify(text)}\nmetadata: {name: web, namespace: default}\n`,
  }),
  name: (text) => ({
    'clusters/team-a/web/cluster.yaml': `apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: ${JSON.stringify(text)}}\n`,
  }),
  'a file': (text) => ({ [`clusters/team-a/web/patches/${text}.yaml`]: 'a: [' }),
  'a key': (text) => ({ 'clusters/team-a/web/options.yaml': `${JSON.stringify(text)}: 1\n` }),
  'a message of a template': (text) => ({
    [MAP]: `{{ fail ${JSON.stringify(text)} }}`,
  }),
}

const cases = Object.entries(places).flatMap(([place, files]) =>
  Object.entries(breaks).map(([what, mark]) => ({ place, what, files: files(`x${mark}${FORGED}`) })),
)

describe('text of strangers', () => {
  test.each(cases)('stays on its line and in its direction: $what in $place', async ({ files, place }) => {
    const cwd = await tempFolder()
    await runCli(['init'], { cwd })
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(cwd, path, '..'), { recursive: true })
      await writeFile(join(cwd, path), text)
    }
    const plain = await runCli(['render'], { cwd })
    expect(plain.status).toBeGreaterThan(0)
    expect(plain.stderr).toContain('FORGED')
    expect(plain.stderr).not.toMatch(/^\s*error FORGED/m)
    expect(plain.stderr + plain.stdout).not.toMatch(/[\r\u001B\u202E]/)
    const { stdout } = await runCli(['render', '-o', 'json'], { cwd })
    expect(stdout).not.toMatch(/[\r\u001B\u202E]/)
    // of a kind that is none the message tells only the length
    expect(JSON.stringify(JSON.parse(stdout)).includes('FORGED')).toBe(place !== 'kind')
  })
})
