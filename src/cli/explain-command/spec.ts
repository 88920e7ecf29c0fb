import type { CommandSpec } from '../arguments/command-spec.ts'
import {
  fleetOption,
  generalOptions,
  offlineOption,
  outputOption,
  runtimeValuesOption,
} from '../arguments/general-options.ts'

/** `stackmason explain`. */
export const explainSpec: CommandSpec = {
  name: 'explain',
  summary: 'say where a line of a rendered file comes from',
  description: [
    'Renders the unit of the file again and says for each line, or for one line, which template wrote it, through which include it came, and ' +
      'which entry of which values file it was taken from unchanged. Names what stackmason itself added and for what, the patches that reach the line, and the values that it waits for.',
    'Reads the inputs as they are now; writes nothing.',
  ],
  operands: [
    {
      name: 'FILE[:LINE]',
      isOptional: false,
      completes: 'files',
      summary: 'a file in the output folder, and a line of it',
    },
  ],
  options: [fleetOption, runtimeValuesOption, offlineOption, outputOption, ...generalOptions],
  exitStatus: ['0 explained', '1 the inputs have errors', '2 wrong usage, or no such rendered file'],
  examples: [
    {
      command: 'stackmason explain rendered/clusters/team-a/web/addons/02-metrics/deployment-metrics-agent.yaml:14',
      summary: 'one line',
    },
  ],
}
