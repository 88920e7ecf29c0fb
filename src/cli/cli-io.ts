import type { Ports } from '../model/ports.ts'

/** One of the two streams that a program writes text to. */
export interface TextOutput {
  readonly write: (text: string) => void
  readonly isTerminal: boolean
  /** Width of the terminal; 80 when it is none. */
  readonly columns: number
}

/** Everything that the command line program needs from outside. */
export interface CliIo {
  /** Data. */
  readonly stdout: TextOutput
  /** Progress, findings and errors. */
  readonly stderr: TextOutput
  /** Everything on standard input, up to its end. */
  readonly readStdin: () => Promise<Uint8Array>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Absolute, `/` separated. */
  readonly workingFolder: string
  readonly version: string
  /** Identifies the program and its runtime, to the byte; absent where that is not known. */
  readonly program?: string | undefined
  readonly ports: Ports
  /** Rejects with what was thrown where nobody could catch it. */
  readonly crash?: Promise<never>
}
