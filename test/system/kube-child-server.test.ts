import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { packageFolder } from '../cli/run-cli.ts'
import { startChildServer } from '../../tools/servers/child-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

const sayPid = ['-c', 'echo "pid $$"; exec sleep 1000']

describe('a server of a test', () => {
  test('ends when it is killed', async () => {
    const logFile = join(await tempFolder(), 'log')
    const server = startChildServer('sh', { args: sayPid, logFile })
    const pid = await readPid(logFile)
    expect(server.status()).toBeUndefined()
    await server.kill()
    expect(isRunning(pid)).toBe(false)
    await server.kill()
  })

  test('tells that it ended by itself', async () => {
    const logFile = join(await tempFolder(), 'log')
    const server = startChildServer('sh', { args: ['-c', 'echo why; exit 3'], logFile })
    while (server.status() === undefined) await setTimeout(10)
    expect({ status: server.status(), log: server.log() }).toEqual({ status: 3, log: 'why\n' })
    await server.kill()
  })

  test('does not outlive the process that started it, though that one is killed', async () => {
    const logFile = join(await tempFolder(), 'log')
    const module = JSON.stringify(join(packageFolder, 'tools/servers/child-server.ts'))
    const options = JSON.stringify({ args: sayPid, logFile })
    const program = `import(${module}).then(({ startChildServer }) => startChildServer('sh', ${options}))`
    const parent = spawn(process.execPath, ['--import', 'tsx', '-e', program], { cwd: packageFolder, stdio: 'ignore' })
    const pid = await readPid(logFile)
    expect(isRunning(pid)).toBe(true)
    parent.kill('SIGKILL')
    for (let tries = 0; isRunning(pid) && tries < 500; tries++) await setTimeout(10)
    expect(isRunning(pid)).toBe(false)
  })
})

async function readPid(logFile: string): Promise<number> {
  for (;;) {
    const text = await readFile(logFile, 'utf8').catch(() => '')
    const pid = /pid (\d+)/.exec(text)?.[1]
    if (pid !== undefined) return Number(pid)
    await setTimeout(10)
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
