import type { CliIo } from './cli-io.ts'
import { printable } from '../report/printable.ts'
import { isInteractive } from './with-progress.ts'

/** Says which sources are being asked, so that waiting for one is no silence. */
export interface Asking {
  readonly show: (source: string) => void
  /** Takes the line off a terminal, so that other text can follow. */
  readonly clear: () => void
}

const CLEAR_LINE = '\r\u001B[K'

/** Shows the sources that are asked in one line on a terminal, elsewhere a line for each. */
export function showAsking(io: CliIo, detail: 'shown' | 'quiet'): Asking {
  if (detail === 'quiet') return { show: () => undefined, clear: () => undefined }
  const { stderr } = io
  if (!isInteractive(io)) {
    return { show: (source) => stderr.write(`asking source ${printable(source)}\n`), clear: () => undefined }
  }
  const asked: string[] = []
  return {
    show: (source) => {
      asked.push(printable(source))
      const line = `asking ${asked.length === 1 ? 'source' : 'sources'} ${asked.join(', ')}`
      stderr.write(
        CLEAR_LINE +
          Array.from(line)
            .slice(0, Math.max(0, stderr.columns - 1))
            .join(''),
      )
    },
    clear: () => {
      if (asked.length > 0) stderr.write(CLEAR_LINE)
    },
  }
}
