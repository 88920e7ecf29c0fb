import { execFileSync, spawn } from 'node:child_process'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A program that ended with another status than 0. */
export class ProgramError extends Error {
  readonly status: number
  readonly stderr: string

  constructor(command: string, status: number, stderr: string) {
    super(`Command failed: ${command}\n${stderr}`)
    this.name = 'ProgramError'
    this.status = status
    this.stderr = stderr
  }
}

/** Runs what the file `script` says at each line that comes, and goes when nobody is left to write one. */
const LOOP = `exec 3<"$1/asked" 4>"$1/ended"
while read -r _ <&3; do
  (. "$1/script") </dev/null >"$1/out" 2>"$1/err" 3<&- 4>&-
  echo $? >&4
done
rm -r "$1"`

interface Opened {
  readonly folder: string
  /** Descriptors. */
  readonly asked: number
  readonly ended: number
}

/**
 * A shell that starts programs for this process. Linux copies the tables of all memory of a process that starts another
 * one, which takes milliseconds where much is in use; a shell has little. It ends with this process.
 */
export class SmallShell {
  readonly #environment: NodeJS.ProcessEnv
  #opened: Opened | undefined

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment
  }

  /**
   * Runs a command of the shell with these words as its parameters, in a folder, and returns what it printed.
   * @throws ProgramError where its status is not 0
   */
  run(command: string, words: readonly string[], folder: string): string {
    const shell = (this.#opened ??= this.#open())
    const script = `cd ${quoted(folder)} || exit\nset -- ${words.map(quoted).join(' ')}\n${command}\n`
    writeFileSync(join(shell.folder, 'script'), script)
    writeSync(shell.asked, '\n')
    const status = Number(readLine(shell.ended))
    const [out, err] = ['out', 'err'].map((name) => readFileSync(join(shell.folder, name), 'utf8'))
    if (status !== 0) throw new ProgramError([command, ...words].join(' '), status, err ?? '')
    return out ?? ''
  }

  #open(): Opened {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'stackmason-shell-')))
    const [asked, ended] = ['asked', 'ended'].map((name) => join(folder, name)) as [string, string]
    execFileSync('mkfifo', [asked, ended])
    spawn('sh', ['-c', LOOP, 'sh', folder], { stdio: 'ignore', env: this.#environment, cwd: '/' }).unref()
    // each waits until the shell opens the other end
    return { folder, asked: openSync(asked, 'w'), ended: openSync(ended, 'r') }
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** @throws Error when the shell has gone */
function readLine(descriptor: number): string {
  const bytes = Buffer.alloc(16)
  let text = ''
  while (!text.endsWith('\n')) {
    const count = readSync(descriptor, bytes)
    if (count === 0) {
      closeSync(descriptor)
      throw new Error('the shell that starts programs has gone')
    }
    text += bytes.toString('latin1', 0, count)
  }
  return text.trimEnd()
}
