// To start a program, Linux copies the tables of a process's memory: that takes a worker of the tests, which has some
// hundred megabytes, 20 ms or more, and the tests start git some seventy thousand times. In a worker that loads this,
// shells start git, in 1 ms: one at a time each, with files for its input and its output. Whoever waits for it sees the
// same events; what it prints comes at its end. What has to talk with git while it runs is started as ever, as soon as
// it shows: its input has no end yet.
import { ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import process from 'node:process'
import { Readable, Writable } from 'node:stream'

/**
 * @typedef {object} Shell
 * @property {import('node:child_process').ChildProcess} process
 * @property {string} folder Of the files of what it runs: in, out, err.
 * @property {((status: number | undefined) => void) | undefined} tell Of what it runs; without a status it has gone.
 */

const startAsEver = ChildProcess.prototype.spawn
/** A test may take the folder for temporary files away for itself. */
const temporary = tmpdir()
/** More at once are started as ever. */
const MOST_SHELLS = 8
/** @type {Set<Shell>} */
const shells = new Set()
/** @type {Map<string, boolean>} */
const findsGit = new Map()

/** @param {string} word */
const quoted = (word) => `'${word.replaceAll("'", String.raw`'\''`)}'`

/** A shell that runs nothing; undefined if there are too many. */
function freeShell() {
  for (const shell of shells) if (shell.tell === undefined) return shell
  return shells.size < MOST_SHELLS ? openShell() : undefined
}

/** @returns {Shell} */
function openShell() {
  const folder = mkdtempSync(join(temporary, 'stackmason-shell-'))
  const child = spawn('sh', [], { stdio: ['pipe', 'pipe', 'ignore'], env: {}, cwd: '/' })
  /** @type {Shell} */
  const shell = { process: child, folder, tell: undefined }
  shells.add(shell)
  let text = ''
  child.stdout.setEncoding('latin1').on('data', (part) => {
    text += part
    if (!text.endsWith('\n')) return
    const status = Number(text)
    text = ''
    tell(shell, status)
  })
  const leave = () => {
    shells.delete(shell)
    tell(shell, undefined)
  }
  child.once('error', leave).once('close', leave)
  child.stdin.on('error', () => undefined)
  // when this process ends, however it does
  child.stdin.write(`trap 'rm -rf ${folder}' EXIT\n`)
  release(shell)
  return shell
}

/**
 * @param {Shell} shell
 * @param {number | undefined} status
 */
function tell(shell, status) {
  const { tell: told } = shell
  shell.tell = undefined
  release(shell)
  told?.(status)
}

/** A shell that runs nothing keeps no process. @param {Shell} shell */
function release({ process: child }) {
  child.unref()
  for (const pipe of [child.stdin, child.stdout]) /** @type {import('node:net').Socket} */ (pipe).unref()
}

/** @param {any} stdio As Node takes it. */
function kindsOf(stdio) {
  const all = Array.isArray(stdio) ? [...stdio] : [stdio, stdio, stdio]
  return Array.from({ length: Math.max(3, all.length) }, (_, at) => all[at] ?? 'pipe')
}

/** @param {readonly string[]} envPairs */
function hasGit(envPairs) {
  const path = envPairs.find((pair) => pair.startsWith('PATH='))?.slice('PATH='.length) ?? ''
  const known = findsGit.get(path)
  if (known !== undefined && !path.startsWith(tmpdir())) return known
  const finds = path.split(':').some((folder) => {
    try {
      accessSync(join(folder, 'git'), constants.X_OK)
      return folder.startsWith('/')
    } catch {
      return false
    }
  })
  findsGit.set(path, finds)
  return finds
}

/** @param {any} options As Node hands them to the method. */
function canShellStart({ file, args, stdio, detached, uid, gid, envPairs, cwd }) {
  const kinds = kindsOf(stdio)
  return (
    file === 'git' &&
    basename(args[0]) === 'git' &&
    kinds.length === 3 &&
    kinds.every((kind) => kind === 'pipe' || kind === 'ignore' || kind === 'inherit') &&
    kinds[0] !== 'inherit' &&
    !detached &&
    (uid ?? gid ?? undefined) === undefined &&
    ((cwd ?? undefined) === undefined || (typeof cwd === 'string' && existsSync(cwd))) &&
    envPairs.every((/** @type {string} */ pair) => /^[A-Za-z_]\w*=/.test(pair)) &&
    hasGit(envPairs)
  )
}

/**
 * Events and streams of a process of Node, before it is known who starts it.
 * @param {any} outer The process.
 * @param {any} options As Node hands them to the method.
 */
function begin(outer, options) {
  const kinds = kindsOf(options.stdio)
  // Node would close this with the program that it starts, and until then it holds all that belongs to it
  const handle = outer._handle
  outer._handle = null
  for (const key of Reflect.ownKeys(handle)) Reflect.deleteProperty(handle, key)

  /** @type {Buffer[]} */
  const given = []
  /** @type {((bytes: Buffer, done: (error?: Error | null) => void) => void) | undefined} */
  let pass
  const stdin =
    kinds[0] === 'pipe'
      ? new Writable({
          write: (bytes, _encoding, done) => {
            if (pass !== undefined) pass(bytes, done)
            else {
              given.push(bytes)
              done()
            }
          },
        })
      : null
  const [stdout, stderr] = kinds.slice(1).map((kind) => (kind === 'pipe' ? new Readable({ read: () => {} }) : null))
  const read = [stdout, stderr].filter((stream) => stream !== null && stream !== undefined)
  Object.assign(outer, { spawnfile: options.file, spawnargs: options.args, stdin, stdout, stderr })
  outer.stdio = [stdin, stdout, stderr]
  let open = read.length + 1
  const close = () => {
    open -= 1
    if (open === 0) outer.emit('close', outer.exitCode, outer.signalCode)
  }
  for (const stream of read) stream.once('close', close)

  let isEnded = false
  /** @type {string | null} */
  let killed = null
  /** @type {(signal: NodeJS.Signals) => boolean} */
  let kill = () => true
  outer.kill = (/** @type {NodeJS.Signals} */ signal = 'SIGTERM') => {
    if (isEnded || !kill(signal)) return false
    killed = signal
    outer.killed = true
    return true
  }
  /** @param {number | null} code @param {string | null} signal */
  const end = (code, signal) => {
    if (isEnded) return
    isEnded = true
    stdin?.destroy()
    outer.exitCode = code
    outer.signalCode = signal
    outer.emit('exit', code, signal)
    // what nobody reads would never close
    for (const stream of read)
      if (stream.readableFlowing === null && stream.listenerCount('readable') === 0) stream.resume()
    close()
  }
  /** @param {unknown[]} printed */
  const print = (printed) => {
    for (const [at, stream] of [stdout, stderr].entries()) {
      const bytes = /** @type {Buffer} */ (printed[at])
      if (stream === null || stream === undefined) {
        if (kinds[at + 1] === 'inherit') (at === 0 ? process.stdout : process.stderr).write(bytes)
        continue
      }
      if (bytes.length > 0) stream.push(bytes)
      stream.push(null)
    }
  }

  /** @param {Shell} shell */
  const startByShell = (shell) => {
    const [input, out, errors] = ['in', 'out', 'err'].map((name) => join(shell.folder, name))
    if (given.length > 0) writeFileSync(input, Buffer.concat(given))
    const words = [
      ...options.envPairs.map((/** @type {string} */ pair) => {
        const at = pair.indexOf('=') + 1
        return pair.slice(0, at) + quoted(pair.slice(at))
      }),
      'git',
      ...options.args.slice(1).map(quoted),
      `<${given.length > 0 ? input : '/dev/null'}`,
      `>${kinds[1] === 'ignore' ? '/dev/null' : out}`,
      `2>${kinds[2] === 'ignore' ? '/dev/null' : errors}`,
    ]
    kill = (signal) => {
      // the shell may not have come to it yet
      if (!isEnded && !killChildren(shell.process.pid, signal)) setTimeout(() => kill(signal), 5)
      return true
    }
    shell.tell = (status) => {
      const printed = [out, errors].map((path, at) => (kinds[at + 1] === 'ignore' ? NOTHING : readPrinted(path)))
      if (status === undefined) printed[1] = Buffer.from('the shell that starts git for the tests has ended')
      print(printed)
      // whoever finds too much in it stops git
      setImmediate(() => {
        if (killed === null) end(status ?? 1, null)
        else end(null, killed)
      })
    }
    shell.process.ref()
    for (const pipe of [shell.process.stdin, shell.process.stdout]) /** @type {any} */ (pipe).ref()
    shell.process.stdin?.write(`cd ${quoted(options.cwd ?? process.cwd())}; ${words.join(' ')}; echo $?\n`)
  }

  const startSelf = () => {
    const inner = new ChildProcess()
    kill = (signal) => inner.kill(signal)
    inner.once('error', (error) => {
      isEnded = true
      stdin?.destroy()
      for (const stream of read) stream.destroy()
      outer.emit('error', error)
      close()
    })
    inner.once('exit', end)
    startAsEver.call(inner, options)
    outer.pid = inner.pid
    if (stdin !== null && inner.stdin !== null) {
      const { stdin: into } = inner
      into.on('error', (error) => stdin.destroy(error))
      for (const bytes of given) into.write(bytes)
      pass = (bytes, done) => into.write(bytes, done)
      if (stdin.writableFinished) into.end()
      else stdin.once('finish', () => into.end())
    }
    for (const [from, to] of [
      [inner.stdout, stdout],
      [inner.stderr, stderr],
    ]) {
      from?.on('data', (bytes) => to?.push(bytes))
      from?.once('close', () => to?.push(null))
    }
  }

  process.nextTick(() => outer.emit('spawn'))
  setImmediate(() => {
    if (killed !== null) {
      print([NOTHING, NOTHING])
      end(null, killed)
      return
    }
    const shell = stdin === null || stdin.writableFinished ? freeShell() : undefined
    if (shell === undefined) startSelf()
    else startByShell(shell)
  })
}

const NOTHING = Buffer.alloc(0)

/** @param {string} path */
function readPrinted(path) {
  try {
    return readFileSync(path)
  } catch {
    return NOTHING
  }
}

/**
 * @param {number | undefined} pid Of a shell.
 * @param {NodeJS.Signals} signal
 */
function killChildren(pid, signal) {
  const own = String(pid)
  const children = readFileSync(`/proc/${own}/task/${own}/children`, 'utf8').trim().split(' ')
  for (const child of children) if (child !== '') process.kill(Number(child), signal)
  return children.join('') !== ''
}

process.once('exit', () => {
  for (const { folder } of shells) rmSync(folder, { recursive: true, force: true })
})

ChildProcess.prototype.spawn = function spawn(/** @type {any} */ options) {
  if (!canShellStart(options)) return startAsEver.call(this, options)
  begin(this, options)
  return 0
}
