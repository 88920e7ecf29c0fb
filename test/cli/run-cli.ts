import { fileURLToPath } from 'node:url'
import type { CliIo } from '../../src/cli/cli-io.ts'
import type { Ports } from '../../src/model/ports.ts'
import { program } from '../../src/program.ts'

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
  /** True if both streams are terminals. */
  readonly isTerminal?: boolean
  readonly stdin?: string
  readonly ports?: Ports
  readonly crash?: Promise<never>
}

/** Runs a program in this process; nothing is shared with it but the file system. */
export type RunCli = (words: readonly string[], options?: CliRunOptions) => Promise<CliRun>

/** A program, and how it runs here. */
export interface ProgramUnderTest {
  readonly runCli: RunCli
  readonly createNodePorts: () => Ports
}

/** Makes what runs a program: that of src, or one that was packed. */
export function programUnderTest(parts: typeof program): ProgramUnderTest {
  return {
    createNodePorts: parts.createNodePorts,
    runCli: (words, options = {}) => runIn(parts, words, options),
  }
}

/** The program as it stands in src. */
export const source: ProgramUnderTest = programUnderTest(program)
/** Runs the program of src. */
export const runCli: RunCli = source.runCli

async function runIn(
  { run, createNodePorts }: typeof program,
  words: readonly string[],
  options: CliRunOptions,
): Promise<CliRun> {
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
    version: '1.2.3',
    ports: options.ports ?? createNodePorts(),
    ...(options.crash !== undefined && { crash: options.crash }),
  })
  return { status, ...written }
}
