/** Files in flight at once: enough to hide latency, few enough for any limit on open files. */
const WORKERS = 16

/**
 * Like `Promise.all(items.map(run))`, a bounded number at a time; results keep the order of `items`. After a failure
 * nothing new is started, and the first failure is thrown once nothing is in flight any more: whoever cleans up then
 * meets no stragglers.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
  workers: number = WORKERS,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const failures: unknown[] = []
  const queue = items.entries()
  async function work(): Promise<void> {
    for (const [index, item] of queue) {
      if (failures.length > 0) return
      try {
        results[index] = await run(item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(workers, items.length) }, work))
  if (failures.length > 0) throw failures[0]
  return results
}
