import { findingForms } from '../../report/forms/finding-forms.ts'
import type { CommandSpec } from '../arguments/command-spec.ts'
import { fleetOption, formsOption, generalOptions, offlineOption } from '../arguments/general-options.ts'

/** `stackmason check`. */
export const checkSpec: CommandSpec = {
  name: 'check',
  summary: 'check the objects that a fleet repository renders to',
  description: [
    'Renders the fleet repository around the working folder into memory, writes nothing, and checks the result by rules: what people write against the ' +
      'classes and charts that read it, references that no API server checks, and more. The findings of rendering are among its findings.',
    'stackmason.yaml sets what findings of a code count as (spec.check.rules), and accepts single ones until a day (spec.acknowledged).',
  ],
  operands: [{ name: 'CODE', isOptional: true, summary: 'with --rules: the rule to explain' }],
  options: [
    {
      name: 'rules',
      type: 'flag',
      summary: 'list the rules instead, or explain the one of this code, as text or json; needs no fleet',
    },
    {
      name: 'fail-on',
      type: 'value',
      placeholder: 'LEVEL',
      choices: ['error', 'warning', 'never'],
      summary: 'end with 1 if there are errors (by default), also if there are warnings, or never',
    },
    {
      name: 'base',
      type: 'value',
      placeholder: 'REVISION',
      summary: 'the commit that the GitOps tool applies, HEAD by default: upgrades continue from its tree',
    },
    {
      name: 'publish-findings',
      type: 'flag',
      summary:
        'in CI: also show the findings beside the pull request, or the commit, as spec.publish.findings says; not with --offline',
    },
    fleetOption,
    {
      name: 'cluster',
      type: 'list',
      placeholder: 'NAME',
      completes: 'clusters',
      summary: 'only this cluster, NAME or NAMESPACE/NAME; may be repeated',
    },
    {
      name: 'stack',
      type: 'list',
      placeholder: 'NAME',
      completes: 'stacks',
      summary: 'only this ClusterStack, NAME or NAMESPACE/NAME; may be repeated',
    },
    {
      name: 'no-cache',
      type: 'flag',
      summary: 'render and check everything again, and ignore what earlier runs left in the cache',
    },
    offlineOption,
    formsOption([...findingForms.keys()]),
    { name: 'quiet', short: 'q', type: 'flag', summary: 'no progress and no summary' },
    ...generalOptions,
  ],
  exitStatus: [
    '0 nothing found that --fail-on names; what the fleet acknowledges does not count',
    '1 there are such findings, or the fleet cannot be rendered',
    '2 wrong usage, or something failed',
  ],
  examples: [
    { command: 'stackmason check', summary: 'check everything' },
    { command: 'stackmason check --fail-on warning --base origin/main', summary: 'in CI, on a branch' },
    {
      command: 'stackmason check -o github -o sarif=stackmason.sarif',
      summary: 'annotations in a pull request on GitHub, and a file for code scanning',
    },
    { command: 'stackmason check --rules', summary: 'list the rules' },
    { command: 'stackmason check --rules CLASS_VARIABLE_UNKNOWN', summary: 'explain one of them' },
  ],
}
