// To start a program, Linux copies the tables of a process's memory: that takes a worker of the tests, which has some
// hundred megabytes, 20 ms or more, and the tests start git some fifty thousand times. In a worker that loads this, a
// small process starts git (git-starter.mjs), in 2 ms. git and the test see the same either way: the pipes are Unix
// sockets, as they are from Node, and nobody stands between their two ends.
import { ChildProcess, fork } from 'node:child_process'
import { connect } from 'node:net'
import { basename, join } from 'node:path'
import process from 'node:process'

/**
 * @typedef {object} Start
 * @property {number} id
 * @property {string} file
 * @property {string[]} args The first is the name that the program sees.
 * @property {string} cwd
 * @property {Record<string, string>} env
 * @property {string[]} kinds Of each descriptor: `pipe`, `ignore`, `inherit`.
 *
 * @typedef {Start | { id: number, kill: NodeJS.Signals }} Asked
 *
 * @typedef {{ id: number, pid: number | undefined }
 *   | { id: number, code: number | null, signal: string | null }
 *   | { id: number, error: Record<string, unknown> }} Answer
 */

const startAsEver = ChildProcess.prototype.spawn
/** Characters; what is longer the system may refuse, and that has to show where the test starts it. */
const LONGEST = 100_000
/** Of Linux's abstract names: nothing is left of it. */
const address = `stackmason-tests-${process.pid}-${process.hrtime.bigint()}`

/** @type {Map<number, (answer: Answer) => void>} */
const waiting = new Map()
let last = 0
let isBegun = false
/** @type {{ small?: import('node:child_process').ChildProcess }} Empty until it is there. */
const starter = {}

/** Starts the small process. Until it is there, and where it cannot be, git is started as ever. */
function begin() {
  isBegun = true
  const small = fork(join(import.meta.dirname, 'git-starter.mjs'), [address], {
    execArgv: ['--max-semi-space-size=1'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {},
  })
  small.unref()
  small.channel?.unref()
  small.on('error', () => undefined)
  small.on('message', (/** @type {Answer} */ answer) => {
    if (answer.id === 0) starter.small = small
    else waiting.get(answer.id)?.(answer)
  })
  small.on('exit', () => {
    delete starter.small
    const error = { message: 'the process that starts git for the tests has ended', code: 'EPIPE' }
    for (const [id, tell] of waiting) tell({ id, error })
  })
}

/** @param {any} stdio As Node takes it. */
function kindsOf(stdio) {
  const all = Array.isArray(stdio) ? [...stdio] : [stdio, stdio, stdio]
  return Array.from({ length: Math.max(3, all.length) }, (_, at) => all[at] ?? 'pipe')
}

/** @param {any} options As Node hands them to the method. */
function canSmallStart({ file, args, stdio, detached, uid, gid, envPairs, cwd }) {
  const kinds = kindsOf(stdio)
  return (
    basename(file) === 'git' &&
    kinds.length === 3 &&
    kinds.every((kind) => kind === 'pipe' || kind === 'ignore' || kind === 'inherit') &&
    kinds[0] !== 'inherit' &&
    !detached &&
    uid === undefined &&
    gid === undefined &&
    (cwd === undefined || typeof cwd === 'string') &&
    [...args, ...envPairs].reduce((sum, text) => sum + text.length, 0) < LONGEST
  )
}

/**
 * @this {any} A process of Node that is to begin.
 * @param {any} options As Node hands them to the method.
 * @param {import('node:child_process').ChildProcess} small
 */
function startBySmall({ file, args, stdio, envPairs, cwd = process.cwd() }, small) {
  const id = (last += 1)
  const kinds = kindsOf(stdio)
  // Node would close this with the program that it starts, and until then it holds all that belongs to it
  const handle = this._handle
  this._handle = null
  for (const key of Reflect.ownKeys(handle)) Reflect.deleteProperty(handle, key)

  const pipes = kinds.map((kind) => (kind === 'pipe' ? connect({ path: `\0${address}` }) : null))
  const [stdin, stdout, stderr] = pipes
  // Node reads nothing of this one either
  stdin?.pause()
  Object.assign(this, { spawnfile: file, spawnargs: args, stdin, stdout, stderr, stdio: pipes })
  const read = [stdout, stderr].filter((pipe) => pipe !== null)
  let isEnded = false
  let open = read.length + 1
  const close = () => {
    open -= 1
    if (open === 0) this.emit('close', this.exitCode, this.signalCode)
  }
  for (const pipe of read) pipe.once('close', close)
  this.kill = (/** @type {NodeJS.Signals} */ signal = 'SIGTERM') => {
    if (isEnded || !small.connected) return false
    small.send({ id, kill: signal })
    this.killed = true
    return true
  }
  const end = (/** @type {Exclude<Answer, { pid: unknown }>} */ answer) => {
    isEnded = true
    waiting.delete(id)
    if (waiting.size === 0) small.channel?.unref()
    stdin?.destroy()
    if ('error' in answer) {
      for (const pipe of read) pipe.destroy()
      this.exitCode = answer.error['errno'] ?? -1
      this.emit('error', Object.assign(new Error(), answer.error))
    } else {
      this.exitCode = answer.code
      this.signalCode = answer.signal
      this.emit('exit', answer.code, answer.signal)
      // what nobody reads would never close
      for (const pipe of read) if (pipe.readableFlowing === null && pipe.listenerCount('readable') === 0) pipe.resume()
    }
    close()
  }
  waiting.set(id, (answer) => {
    if (!('pid' in answer)) {
      end(answer)
      return
    }
    this.pid = answer.pid
    this.emit('spawn')
  })
  small.channel?.ref()
  const env = Object.fromEntries(
    envPairs.map((/** @type {string} */ pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
  small.send({ id, file, args, cwd, env, kinds })
}

ChildProcess.prototype.spawn = function spawn(/** @type {any} */ options) {
  if (!canSmallStart(options)) return startAsEver.call(this, options)
  if (!isBegun) begin()
  if (starter.small === undefined) return startAsEver.call(this, options)
  startBySmall.call(this, options, starter.small)
  return 0
}
