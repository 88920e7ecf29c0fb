import { forgeAbilities, forgeKinds, type ForgeAbilities, type ForgeOperation } from '../src/model/forge.ts'
import { type TokenVariable, tokenVariables } from '../src/network/credentials/forge-tokens.ts'

const forges: readonly ForgeAbilities[] = forgeKinds.map((kind) => forgeAbilities[kind])

const count = (number: number): string => String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
const size = (number: number, { unit }: ForgeAbilities): string => `${count(number)} ${unit}`
const yes = (is: boolean): string => (is ? 'yes' : 'no')

const abilities: Readonly<Record<string, (forge: ForgeAbilities) => string>> = {
  'calls it': ({ pullRequest }) => pullRequest,
  'longest title': (forge) => size(forge.maxTitle, forge),
  'longest body that we write': (forge) => size(forge.maxBody, forge),
  'longest body that it takes': (forge) => size(forge.hardMaxBody, forge),
  'longest comment': (forge) => size(forge.maxComment, forge),
  drafts: ({ canDraft, draftPrefix }) =>
    draftPrefix === undefined ? yes(canDraft) : `title with \`${draftPrefix.trim()}\``,
  'merges by itself': ({ canAutoMerge }) => yes(canAutoMerge),
  'reviews by teams': ({ canAskTeams }) => yes(canAskTeams),
  'branches of one push': ({ branchesPerPush }) => count(branchesPerPush),
  'findings at their lines': ({ canCheckRuns, annotationsPerCall, maxAnnotations }) =>
    canCheckRuns
      ? `check run, ${annotationsPerCall} annotations a call, ${maxAnnotations} at most`
      : 'commit status and one comment',
}

const operations: Readonly<Record<ForgeOperation, string>> = {
  pushBranches: 'push branches',
  readPullRequests: 'find pull requests',
  writePullRequests: 'open, change and close pull requests',
  addLabels: 'labels',
  requestReviewers: 'reviewers and assignees',
  enableAutoMerge: 'merge by itself',
  writeComments: 'comments',
  readStatuses: 'read statuses of commits',
  reportFindings: 'report findings',
}

function hostsOf({ of, else: known }: TokenVariable): string {
  const named = of.map((name) => `\`${name}\``).join(', else ')
  return [named, ...(known === undefined ? [] : [known])].filter((text) => text !== '').join(', else ')
}

const isOperation = (name: string): name is ForgeOperation => Object.hasOwn(operations, name)

/** The tables of docs/30-forges.md: what each forge can do, and what a token needs. */
export function forgeTables(): string {
  const head = (first: string): string =>
    `| ${first} | ${forges.map(({ name }) => name).join(' | ')} |\n| --- |${' --- |'.repeat(forges.length)}`
  const able = Object.entries(abilities).map(([name, tell]) => `| ${name} | ${forges.map(tell).join(' | ')} |`)
  const needed = Object.keys(operations)
    .filter(isOperation)
    .map((name) => `| ${operations[name]} | ${forges.map(({ permissions }) => permissions[name]).join(' | ')} |`)
  const variables = forges.flatMap(({ kind, name }) =>
    tokenVariables[kind].map((variable) => `| ${name} | \`${variable.token}\` | ${hostsOf(variable)} |`),
  )
  return [
    [head(''), ...able].join('\n'),
    '## What a token needs',
    'An error that a permission is missing names the one of this table.',
    [head('to'), ...needed].join('\n'),
    '## Where the token comes from',
    'From the variables that the fleet names, and no others. If it names none, from these. Each is for one host only, so changing an address in the fleet gives nobody a token.',
    ['| forge | variable | is for the host of |', '| --- | --- | --- |', ...variables].join('\n'),
  ].join('\n\n')
}
