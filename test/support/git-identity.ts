import { afterEach, beforeEach } from 'vitest'

/** Lets git of each test in the file see one identity, and nothing of the machine's own configuration. */
export function setGitIdentity(): void {
  const saved = { ...process.env }
  beforeEach(() => {
    process.env['GIT_CONFIG_NOSYSTEM'] = '1'
    process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
    for (const who of ['AUTHOR', 'COMMITTER']) {
      process.env[`GIT_${who}_NAME`] = 'Bot'
      process.env[`GIT_${who}_EMAIL`] = 'bot@example.org'
    }
  })
  afterEach(() => {
    process.env = { ...saved }
  })
}
