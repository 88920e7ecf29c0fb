import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { packageFolder, runCli } from './run-cli.ts'

async function problemsOf(schema: string, text: string): Promise<readonly string[]> {
  const file = join(packageFolder, 'schemas', `${schema}.json`)
  const { validate } = compileSchema(parseGoJson(await readFile(file, 'utf8')))
  return validate(parseGoJson(text)).map(({ path, message }) => `${path.join('.')} ${message}`)
}

// what is one of a kind in the lines of a tree, so that each part of the schema has met a line
const parts = ['by', 'cluster', 'fleet', 'field', 'patches', 'setting', 'templates', 'values']

test.each(['flux', 'argocd'])('explanations of a whole tree of %s fit schemas/explanation.json', async (engine) => {
  const fleet = new FleetFolder(await tempFolder())
  await runCli(['init', '--engine', engine], { cwd: fleet.folder })
  const addon = 'providers/docker/starter/cluster-addon/welcome'
  fleet.write(
    `${addon}/overwrite.yaml`,
    'values: |\n  cluster: "{{ .Cluster.spec.controlPlaneEndpoint.host }}"\n  message: {{ .Cluster.metadata.name }}\n',
  )
  fleet.remove('clusters/team-a/web/values')
  fleet.write('clusters/team-a/web/patches/more.yaml', patch)
  await fleet.render()
  const seen = new Set<string>()
  const files = fleet.filesBelow('rendered').filter((path) => !path.includes('.stackmason/'))
  for (const path of files) {
    const { status, stdout, stderr } = await runCli(['explain', join('rendered', path), '-o', 'json'], {
      cwd: fleet.folder,
    })
    expect({ path, status, stderr, problems: await problemsOf('explanation', stdout) }).toEqual({
      path,
      status: 0,
      stderr: '',
      problems: [],
    })
    const { lines }: { readonly lines: readonly object[] } = JSON.parse(stdout)
    for (const key of lines.flatMap(filledKeys)) seen.add(key)
  }
  expect(parts.filter((part) => !seen.has(part))).toEqual([])
})

test('what version writes fits schemas/version.json', async () => {
  const { stdout } = await runCli(['version', '-o', 'json'])
  expect(await problemsOf('version', stdout)).toEqual([])
  expect(await problemsOf('version', stdout.replace('"helm"', '"helmet"'))).not.toEqual([])
})

const patch =
  'apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec: {target: {kind: ConfigMap, name: welcome}, mergePatch: {data: {more: "1"}}}\n'

/** The names of the fields of an explained line that say something, with those of its holes. */
function filledKeys(line: object): readonly string[] {
  return Object.entries(line).flatMap(([key, value]: readonly [string, unknown]) =>
    !Array.isArray(value)
      ? [key]
      : value.length === 0
        ? []
        : [key, ...value.flatMap((item: unknown) => (typeof item === 'object' && item ? Object.keys(item) : []))],
  )
}
