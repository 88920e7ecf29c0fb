/** Milliseconds from some fixed start. The global `performance` would take some milliseconds to be loaded. */
export function monotonic(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}
