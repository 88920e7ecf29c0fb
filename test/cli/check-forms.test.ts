import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { outputTargets } from '../../src/cli/arguments/output-targets.ts'
import { lab, labCluster, labFleet } from '../../tools/fleets/lab-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { runCli } from './run-cli.ts'

async function faulty(): Promise<string> {
  const fleet = labFleet(await tempFolder())
  fleet.write(lab.cluster, labCluster(['variables: [{name: replica, value: 1}]']))
  return fleet.folder
}

describe('the places that reports go to', () => {
  const rows: readonly { readonly values: readonly string[]; readonly targets: readonly string[] }[] = [
    { values: [], targets: ['text'] },
    { values: ['json'], targets: ['json'] },
    { values: ['sarif=a=b.json'], targets: ['text', 'sarif > a=b.json'] },
    { values: ['junit=x.xml', 'github'], targets: ['junit > x.xml', 'github'] },
  ]
  test.each(rows)('$values', ({ values, targets }) => {
    const found = outputTargets(values)
    expect(found.targets.map(({ form, file }) => (file === undefined ? form : `${form} > ${file}`))).toEqual(targets)
    expect(found.problems).toEqual([])
  })

  test.each([
    [['json', 'github'], '--output json and github both go to standard output: give one of them a file: github=FILE'],
    [['json', 'text'], '--output json and text both go to standard output: give one of them a file: json=FILE'],
    [['text', 'json'], '--output text and json both go to standard output: give one of them a file: json=FILE'],
    [['text', 'text'], '--output text is there twice: leave one out'],
    [['json', 'json'], '--output json is there twice: leave one out'],
    [['json=a', 'sarif=a'], '--output json and sarif both go to the file "a": name another for one of them'],
    [
      ['json=../a.json', 'json=../a.json'],
      '--output json both times goes to the file "../a.json": name another for one of them',
    ],
    [['junit='], '--output junit= needs the name of a file'],
    [['text=a'], '--output text goes to the terminal and takes no file'],
  ])('refuses %j', (values, problem) => {
    expect(outputTargets(values).problems).toEqual([problem])
  })
})

describe('check in several forms', () => {
  test('writes files beside the text, and no text beside a form', async () => {
    const folder = await faulty()
    const words = ['check', '-o', 'sarif=out/a.sarif', '-o', 'junit=b.xml', '--output=code-quality=c.json']
    const { status, stdout } = await runCli(words, { cwd: folder })
    expect(status).toBe(1)
    expect(stdout).toMatch(/^error CLASS_VARIABLE_UNKNOWN [^]*\nChecked 1 cluster/)
    expect(JSON.parse(readFileSync(join(folder, 'out/a.sarif'), 'utf8')).runs[0].results).toMatchObject([
      { ruleId: 'CLASS_VARIABLE_UNKNOWN', level: 'error' },
    ])
    expect(readFileSync(join(folder, 'b.xml'), 'utf8')).toContain('classname="CLASS_VARIABLE_UNKNOWN" name="')
    expect(JSON.parse(readFileSync(join(folder, 'c.json'), 'utf8'))).toHaveLength(1)
    const github = await runCli(['check', '-o', 'github'], { cwd: folder })
    expect(github.stdout).toMatch(/^::error file=[^ ]+,line=\d+,col=\d+,title=CLASS_VARIABLE_UNKNOWN::[^\n]+\n$/)
  })

  test('adds to the summary of a step', async () => {
    const folder = await faulty()
    const summary = join(folder, 'summary.md')
    writeFileSync(summary, 'before\n')
    await runCli(['check', '-o', 'github'], { cwd: folder, environment: { GITHUB_STEP_SUMMARY: summary } })
    expect(readFileSync(summary, 'utf8')).toMatch(/^before\n## ❌ stackmason check of [^\n]+: failed\n/)
  })

  test('a rule that is off is not shown as passed', async () => {
    const fleet = labFleet(await tempFolder(), ['check: {rules: {CLASS_VARIABLE_UNKNOWN: off}}'])
    const { stdout } = await runCli(['check', '-o', 'junit'], { cwd: fleet.folder })
    expect(stdout).not.toContain('classname="CLASS_VARIABLE_UNKNOWN"')
    expect(stdout).toContain('<testcase classname="CLASS_VARIABLE_INVALID" name="nothing found"/>')
  })

  test('a fleet that cannot be rendered is reported in every form', async () => {
    const fleet = labFleet(await tempFolder(), ['nonsense: true'])
    for (const [form, sign] of [
      ['markdown', '❌'],
      ['github', '::error '],
      ['junit', 'CONFIG_UNKNOWN_FIELD'],
      ['sarif', '"CONFIG_UNKNOWN_FIELD"'],
      ['code-quality', '"CONFIG_UNKNOWN_FIELD"'],
    ] as const) {
      const { status, stdout } = await runCli(['check', '-o', form], { cwd: fleet.folder })
      expect({ form, status }).toEqual({ form, status: 1 })
      expect(stdout).toContain(sign)
    }
  })

  test.each(['markdown', 'github', 'sarif', 'junit', 'code-quality'])('lists no rules as %s', async (form) => {
    for (const words of [[form], [`${form}=rules.txt`], ['text', `${form}=rules.txt`]]) {
      const options = words.flatMap((word) => ['-o', word])
      const { status, stdout, stderr } = await runCli(['check', '--rules', 'CLUSTER_DELETED', ...options])
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
      expect(stderr).toContain(`error USAGE --rules takes --output text or json, not ${form}: there are no findings`)
    }
  })

  test('says where a report cannot be written', async () => {
    const folder = await faulty()
    writeFileSync(join(folder, 'file'), '')
    const { status, stderr } = await runCli(['check', '-o', 'junit=file/a.xml'], { cwd: folder })
    expect(status).toBe(2)
    expect(stderr).toContain('error WRITE_FAILED')
  })
})
