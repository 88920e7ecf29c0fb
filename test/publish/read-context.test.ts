import { describe, expect, it } from 'vitest'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { eventFile, readContext } from '../../src/publish/read-context.ts'

const environment = (variables: Readonly<Record<string, string>>): { get: (name: string) => string | undefined } => ({
  get: (name) => variables[name],
})

const github = {
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'platform/fleet',
  GITHUB_RUN_ID: '12',
  GITHUB_OUTPUT: '/tmp/output',
  GITHUB_EVENT_PATH: '/tmp/event.json',
}
const onPullRequest = { ...github, GITHUB_EVENT_NAME: 'pull_request', GITHUB_REF: 'refs/pull/7/merge' }
const event = (from: string): ReturnType<typeof parseGoJson> =>
  parseGoJson(
    JSON.stringify({
      pull_request: {
        number: 7,
        head: { ref: 'feature', repo: from === '' ? null : { full_name: from } },
        base: { ref: 'main', repo: { full_name: 'platform/fleet' } },
      },
    }),
  )

describe('where publish runs', () => {
  it('is of somebody, their machine, or a CI that tells nothing', () => {
    expect(readContext(environment({}), null)).toEqual({ ci: undefined })
    expect(readContext(environment({ CI: 'false' }), null)).toEqual({ ci: undefined })
    expect(readContext(environment({ CI: 'woodpecker' }), null)).toEqual({ ci: 'other' })
  })

  it('is GitHub Actions, on a push', () => {
    expect(eventFile(environment(github))).toBe('/tmp/event.json')
    expect(eventFile(environment({ ...github, GITHUB_ACTIONS: '' }))).toBeUndefined()
    expect(readContext(environment({ ...github, GITHUB_EVENT_NAME: 'push' }), null)).toEqual({
      ci: 'github',
      runUrl: 'https://github.com/platform/fleet/actions/runs/12',
      host: 'github.com',
      outputFile: '/tmp/output',
    })
  })

  it.each([
    ['platform/fleet', 'repository'],
    ['somebody/fleet', 'fork'],
    ['', 'fork'],
  ])('is a pull request from "%s": its branch lies in the %s', (from, lies) => {
    expect(readContext(environment(onPullRequest), event(from)).pullRequest).toEqual({
      number: 7,
      head: 'feature',
      base: 'main',
      lies,
      headRef: 'refs/pull/7/head',
    })
  })

  it.each([
    { name: 'an event of something else', text: '{"action": "opened"}' },
    { name: 'an event without repositories', text: '{"pull_request": {"head": {"ref": "feature"}, "base": {}}}' },
    { name: 'an event that names none', text: '{"pull_request": {"head": {"repo": {}}, "base": {"repo": {}}}}' },
  ])('is a pull request from nobody knows where: $name', ({ text }) => {
    const variables = { ...onPullRequest, GITHUB_HEAD_REF: 'feature', GITHUB_BASE_REF: 'main' }
    expect(readContext(environment(variables), parseGoJson(text)).pullRequest).toMatchObject({ lies: 'unknown' })
  })

  it('is a pull request of which variables tell alone', () => {
    const variables = { ...onPullRequest, GITHUB_HEAD_REF: 'feature', GITHUB_BASE_REF: 'main', FORGEJO_ACTIONS: 'true' }
    expect(readContext(environment(variables), null)).toMatchObject({
      ci: 'gitea',
      pullRequest: { number: 7, head: 'feature', lies: 'unknown' },
    })
  })

  it('is GitLab CI, on a branch and on merge requests', () => {
    const gitlab = {
      GITLAB_CI: 'true',
      CI_SERVER_URL: 'https://git.example:8443',
      CI_JOB_URL: 'https://git.example:8443/j/1',
    }
    expect(readContext(environment(gitlab), null)).toEqual({
      ci: 'gitlab',
      runUrl: 'https://git.example:8443/j/1',
      host: 'git.example:8443',
    })
    const merge = {
      ...gitlab,
      CI_MERGE_REQUEST_IID: '7',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'feature',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_PROJECT_ID: '1',
    }
    for (const [project, lies] of [
      ['1', 'repository'],
      ['2', 'fork'],
      ['', 'unknown'],
    ] as const)
      expect(
        readContext(environment({ ...merge, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: project }), null).pullRequest,
      ).toEqual({ number: 7, head: 'feature', base: 'main', lies, headRef: 'refs/merge-requests/7/head' })
  })
})
