import type { CommandSpec } from './arguments/command-spec.ts'
import type { RunCommand } from './command.ts'
import { adoptSpec } from './adopt-command/spec.ts'
import { buildSpec } from './build-command/spec.ts'
import { cacheSpec } from './cache-command/spec.ts'
import { checkSpec } from './check-command/spec.ts'
import { completeSpec } from './complete-command/spec.ts'
import { completionSpec } from './completion-command/spec.ts'
import { containersSpec } from './containers-command/spec.ts'
import { controllerSpec } from './controller-command/spec.ts'
import { diffSpec } from './diff-command/spec.ts'
import { explainSpec } from './explain-command/spec.ts'
import { fetchSpec } from './fetch-command/spec.ts'
import { helpSpec } from './help-command/spec.ts'
import { imagesSpec } from './images-command/spec.ts'
import { initSpec } from './init-command/spec.ts'
import { listSpec } from './list-command/spec.ts'
import { newSpec } from './new-command/spec.ts'
import { publishSpec } from './publish-command/spec.ts'
import { renderSpec } from './render-command/spec.ts'
import { reportSpec } from './report-command/spec.ts'
import { statusSpec } from './status-command/spec.ts'
import { templateSpec } from './template-command/spec.ts'
import { updateSpec } from './update-command/spec.ts'
import { variablesSpec } from './variables-command/spec.ts'
import { versionSpec } from './version-command/spec.ts'

/**
 * A verb of the program. What it takes is known at once; the code that runs it is loaded when it is needed, which keeps
 * start-up short.
 */
export interface CommandEntry {
  readonly spec: CommandSpec
  readonly load: () => Promise<RunCommand>
}

/**
 * Every verb, in the order in which help lists them: parser, help, reference pages and completion are made from this.
 */
export const commandEntries: readonly CommandEntry[] = [
  { spec: renderSpec, load: async () => (await import('./render-command/command.ts')).renderCommand },
  { spec: diffSpec, load: async () => (await import('./diff-command/command.ts')).diffCommand },
  { spec: checkSpec, load: async () => (await import('./check-command/command.ts')).checkCommand },
  { spec: reportSpec, load: async () => (await import('./report-command/command.ts')).reportCommand },
  { spec: publishSpec, load: async () => (await import('./publish-command/command.ts')).publishCommand },
  { spec: updateSpec, load: async () => (await import('./update-command/command.ts')).updateCommand },
  { spec: fetchSpec, load: async () => (await import('./fetch-command/command.ts')).fetchCommand },
  { spec: listSpec, load: async () => (await import('./list-command/command.ts')).listCommand },
  { spec: cacheSpec, load: async () => (await import('./cache-command/command.ts')).cacheCommand },
  { spec: buildSpec, load: async () => (await import('./build-command/command.ts')).buildCommand },
  { spec: imagesSpec, load: async () => (await import('./images-command/command.ts')).imagesCommand },
  { spec: containersSpec, load: async () => (await import('./containers-command/command.ts')).containersCommand },
  { spec: variablesSpec, load: async () => (await import('./variables-command/command.ts')).variablesCommand },
  { spec: explainSpec, load: async () => (await import('./explain-command/command.ts')).explainCommand },
  { spec: templateSpec, load: async () => (await import('./template-command/command.ts')).templateCommand },
  { spec: adoptSpec, load: async () => (await import('./adopt-command/command.ts')).adoptCommand },
  { spec: statusSpec, load: async () => (await import('./status-command/command.ts')).statusCommand },
  { spec: controllerSpec, load: async () => (await import('./controller-command/command.ts')).controllerCommand },
  { spec: initSpec, load: async () => (await import('./init-command/command.ts')).initCommand },
  { spec: newSpec, load: async () => (await import('./new-command/command.ts')).newCommand },
  { spec: completionSpec, load: async () => (await import('./completion-command/command.ts')).completionCommand },
  { spec: versionSpec, load: async () => (await import('./version-command/command.ts')).versionCommand },
  { spec: helpSpec, load: async () => (await import('./help-command/command.ts')).helpCommand },
  { spec: completeSpec, load: async () => (await import('./complete-command/command.ts')).completeCommand },
]

/** The specifications of the verbs that people call. */
export const commandTable: readonly CommandSpec[] = commandEntries
  .map(({ spec }) => spec)
  .filter(({ isHidden }) => isHidden !== true)
