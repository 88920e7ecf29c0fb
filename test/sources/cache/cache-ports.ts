import { createNodePorts } from '../../../src/system/node-ports.ts'
import type { Ports } from '../../../src/model/ports.ts'

/** The ports of this machine with a clock that tests set. */
export interface CachePorts {
  readonly ports: Ports
  /** Moves the clock, in days. */
  readonly pass: (days: number) => void
}

const real: Ports = createNodePorts()

/** Day, in milliseconds. */
export const DAY: number = 24 * 60 * 60 * 1000

/** Makes ports whose clock starts now. */
export function createCachePorts(): CachePorts {
  let passed = 0
  return {
    ports: { ...real, clock: { ...real.clock, now: () => real.clock.now() + passed } },
    pass: (days) => {
      passed += days * DAY
    },
  }
}
