import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

function memoryOf(child: ChildProcess): number {
  const [, kibibytes = ''] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${String(child.pid)}/status`, 'utf8')) ?? []
  return Number(kibibytes) / 1024
}

/** MiB, when it has had time to come to rest: the highest of some looks. */
export async function restingMemory(child: ChildProcess): Promise<number> {
  await setTimeout(15_000)
  const looks: number[] = []
  for (let look = 0; look < 10; look++) {
    looks.push(memoryOf(child))
    await setTimeout(1000)
  }
  return Math.max(...looks)
}
