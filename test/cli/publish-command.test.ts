import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { portsWith, type PublishedFleet, servePublishedFleet } from '../../tools/fleets/published-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type CliRun, packageFolder, runCli } from './run-cli.ts'

async function served(): Promise<{ readonly fleet: PublishedFleet; readonly clone: FleetFolder }> {
  const fleet = await servePublishedFleet(await tempFolder(), { spec: ['publish: {into: branch}'] })
  onTestFinished(() => fleet.server.close())
  const clone = await fleet.clone('ci')
  clone.git('config', 'user.name', 'Bot')
  clone.git('config', 'user.email', 'bot@example.org')
  return { fleet, clone }
}

function run(
  clone: FleetFolder,
  words: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<CliRun> {
  return runCli(['publish', ...words], { cwd: clone.folder, ports: portsWith(variables) })
}

it('shows a plan, does it, and then has nothing to do', async () => {
  const { fleet, clone } = await served()
  const source = fleet.repository.git(['rev-parse', 'main']).slice(0, 12)
  const into = `main of ${fleet.url}`
  const plan = await run(clone, [])
  expect(plan.status).toBe(0)
  expect(plan.stdout.split('\n').slice(0, 3)).toEqual([
    `Would publish 11 files from main at ${source} into ${into}:`,
    '  added   rendered/.stackmason-tree',
    '  added   rendered/clusters/team/one/addons/01-web/configmap-web.yaml',
  ])
  expect(plan.stdout.trimEnd().split('\n').at(-1)).toBe('Nothing was pushed. `stackmason publish --yes` does it.')
  expect(await run(clone, ['--dry-run'], { CI: 'true' })).toEqual(plan)
  const ofBranch = await run(clone, ['--branch', 'main', '--allow-empty'])
  expect(ofBranch.stdout.trimEnd().split('\n').at(-1)).toBe(
    'Nothing was pushed. `stackmason publish --branch main --allow-empty --yes` does it.',
  )
  const done = await run(clone, ['--yes'])
  const commit = fleet.repository.git(['rev-parse', 'main']).slice(0, 12)
  expect(done.stdout).toBe(`Published 11 files from main at ${source} into ${into}: commit ${commit}.\n`)
  expect((await run(clone, [], { CI: 'true' })).stdout).toBe(
    `Nothing to publish: ${into} has what main at ${commit} renders to.\n`,
  )
  expect((await run(clone, ['--yes', '--dry-run'])).status).toBe(2)
})

it('tells later steps and jobs, and programs', async () => {
  const { fleet, clone } = await served()
  const output = join(fleet.root, 'output')
  clone.write('../output', 'before=1\n')
  const variables = { GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: 'push', GITHUB_OUTPUT: output }
  const { stdout, stderr, status } = await run(clone, ['-o', 'json', '--dotenv', '../outputs.env'], variables)
  const commit = fleet.repository.git(['rev-parse', 'main'])
  expect({ status, stderr: stderr.replace(/^rendered .*\n/gm, '') }).toEqual({ status: 0, stderr: '' })
  expect(readFileSync(output, 'utf8')).toBe(
    `before=1\nchanged=true\ncommit=${commit}\npr-number=\npr-url=\npr-numbers=\nartifact=\nreport=\n`,
  )
  expect(clone.read('../outputs.env')).toBe(
    `STACKMASON_CHANGED=true\nSTACKMASON_COMMIT=${commit}\nSTACKMASON_PR_NUMBER=\nSTACKMASON_PR_URL=\nSTACKMASON_PR_NUMBERS=\nSTACKMASON_ARTIFACT=\nSTACKMASON_REPORT=\n`,
  )
  const schema = parseGoJson(readFileSync(join(packageFolder, 'schemas/publish-report.json'), 'utf8'))
  expect(compileSchema(schema).validate(parseGoJson(stdout))).toEqual([])
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'PublishReport', mode: 'act', status: 'published', commit })
  await run(clone, [], { ...variables, GITHUB_OUTPUT: join(fleet.root, 'second') })
  expect(clone.read('../second')).toBe('changed=false\ncommit=\npr-number=\npr-url=\npr-numbers=\nartifact=\nreport=\n')
})

it('tells nothing through a link of the repository', async () => {
  const { fleet, clone } = await served()
  clone.write('../theirs', 'theirs\n')
  symlinkSync('../theirs', join(clone.folder, 'out.env'))
  symlinkSync('..', join(clone.folder, 'away'))
  const asked = fleet.server.requests.length
  for (const [file, why] of [
    ['out.env', 'is a link, which is not followed'],
    ['away/new.env', 'leads out of the repository through a link'],
  ] as const) {
    const { status, stderr } = await run(clone, ['--yes', '--dotenv', file])
    expect({ status, stderr: stderr.split('\n', 1)[0] }).toEqual({
      status: 2,
      stderr: `error USAGE --dotenv ${file} ${why}: name another file`,
    })
  }
  expect([clone.read('../theirs'), existsSync(join(clone.folder, '../new.env'))]).toEqual(['theirs\n', false])
  expect(fleet.server.requests.length).toBe(asked)
})

it.each(['..', '-x', 'a..b', 'a b', 'a.lock', 'HEAD'])('takes no branch that git would not: %s', async (name) => {
  const { fleet, clone } = await served()
  const asked = fleet.server.requests.length
  const { status, stderr } = await run(clone, [`--branch=${name}`, '--yes'])
  expect({ status, stderr: stderr.split('\n', 1)[0] }).toEqual({
    status: 2,
    stderr: `error USAGE --branch "${name}" is not a name that git takes`,
  })
  expect(fleet.server.requests.length).toBe(asked)
})
