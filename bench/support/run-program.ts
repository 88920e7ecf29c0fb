import { spawnSync } from 'node:child_process'

/** What a run of the built program said. */
export interface ProgramRun {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the built program to its end. */
export function runProgram(program: string, words: readonly string[], cwd: string): ProgramRun {
  return spawnSync(process.execPath, [program, ...words], { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
}
