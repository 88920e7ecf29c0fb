import { clusterSchemaOf, listVariables } from '../../pipeline/commands/variables.ts'
import { fleetOptions } from '../arguments/fleet-options.ts'
import { formOf } from '../arguments/output-targets.ts'
import { type ParsedArguments, usageError, valuesOf } from '../arguments/parse-arguments.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { withProgress } from '../with-progress.ts'
import { variablesReport } from './json.ts'
import { variablesMarkdown } from './markdown.ts'
import type { VariablesOutcome } from './outcome.ts'
import { variablesSpec } from './spec.ts'
import { variablesText } from './text.ts'

/** `stackmason variables`. */
export const variablesCommand: RunCommand = defineCommand<VariablesOutcome>({
  run,
  text: variablesText,
  json: variablesReport,
  documents: {
    markdown: variablesMarkdown,
    schema: ({ schema }) => `${JSON.stringify(schema, undefined, 2)}\n`,
  },
})

const PATH = /^(?:\.{1,2}(?:\/|$)|\/|[A-Za-z]:[\\/])/

/** @throws StackmasonError as {@link listVariables} */
async function run(parsed: ParsedArguments, { io }: CommandContext): Promise<VariablesOutcome> {
  const [of] = parsed.operands
  const isFolder = of !== undefined && PATH.test(of)
  if (isFolder && valuesOf(parsed, 'fleet').length > 0)
    throw usageError([`${JSON.stringify(of)} is a folder: leave out --fleet`], variablesSpec)
  const options = {
    ...fleetOptions(parsed, io),
    ...(of !== undefined && (isFolder ? { folder: resolveFolder(io.workingFolder, of) } : { of })),
  }
  const result = await withProgress(
    io,
    { verb: 'rendered', detail: io.stderr.isTerminal ? 'shown' : 'quiet' },
    (show) => listVariables(options, io.ports, show),
  )
  const isSchema = valuesOf(parsed, 'output').map(formOf).includes('schema')
  return isSchema ? { ...result, schema: await clusterSchemaOf(result, io.ports) } : result
}
