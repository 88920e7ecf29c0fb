import { expect, test } from 'vitest'
import { GitError } from '../../src/model/git.ts'
import { askingGit, pushProblem } from '../../src/pipeline/publishing/publish-problem.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'

test.each([
  {
    status: 'protected',
    purpose: 'branch',
    code: 'PUBLISH_PROTECTED',
    hint: 'Let pull requests carry the changes (spec.publish.into: pullRequest), or allow this user to push there.',
  },
  {
    status: 'protected',
    purpose: 'pullRequest',
    code: 'PUBLISH_PROTECTED',
    hint: 'Allow this user to push to branches with that beginning, or set spec.publish.branchPrefix to one that is not protected.',
  },
  {
    status: 'protected',
    purpose: 'author',
    code: 'PUBLISH_PROTECTED',
    hint: 'Allow this user to push there, or run `stackmason render` on the branch, and commit and push what it writes.',
  },
  // on a laptop git often has no credentials for the host, and the variables of CI are not there
  {
    status: 'not-permitted',
    purpose: 'branch',
    code: 'PUBLISH_PERMISSION',
    hint: expect.stringMatching(/credentialsFrom names the variable of a token/),
  },
] as const)('a push for $purpose that is $status says what to do', ({ status, purpose, code, hint }) => {
  expect(pushProblem({ status, message: 'said' }, { branch: 'main', purpose }).diagnostics).toEqual([
    { code, severity: 'error', message: expect.stringMatching(/main.*: said$/), hint },
  ])
})

test.each([
  {
    said: "fatal: detected dubious ownership in repository at '/srv/my fleet'",
    hint: "Run stackmason as the owner of the repository, or trust it: git config --global --add safe.directory '/srv/my fleet'",
  },
  { said: 'fatal: x', hint: 'Run `git status` and `git fetch` in the checkout, and mend what they say.' },
])('git itself fails: $said', async ({ said, hint }) => {
  const asking = askingGit('stackmason.yaml', () => Promise.reject(new GitError('other', said)))
  expect(await diagnosticsOf(asking)).toEqual([
    { code: 'GIT_FAILED', severity: 'error', message: `git failed at stackmason.yaml: ${said}`, hint },
  ])
})

test.each([301, 302, 307, 308])('a repository that was renamed on its forge: %i', async (status) => {
  const url = 'https://git.example.com/org/fleet.git'
  const said = `fatal: unable to access '${url}/': The requested URL returned error: ${status}`
  const asking = askingGit(url, () => Promise.reject(new GitError('other', said)))
  expect(await diagnosticsOf(asking)).toEqual([
    {
      code: 'GIT_FAILED',
      severity: 'error',
      message: `the repository has moved away from ${url}: ${said}`,
      hint: 'Set the url of the remote to where the repository is now (`git remote set-url`), as its page shows; the credentials of the environment and the fleet follow no redirect.',
    },
  ])
})
