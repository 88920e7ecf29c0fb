import { fileURLToPath } from 'node:url'
import type { CliIo } from '../../src/cli/cli-io.ts'
import { run } from '../../src/cli/run.ts'
import type { Ports } from '../../src/model/ports.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'

/** The folder of this package. */
export const packageFolder: string = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

export interface CliRun {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

export interface CliRunOptions {
  readonly cwd?: string
  readonly environment?: Readonly<Record<string, string>>
  /** Whether both streams are terminals. */
  readonly isTerminal?: boolean
  readonly stdin?: string
  readonly ports?: Ports
}

/** Runs the program in this process; nothing is shared with it but the file system. */
export async function runCli(words: readonly string[], options: CliRunOptions = {}): Promise<CliRun> {
  const written = { stdout: '', stderr: '' }
  const output = (name: 'stdout' | 'stderr'): CliIo['stdout'] => ({
    write: (text) => {
      written[name] += text
    },
    isTerminal: options.isTerminal === true,
    columns: 60,
  })
  const status = await run(words, {
    stdout: output('stdout'),
    stderr: output('stderr'),
    readStdin: () => Promise.resolve(new TextEncoder().encode(options.stdin ?? '')),
    environment: options.environment ?? {},
    workingFolder: options.cwd ?? packageFolder,
    packageFolder,
    version: '1.2.3',
    ports: options.ports ?? createNodePorts(),
  })
  return { status, ...written }
}
