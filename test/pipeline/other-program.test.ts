import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parseRecord } from '../../src/replay/run-record.ts'
import { nodeCrypto } from '../../src/system/node-crypto.ts'
import { builtProgram } from '../../tools/built-program.ts'
import { exampleFleet } from '../../tools/fleets/example-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'

test.each(['render', 'check'])('what %s remembers is for the program that it is packed as', async (command) => {
  const packed = dirname(dirname(await builtProgram()))
  const [programs, cache, folder] = [await tempFolder(), await tempFolder(), await tempFolder()]
  exampleFleet(folder, { clusters: ['team-a/web'] })
  const [one, other] = ['one', 'other'].map((name) => {
    cpSync(packed, join(programs, name), { recursive: true })
    return join(programs, name, 'dist/main.js')
  }) as [string, string]
  const text = readFileSync(other, 'utf8')
  const changed = text.replace(/(digest: ?["'])[0-9a-f]{64}/, `$1${'0'.repeat(64)}`)
  expect(changed).not.toBe(text)
  writeFileSync(other, changed)
  const keyOf = (program: string): string | undefined => {
    const env = { ...process.env, HOME: cache, XDG_CACHE_HOME: cache }
    execFileSync(process.execPath, [program, command, '--quiet'], { cwd: folder, env, stdio: 'pipe' })
    const records = join(cache, 'stackmason/v1/runs')
    const [record, ...others] = readdirSync(records).filter((name) => name.endsWith('.run'))
    expect(others).toEqual([])
    return parseRecord(readFileSync(join(records, record ?? '')), nodeCrypto)?.key
  }
  const keys = [keyOf(one), keyOf(one), keyOf(other)]
  expect(keys).toEqual([keys[0], keys[0], expect.stringMatching(/^[0-9a-f]{64}$/)])
  expect(keys[2]).not.toBe(keys[0])
})
