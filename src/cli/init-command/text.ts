import { EXAMPLE_REPOSITORY, type InitResult } from '../../pipeline/commands/init-fleet.ts'
import { commandWords } from '../../report/command-words.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import type { CommandResult } from '../command.ts'

/** The files that were written, for which GitOps tool. */
export interface InitOutcome extends InitResult, CommandResult {
  readonly engine: string | undefined
  readonly isEmpty: boolean
  /** Undefined when the files hold the example address. */
  readonly repository: string | undefined
  /** Undefined when the fleet has the name that all have. */
  readonly name: string | undefined
}

/** The files that were written, and the next thing to do; ends with a newline. */
export function initText(
  { folder, files, kept, place, engine, repository, isEmpty, name }: InitOutcome,
  shorten: ShortenPath,
): string {
  const shown = shorten(folder)
  const list = files.map((path) => `  ${path}\n`).join('')
  const lacking = kept
    .filter(({ missing }) => missing.length > 0)
    .map(
      ({ path, missing }) =>
        `Kept ${path} as it is. Add these lines to it:\n${missing.map((line) => `  ${line}\n`).join('')}`,
    )
    .join('')
  const verb = isEmpty ? 'stackmason new stack PROVIDER/STACK, or a source in stackmason.yaml' : 'stackmason render'
  const next = shown === '.' ? verb : `cd ${commandWords([shown])} && ${verb}`
  const example =
    engine === undefined || repository !== undefined
      ? ''
      : `First write the address of your repository in place of ${EXAMPLE_REPOSITORY} into ${engine === 'flux' ? '' : 'stackmason.yaml and '}bootstrap/${engine}.yaml.\n`
  const handOver =
    engine === undefined
      ? ''
      : `Then commit and push; bootstrap/${engine}.yaml says how to point ${engineName(engine)} at it.\n`
  const other =
    engine === undefined || name !== undefined
      ? ''
      : 'If the management cluster has a fleet already, begin again with --name NAME: the objects of both would be called fleet.\n'
  const within =
    engine === undefined || place === ''
      ? ''
      : `The fleet lies in a folder of its git repository, so ${engineName(engine)} looks for the tree in "${place}/rendered", counted from the root.\n`
  return `Wrote a fleet repository to ${shown}:\n${list}${lacking}${within}${example}Next: ${next}\n${handOver}${other}`
}

function engineName(engine: string): string {
  return engine === 'flux' ? 'Flux' : 'Argo CD'
}
