import type { PullRequestFacts } from '../../src/report/pull-request/pull-request-facts.ts'

/** Facts of a pull request for a fleet on GitHub. */
export function pullRequestFacts(facts: Partial<PullRequestFacts>): PullRequestFacts {
  return {
    fleet: 'prod',
    group: 'fleet',
    base: 'main',
    head: 'stackmason/fleet',
    folder: '',
    lock: `sha256:${'ab'.repeat(32)}`,
    forge: { kind: 'github', url: 'https://github.com', repository: 'group/fleet' },
    run: {
      version: '1.2.3',
      commit: '1234567890123456789012345678901234567890',
      report: 'https://github.com/group/fleet/actions/runs/1/artifacts/2',
    },
    ...facts,
  }
}
