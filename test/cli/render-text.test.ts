import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import { renderReport } from '../../src/cli/render-command/json.ts'
import type { RenderOutcome } from '../../src/cli/render-command/outcome.ts'
import { renderText } from '../../src/cli/render-command/text.ts'
import { formatJsonReport } from '../../src/report/report.ts'
import { createShortenPath } from '../../src/report/shorten-path.ts'
import type { StepPlan } from '../../src/model/steps.ts'
import type { RenderResult } from '../../src/pipeline/commands/render.ts'
import { packageFolder } from './run-cli.ts'

const shorten = createShortenPath('/elsewhere')

const upgrade: StepPlan = {
  cluster: { name: 'web', namespace: 'team-a' },
  content: 'rendered',
  clusterObject: 'held',
  suspends: 'none',
  classes: ['docker-scs-1-33-v1'],
  due: {
    action: 'addons',
    className: 'docker-scs-1-33-v1',
    addons: 'docker-scs-1-34-v1',
    summary: 'addons of docker-scs-1-34-v1; the Cluster stays at docker-scs-1-33-v1',
    before: ['Unit web-addons is ready.'],
  },
  then: [
    { action: 'class', className: 'docker-scs-1-34-v1', summary: 'class docker-scs-1-34-v1', before: [] },
    { action: 'addons', addons: 'docker-scs-1-35-v1', summary: 'addons of docker-scs-1-35-v1', before: [] },
  ],
}
const gone: StepPlan = {
  cluster: { name: 'old', namespace: 'team-b' },
  content: 'none',
  clusterObject: 'out',
  suspends: 'none',
  classes: [],
  due: { action: 'gone', summary: 'nothing of it is left in the tree', before: [] },
  then: [],
}
const result: RenderResult = {
  mode: 'write',
  fleet: 'test',
  output: '/fleet/rendered',
  clusters: 2,
  charts: 3,
  objects: 4,
  files: { written: 5, unchanged: 6, pruned: 7 },
  changes: [],
  definitions: [],
  holds: new Map(),
  steps: [upgrade, gone],
  findings: [],
  duration: 1000,
}

const outcome: RenderOutcome = {
  status: 'rendered',
  result,
  findings: [],
  mode: 'render',
  isQuiet: false,
}

test('the summary ends with the steps of each cluster that is on its way', () => {
  expect(renderText(outcome, shorten).output).toBe(
    `Rendered 2 clusters, 3 charts, 4 objects into /fleet/rendered: 5 files written, 6 unchanged, 7 pruned, in 1.0 s.
team-a/web: addons of docker-scs-1-34-v1; the Cluster stays at docker-scs-1-33-v1 (2 steps to go)
  Commit this step. Before you render and commit the next one:
  - Unit web-addons is ready.
  Next: class docker-scs-1-34-v1.
  After that: addons of docker-scs-1-35-v1.
team-b/old: nothing of it is left in the tree
`,
  )
})

test('the report for programs holds them, and fits its schema', async () => {
  const text = [...formatJsonReport(renderReport(outcome, shorten), shorten)].join('')
  const schema = compileSchema(parseGoJson(await readFile(join(packageFolder, 'schemas/render-report.json'), 'utf8')))
  expect(schema.validate(parseGoJson(text))).toEqual([])
  expect(JSON.parse(text)).toMatchObject({
    steps: [
      {
        namespace: 'team-a',
        cluster: 'web',
        due: { action: 'addons' },
        then: [{ action: 'class' }, { action: 'addons' }],
      },
      { namespace: 'team-b', cluster: 'old', due: { action: 'gone' }, then: [] },
    ],
  })
})

test('a step that is written already is not to be committed anew', () => {
  const waiting: StepPlan = { ...upgrade, due: { ...upgrade.due, action: 'wait' } }
  expect(renderText({ ...outcome, result: { ...result, steps: [waiting] } }, shorten).output).toContain(
    '  This step is written. Before the next one:\n  - Unit web-addons is ready.\n  Next: class docker-scs-1-34-v1.\n',
  )
})

test('steps name files as the working folder sees them', () => {
  const inFleet = createShortenPath('/fleet')
  const before = ['The committed tree lacks /fleet/rendered/handoff/team-a/web/kustomization.yaml.']
  const steps = [{ ...upgrade, due: { ...upgrade.due, before } }]
  const seen = { ...outcome, result: { ...result, steps } }
  const says = 'The committed tree lacks rendered/handoff/team-a/web/kustomization.yaml.'
  expect(renderText(seen, inFleet).output).toContain(`\n  - ${says}\n`)
  expect([...formatJsonReport(renderReport(seen, inFleet), inFleet)].join('')).toContain(JSON.stringify(says))
})
