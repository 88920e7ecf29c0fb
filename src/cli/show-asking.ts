import type { AskEvent } from '../pipeline/resolve/catalogue.ts'
import { plural } from '../report/plural.ts'
import { printable } from '../report/printable.ts'
import type { CliIo } from './cli-io.ts'
import { isInteractive } from './with-progress.ts'

/** Says which sources are being asked and which have answered, so that waiting for one is no silence. */
export interface Asking {
  readonly show: (event: AskEvent) => void
  /** Takes the line off a terminal, so that other text can follow. */
  readonly clear: () => void
}

const CLEAR_LINE = '\r\u001B[K'

/**
 * Shows the sources that are still waited for in one line on a terminal, elsewhere a line for each question and each
 * answer.
 */
export function showAsking(io: CliIo, detail: 'shown' | 'quiet'): Asking {
  if (detail === 'quiet') return { show: () => undefined, clear: () => undefined }
  const { stderr } = io
  if (!isInteractive(io)) return { show: (event) => stderr.write(`${lineOf(event)}\n`), clear: () => undefined }
  const waiting = new Set<string>()
  let isShown = false
  return {
    show: ({ source, state }) => {
      if (state === 'asked') waiting.add(printable(source))
      else waiting.delete(printable(source))
      isShown = true
      const line =
        waiting.size === 0 ? '' : `asking ${waiting.size === 1 ? 'source' : 'sources'} ${[...waiting].join(', ')}`
      stderr.write(
        CLEAR_LINE +
          Array.from(line)
            .slice(0, Math.max(0, stderr.columns - 1))
            .join(''),
      )
    },
    clear: () => {
      if (isShown) stderr.write(CLEAR_LINE)
    },
  }
}

function lineOf({ source, state, releases = 0 }: AskEvent): string {
  const name = printable(source)
  if (state === 'asked') return `asking source ${name}`
  return state === 'answered' ? `source ${name}: ${plural(releases, 'release')}` : `source ${name} cannot be listed`
}
