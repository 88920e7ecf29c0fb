// Writes the results of each test file when it has ended, a line of JSON each, into the file that CI_RESULTS names: what a run that is stopped has shown counts.
import { appendFileSync } from 'node:fs'

const file = process.env.CI_RESULTS

const write = (line) => appendFileSync(file, `${JSON.stringify(line)}\n`)
const nameOf = (module) => module.relativeModuleId ?? module.moduleId

export default class {
  #shard = { index: 1, count: 1 }

  onInit({ config }) {
    this.#shard = config.shard ?? this.#shard
  }

  // it is told of all files, also where they are dealt among several machines
  onTestRunStart({ length }) {
    const { index, count } = this.#shard
    write({ event: 'start', files: Math.ceil((length - index + 1) / count) })
  }

  onTestModuleStart(module) {
    write({ event: 'begin', file: nameOf(module) })
  }

  onTestModuleEnd(module) {
    const count = { passed: 0, failed: 0 }
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state === 'passed' || state === 'failed') count[state] += 1
    }
    write({ event: 'end', file: nameOf(module), ok: module.ok(), ...count })
  }

  onTestRunEnd(_, errors) {
    write({ event: 'stop', errors: errors.map(({ message }) => String(message).split('\n', 1)[0]) })
  }
}
