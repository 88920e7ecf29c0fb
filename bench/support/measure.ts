import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** One run of a whole process. */
export interface Run {
  readonly seconds: number
  /** Highest resident set of the process itself, MiB; children are not counted. 0 where the system does not tell. */
  readonly peakMemory: number
  readonly stdout: string
}

/** Runs a command to its end. @throws Error when it exits other than 0 */
export async function measure(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Run> {
  const started = performance.now()
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const parts: string[] = []
  const errors: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => parts.push(text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text))
  let peakMemory = 0
  const sample = (): void => {
    try {
      const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
      peakMemory = Math.max(peakMemory, Number(peak ?? 0) / 1024)
    } catch (error) {
      // the process is gone, or this system has no /proc
      if (!(error instanceof Error && 'code' in error)) throw error
    }
  }
  const timer = setInterval(sample, 10)
  const status = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject))
  clearInterval(timer)
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: exit ${status}\n${errors.join('')}`)
  return { seconds: (performance.now() - started) / 1000, peakMemory, stdout: parts.join('') }
}

/** The median of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}
