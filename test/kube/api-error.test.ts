import { expect, test } from 'vitest'
import { ApiError, isAbsence, isConflict } from '../../src/kube/api-error.ts'

const denied = 'admission webhook "w.example.com" denied the request: not found'
const policy = `clusters "web" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: not found`
const cluster = { plural: 'clusters', name: 'web' }

test.each([
  ['names it', { subject: 'web', subjectKind: 'clusters' }, true],
  ['names it, and no kind', { subject: 'web' }, true],
  ['names another', { subject: 'app', subjectKind: 'clusters' }, false],
  ['names something else of its name', { subject: 'web', subjectKind: 'namespaces' }, false],
  ['names nothing', {}, false],
  ['is of a webhook', { subject: 'web', subjectKind: 'clusters', message: denied }, false],
  ['is of a webhook whose words are dropped', { subject: 'web', webhook: 'w.example.com' }, false],
  ['is of a policy', { subject: 'web', message: policy }, false],
  ['is of a policy whose words are dropped', { subject: 'web', isDenied: true }, false],
])('an object has gone where a 404 %s: %#', (_, given, is) => {
  const refusal = { reason: 'NotFound', message: '', retryAfter: 0, ...given }
  expect(isAbsence(new ApiError(404, refusal), cluster)).toBe(is)
  expect(isAbsence(new ApiError(410, refusal), cluster)).toBe(false)
})

test.each([
  ['the server says so', 409, { message: 'the object has been modified' }, true],
  ['a webhook says so', 409, { message: denied }, false],
  ['a webhook says so whose words are dropped', 409, { webhook: 'w.example.com' }, false],
  ['it is refused otherwise', 422, {}, false],
])('an object has changed meanwhile where %s: %#', (_, status, given, is) => {
  expect(isConflict(new ApiError(status, { reason: '', message: '', retryAfter: 0, ...given }))).toBe(is)
})
