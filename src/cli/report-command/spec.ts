import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, formsOption, generalOptions, offlineOption } from '../arguments/general-options.ts'

/** `stackmason report`. */
export const reportSpec: CommandSpec = {
  name: 'report',
  summary: 'show the whole fleet: versions, who is behind, changes, findings, values',
  description: [
    'Renders the fleet into memory, checks it as `check` does, and shows it as a whole: each cluster with its release, Kubernetes version, addons and images; who is behind the ' +
      'newest release that the lock or the fleet has; steps that are due; what differs from the base; findings by rule; and which file sets each value of an addon. Writes nothing but the report.',
    'With -o html=FILE it is one page that loads nothing, for a browser; -o json has everything for programs; the text has the sums.',
  ],
  operands: [],
  options: [
    {
      name: 'base',
      type: 'value',
      placeholder: 'REVISION',
      summary: 'the commit that the GitOps tool applies, HEAD by default: what differs from its tree is shown',
    },
    formsOption(['html']),
    fleetOption,
    offlineOption,
    { name: 'quiet', short: 'q', type: 'flag', summary: 'no progress' },
    ...generalOptions,
  ],
  exitStatus: [
    '0 shown, with or without findings',
    '1 the fleet cannot be rendered',
    '2 wrong usage, or something failed',
  ],
  examples: [
    { command: 'stackmason report -o html=report.html', summary: 'the page, and the sums as text' },
    { command: 'stackmason report --base origin/main -o html=report.html', summary: 'in CI, kept with the job' },
  ],
}
