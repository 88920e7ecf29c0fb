import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { forgeAbilities, measureText } from '../../../src/model/forge.ts'
import { positionAt, type Source } from '../../../src/model/source.ts'
import type { StepPlan } from '../../../src/model/steps.ts'
import type { ObjectChange, TreeChange, TreeObject } from '../../../src/model/tree-change.ts'
import { dict, type Value } from '../../../src/model/value.ts'
import { diff } from '../../../src/pipeline/commands/diff.ts'
import type { ReportedFinding } from '../../../src/report/describe-finding.ts'
import { readMark } from '../../../src/report/pull-request/body-block.ts'
import type { PullRequestFacts, PullRequestText } from '../../../src/report/pull-request/pull-request-facts.ts'
import { type PullRequestOptions, writePullRequest } from '../../../src/report/pull-request/pull-request-text.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { bumpCni, manyClusters } from '../../../tools/fleets/many-clusters.ts'
import { bothClusters, handoffFleet, wantNext } from '../../pipeline/handoff-fleet.ts'
import { packageFolder } from '../../cli/run-cli.ts'
import { arbitraryChange, arbitraryText } from '../../support/arbitrary-change.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { pullRequestFacts } from '../../support/pull-request-facts.ts'
import { tempFolderForFile } from '../../support/temp-folder.ts'

const { crypto } = createNodePorts()
const folder = tempFolderForFile()
let fleetOf40: TreeChange
let pullRequest: Source
let commit: Source

beforeAll(async () => {
  const template = async (name: string): Promise<Source> => ({
    name: `templates/publish/${name}`,
    text: await readFile(join(packageFolder, 'templates/publish', name), 'utf8'),
  })
  pullRequest = await template('pull-request.hbs')
  commit = await template('commit.hbs')
  const fleet = await manyClusters(join(folder, 'fleet'), 40)
  await fleet.render()
  fleet.commit()
  bumpCni(fleet)
  await fleet.render()
  const compared = { before: { kind: 'revision', revision: 'HEAD' }, after: { kind: 'disk' } } as const
  fleetOf40 = (await diff({ start: fleet.folder, compared }, fleet.ports, () => undefined)).change
})

const deleted: ReportedFinding = {
  code: 'CLUSTER_DELETED',
  severity: 'error',
  message: 'the Cluster leaves the tree without a decommission',
  place: { file: 'clusters/team-b/c39/cluster.yaml', line: 3, column: 1 },
  at: undefined,
  trace: [],
  about: [{ cluster: 'team-b/c40' }],
  hint: 'Restore its folder.',
  docs: '',
  acknowledgement: undefined,
  isNew: false,
}
const accepted: ReportedFinding = {
  ...deleted,
  code: 'KUBERNETES_STEP_REFUSED',
  message: 'the version skips a minor',
  about: [{ cluster: 'team-b/c39' }],
  acknowledgement: {
    code: 'KUBERNETES_STEP_REFUSED',
    reason: 'a trial for @me',
    until: '2027-03-31',
    at: { source: { name: 'stackmason.yaml', text: '' }, start: 0, end: 0 },
  },
}

interface Written extends Partial<PullRequestOptions> {
  readonly change?: TreeChange
  readonly findings?: readonly ReportedFinding[]
  readonly steps?: readonly StepPlan[]
  readonly facts?: Partial<PullRequestFacts>
}

function write({ change = fleetOf40, findings = [], steps = [], facts = {}, ...options }: Written): PullRequestText {
  return writePullRequest({ change, findings, steps }, pullRequestFacts(facts), {
    templates: { pullRequest, commit },
    limits: forgeAbilities.github,
    mask: (text) => text,
    crypto,
    ...options,
  })
}

describe('a fleet of 40 clusters', () => {
  test('the whole text', async () => {
    const { title, body, commitMessage, fingerprint } = write({ findings: [deleted, accepted] })
    await expect(`${title}\n\n${body}\n\n${commitMessage}`).toMatchFileSnapshot(
      '../../golden/pull-request/fleet-of-40.md',
    )
    expect(readMark(body)).toEqual({ group: 'fleet', fingerprint })
  })

  test.each([1000, 1500, 2000, 3000, 4000])(
    'in %i characters what a reviewer must know is still there',
    async (maxBody) => {
      const { body } = write({ findings: [deleted], limits: { ...forgeAbilities.github, maxBody } })
      expect(measureText(body, 'characters')).toBeLessThanOrEqual(maxBody)
      await expect(body).toMatchFileSnapshot(`../../golden/pull-request/fleet-of-40-in-${String(maxBody)}.md`)
    },
  )
})

test('the lines of a short change that is the only one are seen at once', () => {
  const [group] = fleetOf40.groups.filter(({ objects }) => objects.length === 1)
  if (group === undefined) throw new Error('no change has one object')
  const only = { ...fleetOf40, groups: [group] }
  const isOpen = (change: TreeChange): boolean => write({ change }).body.includes('<details open><summary>')
  expect(isOpen(only)).toBe(true)
  const [object] = group.objects
  const fields = Array.from({ length: 30 }, (_, index) => ({ path: [`f${String(index)}`], before: '1', after: '2' }))
  const long = { ...group, objects: object === undefined ? [] : [{ ...object, fields }] }
  for (const groups of [[long], [group, group]]) expect(isOpen({ ...fleetOf40, groups })).toBe(false)
})

test('many findings do not keep the changes out', () => {
  const findings = Array.from({ length: 600 }, (_, index): ReportedFinding => {
    const severity = index % 2 === 0 ? 'error' : 'warning'
    return { ...deleted, severity, message: `the field spec.field${String(index)} is not there` }
  })
  const { body } = write({ findings })
  expect(body).toContain('<details><summary>addon cni: 38 of 40 clusters (3 objects)</summary>')
  expect(body).toContain('<details><summary>Cluster: team-b/c39 (1 object)</summary>')
  const shown = body.match(/^- (?:🔴|🟠) /gmu) ?? []
  expect(shown.length).toBeGreaterThan(200)
  expect(body).toContain(`- … and ${String(600 - shown.length)} more findings, in the report\n`)
})

test('an upgrade of two steps says in each what is done, and what follows', async () => {
  const fleet = await handoffFleet('flux', bothClusters)
  wantNext(fleet)
  const compared = { before: { kind: 'revision', revision: 'HEAD' }, after: { kind: 'disk' } } as const
  const texts: string[] = []
  for (let step = 0; step < 2; step++) {
    const { steps = [] } = await fleet.render()
    const { change } = await diff({ start: fleet.folder, compared }, fleet.ports, () => undefined)
    const { title, body } = write({ change, steps })
    texts.push(title, ...body.split('\n').filter((line) => line.startsWith('- **')))
    fleet.commit()
  }
  expect(texts).toEqual([
    'prod: docker-demo 1.34 v3 → v4, addons first, on team-a/web',
    '- **team-a/web**: addons of docker-demo-1-34-v4; the Cluster stays at docker-demo-1-34-v3. 1 step follows, in a pull request of its own: class docker-demo-1-34-v4, version v1.34.7.',
    'prod: docker-demo 1.34 v3 → v4, then the class, on team-a/web',
    '- **team-a/web**: class docker-demo-1-34-v4, version v1.34.7. It is the last step.',
  ])
})

describe('the fingerprint', () => {
  const first = (): PullRequestText => write({ findings: [deleted] })

  test('stays where nothing else is said', () => {
    const { fingerprint } = first()
    const run = { version: '9.9.9', commit: 'f'.repeat(40), report: 'https://example.org/another/address/of/a/run' }
    expect(write({ findings: [deleted], facts: { run } }).fingerprint).toBe(fingerprint)
    expect(write({ findings: [deleted], existing: first().body }).fingerprint).toBe(fingerprint)
    const long = `${'mine\n'.repeat(11_300)}${first().body}`
    const { body, fingerprint: same } = write({ findings: [deleted], existing: long })
    expect(same).toBe(fingerprint)
    // it takes the room that people leave, and says the rest in fewer words
    expect(measureText(body, 'characters')).toBeLessThanOrEqual(58_000)
    expect(body).toContain('in the report')
  })

  test.each<[string, Written]>([
    ['findings', { findings: [] }],
    ['what is acknowledged', { findings: [{ ...deleted, acknowledgement: accepted.acknowledgement }] }],
    ['the base', { facts: { base: 'release' } }],
    ['the group', { facts: { group: 'namespace/team-a' } }],
    ['the lock', { facts: { lock: 'sha256:0' } }],
    ['that there is no report', { facts: { run: { version: '1.2.3', commit: '0' } } }],
    [
      'the template',
      { templates: { pullRequest: { name: 'a', text: '{{summary}}' }, commit: { name: 'b', text: '' } } },
    ],
    ['the room', { limits: { ...forgeAbilities.github, maxBody: 1500 } }],
  ])('changes with %s', (_, changed) => {
    expect(write({ findings: [deleted], ...changed }).fingerprint).not.toBe(first().fingerprint)
  })

  describe('changes with what the text does not show', () => {
    /** The first change of the fleet as another one, and the fingerprint of both. */
    const pair = (
      one: Partial<ObjectChange>,
      other: Partial<ObjectChange>,
    ): readonly [PullRequestText, PullRequestText] => {
      const [first, ...rest] = fleetOf40.changes
      if (first === undefined) throw new Error('the fleet has no change')
      const [before, after] = [one, other].map((change) =>
        write({ change: { ...fleetOf40, changes: [{ ...first, ...change }, ...rest] } }),
      )
      if (before === undefined || after === undefined) throw new Error('two are written')
      return [before, after]
    }
    const object = (value: Value): TreeObject => {
      const known = fleetOf40.changes[0]?.after
      if (known === undefined) throw new Error('the fleet has no changed object')
      return { ...known, object: dict([['data', value]]) }
    }
    const hidden = { path: ['data', 'password'], before: '***', after: '***', isHidden: true } as const
    const replicas = { path: ['spec', { key: 'name', value: 'md-0' }, 'replicas'], before: 1, after: 2 } as const

    test.each<[string, Partial<ObjectChange>, Partial<ObjectChange>, content?: string]>([
      ['the content of a new object', { change: 'added', fields: [] }, {}, 'b'],
      ['a secret', { fields: [hidden] }, {}, 'b'],
      ['a field', { fields: [replicas] }, { fields: [{ ...replicas, after: 3 }] }],
      ['an item', { fields: [replicas] }, { fields: [{ ...replicas, path: ['spec', 1, 'replicas'] }] }],
      ['an absent field', { fields: [{ ...replicas, after: null }] }, { fields: [{ ...replicas, after: undefined }] }],
      ['the order', { fields: [replicas] }, { fields: [{ ...replicas, isReordered: true }] }],
    ])('%s', (_, one, other, content = 'a') => {
      const [before, after] = pair({ after: object('a'), ...one }, { after: object(content), ...one, ...other })
      expect(after.title).toBe(before.title)
      expect(after.fingerprint).not.toBe(before.fingerprint)
    })

    test('but not with the secrets that a run knows', () => {
      const [first, ...rest] = fleetOf40.changes
      if (first === undefined) throw new Error('the fleet has no change')
      const change = { ...fleetOf40, changes: [{ ...first, fields: [hidden] }, ...rest] }
      const mask = (text: string): string => text.replaceAll('c39', '********')
      const masked = write({ change, mask })
      expect(masked.body).toContain('********')
      expect(masked.fingerprint).toBe(write({ change }).fingerprint)
    })

    test('but not with what others change in an object meanwhile', () => {
      const fields = [replicas]
      const [before, after] = pair({ after: object('a'), fields }, { after: object('b'), fields })
      expect(after.fingerprint).toBe(before.fingerprint)
    })
  })

  test('the same input gives the same bytes', () => {
    expect(write({ findings: [deleted] })).toEqual(first())
  })
})

describe('a template of the fleet', () => {
  const own = (text: string, more: Partial<PullRequestOptions['templates']> = {}): Written => ({
    templates: { pullRequest: { name: 'templates/publish/pull-request.hbs', text }, commit, ...more },
  })
  const problem = async (written: Written): Promise<string> => {
    const [finding] = await diagnosticsOf(Promise.resolve(written).then(write))
    if (finding?.at === undefined) return 'none'
    const { line, column } = positionAt(finding.at.source, finding.at.start)
    return `${finding.code} ${finding.at.source.name}:${String(line)}:${String(column)} ${finding.message}`
  }

  test('has the sections, and knows what it is about', () => {
    const text = '@ours: {{fleet}} {{group}} {{base}} {{head}} {{changed}}/{{objects}}/{{errors}}\n\n{{versions}}\n\n\n'
    const { body } = write({ ...own(text), findings: [deleted] })
    expect(body.split('\n').slice(3, -3)).toEqual([
      '@ours: prod fleet main stackmason/fleet 39/125/1',
      '',
      '| Versions | |',
      '| --- | --- |',
      '| Kubernetes | v1.32.5 -&gt; v1.34.1 on team-b/c39 |',
      '| addon | cni v1.17.4 -&gt; v1.18.1 on 38 of 40 clusters |',
      '| 2 images | quay.io/cilium/cilium, quay.io/cilium/operator-generic v1.17.4 -&gt; v1.18.1 on 38 of 40 clusters |',
    ])
  })

  test('may write a section twice, and it fits all the same', () => {
    const limits = { ...forgeAbilities.github, maxBody: 4000 }
    const { body } = write({ ...own('{{changes}}\n{{changes}}\n{{effects}}'), limits })
    expect(body.length).toBeGreaterThan(2000)
    expect(measureText(body, 'characters')).toBeLessThanOrEqual(4000)
  })

  test('writes the subject of commits and titles of pull requests', () => {
    const { title, commitMessage } = write(
      own('x', {
        title: { name: 'stackmason.yaml', text: ' chore({{fleet}}):\n {{title}} @you' },
        commit: { name: 'commit.hbs', text: 'render {{fleet}}\n\n{{changed}} clusters\n\n' },
      }),
    )
    expect(title).toBe('chore(prod): prod: deletes cluster team-b/c40; cni v1.17.4 → v1.18.1 (+2 more) @\u200Byou')
    expect(commitMessage).toBe('render prod\n\n39 clusters\n')
  })

  test('that writes nothing leaves what has to be there', () => {
    const { title, commitMessage, body } = write(
      own('', { title: { name: 'a', text: '' }, commit: { name: 'b', text: ' ' } }),
    )
    expect(commitMessage).toBe(`${title}\n`)
    expect(readMark(body)?.group).toBe('fleet')
  })

  test.each([
    [
      'a name that is not there',
      '{{summary}}\n{{sumary}}',
      'PUBLISH_TEMPLATE templates/publish/pull-request.hbs:2:3 "sumary" is not defined',
    ],
    [
      'a block that is open',
      'a\n{{#if fleet}}',
      'PUBLISH_TEMPLATE templates/publish/pull-request.hbs:2:1 the block {{#if}} is not closed',
    ],
    [
      'one of our marks',
      'a\n<!-- stackmason:end -->',
      'PUBLISH_TEMPLATE templates/publish/pull-request.hbs:2:6 the template writes a mark of stackmason, by which its text is found again',
    ],
    [
      'too much text of its own',
      'x'.repeat(60_000),
      'PUBLISH_TEMPLATE templates/publish/pull-request.hbs:1:1 without any section the template makes more than the 57771 characters that there is room for',
    ],
  ])('%s is an error at its line', async (_, text, message) => {
    expect(await problem(own(text))).toBe(message)
  })
})

test('a title is cut to what the forge takes, in its own unit', () => {
  const title = { name: 'stackmason.yaml', text: 'ä'.repeat(200) }
  const limits = { unit: 'bytes', maxTitle: 255, maxBody: 58_000 } as const
  expect(write({ templates: { pullRequest, commit, title }, limits }).title).toBe(`${'ä'.repeat(126)}…`)
})

test('secrets are hidden before a value is cut or folded', () => {
  const secret = 'correct-horse-battery'
  const mask = (text: string): string => text.replaceAll(secret, '********')
  const fields = [{ path: ['data', 'x'], before: `${'a'.repeat(60)}${secret}`, after: `b\n${secret}\nc` }]
  const [group] = fleetOf40.groups
  const change = {
    ...fleetOf40,
    groups: [{ ...group, part: { kind: 'handoff' } as const, clusters: [], objects: [{ ...objectOf(), fields }] }],
  }
  const finding = { ...deleted, message: `the value ${secret} is wrong`, hint: `not ${secret}` }
  const { title, body, commitMessage } = write({ change, findings: [finding], facts: { fleet: secret }, mask })
  const all = title + body + commitMessage
  expect(all).not.toContain('horse')
  expect(all).toContain('********')
})

function objectOf(): TreeChange['groups'][number]['objects'][number] {
  return {
    change: 'changed',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'a',
    fields: [],
    risks: [],
    undo: [],
    members: [],
  }
}

describe('whatever changes,', () => {
  const body = fc.record({
    change: arbitraryChange,
    messages: fc.array(arbitraryText, { maxLength: 5 }),
    fleet: arbitraryText,
    namespace: fc.stringMatching(/^[a-z]{1,63}$/),
    report: fc.option(arbitraryText, { nil: undefined }),
    outside: fc.array(fc.oneof(arbitraryText, fc.constantFrom('```', 'mine')), { maxLength: 4 }),
    unit: fc.constantFrom('characters' as const, 'bytes' as const),
    maxBody: fc.oneof(fc.integer({ min: 1000, max: 6000 }), fc.constant(58_000), fc.constant(1_000_000)),
  })

  test('the text fits, is found again, calls nobody and leaves alone what people wrote', () => {
    fc.assert(
      fc.property(body, ({ change, messages, fleet, namespace, report, outside, unit, maxBody }) => {
        const limits = { unit, maxBody, maxTitle: 255 }
        const facts = {
          fleet,
          group: `namespace/${namespace}`,
          run: { version: '1', commit: '0', ...(report !== undefined && { report }) },
        }
        const findings = messages.map((message) => ({ ...deleted, message }))
        const written = write({ change, findings, facts, limits })
        expect(measureText(written.body, unit)).toBeLessThanOrEqual(maxBody)
        expect(measureText(written.title, unit)).toBeLessThanOrEqual(255)
        expect(Array.from(written.title).length).toBeLessThanOrEqual(72)
        expect(written.title).not.toMatch(/[\n\r]/)
        expect(readMark(written.body)).toEqual({ group: facts.group, fingerprint: written.fingerprint })
        const lines = written.body.split('\n')
        expect(lines.filter((line) => line.startsWith('<!-- stackmason:'))).toHaveLength(4)
        // what forges act on
        for (const said of [written.body, written.title, written.commitMessage]) {
          expect(said).not.toMatch(/(?<![A-Za-z0-9_])@[A-Za-z0-9_]/)
          expect(said).not.toMatch(/\b(?:close|fix|resolve)[sd]?:?[ \t]+(?:[^\s&]*#\d|https?:)/i)
          expect(said).not.toMatch(/^\//m)
          expect(said).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/)
        }
        const around = outside.join('\n').replaceAll('stackmason', '')
        const merged = write({ change, findings, facts, limits, existing: `${written.body}\n${around}` }).body
        expect(merged.endsWith(`\n${around}`)).toBe(true)
        expect(readMark(merged)?.group).toBe(facts.group)
      }),
      { numRuns: 30, seed: 23 },
    )
  })
})
