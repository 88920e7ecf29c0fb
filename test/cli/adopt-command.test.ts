import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import { operatorPlace } from '../pipeline/operator-export.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { packageFolder, runCli } from './run-cli.ts'

async function problemsOf(schema: string, text: string): Promise<readonly string[]> {
  const { validate } = compileSchema(
    parseGoJson(await readFile(join(packageFolder, 'schemas', `${schema}.json`), 'utf8')),
  )
  return validate(parseGoJson(text)).map(({ path, message }) => `${path.join('.')} ${message}`)
}

describe('adopt', () => {
  test.each([
    { words: [], want: ['adopt needs FILE: objects of the management cluster', 'adopt needs --out FOLDER'] },
    { words: ['a.yaml', 'b.yaml', '--out', 'x', '--offline'], want: ['--offline needs --compare'] },
    {
      words: ['a.yaml', '--out', 'x', '--oci', 'a/b', '--github', 'c'],
      want: ['--oci and --github cannot be used together', '--github takes OWNER/NAME'],
    },
    {
      words: ['a.yaml', '--out', 'x', '--compare', 'y'],
      want: ['--compare and --out cannot be used together', '--compare takes one FILE; repeat it for more'],
    },
  ])('$words is wrong usage', async ({ words, want }) => {
    const { status, stderr } = await runCli(['adopt', ...words])
    expect({ status, problems: [...stderr.matchAll(/^error USAGE (.*)$/gm)].map(([, text]) => text) }).toEqual({
      status: 2,
      problems: want,
    })
  })

  test('tells of each file that cannot be read', async () => {
    const cwd = await tempFolder()
    await writeFile(join(cwd, 'bad.yaml'), 'password: "hunter2\n')
    await writeFile(join(cwd, 'text.yaml'), 'hello\n')
    expect(await runCli(['adopt', 'bad.yaml', 'none.yaml', 'text.yaml', '--out', 'x'], { cwd })).toEqual({
      status: 2,
      stdout: '',
      stderr: [
        'error CONFIG_SYNTAX bad.yaml:2:1: this is not YAML or JSON that can be read',
        '  → Correct the YAML at the reported position.',
        'error FILE_UNREADABLE none.yaml: the file cannot be read: it is not there',
        '  → Check the path, or create it.',
        'error ADOPT_INPUT_INVALID text.yaml: the document of line 1 is not a Kubernetes object: it needs apiVersion, kind and metadata.name',
        '  → Export the objects with `kubectl get … -o yaml`; docs/20-moving-from-cso.md has the commands.',
        '',
      ].join('\n'),
    })
  })

  test('reports for people and for programs', async () => {
    const folder = await tempFolder()
    const { management, live } = await operatorPlace(folder)
    const adopt = ['adopt', management, '--directory', 'releases', '--out']
    const { stdout } = await runCli([...adopt, 'fleet'], { cwd: folder })
    expect(stdout).toBe(
      [
        'Wrote a fleet repository to fleet:',
        '  .gitattributes',
        '  .gitignore',
        '  clusters/team-a/web/cluster.yaml',
        '  clusters/team-b/batch/cluster.yaml',
        '  stackmason.yaml',
        '  stacks/classic-1-33.yaml',
        '  stacks/demo-1-34.yaml',
        'Releases, each as it is on offer now:',
        '  platform/classic-1-33: v1',
        '  platform/demo-1-34: v3',
        'Clusters, each with the release and version that it has now:',
        '  team-a/web: docker-demo-1-34-v3, v1.34.7',
        '    endpoint fixed at web.clusters.example.com:6443: nothing that addons read of it is left open',
        '  team-b/batch: docker-classic-1-33-v1, v1.33.5',
        '    endpoint fixed at 192.0.2.10:6443: nothing that addons read of it is left open',
        '3 things to settle before moving; see below.',
        'Next: cd fleet && stackmason update && stackmason adopt --compare …',
        '',
      ].join('\n'),
    )
    const report = await runCli([...adopt, 'again', '-o', 'json'], { cwd: folder })
    expect({ status: report.status, stderr: report.stderr }).toEqual({ status: 0, stderr: '' })
    expect(await problemsOf('adopt-report', report.stdout)).toEqual([])
    const compare = ['adopt', '--fleet', 'fleet', '-o', 'json', '--compare', live.get('') ?? '', '--compare']
    const same = await runCli([...compare, `team-a/web=${live.get('team-a/web') ?? ''}`], { cwd: folder })
    expect({ status: same.status, problems: await problemsOf('adopt-comparison', same.stdout) }).toEqual({
      status: 0,
      problems: [],
    })
    expect(JSON.parse(same.stdout)).toMatchObject({
      kind: 'AdoptComparison',
      status: 'same',
      notCompared: ['team-b/batch'],
    })
    const different = await runCli([...compare, `team-a/web=${live.get('team-b/batch') ?? ''}`], { cwd: folder })
    expect({ status: different.status, problems: await problemsOf('adopt-comparison', different.stdout) }).toEqual({
      status: 1,
      problems: [],
    })
    expect(JSON.parse(different.stdout)).toMatchObject({ status: 'different' })
    // what kubectl writes unless it is asked for more
    const text = await readFile(live.get('team-a/web') ?? '', 'utf8')
    const { items } = Object(parse(text)) as { readonly items: readonly { readonly metadata: object }[] }
    const bare = items.map((item) => ({ ...item, metadata: { ...item.metadata, managedFields: undefined } }))
    await writeFile(join(folder, 'bare.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: bare }))
    const unknown = await runCli([...compare, 'team-a/web=bare.json'], { cwd: folder })
    expect({ status: unknown.status, problems: await problemsOf('adopt-comparison', unknown.stdout) }).toEqual({
      status: 1,
      problems: [],
    })
    expect(JSON.parse(unknown.stdout)).toMatchObject({
      status: 'unknown',
      findings: expect.arrayContaining([expect.objectContaining({ code: 'ADOPT_NOT_READY', severity: 'warning' })]),
    })
    const words = ['adopt', '--fleet', 'fleet', '--compare', 'team-a/web=bare.json']
    const people = await runCli(words, { cwd: folder })
    expect(people.stdout.split('\n')[0]).toBe(
      'team-a/web: 8 objects compared, no difference found, but not all can be told: see the warnings',
    )
    expect(people.stderr).toContain('warning ADOPT_NOT_READY bare.json: it cannot be told which fields')
    expect(people.stderr).toContain('--show-managed-fields')
  })
})
