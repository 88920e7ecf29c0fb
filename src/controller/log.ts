import { pino } from 'pino'
import type { Clock } from '../model/ports.ts'

/** How much is logged: all of a level and those above it. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Fields of a line. None of them may hold a value of a cluster, or an object. */
export type LogFields = Readonly<Record<string, string | number | boolean>>

/** Writes one line of JSON for each thing that happened. */
export type Log = Readonly<Record<LogLevel, (message: string, fields?: LogFields) => void>>

/** Makes a log of lines that `write` takes. */
export function createLog(level: LogLevel, clock: Pick<Clock, 'now'>, write: (line: string) => void): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  )
  const at =
    (name: LogLevel): Log[LogLevel] =>
    (message, fields = {}) => {
      logger[name](fields, message)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** The message of an error, without its causes: these are words of other programs, which may repeat what was read. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'something that is no error was thrown'
}
