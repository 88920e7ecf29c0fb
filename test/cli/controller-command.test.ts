import { describe, expect, test } from 'vitest'
import { runCli } from './run-cli.ts'

describe('stackmason controller run --health-address', () => {
  test.each(['9440', 'localhost', ':65536', ':port', '[::1', 'a b:1', ''])('refuses %j', async (text) => {
    const { status, stdout, stderr } = await runCli(['controller', 'run', `--health-address=${text}`])
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(
      `option --health-address takes an address such as :9440 or 127.0.0.1:9440, not ${JSON.stringify(text)}`,
    )
  })

  test.each([':9440', 'localhost:0', '127.0.0.1:65535', '[::1]:9440'])('takes %j', async (text) => {
    const { status, stderr } = await runCli(['controller', 'run', '--health-address', text, '--kubeconfig', 'none'])
    expect(status).toBe(2)
    expect(stderr).toContain('CONTROLLER_FAILED')
  })
})
