import { expect, test } from 'vitest'
import { StatusJudge, worstOf } from '../../../src/publish/statuses/judge-statuses.ts'

type State = 'success' | 'pending' | 'failure' | 'skipped'

/** Names of statuses by state, of commits `c0`, `c1` and so on, newest first. */
type Commit = Partial<Record<State, readonly string[]>>

const cases: readonly {
  readonly name: string
  readonly commits: readonly Commit[]
  readonly want: string
  readonly isDecided: boolean
}[] = [
  { name: 'nothing is reported', commits: [{}, {}], want: 'missing', isDecided: false },
  { name: 'an older commit counts', commits: [{}, { success: ['k/web/1'] }], want: 'success c1', isDecided: true },
  {
    name: 'the newest that ended counts',
    commits: [{ failure: ['k/web/1'] }, { success: ['k/web/1'] }],
    want: 'failure c0',
    isDecided: true,
  },
  {
    name: 'what is pending says nothing about what was before',
    commits: [{ pending: ['k/web/1'] }, { success: ['k/web/1'] }],
    want: 'success c1',
    isDecided: true,
  },
  {
    name: 'pending is more than missing',
    commits: [{}, { pending: ['k/web/1'] }, {}],
    want: 'pending c1',
    isDecided: false,
  },
  {
    name: 'of two of one name the worse counts',
    commits: [{ success: ['k/web/1'], failure: ['k/web/2'] }],
    want: 'failure c0',
    isDecided: true,
  },
  {
    name: 'one that was skipped has ended, and is no success',
    commits: [{ skipped: ['k/web/1'] }, { success: ['k/web/1'] }],
    want: 'skipped c0',
    isDecided: true,
  },
  {
    name: 'one that was skipped is worse than one that goes on, and one that failed worse still',
    commits: [{ success: ['k/web/1'], skipped: ['k/web/1', 'k/web/2'], pending: ['k/web/3'] }],
    want: 'skipped c0',
    isDecided: true,
  },
  { name: 'other names say nothing', commits: [{ failure: ['k/other/1'] }], want: 'missing', isDecided: false },
]

test.each(cases)('$name', ({ commits, want, isDecided }) => {
  const judge = new StatusJudge([{ pattern: 'k/web/*' }])
  for (const [index, commit] of commits.entries())
    judge.note(
      `c${String(index)}`,
      (['success', 'pending', 'failure', 'skipped'] as const).flatMap((state) =>
        (commit[state] ?? []).map((context) => ({ context, state })),
      ),
    )
  expect(judge.verdicts().map(({ state, commit }) => [state, commit].join(' ').trim())).toEqual([want])
  expect(judge.isDecided).toBe(isDecided)
})

test('all of them together are as the worst of them', () => {
  const of = (...states: readonly (State | 'missing')[]): string =>
    worstOf(states.map((state) => ({ context: 'c', state })))
  expect([
    of(),
    of('success'),
    of('success', 'pending'),
    of('pending', 'missing'),
    of('missing', 'skipped'),
    of('skipped', 'failure'),
  ]).toEqual(['success', 'success', 'pending', 'missing', 'skipped', 'failure'])
})
