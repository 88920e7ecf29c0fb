const DURATION = /^[-+]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/

/** True if a text is a time as Go's `time.ParseDuration` reads it, but for how large it may be: `1h30m`. */
export function isGoDuration(text: string): boolean {
  return DURATION.test(text)
}

const SECONDS: ReadonlyMap<string, number> = new Map([
  ['h', 3600],
  ['m', 60],
  ['s', 1],
  ['ms', 1e-3],
  ['us', 1e-6],
  ['\u00b5s', 1e-6],
  ['\u03bcs', 1e-6],
  ['ns', 1e-9],
])

/** The seconds of a time as Go reads it, without their fraction; undefined for what is none. */
export function wholeSecondsOf(text: string): number | undefined {
  if (!isGoDuration(text)) return undefined
  const parts = [...text.matchAll(/([0-9.]+)([a-z\u00b5\u03bc]+)/g)]
  const seconds = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (SECONDS.get(unit ?? '') ?? 0), 0)
  return Math.trunc(text.startsWith('-') ? -seconds : seconds)
}
