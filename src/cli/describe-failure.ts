import { type Diagnostic, StackmasonError } from '../model/diagnostic.ts'
import { unreadable } from '../model/file-problem.ts'
import { FileError } from '../model/ports.ts'

const LONGEST_PATH = 300

/** The findings to report for anything that was thrown. */
export function describeFailure(error: unknown): readonly Diagnostic[] {
  return error instanceof StackmasonError ? error.diagnostics : [systemProblem(error) ?? defect(error)]
}

/** The finding for a refusal of this machine: no file, no room, no more open files. Undefined for any other error. */
function systemProblem(error: unknown): Diagnostic | undefined {
  const severity = 'error'
  if (error instanceof FileError) {
    const isLong = error.path.length > LONGEST_PATH
    if (!isLong) return unreadable(error, { what: 'the file', file: error.path })
    const hint = 'Shorten the path.'
    const file = `${error.path.slice(0, LONGEST_PATH)}…`
    return { code: 'FILE_UNREADABLE', severity, message: 'the file cannot be read: its name is too long', file, hint }
  }
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined
  if (error.code === 'EMFILE') {
    const message = 'stackmason may not open more files (EMFILE)'
    return { code: 'FILE_UNREADABLE', severity, message, hint: 'Raise the limit of the shell: `ulimit -n 1024`.' }
  }
  if (error.code === 'ENFILE') {
    const message = 'the system cannot open more files (ENFILE)'
    return { code: 'FILE_UNREADABLE', severity, message, hint: 'End other programs, or raise the limit of the system.' }
  }
  const message = `the system refuses ${String(error.syscall)}: ${String(error.code)}`
  return error.syscall === 'write'
    ? {
        code: 'WRITE_FAILED',
        severity,
        message,
        hint: 'Check where the output goes, and the free space there.',
      }
    : {
        code: 'FILE_UNREADABLE',
        severity,
        message,
        hint: 'Check the folder, its permissions and the limits of the shell (ulimit).',
      }
}

/** Whatever is no problem of the input is a defect of ours; its stack belongs into the report. */
function defect(error: unknown): Diagnostic {
  const text = error instanceof Error ? stackOf(error) : typeof error
  return { code: 'INTERNAL', severity: 'error', message: `a defect in stackmason: ${text}` }
}

/** Their messages come from JavaScript, which quotes what it could not use. */
const builtIn: ReadonlySet<string> = new Set(['RangeError', 'SyntaxError', 'TypeError', 'URIError'])

/** The stack, without a message that may quote what was read. */
function stackOf({ name, message, stack = `${name}: ${message}` }: Error): string {
  if (!builtIn.has(name)) return stack
  const head = message === '' ? name : `${name}: ${message}`
  return stack.startsWith(head) ? name + stack.slice(head.length) : name
}
