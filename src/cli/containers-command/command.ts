import { listContainers } from '../../pipeline/commands/containers.ts'
import { fleetOptions } from '../arguments/fleet-options.ts'
import { type ParsedArguments, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { withProgress } from '../with-progress.ts'
import { containersBill } from './bill.ts'
import { containersReport } from './json.ts'
import { regsyncConfig, skopeoList } from '../../pipeline/commands/mirror-lists.ts'
import { containerNames } from './names.ts'
import type { ContainersOutcome } from './outcome.ts'
import { containersText } from './text.ts'

/** `stackmason containers`. */
export const containersCommand: RunCommand = defineCommand<ContainersOutcome>({
  run,
  text: containersText,
  json: containersReport,
  documents: { names: containerNames, skopeo: skopeoList, regsync: regsyncConfig, cyclonedx: containersBill },
})

/** @throws StackmasonError for whatever keeps the fleet from being rendered */
async function run(parsed: ParsedArguments, { io }: CommandContext): Promise<ContainersOutcome> {
  const only = valueOf(parsed, 'only')
  const options = {
    ...fleetOptions(parsed, io),
    clusters: valuesOf(parsed, 'cluster'),
    stacks: valuesOf(parsed, 'stack'),
  }
  const result = await withProgress(
    io,
    { verb: 'rendered', detail: io.stderr.isTerminal ? 'shown' : 'quiet' },
    (show) => listContainers(options, io.ports, show),
  )
  const images = only === undefined ? result.images : result.images.filter(({ use }) => use === only)
  return { ...result, images, version: io.version }
}
