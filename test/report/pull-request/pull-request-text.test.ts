import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { forgeAbilities, measureText } from '../../../src/model/forge.ts'
import type { Source } from '../../../src/model/source.ts'
import type { TreeChange } from '../../../src/model/tree-change.ts'
import { diff } from '../../../src/pipeline/commands/diff.ts'
import type { ReportedFinding } from '../../../src/report/describe-finding.ts'
import { readMark } from '../../../src/report/pull-request/body-block.ts'
import type { PullRequestFacts, PullRequestText } from '../../../src/report/pull-request/pull-request-facts.ts'
import { type PullRequestOptions, writePullRequest } from '../../../src/report/pull-request/pull-request-text.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { bumpCni, manyClusters } from '../../../tools/fleets/many-clusters.ts'
import { packageFolder } from '../../cli/run-cli.ts'
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
  readonly facts?: Partial<PullRequestFacts>
}

function write({ change = fleetOf40, findings = [], facts = {}, ...options }: Written): PullRequestText {
  return writePullRequest({ change, findings, steps: [] }, pullRequestFacts(facts), {
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
