import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { runCli } from './run-cli.ts'

const tree = 'rendered/clusters/team-a/web/cluster'

/** Files that a render reads, and what it says when a pipe stands there; of its own records it needs none. */
const pipes: readonly (readonly [path: string, status: number, code: string])[] = [
  ['stackmason.yaml', 2, 'FILE_UNREADABLE'],
  ['stackmason.lock', 2, 'FILE_UNREADABLE'],
  ['stacks/starter.yaml', 2, 'FILE_UNREADABLE'],
  ['clusters/team-a/web/cluster.yaml', 2, 'FILE_UNREADABLE'],
  ['providers/docker/starter/csctl.yaml', 2, 'FILE_UNREADABLE'],
  ['providers/docker/starter/cluster-class/values.yaml', 2, 'FILE_UNREADABLE'],
  ['rendered/.stackmason/lock.json', 2, 'WRITE_FAILED'],
  ['rendered/.stackmason/journal.json', 0, ''],
  ['rendered/.stackmason/written.sha256', 0, ''],
  ['rendered/.stackmason-tree', 1, 'WRITE_NOT_OWNED'],
  [`${tree}/cluster-web.yaml`, 1, 'WRITE_NOT_OWNED'],
  [`${tree}/kustomization.yaml`, 1, 'WRITE_NOT_OWNED'],
]

describe('a pipe where a file is expected', () => {
  test.each(pipes)('%s: status %i %s, and no waiting', async (path, wanted, code) => {
    const cwd = await tempFolder()
    await runCli(['init', '.'], { cwd })
    await runCli(['render', '-q'], { cwd })
    await rm(join(cwd, path), { force: true })
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(cwd, path)])
    const { status, stderr } = await runCli(['render', '-q'], { cwd })
    expect(status).toBe(wanted)
    expect(stderr).toContain(code)
  })
})
