import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import type { PublishedProposal } from '../../src/pipeline/publishing/proposal-desk.ts'
import type { PublishOutcome } from '../../src/cli/publish-command/outcome.ts'
import { formatJsonReport } from '../../src/report/report.ts'
import { createShortenPath } from '../../src/report/shorten-path.ts'
import { publishReport } from '../../src/cli/publish-command/json.ts'
import { outputLines } from '../../src/cli/publish-command/outputs.ts'
import { publishText } from '../../src/cli/publish-command/text.ts'
import { packageFolder } from './run-cli.ts'

const url = 'https://forge.example/acme/fleet.git'
const from = 'main at 0123456789ab'

function proposal(group: string, given: Partial<PublishedProposal>): PublishedProposal {
  const head = group === 'fleet' ? 'stackmason/lab/main' : `stackmason/lab/main--${group.replaceAll('/', '.')}`
  return { group, head, status: 'current', isPushed: false, files: [], clusters: [], findings: [], ...given }
}

function files(...paths: readonly string[]): PublishedProposal['files'] {
  return paths.map((path) => ({ path, change: 'changed' }))
}

function outcomeOf(given: Partial<PublishOutcome>): PublishOutcome {
  const { proposals = [] } = given
  return {
    mode: 'act',
    status: 'unchanged',
    fleet: 'lab',
    source: { repository: url, ref: 'refs/heads/main', commit: '0123456789abcdef' },
    target: { kind: 'pullRequest', repository: url, branch: 'main', path: 'rendered', head: 'stackmason/lab/main' },
    files: [...new Map(proposals.flatMap((one) => one.files).map((file) => [file.path, file])).values()],
    clusters: [],
    artifacts: [],
    attempts: 1,
    waiting: [],
    rollouts: [],
    steps: [],
    context: { ci: undefined },
    findings: [],
    isQuiet: false,
    isOnlyArtifacts: false,
    asked: ['publish'],
    ...given,
    proposals,
  }
}

function textOf(given: Partial<PublishOutcome>): readonly string[] {
  return publishText(outcomeOf(given), createShortenPath('/')).output.trimEnd().split('\n')
}

it('says that nothing differs only where nothing waits', () => {
  expect(textOf({})).toEqual([`Nothing to publish: main of ${url} has what ${from} renders to.`])
  const held = 'on hold: migration until Friday'
  expect(textOf({ proposals: [proposal('cluster/team/one', { status: 'held', held })] })).toEqual([
    `Nothing is published: what would change in main of ${url} waits.`,
    `Waits: cluster/team/one: ${held}.`,
  ])
})

it.each([
  ['proposal', `Nothing to push: b of ${url} is a branch of publish, which is complete as it is.`],
  ['base', `Nothing to push: b of ${url} is the branch of the fleet itself, which no pull request from it changes.`],
] as const)("says why nothing is pushed where a branch is no author's: %s", (kept, text) => {
  const target = { kind: 'author', repository: url, branch: 'b', path: 'rendered', kept } as const
  expect(textOf({ target })).toEqual([text])
})

it('names the open pull request of what waits', () => {
  const pullRequest = { action: 'leave', number: 3, url: 'https://forge.example/3' } as const
  const held = 'it cannot be rendered: no value'
  expect(textOf({ proposals: [proposal('rollout/lab/canary', { status: 'held', held, pullRequest })] })[1]).toBe(
    `Waits: rollout/lab/canary: ${held}. Pull request 3, https://forge.example/3, stays open with what it has.`,
  )
})

it('says where what waits has become a draft', () => {
  const pullRequest = { action: 'update', number: 3, url: 'https://forge.example/3' } as const
  const held = 'it cannot be rendered: no value'
  expect(
    textOf({ proposals: [proposal('rollout/lab/canary', { status: 'held', held, draft: held, pullRequest })] })[1],
  ).toBe(`Waits: rollout/lab/canary: ${held}. Pull request 3, https://forge.example/3, is a draft until then.`)
})

it('says which branch it has deleted where no pull request tells it', () => {
  const gone = proposal('fleet', { isBranchGone: true })
  const nothing = `Nothing to publish: main of ${url} has what ${from} renders to.`
  const deleted = 'branch stackmason/lab/main: nothing is left to propose on it.'
  expect(textOf({ proposals: [gone] })).toEqual([nothing, `Deleted ${deleted}`])
  expect(textOf({ mode: 'plan', proposals: [gone] })).toEqual([nothing, `Would delete ${deleted}`])
  const pullRequest = { action: 'close', number: 3, url: 'https://forge.example/3' } as const
  expect(textOf({ status: 'published', proposals: [{ ...gone, status: 'published', pullRequest }] })).toEqual([
    'Closed pull request 3, https://forge.example/3',
  ])
})

it('counts the files of what it has pushed, and no others', () => {
  const commit = 'fedcba9876543210'
  const one = proposal('cluster/team/one', { files: files('a', 'b', 'c') })
  const two = proposal('cluster/team/two', { status: 'published', isPushed: true, commit, files: files('d', 'e') })
  const three = proposal('cluster/team/three', { status: 'published', isPushed: true, commit, files: files('e', 'f') })
  expect(textOf({ status: 'published', commit, proposals: [one, two] })).toEqual([
    `Published 2 files from ${from} into stackmason/lab/main--cluster.team.two of ${url}: commit fedcba987654.`,
  ])
  expect(textOf({ status: 'published', commit, proposals: [one, two, three] })).toEqual([
    `Published 3 files from ${from} into several branches of ${url}.`,
  ])
  const planned = { mode: 'plan', status: 'planned' } as const
  const plannedTwo = proposal('cluster/team/two', { status: 'planned', isPushed: true, files: files('d', 'e') })
  expect(textOf({ ...planned, proposals: [one, plannedTwo] }).slice(0, 3)).toEqual([
    `Would publish 2 files from ${from} into stackmason/lab/main--cluster.team.two of ${url}:`,
    '  changed d',
    '  changed e',
  ])
})

it('says why nothing is pushed, and names no branch that is not there', () => {
  const at = { action: 'leave', number: 1, url: 'https://forge.example/1' } as const
  expect(textOf({ proposals: [proposal('fleet', { files: files('a'), pullRequest: at })] })).toEqual([
    `Nothing to push: stackmason/lab/main of ${url} has what ${from} renders to.`,
    'Left as it is: pull request 1, https://forge.example/1',
  ])
  const closed = { ...at, state: 'closed' } as const
  expect(
    textOf({ proposals: [proposal('fleet', { files: files('a'), pullRequest: closed, left: 'declined' })] }),
  ).toEqual([
    `Nothing to push: a person has closed the pull request for the change in main of ${url}.`,
    'Left as it is: pull request 1, https://forge.example/1, which a person has closed: another is opened when there is something else to propose',
  ])
  expect(textOf({ proposals: [proposal('fleet', { files: files('a'), pullRequest: at, left: 'foreign' })] })[0]).toBe(
    `Nothing to push: stackmason/lab/main of ${url} is left to its last author.`,
  )
})

it('calls no draft what a person has merged', () => {
  const draft = 'release docker-lab-1-34-v4 cannot be rendered: no'
  const at = { action: 'leave', number: 2, url: 'https://forge.example/2', state: 'merged' } as const
  expect(
    textOf({ proposals: [proposal('release/docker-lab-1-34-v4', { draft, pullRequest: at, left: 'declined' })] }),
  ).toEqual([
    `Nothing to publish: main of ${url} has what ${from} renders to.`,
    `Left as it is: pull request 2, https://forge.example/2, which a person has merged, although it changes nothing: ${draft}`,
  ])
})

it('tells what it did first, then how far each came that was refused', () => {
  const commit = 'fedcba9876543210'
  const pushed = { isPushed: true, commit, files: files('a') } as const
  const refused = { status: 'refused', files: files('b', 'c') } as const
  const open = { action: 'leave', number: 3, url: 'https://forge.example/3' } as const
  const created = { action: 'create', number: 4, url: 'https://forge.example/4' } as const
  const proposals = [
    proposal('cluster/team/five', { ...refused }),
    proposal('cluster/team/four', { ...refused, pullRequest: open }),
    proposal('cluster/team/one', { ...pushed, status: 'refused', pullRequest: open }),
    proposal('cluster/team/three', { ...pushed, status: 'refused' }),
  ]
  const lines = [
    'Refused: cluster/team/five, 2 files: stackmason/lab/main--cluster.team.five has no pull request.',
    'Refused: cluster/team/four, 2 files: pull request 3, https://forge.example/3, stays as it is.',
    'Refused: cluster/team/one, 1 file: stackmason/lab/main--cluster.team.one has commit fedcba987654, and pull request 3, https://forge.example/3, does not tell of it.',
    'Refused: cluster/team/three, 1 file: stackmason/lab/main--cluster.team.three has commit fedcba987654, and no pull request.',
  ]
  expect(textOf({ status: 'refused', commit, proposals })).toEqual(lines)
  const two = proposal('cluster/team/two', { ...pushed, status: 'published', pullRequest: created })
  const outcome = { status: 'published', commit, pullRequest: created, proposals: [...proposals, two] } as const
  expect(textOf(outcome)).toEqual([
    `Published 1 file from ${from} into several branches of ${url}.`,
    ...lines,
    'Opened pull request 4, https://forge.example/4: cluster/team/two, 1 file',
  ])
  expect(publishText(outcomeOf(outcome), createShortenPath('/')).findings).toBe('last')
  expect(publishText(outcomeOf({ proposals: [two] }), createShortenPath('/')).findings).toBe('first')
  expect(outputLines(outcomeOf(outcome)).join('')).toBe(
    `changed=true\ncommit=${commit}\npr-number=4\npr-url=https://forge.example/4\npr-numbers=3 3 4\nartifact=\nreport=\n`,
  )
})

it('asks nobody to commit a step that it publishes', () => {
  const steps: PublishOutcome['steps'] = [
    {
      cluster: { name: 'web', namespace: 'team-a' },
      content: 'rendered',
      clusterObject: 'held',
      suspends: 'none',
      classes: ['docker-scs-1-33-v1'],
      due: { action: 'addons', addons: 'v2', summary: 'addons of v2', before: ['Unit web-addons is ready.'] },
      then: [{ action: 'class', className: 'docker-scs-1-34-v2', summary: 'class of v2', before: [] }],
    },
  ]
  expect(textOf({ steps }).slice(1)).toEqual([
    'team-a/web: addons of v2 (1 step to go)',
    '  This step is what is published. Before the next one:',
    '  - Unit web-addons is ready.',
    '  Next: class of v2.',
  ])
})

it('tells later steps of all that was written, also where the rest was refused', () => {
  const changed = (given: Partial<PublishOutcome>): string | undefined => outputLines(outcomeOf(given))[0]
  const commit = 'fedcba9876543210'
  const open = { action: 'leave', number: 3, url: 'https://forge.example/3' } as const
  const refused = proposal('cluster/team/one', { status: 'refused', pullRequest: open, files: files('a') })
  expect(changed({ status: 'refused', proposals: [refused] })).toBe('changed=false\n')
  const pushed = { ...refused, isPushed: true, commit }
  expect(outputLines(outcomeOf({ status: 'refused', commit, proposals: [pushed] })).slice(0, 2)).toEqual([
    'changed=true\n',
    `commit=${commit}\n`,
  ])
  const halted = proposal('cluster/team/two', {
    status: 'held',
    held: 'it cannot be rendered: no value',
    pullRequest: { ...open, action: 'update' },
  })
  expect(changed({ proposals: [halted] })).toBe('changed=true\n')
  const artifact = {
    kind: 'fleet',
    repository: 'oci://r.example/a',
    digest: 'sha256:0',
    tags: [],
    revision: '',
  } as const
  expect(changed({ status: 'refused', artifacts: [{ ...artifact, action: 'pushed' }] })).toBe('changed=true\n')
  expect(changed({ status: 'refused', artifacts: [{ ...artifact, action: 'current' }] })).toBe('changed=false\n')
})

it('names the artifact of a commit that is not made yet without a digest', () => {
  const artifact = { kind: 'fleet', repository: 'oci://r.example/a', tags: ['main'], action: 'planned' } as const
  const outcome = { mode: 'plan', status: 'planned', artifacts: [artifact] } as const
  expect(textOf(outcome)[0]).toBe('Would push oci://r.example/a (main)')
  expect(outputLines(outcomeOf(outcome))).toContain('artifact=\n')
  const schema = parseGoJson(readFileSync(join(packageFolder, 'schemas/publish-report.json'), 'utf8'))
  const json = [...formatJsonReport(publishReport(outcomeOf(outcome)), createShortenPath('/'))].join('')
  expect(compileSchema(schema).validate(parseGoJson(json))).toEqual([])
})

it('tells programs of proposals as the schema says', () => {
  const at = { number: 2, url: 'https://forge.example/2' }
  const proposals = [
    proposal('fleet', {
      status: 'published',
      isPushed: true,
      commit: 'fedcba9876543210',
      files: files('a'),
      clusters: ['team/one'],
      pullRequest: { action: 'create', ...at },
    }),
    proposal('release/docker-lab-1-34-v4', {
      draft: 'release docker-lab-1-34-v4 cannot be rendered: no',
      pullRequest: { action: 'leave', ...at, state: 'merged' },
      left: 'declined',
    }),
    proposal('rollout/lab/canary', {
      status: 'held',
      held: 'it cannot be rendered: no',
      pullRequest: { action: 'leave', ...at },
    }),
    proposal('cluster/team/two', {
      status: 'planned',
      isPushed: true,
      files: files('b'),
      pullRequest: { action: 'create' },
      text: { title: 'lab: new', body: 'Text', commitMessage: 'lab: new\n' },
    }),
    proposal('cluster', { status: 'published', pullRequest: { action: 'close', ...at } }),
    proposal('cluster/team/three', { status: 'refused', files: files('c') }),
  ]
  const text = [
    ...formatJsonReport(publishReport(outcomeOf({ status: 'published', proposals })), createShortenPath('/')),
  ].join('')
  const schema = parseGoJson(readFileSync(join(packageFolder, 'schemas/publish-report.json'), 'utf8'))
  expect(compileSchema(schema).validate(parseGoJson(text))).toEqual([])
  const wrong = text.replace('"status": "held"', '"status": "waits"')
  expect(compileSchema(schema).validate(parseGoJson(wrong))).not.toEqual([])
  expect(JSON.parse(text)).toMatchObject({
    proposals: [
      {},
      { pullRequest: { state: 'merged' } },
      { held: 'it cannot be rendered: no' },
      {},
      {},
      { status: 'refused' },
    ],
  })
})
