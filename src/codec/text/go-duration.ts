const DURATION = /^[-+]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/

/** True if a text is a time as Go's `time.ParseDuration` reads it, but for how large it may be: `1h30m`. */
export function isGoDuration(text: string): boolean {
  return DURATION.test(text)
}
