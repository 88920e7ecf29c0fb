import { listImages, type ImagesResult } from '../../pipeline/commands/images.ts'
import { fleetOptions } from '../arguments/fleet-options.ts'
import { type ParsedArguments, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { withProgress } from '../with-progress.ts'
import { imagesReport } from './json.ts'
import { imagesText } from './text.ts'

/** `stackmason images`. */
export const imagesCommand: RunCommand = defineCommand({ run, text: imagesText, json: imagesReport })

/** @throws StackmasonError for whatever keeps the images from being listed or exported */
async function run(parsed: ParsedArguments, { io }: CommandContext): Promise<ImagesResult> {
  const output = valueOf(parsed, 'output')
  const options = {
    ...fleetOptions(parsed, io),
    clusters: valuesOf(parsed, 'cluster'),
    stacks: valuesOf(parsed, 'stack'),
    releases: valuesOf(parsed, 'release'),
    export: output === 'openstack-image-manager',
  }
  const detail = io.stderr.isTerminal && output !== 'json' ? 'shown' : 'quiet'
  return withProgress(io, { verb: 'rendered', detail }, (show) => listImages(options, io.ports, show))
}
