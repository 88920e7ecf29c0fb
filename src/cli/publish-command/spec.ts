import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, generalOptions, offlineOption, outputOption } from '../arguments/general-options.ts'

/** `stackmason publish`. */
export const publishSpec: CommandSpec = {
  name: 'publish',
  summary: 'render what the remote has, and push what differs',
  description: [
    'Renders the branch as the remote has it, commits what differs, and pushes it: in a run of CI on a pull request into the ' +
      "author's branch, else where spec.publish of stackmason.yaml says. Everything is done in a separate work tree: what is " +
      'checked out, the index and local branches stay as they are, and what is not pushed is not published.',
    'In CI it acts; elsewhere it only shows what it would do, unless --yes is given. If nothing differs, there is no commit. If another push comes first, it renders the new state.',
    'Where the fleet asks for it (spec.publish.oci) it also pushes artifacts for Flux or Argo CD to a registry.',
  ],
  operands: [],
  options: [
    { name: 'yes', short: 'y', type: 'flag', summary: 'act, also where this is not CI' },
    { name: 'dry-run', type: 'flag', summary: 'only show what would be committed and pushed, also in CI' },
    {
      name: 'branch',
      type: 'value',
      placeholder: 'NAME',
      summary: 'render this branch of the remote and push the result into it, as in a run on a pull request',
    },
    { name: 'update', type: 'flag', summary: 'update stackmason.lock first, as `stackmason update` does' },
    {
      name: 'oci',
      type: 'flag',
      summary: 'push only artifacts, of what the branch has: nothing is rendered or committed',
    },
    {
      name: 'oci-tag',
      type: 'list',
      placeholder: 'TAG',
      summary: 'one more tag for the artifacts of the branch, such as a version; one that is taken stays as it is',
    },
    { name: 'allow-empty', type: 'flag', summary: 'allow an output that had objects to become empty' },
    {
      name: 'dotenv',
      type: 'value',
      placeholder: 'FILE',
      completes: 'files',
      summary: 'write what later jobs of GitLab read: STACKMASON_CHANGED and others',
    },
    fleetOption,
    offlineOption,
    outputOption,
    { name: 'quiet', short: 'q', type: 'flag', summary: 'no progress and no summary' },
    ...generalOptions,
  ],
  exitStatus: [
    '0 published, or nothing differs, or shown what would be done; also where steps wait for commit statuses',
    '1 the inputs have errors, the branch may not be pushed to, or a commit status has failed that an upgrade waits for',
    '2 wrong usage, or something failed',
  ],
  examples: [
    { command: 'stackmason publish', summary: 'in CI: publish; on a terminal: what would be published?' },
    { command: 'stackmason publish --yes', summary: 'publish from a terminal' },
    { command: 'stackmason publish --update', summary: 'as a scheduled job: propose new releases' },
    { command: 'stackmason publish --branch feature --yes', summary: 'render a branch and push the result into it' },
  ],
}
