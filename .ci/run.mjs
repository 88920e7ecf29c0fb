// Runs the parts of CI, each within its time and that of the whole. What went wrong with a part becomes a line of .cache/ci/problems; what its tests gave lies
// beside it, and `ended` when each part has ended, also those that failed.
import { spawn } from 'node:child_process'
import { appendFileSync, closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { steps } from './parts.mjs'

const folder = '.cache/ci'
const minutes = Number(process.env.STACKMASON_CI_MINUTES ?? 55)
const end = Date.now() + minutes * 60_000
/** Of the parts that run: name by process. */
const running = new Map()
let isStopped = false

const problem = (text) => appendFileSync(`${folder}/problems`, `${text}\n`)

/** Sends a signal to all that the part has started. */
function signal(child, name) {
  try {
    process.kill(-child.pid, name)
  } catch {
    // all of it has ended
  }
}

async function stop(child) {
  signal(child, 'SIGTERM')
  await Promise.race([child.ended, wait(3000, undefined, { ref: false })])
  signal(child, 'SIGKILL')
}

/** Returns true if the part ended well. */
async function run({ name, minutes: own, command, isBeside = false, hasTests = false, leaves = 0 }) {
  const left = end - Date.now() - leaves * 60_000
  if (isStopped || left <= 0) {
    problem(`${name}: was not run, ${isStopped ? 'CI was stopped' : `the whole took its ${minutes} minutes`}`)
    return false
  }
  const slug = name.replaceAll(/[^a-z0-9]+/gi, '-')
  const log = isBeside ? openSync(`${folder}/${slug}.log`, 'w') : 'inherit'
  if (hasTests) writeFileSync(`${folder}/${slug}.results`, '')
  process.stdout.write(`--- ${name}\n`)
  const started = Date.now()
  const child = spawn('sh', ['-c', `: > ${folder}/running/$$ \n${command}`], {
    // a group of its own, so that nothing of it is left running; it registers itself before it starts anything
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...(hasTests && { CI_RESULTS: `${folder}/${slug}.results` }) },
  })
  child.ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(`cannot be run: ${error.message}`))
    child.once('exit', (status, by) => resolve(by === null ? status : `was stopped by ${by}`))
  })
  if (child.pid === undefined) {
    problem(`${name}: ${await child.ended}`)
    return false
  }
  if (isBeside) setPriority(child.pid, 5)
  running.set(child, name)
  let isLate = false
  const timer = setTimeout(
    () => {
      isLate = true
      void stop(child)
    },
    Math.min(own * 60_000, left),
  )
  const result = await child.ended
  clearTimeout(timer)
  running.delete(child)
  // what it left behind would keep the output open, and take time of the others
  signal(child, 'SIGKILL')
  rmSync(`${folder}/running/${child.pid}`, { force: true })
  if (isBeside) {
    closeSync(log)
    process.stdout.write(`--- ${name} printed:\n`)
    process.stdout.write(readFileSync(`${folder}/${slug}.log`))
  }
  process.stdout.write(`--- ${name}: ${((Date.now() - started) / 1000).toFixed(0)} s\n`)
  if (result === 0) return true
  if (isLate) {
    const limit =
      own * 60_000 <= left ? `its ${own} minutes` : `what it had left of the ${minutes} minutes of the whole`
    problem(`${name}: took longer than ${limit}`)
  } else if (isStopped) problem(`${name}: CI was stopped`)
  else if (typeof result !== 'number') problem(`${name}: ${result}`)
  // the results may say it better
  else if (hasTests)
    appendFileSync(`${folder}/${slug}.results`, `${JSON.stringify({ event: 'status', status: result })}\n`)
  else problem(`${name}: ended with status ${result}`)
  return false
}

for (const name of ['SIGHUP', 'SIGINT', 'SIGTERM']) {
  process.on(name, () => {
    isStopped = true
    for (const child of running.keys()) void stop(child)
  })
}

let isBroken = false
for (const parts of steps) {
  if (isBroken) continue
  const ended = await Promise.all(parts.map((part) => run(part)))
  isBroken = parts.some(({ isNeeded }, index) => isNeeded === true && ended[index] === false)
}
writeFileSync(`${folder}/ended`, '')
