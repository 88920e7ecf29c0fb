import { expect, test } from 'vitest'
import type { ClusterStep, StepPlan } from '../../../src/model/steps.ts'
import type { TreeChange } from '../../../src/model/tree-change.ts'
import { stepSection } from '../../../src/report/pull-request/step-section.ts'

const change: TreeChange = {
  facts: {
    clusters: { added: [], removed: [], changed: 20, unchanged: 20 },
    kubernetes: [],
    steps: [],
    addons: [],
    images: [],
    releases: [],
    variables: [],
    definitions: [],
    unread: [],
  },
  changes: [],
  groups: [],
}
const addons: ClusterStep = {
  action: 'addons',
  summary: 'addons of a-b-1-34-v2; the Cluster stays at a-b-1-34-v1',
  before: ['The addons of web are ready.'],
}
const topology: ClusterStep = { action: 'class', summary: 'class a-b-1-34-v2, version v1.34.1', before: [] }

function plan(name: string, due: ClusterStep, then: readonly ClusterStep[] = []): StepPlan {
  return {
    cluster: { namespace: 'team', name },
    due,
    then,
    content: 'rendered',
    clusterObject: 'as-is',
    classes: [],
    suspends: 'none',
  }
}

/** The entries, each in its short or its long form. */
function texts(steps: readonly StepPlan[], form: 0 | 1): string {
  return stepSection({ change, findings: [], steps })
    .entries.map((forms) => forms[form]?.text ?? '')
    .join('')
}

test.each<[string, readonly StepPlan[], string]>([
  ['nothing on its way', [plan('web', { action: 'keep', summary: '', before: [] })], ''],
  [
    'the first of two',
    [plan('web', addons, [topology])],
    '- **team/web**: addons of a-b-1-34-v2; the Cluster stays at a-b-1-34-v1. 1 step follows, in a pull request of its own: class a-b-1-34-v2, version v1.34.1.\n',
  ],
  ['the last', [plan('web', topology)], '- **team/web**: class a-b-1-34-v2, version v1.34.1. It is the last step.\n'],
  [
    'one of several minors',
    [plan('web', addons, [topology, addons, topology])],
    '- **team/web**: addons of a-b-1-34-v2; the Cluster stays at a-b-1-34-v1. 3 steps follow, each in a pull request of its own: class a-b-1-34-v2, version v1.34.1. After that: addons of a-b-1-34-v2; the Cluster stays at a-b-1-34-v1. After that: class a-b-1-34-v2, version v1.34.1.\n',
  ],
  [
    'one that waits',
    [plan('web', { ...addons, action: 'wait' }, [topology])],
    '- **team/web**: waits at an earlier step: addons of a-b-1-34-v2; the Cluster stays at a-b-1-34-v1. 1 step follows, in a pull request of its own: class a-b-1-34-v2, version v1.34.1.\n',
  ],
  [
    'one that is frozen',
    [plan('web', { action: 'freeze', summary: 'options.yaml freezes the cluster', before: [] })],
    '- **team/web**: options.yaml freezes the cluster.\n',
  ],
  [
    'clusters with the same step share an entry',
    [...Array.from({ length: 12 }, (_, index) => plan(`c${String(index)}`, topology)), plan('web', addons, [topology])],
    '- **12 of 40 clusters**: class a-b-1-34-v2, version v1.34.1. It is the last step.\n' +
      '- **team/web**: addons of a-b-1-34-v2; the Cluster stays at a-b-1-34-v1. 1 step follows, in a pull request of its own: class a-b-1-34-v2, version v1.34.1.\n',
  ],
])('%s', (_, steps, text) => {
  expect(texts(steps, 0)).toBe(text)
})

test('what must hold before the next step is told where there is room', () => {
  expect(
    texts([plan('web', addons, [topology])], 1)
      .split('\n')
      .slice(1),
  ).toEqual(['  - Before the next step:', '    - The addons of web are ready.', ''])
  expect(texts([plan('web', addons, [topology]), plan('db', addons, [topology])], 1)).toContain(
    '  - Before the next step (as for team/web):\n',
  )
})

test('what a settled cluster leaves to be done is told, and nothing else of it', () => {
  const suspended = {
    action: 'keep',
    summary: 'everything of a-b-1-34-v2, suspended',
    before: ['End its syncs.'],
  } as const
  expect(texts([plan('web', suspended), plan('db', { ...suspended, before: [] })], 1)).toBe(
    '- **team/web**: everything of a-b-1-34-v2, suspended.\n  - To be done:\n    - End its syncs.\n',
  )
})
