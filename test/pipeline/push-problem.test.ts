import { expect, test } from 'vitest'
import { GitError } from '../../src/model/git.ts'
import { askingGit, pushProblem } from '../../src/pipeline/publishing/publish-problem.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'

test.each([
  { status: 'protected', code: 'PUBLISH_PROTECTED', hint: /spec\.publish\.into: pullRequest/ },
  // on a laptop git often has no credentials for the host, and the variables of CI are not there
  { status: 'not-permitted', code: 'PUBLISH_PERMISSION', hint: /credentialsFrom names the variable of a token/ },
] as const)('a push that is $status says what to do', ({ status, code, hint }) => {
  expect(pushProblem({ status, message: 'said' }, 'main').diagnostics).toEqual([
    { code, severity: 'error', message: expect.stringMatching(/main.*: said$/), hint: expect.stringMatching(hint) },
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
