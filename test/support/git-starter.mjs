// The small process that starts git for a worker of the tests (git-starts.mjs). To each start belong as many
// connections as it has pipes, in the order of their descriptors; what is to start comes through the channel from the
// worker, and so goes back what becomes of it.
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'

/** @type {import('node:net').Socket[]} */
const connections = []
/** @type {import('./git-starts.mjs').Start[]} */
const starts = []
/** @type {Map<number, import('node:child_process').ChildProcess>} */
const running = new Map()

/** @param {import('./git-starts.mjs').Answer} answer */
const tell = (answer) => process.send?.(answer)

/** @param {any} error */
const factsOf = ({ message, code, errno, syscall, path, spawnargs }) => ({
  message,
  code,
  errno,
  syscall,
  path,
  spawnargs,
})

/**
 * @param {import('./git-starts.mjs').Start} start
 * @param {import('node:net').Socket[]} pipes
 */
function begin({ id, file, args: [argv0, ...args], cwd, env, kinds }, pipes) {
  const rest = [...pipes]
  const stdio = kinds.map((kind) => (kind === 'pipe' ? rest.shift() : kind))
  const child = spawn(file, args, { cwd, env, argv0, stdio })
  // the program has its own descriptors of them
  for (const pipe of pipes) pipe.destroy()
  running.set(id, child)
  child.once('spawn', () => tell({ id, pid: child.pid }))
  child.once('error', (error) => {
    running.delete(id)
    tell({ id, error: factsOf(error) })
  })
  child.once('exit', (code, signal) => {
    running.delete(id)
    tell({ id, code, signal })
  })
}

function beginAll() {
  for (;;) {
    const [start] = starts
    const pipes = start?.kinds.filter((kind) => kind === 'pipe').length
    if (start === undefined || connections.length < pipes) return
    starts.shift()
    begin(start, connections.splice(0, pipes))
  }
}

process.on('message', (/** @type {import('./git-starts.mjs').Asked} */ asked) => {
  if ('kill' in asked) running.get(asked.id)?.kill(asked.kill)
  else starts.push(asked)
  beginAll()
})
// the worker has ended
process.on('disconnect', () => process.exit())

createServer({ pauseOnConnect: true }, (connection) => {
  connection.on('error', () => connection.destroy())
  connections.push(connection)
  beginAll()
}).listen(`\0${process.argv[2]}`, () => tell({ id: 0, pid: process.pid }))
