import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** Makes a temp folder that is removed when the running test ends. */
export async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'stackmason-test-')))
  onTestFinished(async () => {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}

/** Makes a temp folder that is removed when all tests of the file have ended; for use outside of a test. */
export function tempFolderForFile(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'stackmason-test-')))
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}
