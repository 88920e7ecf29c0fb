import { expect, test } from 'vitest'
import { pushProblem } from '../../src/pipeline/publishing/publish-problem.ts'

test.each([
  { status: 'protected', code: 'PUBLISH_PROTECTED', hint: /spec\.publish\.into: pullRequest/ },
  // on a laptop git often has no credentials for the host, and the variables of CI are not there
  { status: 'not-permitted', code: 'PUBLISH_PERMISSION', hint: /credentialsFrom names the variable of a token/ },
] as const)('a push that is $status says what to do', ({ status, code, hint }) => {
  expect(pushProblem({ status, message: 'said' }, 'main').diagnostics).toEqual([
    { code, severity: 'error', message: expect.stringMatching(/main.*: said$/), hint: expect.stringMatching(hint) },
  ])
})
