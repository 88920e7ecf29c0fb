import type { Source, Span } from '../../model/source.ts'

/** A marker of an unfinished merge, described for people. */
export interface ConflictMarker {
  readonly message: string
  readonly at: Span
  readonly hint: string
}

/**
 * The first conflict marker of git in a file that was not merged to its end: text at the start of a line that no sound
 * YAML has there.
 */
export function findConflictMarker(source: Source): ConflictMarker | undefined {
  if (!source.text.includes('<<<<<<<') && !source.text.includes('>>>>>>>')) return undefined
  const [marker] = source.text.matchAll(/^(?:<{7}|>{7})(?=[ \r\n]|$)[^\r\n]*/gm)
  if (marker === undefined) return undefined
  return {
    message: 'a merge was not finished: this line is a conflict marker of git',
    at: { source, start: marker.index, end: marker.index + marker[0].length },
    hint: 'Keep what is right of both sides, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>.',
  }
}
