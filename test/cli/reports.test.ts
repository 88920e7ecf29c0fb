import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import { remoteFleet } from '../pipeline/remote-fleet.ts'
import { releaseFiles } from '../../tools/servers/release-server.ts'
import { packageFolder, runCli } from './run-cli.ts'

async function problemsOf(schema: string, text: string): Promise<readonly string[]> {
  const { validate } = compileSchema(
    parseGoJson(await readFile(join(packageFolder, 'schemas', `${schema}.json`), 'utf8')),
  )
  return validate(parseGoJson(text)).map(({ path, message }) => `${path.join('.')} ${message}`)
}

/** What programs read from standard output with -o json. */
describe('the report of', () => {
  test.each([
    { words: ['update', '--dry-run'], schema: 'update-report', kind: 'UpdateReport' },
    { words: ['update', '--prune'], schema: 'update-report', kind: 'UpdateReport' },
    { words: ['fetch'], schema: 'fetch-report', kind: 'FetchReport' },
    { words: ['list'], schema: 'release-list', kind: 'ReleaseList' },
    {
      words: ['build', join(packageFolder, 'examples/fleet/providers/docker/demo'), '--out', '../out', '--index'],
      schema: 'build-report',
      kind: 'BuildReport',
    },
  ])('$words.0 fits schemas/$schema.json', async ({ words, schema, kind }) => {
    const fleet = await remoteFleet()
    fleet.offered.set('docker-demo-1-34-v1', releaseFiles('v1'))
    fleet.offered.set('odd', releaseFiles('v1'))
    await fleet.update()
    fleet.offered.set('docker-demo-1-34-v2', releaseFiles('v2'))
    fleet.offered.set('docker-demo-1-34-v3', releaseFiles('v3', { change: { 'metadata.yaml': undefined } }))
    const { status, stdout, stderr } = await runCli([...words, '-o', 'json'], { cwd: fleet.folder, ports: fleet.ports })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ apiVersion: 'stackmason.dev/v1alpha1', kind })
    expect(await problemsOf(schema, stdout)).toEqual([])
    // the schema finds what does not fit
    expect(await problemsOf(schema, stdout.replace('"kind"', '"kined"'))).not.toEqual([])
  })
})

describe('a command that fails and was asked for JSON', () => {
  test.each([
    { command: 'update', words: ['--offline'], code: 'FETCH_OFFLINE' },
    { command: 'fetch', words: [], code: 'CONFIG_NOT_FOUND' },
    { command: 'list', words: [], code: 'CONFIG_NOT_FOUND' },
    { command: 'build', words: ['nowhere', '--out', 'out'], code: 'FILE_UNREADABLE' },
    { command: 'adopt', words: ['nowhere.yaml', '--out', 'out'], code: 'FILE_UNREADABLE' },
    { command: 'status', words: ['--kubeconfig', 'nowhere'], code: 'CLUSTER_UNREACHABLE' },
    { command: 'images', words: [], code: 'CONFIG_NOT_FOUND' },
    { command: 'explain', words: ['rendered/x.yaml'], code: 'USAGE' },
  ])('writes a report that fits schemas/failure-report.json: $command', async ({ command, words, code }) => {
    const fleet = await remoteFleet()
    if (code === 'CONFIG_NOT_FOUND') fleet.remove('stackmason.yaml')
    const given = { cwd: fleet.folder, ports: fleet.ports }
    const { status, stdout, stderr } = await runCli([command, ...words, '-o', 'json'], given)
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'FailureReport', command, findings: [{ code }] })
    expect(await problemsOf('failure-report', stdout)).toEqual([])
    expect(status).toBe((await runCli([command, ...words], given)).status)
  })
})
