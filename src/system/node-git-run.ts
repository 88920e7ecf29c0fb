import { devNull } from 'node:os'
import { parse } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { SimpleGit } from 'simple-git'
import { GitError, type GitRemote } from '../model/git.ts'
import { ensureDescriptors } from './descriptors.ts'
import { gitEnvironment } from './node-git-environment.ts'
import { gitErrorOf } from './node-git-error.ts'
import { findRepository } from './node-git-repository.ts'

/** One run of git. */
export interface GitCall {
  readonly args: readonly string[]
  /** A bare repository, none, or the one around `cwd`. */
  readonly repository: string
  readonly cwd?: string
  readonly remote?: GitRemote
  readonly input?: string | undefined
  readonly signal?: AbortSignal
  /** The index that git uses, in place of the repository's own; absolute. */
  readonly index?: string
  /** True if git makes commits: then who the user is, and how he signs, counts as he has configured it. */
  readonly isWriting?: boolean
  /** Configuration for this run alone. */
  readonly config?: readonly (readonly [string, string])[]
  /** Exit statuses besides 0 that are no failure. */
  readonly accepts?: readonly number[]
}

/** What git printed. */
export interface GitOutput {
  readonly out: Uint8Array
  readonly errors: string
  readonly status: number
}

/** The oldest git that reads its configuration from variables, without which nothing is switched off. */
const OLDEST = [2, 31] as const
/** Milliseconds that errors are waited for once everything else was read. */
const LATE_ERRORS = 1000
const NOTHING = Buffer.alloc(0)
const MAX_OUTPUT = 512 * 1024 * 1024
/** In place of the path of a repository, where none is needed. */
export const NO_REPOSITORY: string = devNull
/** Where git runs that needs no folder: one that is always there. */
const ROOT = parse(process.execPath).root
/**
 * The descriptors that a child with three pipes takes, with room for what opens until it starts; simple-git does not
 * survive when they lack.
 */
const CHILD_DESCRIPTORS = 12

/** Runs git to its end; its output comes back as it is. */
export type RunGit = (call: GitCall) => Promise<GitOutput>

/** Runs git in one repository, to write. */
export type WriterGit = (
  args: readonly string[],
  more?: Omit<GitCall, 'args' | 'repository' | 'isWriting'>,
) => Promise<GitOutput>

/** Makes what runs git in the repository around a folder. */
export function writerGit(run: RunGit, cwd: string): WriterGit {
  return (args, more) => run({ args, repository: 'discover', cwd, isWriting: true, ...more })
}

/**
 * Makes what runs git, of a version that lets itself be told what to leave out. It throws {@link GitError}, and the
 * system's error when no program can be started.
 */
export function createRunGit(): RunGit {
  return async (call) => {
    await knownVersion(process.env['PATH'] ?? '')
    return runGit(call)
  }
}

/** By where programs are looked for: a process asks the same git once. */
const versions = new Map<string, Promise<void>>()

async function knownVersion(path: string): Promise<void> {
  const version = versions.get(path) ?? checkVersion()
  versions.set(path, version)
  try {
    await version
  } catch (error) {
    versions.delete(path)
    throw error
  }
}

async function runGit(call: GitCall): Promise<GitOutput> {
  const { args, cwd = ROOT, remote, input, signal, accepts = [] } = call
  const { simpleGit } = await import('simple-git')
  ensureDescriptors(CHILD_DESCRIPTORS)
  const workTree = call.repository === 'discover' ? workTreeAround(cwd) : undefined
  const environment = gitEnvironment(process.env, { ...call, workTree })
  let status = 0
  const tooMuch = new AbortController()
  const printed = { out: new Array<Uint8Array>(), err: new Array<Uint8Array>() }
  let size = 0
  let read: readonly Promise<unknown>[] = []
  const git: SimpleGit = simpleGit({
    baseDir: cwd,
    abort: signal === undefined ? tooMuch.signal : AbortSignal.any([tooMuch.signal, signal]),
    allowEnvironment: Object.keys(environment),
    // simple-git guards against configuration that strangers hand in; all of this is our own
    unsafe: {
      allowUnsafeAskPass: true,
      allowUnsafeConfigEnvCount: true,
      allowUnsafeConfigPaths: true,
      allowUnsafeCredentialHelper: true,
      allowUnsafeExec: true,
      allowUnsafeFsMonitor: true,
      allowUnsafeGitProxy: true,
      allowUnsafeHooksPath: true,
      allowUnsafeSshCommand: true,
      allowUnsafeTemplateDir: true,
      allowUnsafeUrlRewrite: true,
    },
    input: () => Buffer.from(input ?? ''),
    // it takes a git that was killed, or failed without a word, for one that succeeded
    errors: (error, { exitCode }) => {
      status = exitCode
      if (accepts.includes(exitCode)) return undefined
      return error ?? (exitCode === 0 ? undefined : new Error(`git ${args[0] ?? ''} ended with status ${exitCode}`))
    },
  })
    .env(environment)
    .outputHandler((_command, stdout, stderr) => {
      read = [stdout, stderr].map((stream) => new Promise((resolve) => stream.once('close', resolve)))
      const collect = (to: Uint8Array[]) => (chunk: Uint8Array) => {
        size += chunk.length
        to.push(chunk)
        if (size > MAX_OUTPUT) tooMuch.abort()
      }
      stdout.on('data', collect(printed.out))
      stderr.on('data', collect(printed.err))
      // where git says nothing simple-git waits for a word of it, 50 ms after its end
      stdout.once('close', () => stdout.emit('data', NOTHING))
    })
  try {
    // the one that does not make text of what git prints
    if (args[0] === 'cat-file') await git.binaryCatFile(args.slice(1))
    else await git.raw([...args])
    await allOf(read)
  } catch (error) {
    if (signal?.aborted === true && signal.reason instanceof GitError) throw signal.reason
    if (tooMuch.signal.aborted) throw new GitError('too-large', `git ${args[0] ?? ''} printed too much`)
    if (status > 0) await allOf(read)
    const text = decode(Buffer.concat(printed.err))
    throw text.trim() === '' ? gitErrorOf(messageOf(error), remote, 'failed') : gitErrorOf(text, remote)
  }
  return { out: new Uint8Array(Buffer.concat(printed.out)), errors: decode(Buffer.concat(printed.err)), status }
}

/** simple-git makes text of errors, and that the message of its own. */
function messageOf(error: unknown): string {
  return String(error).replace(/^(?:\w*Error: )+/, '')
}

/**
 * The folder that a repository lies in: `core.bare`, or a `core.worktree` elsewhere, would have git see none of its
 * files, and a run take each of them for new.
 */
function workTreeAround(cwd: string): string | undefined {
  try {
    return findRepository(cwd)
  } catch (error) {
    // git says itself what is damaged
    if (error instanceof GitError) return undefined
    throw error
  }
}

/**
 * Waits for all that git printed: simple-git goes on 50 ms after git's end, whether that is read or not. What git leaves
 * running, such as a shared connection of ssh, may keep the errors open.
 */
async function allOf([out, errors]: readonly Promise<unknown>[]): Promise<void> {
  await out
  await Promise.race([errors, setTimeout(LATE_ERRORS, undefined, { ref: false })])
}

async function checkVersion(): Promise<void> {
  const printed = decode((await runGit({ args: ['version'], repository: NO_REPOSITORY })).out)
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(printed) ?? []).map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return
  throw new GitError('other', `git ${OLDEST.join('.')} or newer is needed, this is ${printed.trim()}`)
}

/** Runs work that git is stopped in when it takes longer. @throws GitError timeout */
export async function withDeadline<Result>(
  timeout: number,
  run: (signal: AbortSignal, abort: (reason: GitError) => void) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const seconds = Math.ceil(timeout / 1000)
  const timer = globalThis.setTimeout(() => {
    controller.abort(new GitError('timeout', `git did not end within ${seconds} s`))
  }, timeout)
  try {
    return await run(controller.signal, (reason) => {
      controller.abort(reason)
    })
  } finally {
    clearTimeout(timer)
  }
}

/** The text of what git printed. */
export function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
