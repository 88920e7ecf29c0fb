import { describe, expect, test } from 'vitest'
import { parseArguments } from '../../src/cli/arguments/parse-arguments.ts'
import { readOptions } from '../../src/cli/controller-command/options.ts'
import { controllerSpec } from '../../src/cli/controller-command/spec.ts'
import { runCli } from './run-cli.ts'

describe('stackmason controller run --concurrency', () => {
  test.each([
    { words: [], want: 4 },
    { words: ['--concurrency', '7'], want: 7 },
    { words: ['--concurrency=RuntimeValues=8', '--concurrency', '2'], want: 8, others: 2 },
  ])('$words', ({ words, want, others = want }) => {
    const parsed = parseArguments(['run', ...words], controllerSpec)
    expect(readOptions(parsed).concurrency).toEqual({
      RuntimeValues: want,
      NodeImageGate: others,
      StorageMigration: others,
    })
  })

  test.each(['0', 'many', '100000', 'Cluster=2', 'RuntimeValues=', '=2', 'constructor=2'])(
    'refuses %j',
    async (text) => {
      const { status, stdout, stderr } = await runCli(['controller', 'run', '--concurrency', text])
      expect([status, stdout]).toEqual([2, ''])
      expect(stderr).toContain(
        `option --concurrency takes a number from 1, or such as RuntimeValues=8 or NodeImageGate=8 or StorageMigration=8, not ${JSON.stringify(text)}`,
      )
    },
  )
})

describe('stackmason controller run --metrics-address', () => {
  test.each([
    [
      ['--metrics-address', '9441'],
      'option --metrics-address takes an address such as :9440 or 127.0.0.1:9440, not "9441"',
    ],
    [
      ['--metrics-address', ':9441', '--metrics-tls-key', 'a'],
      '--metrics-tls-cert and --metrics-tls-key belong together',
    ],
    [
      ['--metrics-tls-cert', 'a', '--metrics-tls-key', 'b'],
      '--metrics-tls-cert is for --metrics-address, which is not given',
    ],
  ])('refuses %j', async (words, want) => {
    const { status, stderr } = await runCli(['controller', 'run', ...words])
    expect(status).toBe(2)
    expect(stderr).toContain(want)
  })
})

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
