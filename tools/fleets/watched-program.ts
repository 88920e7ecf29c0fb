import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** When a program is killed. */
export interface Kill {
  /** What it does then: its step of this number, from 1; 0: it has only been started. */
  readonly step: number
  /** Steps are counted from the first of these. */
  readonly from?: string
  /** Milliseconds after that. */
  readonly later: number
  /** The program alone, or with the programs that it has started. */
  readonly whom: 'process' | 'group'
}

/** What became of a run. */
export interface WatchedRun {
  readonly isKilled: boolean
  /** What it did, in order: a run of git (`git push`), or what it asked of a forge (`POST /pulls`). */
  readonly steps: readonly string[]
  /** Set if it has failed by itself: its status, and what it said. */
  readonly failure?: string
}

/** A program to be watched. */
export interface WatchedProgram {
  /** Words after Node's. */
  readonly words: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** An empty folder. */
  readonly scratch: string
  /** What a forge was asked so far; it may be of earlier runs. */
  readonly requests: readonly string[]
}

/** Milliseconds between two looks. */
const LOOK = 2

/**
 * Runs a program to its end, or kills it at a step. Each start of git is a step: the program finds one that notes what it
 * is asked before it does it.
 */
export async function runWatched(program: WatchedProgram, kill?: Kill): Promise<WatchedRun> {
  const { words, cwd, env, scratch, requests } = program
  const journal = join(scratch, 'journal')
  rmSync(journal, { force: true })
  const known = requests.length
  const path = [notingGit(scratch, journal), env['PATH'] ?? ''].join(delimiter)
  const child = spawn(process.execPath, words, {
    cwd,
    env: { ...env, PATH: path },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const steps: string[] = []
  let [ofGit, ofForge] = [0, 0]
  const look = (): void => {
    const lines = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').slice(0, -1) : []
    for (const line of lines.slice(ofGit)) steps.push(`git ${verbOf(line)}`)
    const asked = requests.slice(known)
    for (const line of asked.slice(ofForge)) steps.push(line.replace(/ .*(\/[a-z-]+)(?:\/.*)?$/, ' $1'))
    ofGit = lines.length
    ofForge = asked.length
  }
  let reached: number | undefined
  let isSent = false
  const timer = setInterval(() => {
    look()
    const isOver = child.exitCode !== null || child.signalCode !== null
    if (kill === undefined || isSent || isOver || child.pid === undefined) return
    const begin = kill.from === undefined ? 0 : steps.indexOf(kill.from)
    if (begin === -1 || steps.length - begin < kill.step) return
    reached ??= performance.now()
    if (performance.now() < reached + kill.later) return
    isSent = true
    process.kill(kill.whom === 'group' ? -child.pid : child.pid, 'SIGKILL')
  }, LOOK)
  const [status, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject)
    // what it has started may keep its output open
    child.once('exit', (...end) => {
      resolve(end)
    })
  }).finally(() => {
    clearInterval(timer)
  })
  while (isGroupThere(child.pid)) await sleep(LOOK)
  look()
  const hasFailed = status !== null && status > 0
  return { isKilled: signal !== null, steps, ...(hasFailed && { failure: `status ${String(status)}: ${said.trim()}` }) }
}

/** True while a program of the group runs: what git has begun may end. */
function isGroupThere(group: number | undefined): boolean {
  if (group === undefined) return false
  try {
    process.kill(-group, 0)
    return true
  } catch {
    return false
  }
}

/** A folder with a git that notes its words in a file. */
function notingGit(scratch: string, journal: string): string {
  const folder = join(scratch, 'bin')
  const file = join(folder, 'git')
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true })
    // the rest of PATH has the real one
    writeFileSync(file, `#!/bin/sh\nPATH="\${PATH#*:}"\necho "$*" >> '${journal}'\nexec git "$@"\n`)
    chmodSync(file, 0o755)
  }
  return folder
}

/** What git is asked to do; options stand before it. */
function verbOf(line: string): string {
  const words = line.split(' ')
  const at = words.findIndex((word, index) => !word.startsWith('-') && words[index - 1] !== '-c')
  return words[at] ?? line
}
