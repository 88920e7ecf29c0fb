import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** One run of a whole process. */
export interface Run {
  readonly seconds: number
  /** User and system time of the process and all that it started, seconds; NaN where `/usr/bin/time` is missing. */
  readonly cpu: number
  /** Highest resident set of one process, the largest of all, MiB; NaN as above. */
  readonly peakMemory: number
  readonly stdout: string
}

/** GNU time: Node does not tell what its children used. */
const timer = '/usr/bin/time'
const hasTimer = process.platform === 'linux' && existsSync(timer)
const figures = /(?:^|\n)(?:Command exited with non-zero status \d+\n)?stackmason-bench (\S+) (\S+) (\S+)\n$/

/** What of a run is not as usual. */
export interface MeasureOptions {
  readonly env?: NodeJS.ProcessEnv
  /** Exit statuses that count as success beside 0. */
  readonly accept?: readonly number[]
}

/** Runs a command to its end. @throws Error when it fails */
export async function measure(command: string, args: readonly string[], options: MeasureOptions = {}): Promise<Run> {
  const words = hasTimer ? ['-f', 'stackmason-bench %U %S %M', command, ...args] : [...args]
  const started = performance.now()
  const child = spawn(hasTimer ? timer : command, words, {
    env: options.env ?? process.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const parts: string[] = []
  const errors: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => parts.push(text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text))
  const status = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject))
  const seconds = (performance.now() - started) / 1000
  if (status !== 0 && !(options.accept ?? []).includes(status ?? -1)) {
    throw new Error(`${command} ${args.join(' ')}: exit ${status}\n${errors.join('')}`)
  }
  const [, user, system, memory] = figures.exec(errors.join('')) ?? []
  return { seconds, cpu: Number(user) + Number(system), peakMemory: Number(memory) / 1024, stdout: parts.join('') }
}

/** The median of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}

/** The run of median duration. */
export function medianRun(runs: readonly Run[]): Run {
  const sorted = [...runs].sort((a, b) => a.seconds - b.seconds)
  const middle = sorted[Math.floor(sorted.length / 2)]
  if (middle === undefined) throw new Error('there was no run')
  return { ...middle, peakMemory: Math.max(...runs.map((run) => run.peakMemory)) }
}

/** How busy the machine is beside us: figures of a busy one are worth little. */
export function machineLoad(): string {
  if (!existsSync('/proc/loadavg')) return 'load unknown'
  return `load ${readFileSync('/proc/loadavg', 'utf8').split(' ')[0]}`
}
