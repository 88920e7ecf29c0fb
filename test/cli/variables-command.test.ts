import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { packageFolder, runCli } from './run-cli.ts'

const CLASS = 'providers/docker/starter/cluster-class/templates/cluster-class.yaml'
const CLUSTER = 'clusters/team-a/web/cluster.yaml'
const examples = join(packageFolder, 'examples/fleet')

const variables = `
    - name: flavor
      required: true
      schema: {openAPIV3Schema: {type: string, enum: [small, large], description: Size of machines.}}
    - name: disk
      required: true
      schema: {openAPIV3Schema: {type: integer, minimum: 10, maximum: 100, default: 20}}
    - name: network
      schema:
        openAPIV3Schema:
          type: object
          required: [cidr]
          properties:
            cidr: {type: string, description: Of the nodes., pattern: "^[0-9./]+$"}
            subnets: {type: array, items: {type: object, properties: {name: {type: string}}}}
            labels: {type: object, additionalProperties: {type: string}}
            anything: {x-kubernetes-preserve-unknown-fields: true}
    - name: port
      schema: {openAPIV3Schema: {x-kubernetes-int-or-string: true}}
    - name: adminPassword
      schema: {openAPIV3Schema: {type: string, default: hunter2}}
`

/** A fleet whose class has variables, and whose cluster has these lines in its topology. */
async function fleet(own = variables, topology = ''): Promise<string> {
  const folder = await tempFolder()
  await runCli(['init'], { cwd: folder })
  const change = async (path: string, from: string, to: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    const text = await readFile(join(folder, path), 'utf8')
    await writeFile(
      join(folder, path),
      text.replace(from, () => to),
    )
  }
  await change(CLASS, 'spec:\n', `spec:\n  variables:${own}`)
  await change(CLUSTER, '  topology:\n', `  topology:\n${topology}`)
  return folder
}

const given = `    variables: [{name: flavor, value: small}, {name: adminPassword, value: hunter2}]\n`

describe('stackmason variables', () => {
  test('lists the variables of each class', async () => {
    expect(await runCli(['variables'], { cwd: await fleet(variables, given) })).toEqual({
      status: 0,
      stderr: '',
      stdout: `docker-starter-1-34-v1: Kubernetes v1.34.7, 5 variables, 1 cluster. Machine deployments of class default-worker.

NAME              TYPE               DEFAULT
flavor            string             required
    Size of machines.
    one of small, large
    set by team-a/web
disk              integer            20
    at least 10; at most 100
network           object
  cidr            string             required
      Of the nodes.
      matches ^[0-9./]+$
  subnets         list of objects
  subnets[].name  string
  labels          map of strings
  anything        any
port              integer or string
adminPassword     string             "********"
    set by team-a/web
`,
    })
  })

  test('of a release, a class, a cluster, a folder', async () => {
    const cwd = await fleet()
    const { stdout } = await runCli(['variables'], { cwd })
    for (const name of ['docker-starter-1-34-v1', 'team-a/web', 'web'])
      expect(await runCli(['variables', name], { cwd })).toEqual({ status: 0, stderr: '', stdout })
    const folder = await runCli(['variables', './starter'], { cwd: join(cwd, 'providers/docker') })
    expect([folder.status, folder.stderr]).toEqual([0, ''])
    const line = (text: string): string => text.slice(text.indexOf('\n'))
    expect(folder.stdout.split('\n')[0]).toMatch(
      /^docker-starter-1-34-v0-sha-\w+: Kubernetes v1\.34\.7, 5 variables\. /,
    )
    expect(line(folder.stdout)).toBe(line(stdout))
  })

  test.each([
    ['web1', 'the fleet has no release and no cluster "web1"', 'Did you mean web?'],
    [
      'docker-starter-1-34-v2',
      'the fleet has no release and no cluster "docker-starter-1-34-v2"',
      'Nearest are: docker-starter-1-34-v1.',
    ],
    [
      'docker-mine-1-34-v1',
      'the fleet has no release and no cluster "docker-mine-1-34-v1"',
      'Nearest are: docker-starter-1-34-v1. No ClusterStack offers it: add one to stacks/ with provider docker, name mine, kubernetesVersion "1.34" and version v1, or write a stack with `stackmason new stack`.',
    ],
    [
      'nothing-like-it',
      'the fleet has no release and no cluster "nothing-like-it"',
      'Its releases are: docker-starter-1-34-v1.',
    ],
    ['__proto__', 'the fleet has no release and no cluster "__proto__"', 'Its releases are: docker-starter-1-34-v1.'],
    [
      './clusters',
      'there is no release in clusters',
      'Name a provider directory (with csctl.yaml or csmctl.yaml), or a folder of release folders <provider>-<stack>-<major>-<minor>-<version>.',
    ],
  ])('knows no %s', async (name, message, hint) => {
    const cwd = await fleet()
    const { status, stdout, stderr } = await runCli(['variables', name], { cwd })
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: '',
      stderr: `error USAGE ${message}\n  → ${hint}\n`,
    })
  })

  test('writes Markdown', async () => {
    const { stdout } = await runCli(['variables', '-o', 'markdown'], { cwd: await fleet(variables, given) })
    expect(stdout).toBe(`## docker-starter-1-34-v1

Kubernetes v1.34.7. Machine deployments of class default-worker.

| Variable | Type | Default | Description | Set by |
| --- | --- | --- | --- | --- |
| \`flavor\` | string | **required** | Size of machines.<br>One of small, large | team-a/web |
| \`disk\` | integer | \`20\` | At least 10<br>At most 100 |  |
| \`network\` | object |  |  |  |
| \`network.cidr\` | string | **required** | Of the nodes.<br>Matches ^\\[0-9./\\]+\\$ |  |
| \`network.subnets\` | list of objects |  |  |  |
| \`network.subnets[].name\` | string |  |  |  |
| \`network.labels\` | map of strings |  |  |  |
| \`network.anything\` | any |  |  |  |
| \`port\` | integer or string |  |  |  |
| \`adminPassword\` | string | \`"********"\` |  | team-a/web |
`)
  })

  test('writes JSON that fits its schema, without values that may be secret', async () => {
    const { status, stdout, stderr } = await runCli(['variables', '-o', 'json'], { cwd: await fleet(variables, given) })
    expect([status, stderr]).toEqual([0, ''])
    const { validate } = compileSchema(
      parseGoJson(await readFile(join(packageFolder, 'schemas/variables-report.json'), 'utf8')),
    )
    expect(validate(parseGoJson(stdout))).toEqual([])
    expect(validate(parseGoJson(stdout.replace('"isRequired"', '"required"')))).not.toEqual([])
    expect(stdout).not.toContain('hunter2')
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'VariablesReport',
      fleet: 'fleet',
      releases: [
        {
          release: 'docker-starter-1-34-v1',
          clusters: ['team-a/web'],
          variables: [
            { name: 'flavor', isRequired: true, setBy: [{ cluster: 'team-a/web', level: 'cluster' }] },
            { name: 'disk', isRequired: false, default: 20 },
            {},
            {},
            {},
          ],
          workerClasses: { machineDeployments: ['default-worker'], machinePools: [] },
        },
      ],
    })
  })

  test('takes odd names and endless texts', async () => {
    const odd = `
    - name: __proto__
      schema: {openAPIV3Schema: {type: object, properties: {__proto__: {type: string}, constructor: {type: string}}}}
    - name: "a\\e]0;x\\a\\u202e|b"
      schema: {openAPIV3Schema: {type: string, description: "${'x y '.repeat(1_250_000)}"}}
`
    const cwd = await fleet(odd)
    const text = await runCli(['variables'], { cwd, isTerminal: true })
    expect(text.stdout).toContain('\n__proto__')
    expect(text.stdout).toContain('a\\x1b]0;x\\x07\\u202e|b')
    expect(text.stdout.length).toBeLessThan(2000)
    const markdown = await runCli(['variables', '-o', 'markdown'], { cwd })
    expect(markdown.stdout).toContain('| `a\\x1b]0;x\\x07\\u202e\\|b` |')
    expect(markdown.stdout.length).toBeLessThan(4000)
    const schema = await runCli(['variables', '-o', 'schema'], { cwd })
    expect(schema.stdout.length).toBeLessThan(400_000)
    const accepts = acceptor(schema.stdout)
    const base = await readFile(join(cwd, CLUSTER), 'utf8')
    const withVariable = (entry: string): string =>
      base.replace('  topology:\n', `  topology:\n    variables: [${entry}]\n`)
    expect(accepts(withVariable('{name: __proto__, value: {constructor: a}}'))).toBe(true)
    expect(accepts(withVariable('{name: __proto__, value: {toString: a}}'))).toBe(false)
    expect(accepts(withVariable('{name: toString, value: a}'))).toBe(false)
  })
})

/** True for a file that an editor with this schema finds nothing in. */
function acceptor(schema: string): (text: string) => boolean {
  const parsed: object = JSON.parse(schema)
  const ajv = new Ajv({ strict: false })
  expect(ajv.validateSchema(parsed)).toBe(true)
  const validate = ajv.compile(parsed)
  return (text) => parseAllDocuments(text).every((document) => validate(document.toJS()))
}

describe('the schema for editors', () => {
  test('accepts every cluster of the examples, and refuses mistakes in them', async () => {
    const { stdout } = await runCli(['variables', '-o', 'schema'], { cwd: examples })
    const accepts = acceptor(stdout)
    const all = await readdir(join(examples, 'clusters'), { recursive: true })
    const files = all.filter((name) => name.endsWith('cluster.yaml'))
    expect(files).toHaveLength(3)
    for (const file of files) expect(accepts(await readFile(join(examples, 'clusters', file), 'utf8'))).toBe(true)
    const web = await readFile(join(examples, 'clusters/team-a/web/cluster.yaml'), 'utf8')
    const batch = await readFile(join(examples, 'clusters/team-b/batch/cluster.yaml'), 'utf8')
    const mistakes: readonly (readonly [string, string, string])[] = [
      [web, 'name: registryMirror', 'name: registryMiror'],
      [web, 'value: https://mirror.example.com', 'value: 5'],
      [web, 'value: https://mirror.example.com', 'valu: x'],
      [web, 'class: default-worker', 'class: worker'],
      [web, 'name: docker-demo-1-34-v3', 'name: docker-demo-1-34-v2'],
      [web, 'version: v1.34.7', 'version: v1.34.6'],
      [web, 'replicas: 3', 'replicas: three'],
      [web, 'controlPlane:', 'controlplane:'],
      [web, 'kind: Cluster', 'kind: Clutser'],
      [batch, 'class: docker-classic-1-33-v1', 'class: docker-classic-1-33'],
      [batch, 'version: v1.33.5', 'version: v1.34.7'],
      [batch, 'version: v1.33.5', 'version: v1.33.5\n    variables: [{name: registryMirror, value: x}]'],
    ]
    for (const [text, from, to] of mistakes) {
      expect(text).toContain(from)
      expect([to, accepts(text.replace(from, to))]).toEqual([to, false])
    }
  })

  test('knows required variables, fields, overrides, and other documents of the file', async () => {
    const cwd = await fleet()
    const { stdout } = await runCli(['variables', '-o', 'schema'], { cwd })
    const accepts = acceptor(stdout)
    const base = await readFile(join(cwd, CLUSTER), 'utf8')
    const withLines = (lines: string): string => base.replace('  topology:\n', `  topology:\n${lines}`)
    const withVariables = (more: string): string => withLines(`    variables: [{name: flavor, value: small}${more}]\n`)
    const cases: readonly (readonly [string, boolean])[] = [
      [base, false],
      [withLines('    variables: [{name: disk, value: 20}]\n'), false],
      [withVariables(''), true],
      [withVariables(', {name: disk, value: 20}'), true],
      [withVariables(', {name: disk, value: "20"}'), false],
      [withVariables(', {name: disk, value: 101}'), false],
      [withVariables(', {name: port, value: 5}, {name: adminPassword, value: x}'), true],
      [withVariables(', {name: port, value: a}'), true],
      [withVariables(', {name: port, value: [a]}'), false],
      [withVariables(', {name: network, value: {cidr: 10.0.0.0/8, labels: {a: b}, anything: {a: [1]}}}'), true],
      [withVariables(', {name: network, value: {}}'), false],
      [withVariables(', {name: network, value: {cidr: x}}'), false],
      [withVariables(', {name: network, value: {cidr: "1", cdir: "1"}}'), false],
      [withVariables(', {name: network, value: {cidr: "1", subnets: [{nam: a}]}}'), false],
      [withVariables('').replace('replicas: 1', 'variables: {overrides: [{name: disk, value: 30}]}'), true],
      [withVariables('').replace('replicas: 1', 'variables: {overrides: [{name: disk, value: 3}]}'), false],
      [withVariables('').replace('replicas: 2', 'variables: {overrides: [{name: dsk, value: 30}]}'), false],
      [withVariables('').replace('machineDeployments', 'machinePools'), false],
      [`${withVariables('')}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n`, true],
    ]
    for (const [text, want] of cases) expect([text, accepts(text)]).toEqual([text, want])
  })

  test.skipIf(sharedFolder() === undefined)('of real stacks takes their defaults', async () => {
    const root = join(sharedFolder() ?? '', 'cluster-stacks')
    for (const [stack, prefix, version] of [
      ['docker/scs', 'docker-scs-1-30', 'v1.30.10'],
      ['openstack/scs', 'openstack-scs-1-32', 'v1.32.5'],
      ['openstack/scs2', 'openstack-scs2-1-34', 'v1.34.7'],
    ] as const) {
      const run = await runCli(['variables', join(root, 'providers', stack), '-o', 'schema'])
      expect(run.status).toBe(0)
      const accepts = acceptor(run.stdout)
      const { stdout } = await runCli(['variables', join(root, 'providers', stack), '-o', 'json'])
      const {
        releases,
      }: {
        readonly releases: readonly {
          readonly variables: readonly { readonly name: string; readonly default?: unknown }[]
        }[]
      } = JSON.parse(stdout)
      const known = releases.flatMap((release) => release.variables)
      expect(known.length).toBeGreaterThan(0)
      const entries = known.flatMap(({ name, default: value }) => (value === undefined ? [] : [{ name, value }]))
      const cluster = (list: readonly object[], className = `${prefix}-v7`): string =>
        JSON.stringify({
          apiVersion: 'cluster.x-k8s.io/v1beta1',
          kind: 'Cluster',
          metadata: { name: 'a' },
          spec: { topology: { class: className, version, variables: list } },
        })
      expect(accepts(cluster(entries))).toBe(true)
      expect(accepts(cluster([...entries, { name: 'nonsense', value: 1 }]))).toBe(false)
      expect(accepts(cluster(entries, 'other-1-30-v1'))).toBe(false)
      // a value of another type for each of them
      for (const { name, value } of entries)
        expect([name, accepts(cluster([{ name, value: typeof value === 'object' ? 'x' : { x: [value] } }]))]).toEqual([
          name,
          false,
        ])
    }
  })
})
