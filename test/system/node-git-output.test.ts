import { stat } from 'node:fs'
import { expect, it } from 'vitest'
import { createRunGit } from '../../src/system/node-git-run.ts'
import { makeRepository } from '../../tools/servers/git-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

it('reads all that git prints, however busy this process is', { timeout: 120_000 }, async () => {
  const { path, commit } = makeRepository(await tempFolder())
  commit({ a: 'x'.repeat(60_000) })
  const git = createRunGit()
  let isOver = false
  // several end while one of these runs, and are seen to have ended before their output is read
  const still = new Int32Array(new SharedArrayBuffer(4))
  const beBusy = (): void => {
    // this thread stands still for as many milliseconds
    Atomics.wait(still, 0, 0, 120)
    if (!isOver) stat('/', beBusy)
  }
  beBusy()
  const input = 'main:a\n'.repeat(40)
  const outputs = Array.from({ length: 20 }, () => git({ args: ['cat-file', '--batch'], repository: path, input }))
  const sizes = (await Promise.all(outputs)).map(({ out }) => out.length)
  isOver = true
  // each is `<40 digits> blob 60000`, a line end, the file, a line end
  expect(new Set(sizes)).toEqual(new Set([40 * 60_053]))
})
