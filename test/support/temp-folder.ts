import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** Makes a temp folder that is removed when the running test ends. */
export function tempFolder(): Promise<string> {
  const folder = makeFolder()
  onTestFinished(() => {
    remove(folder)
  })
  return Promise.resolve(folder)
}

/** Makes a temp folder that is removed when all tests of the file have ended; for use outside of a test. */
export function tempFolderForFile(): string {
  const folder = makeFolder()
  afterAll(() => {
    remove(folder)
  })
  return folder
}

function makeFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'stackmason-test-')))
}

// file by file in other threads costs five times the time
function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
