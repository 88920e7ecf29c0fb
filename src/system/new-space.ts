import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * Bytes of V8's space for new objects, both halves, that a run gets after {@link LONG}. V8 takes up to 32 MB for it as
 * soon as there is much to do, which a short run has no use for, and a long one wins a few percent of its time by.
 */
const ENOUGH = 8 << 20
/** Megabytes of one half that the heap of a thread begins with: it has much to do at once. */
const OF_THREADS = 4
/** Milliseconds after which a run is long. */
const LONG = 600
/** Milliseconds: whoever makes another heap, for a thread, gives this one its default back. */
const HOLDING = 10

/**
 * Keeps the space for new objects as small as it begins; one of a run that is no `lasting` one gets room once it takes
 * long. Has to come before any code is compiled: stored code is only taken under the same flags.
 */
export function boundNewSpace(run: 'lasting' | 'passing'): void {
  holdNewSpace()
  if (run === 'lasting') return
  const end = performance.now() + LONG
  setInterval(() => {
    setNewSpaceGrowth(performance.now() > end && sizeOfNewSpace() < ENOUGH ? 2 : 1)
  }, HOLDING).unref()
}

/** Sets the flags as they are when a run begins. */
export function holdNewSpace(): void {
  setNewSpaceGrowth(1)
  // read when a heap is made: the one of this run is there
  setFlagsFromString(`--min-semi-space-size=${String(OF_THREADS)}`)
}

function setNewSpaceGrowth(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${String(factor)}`)
}

function sizeOfNewSpace(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? ENOUGH
}
