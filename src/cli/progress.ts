import type { TextOutput } from './cli-io.ts'
import { printable } from '../report/printable.ts'

/** How far a run is. */
export interface ProgressEvent {
  readonly done: number
  readonly total: number
  readonly label: string
}

/** Shows how far a run is. */
export interface Progress {
  readonly show: (event: ProgressEvent) => void
  /** Takes the bar off the terminal, so that other text can follow. */
  readonly clear: () => void
}

const BAR_WIDTH = 24
/** Plain output gets at most about this many lines, however large the fleet is. */
const PLAIN_LINES = 20
const CLEAR_LINE = '\r\u001B[K'

/** Shows a bar on a terminal, plain lines that begin with `verb` elsewhere, nothing when `mode` is `none`. */
export function createProgress(output: TextOutput, mode: 'bar' | 'lines' | 'none', verb = 'rendered'): Progress {
  if (mode === 'none') return { show: () => undefined, clear: () => undefined }
  if (mode === 'bar') {
    return {
      show: (event) => {
        output.write(CLEAR_LINE + formatBar(event, output.columns))
      },
      clear: () => {
        output.write(CLEAR_LINE)
      },
    }
  }
  let lastStep = 0
  return {
    show: ({ done, total, label }) => {
      const step = total === 0 ? 0 : Math.floor((done * PLAIN_LINES) / total)
      if (step <= lastStep) return
      lastStep = step
      output.write(`${verb} ${String(done)}/${String(total)} ${printable(label)}\n`)
    },
    clear: () => undefined,
  }
}

function formatBar({ done, total, label }: ProgressEvent, columns: number): string {
  const filled = total === 0 ? 0 : Math.round((done * BAR_WIDTH) / total)
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`
  const text = `${bar} ${String(done)}/${String(total)} ${printable(label)}`
  return Array.from(text)
    .slice(0, Math.max(0, columns - 1))
    .join('')
}
