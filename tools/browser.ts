/**
 * Finds chromium for the tests of pages, and prints its path; where there is none, root installs Debian's package.
 * `.ci/run` calls this before the tests, which install nothing.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The path of chromium: that of `STACKMASON_CHROMIUM`, else that of this machine; undefined where there is none. */
export function browserBinary(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const installed = ['chromium', 'chromium-browser', 'google-chrome'].flatMap((name) =>
    folders.map((folder) => join(folder, name)),
  )
  return [process.env['STACKMASON_CHROMIUM'] ?? '', ...installed].find((path) => path !== '' && existsSync(path))
}

function install(): void {
  if (process.getuid?.() !== 0)
    throw new Error('there is no chromium: install it, or name it by STACKMASON_CHROMIUM; root has it installed here')
  const apt = (...words: readonly string[]): void => {
    execFileSync('apt-get', words, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  }
  apt('update', '-qq')
  apt('install', '-qq', '--yes', '--no-install-recommends', 'chromium')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (browserBinary() === undefined) install()
  process.stdout.write(`${browserBinary() ?? 'no chromium'}\n`)
}
