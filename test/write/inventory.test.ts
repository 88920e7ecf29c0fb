import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compileSchema } from '../../src/codec/json-schema.ts'
import { parseGoJson } from '../../src/codec/go-json.ts'
import { parseGoYaml } from '../../src/codec/go-yaml-parse.ts'
import { formatInventory, type Inventory, parseInventory } from '../../src/write/inventory.ts'

const hash = 'ab'.repeat(32)
const inventory: Inventory = {
  files: [
    {
      path: 'clusterrole-x.yaml',
      sha256: hash,
      object: 'rbac.authorization.k8s.io/v1 ClusterRole a: b #c',
      template: 'cni/templates/role.yaml',
    },
    { path: 'kustomization.yaml', sha256: hash },
  ],
}
const text = `# Written by stackmason: change its inputs instead. +argocd:skip-file-rendering
apiVersion: stackmason.dev/v1alpha1
kind: Inventory
files:
- object: 'rbac.authorization.k8s.io/v1 ClusterRole a: b #c'
  path: clusterrole-x.yaml
  sha256: ${hash}
  template: cni/templates/role.yaml
- path: kustomization.yaml
  sha256: ${hash}
`
const entry = (path: string, sum = hash): string =>
  `apiVersion: stackmason.dev/v1alpha1\nkind: Inventory\nfiles:\n- path: ${path}\n  sha256: ${sum}\n`

const damages: readonly { name: string; input: string; want: string }[] = [
  {
    name: 'merge conflict',
    input: text.replace('files:', '<<<<<<< HEAD\nfiles:'),
    want: 'it holds merge conflict markers',
  },
  { name: 'merge conflict, its middle alone', input: `${text}=======\n`, want: 'it holds merge conflict markers' },
  { name: 'not YAML', input: 'a: [', want: 'it is not valid YAML: ' },
  { name: 'empty', input: '', want: 'it is not an Inventory' },
  { name: 'another kind', input: text.replace('kind: Inventory', 'kind: Other'), want: 'it is not an Inventory' },
  {
    name: 'a later version',
    input: text.replace('v1alpha1', 'v2'),
    want: 'its apiVersion is stackmason.dev/v2, not stackmason.dev/v1alpha1',
  },
  { name: 'no files', input: text.slice(0, text.indexOf('files:')), want: 'it has no list of files' },
  ...['../x', '..', 'a/b', 'a\\b', '', '"a\\0b"', '.stackmason-inventory.yaml', '7'].map((path) => ({
    name: `path ${path}`,
    input: entry(path),
    want: 'entry 1 of its files is not valid',
  })),
  { name: 'no hash', input: entry('a.yaml', 'abc'), want: 'entry 1 of its files is not valid' },
  {
    name: 'a file twice',
    input: `${entry('a')}- path: a\n  sha256: ${hash}\n`,
    want: 'entry 2 of its files is not valid',
  },
]

describe('inventory', () => {
  test('is written in blocks of lines and read back', () => {
    expect(formatInventory(inventory)).toBe(text)
    expect(parseInventory(text)).toEqual(inventory)
  })

  test('an empty one', () => {
    expect(parseInventory(formatInventory({ files: [] }))).toEqual({ files: [] })
  })

  test('meets its schema', () => {
    const schema = compileSchema(parseGoJson(readFileSync('schemas/inventory.json', 'utf8')))
    expect(schema.validate(parseGoYaml(formatInventory(inventory)))).toEqual([])
    expect(schema.validate(parseGoYaml(formatInventory({ files: [] })))).toEqual([])
    expect(schema.validate(parseGoYaml(entry('../x', 'abc'))).map((problem) => problem.path.join('.'))).toEqual([
      'files.0.path',
      'files.0.sha256',
    ])
  })

  test.each(damages)('damage: $name', ({ input, want }) => {
    const result = parseInventory(input)
    expect('damage' in result ? result.damage : result).toMatch(new RegExp(`^${want.replaceAll('.', '\\.')}`))
  })
})
