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
  summary: 'show where a line of a rendered file comes from',
  description: [
    'Renders the unit of the file again, and names for each line, or for one line, the template that ' +
      'wrote it, the includes on the way, and the entry of the values file that it was taken from ' +
      'unchanged. Also names the parts that stackmason itself added and why, the patches that affect the ' +
      'line, and the values that it waits for.',
    'Reads the current inputs; writes nothing.',
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
