import { expect, test } from 'vitest'
import { check } from '../../src/pipeline/commands/check.ts'
import { handoffFleet } from './handoff-fleet.ts'
import { told } from './remote-fleet.ts'

const NAMES =
  'title, summary, effects, clusters, versions, findings, undo, changes, reproduce, steps, footer, text, fleet, group, base, head, commit, version, lock, report, changed, added, removed, unchanged, objects, errors, warnings, acknowledged'

test.each([
  ['all names', 'pull-request', '{{#if effects}}{{effects}}{{else}}{{title}}{{/if}}\n', []],
  [
    'a name that is mistyped',
    'pull-request',
    '{{summary}}\n{{sumary}}\n',
    [`templates/publish/pull-request.hbs:2:3 "sumary" is not defined | Did you mean summary? There are: ${NAMES}.`],
  ],
  [
    'names in blocks that are not written today',
    'commit',
    '{{#if lock}}{{locks}}{{else}}{{zzzzzz}}{{/if}}',
    [
      `templates/publish/commit.hbs:1:15 "locks" is not defined | Did you mean lock? There are: ${NAMES}.`,
      `templates/publish/commit.hbs:1:32 "zzzzzz" is not defined | There are: ${NAMES}.`,
    ],
  ],
  [
    'a block that is open',
    'commit',
    'a\n{{#if fleet}}\n',
    ['templates/publish/commit.hbs:2:1 the block {{#if}} is not closed | Write {{/if}} where it ends.'],
  ],
])('check looks at templates of pull requests and commits: %s', async (_, name, text, wanted) => {
  const fleet = await handoffFleet('flux')
  fleet.write(`templates/publish/${name}.hbs`, text)
  const { findings } = await check({ start: fleet.folder, clusters: [], stacks: [] }, fleet.ports, () => undefined)
  const found = findings.filter(({ code }) => code === 'PUBLISH_TEMPLATE')
  expect(found.map((finding) => `${finding.severity} ${told(finding, fleet.folder)}`)).toEqual(
    wanted.map((line) => `error PUBLISH_TEMPLATE ${line}`),
  )
})

test('check looks at the template of titles', async () => {
  const fleet = await handoffFleet('flux')
  fleet.write(
    'stackmason.yaml',
    `${fleet.read('stackmason.yaml').trimEnd()}\n  publish: {pullRequest: {title: "x {{tite}}"}}\n`,
  )
  const { findings } = await check({ start: fleet.folder, clusters: [], stacks: [] }, fleet.ports, () => undefined)
  const found = findings.filter(({ code }) => code === 'PUBLISH_TEMPLATE')
  expect(found.map((finding) => told(finding, fleet.folder))).toEqual([
    `PUBLISH_TEMPLATE spec.publish.pullRequest.title:1:5 "tite" is not defined | Did you mean title? There are: ${NAMES}.`,
  ])
})
