import type { NewClusterResult } from '../../pipeline/commands/new-cluster.ts'
import type { NewStackResult } from '../../pipeline/commands/new-stack.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import type { TextReport } from '../command.ts'

/** The files of a new cluster or stack. */
export type NewOutcome =
  | (NewClusterResult & { readonly what: 'cluster' })
  | (NewStackResult & { readonly what: 'stack'; readonly notes: NewClusterResult['notes'] })

/** The files, what was left out, what to review, and the next thing to do; ends with a newline. */
export function newText(outcome: NewOutcome, shorten: ShortenPath): TextReport {
  const { files, notes, isDry } = outcome
  const folder = shorten(outcome.folder)
  const shown = (path: string): string => (folder === '.' ? path : `${folder}/${path}`)
  const list = [...files.keys()].toSorted().map((path) => `  ${shown(path)}\n`)
  const changed = outcome.what === 'stack' && outcome.changed !== undefined ? outcome.changed : undefined
  const noteLines = (kind: 'left out' | 'review', title: string): string => {
    const found = notes.filter((note) => note.kind === kind)
    const lines = found.map(
      ({ file, line, what }) => `  ${file}${line === undefined ? '' : `:${String(line)}`} ${what}\n`,
    )
    return found.length === 0 ? '' : `${title}\n${lines.join('')}`
  }
  const output = [
    isDry ? 'Would write:\n' : 'Wrote:\n',
    ...list,
    changed === undefined ? '' : `${isDry ? 'Would add' : 'Added'} the source to ${shown(changed.path)}.\n`,
    noteLines('left out', 'Left out, because it must be unique:'),
    noteLines('review', 'Review:'),
    isDry ? contentsOf(outcome, shown) : nextStep(outcome, { shown, command: shorten.command }),
  ]
  return { output: output.join(''), isUnbroken: true }
}

function contentsOf(outcome: NewOutcome, shown: (path: string) => string): string {
  const changed = outcome.what === 'stack' && outcome.changed !== undefined ? [outcome.changed] : []
  const all = [...outcome.files].map(([path, bytes]) => ({ path, bytes }))
  return [...all, ...changed]
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, bytes }) => `\n--- ${shown(path)}\n${textOf(bytes)}`)
    .join('')
}

function textOf(bytes: Uint8Array): string {
  if (bytes.includes(0)) return `${String(bytes.length)} bytes\n`
  const text = new TextDecoder().decode(bytes)
  return text.endsWith('\n') ? text : `${text}\n`
}

interface Shown {
  readonly shown: (path: string) => string
  readonly command: ShortenPath['command']
}

function nextStep(outcome: NewOutcome, { shown, command }: Shown): string {
  if (outcome.what === 'cluster') return `Next: ${command('stackmason check')}\n`
  const build = command(`stackmason build ${shown(outcome.directory)}`)
  return outcome.changed === undefined
    ? `Next: ${build}\n`
    : `Next: ${command('stackmason render')}; to release it: ${build}\n`
}
