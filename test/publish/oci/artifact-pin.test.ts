import { expect, test } from 'vitest'
import { PIN_HEAD, readPin } from '../../../src/publish/oci/artifact-pin.ts'

const commit = '0123456789abcdef0123456789abcdef01234567'

function pin(revision: string): string {
  return `${PIN_HEAD}apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata:
  name: one
  annotations:
    org.opencontainers.image.created: "2026-11-29T12:00:00Z"
    org.opencontainers.image.revision: "${revision}"
    org.opencontainers.image.source: https://git.example.com/fleet.git
spec:
  ref:
    digest: sha256:${'1'.repeat(64)}
`
}

test.each([
  { name: 'a commit of SHA-1', revision: `main@sha1:${commit}`, isPin: true },
  { name: 'a commit of SHA-256', revision: `team/x@sha256:${'a'.repeat(64)}`, isPin: true },
  { name: 'a ref of a pull request', revision: `refs/pull/7/merge@sha1:${commit}`, isPin: true },
  // a registry gets the end of it as a tag
  { name: 'a tag of a version', revision: 'main@sha1:1.4.0', isPin: false },
  { name: 'a way out of the repository', revision: 'main@sha1:../../x?', isPin: false },
  { name: 'more behind a commit', revision: `main@sha1:${commit}:latest`, isPin: false },
  { name: 'a commit that is too short', revision: `main@sha1:${commit.slice(1)}`, isPin: false },
  { name: 'a commit alone', revision: commit, isPin: false },
  { name: 'nothing', revision: '', isPin: false },
])('takes only a revision that publishing writes: $name', ({ revision, isPin }) => {
  expect(readPin(pin(revision))).toEqual(
    isPin
      ? {
          digest: `sha256:${'1'.repeat(64)}`,
          origin: {
            source: 'https://git.example.com/fleet.git',
            revision,
            created: '2026-11-29T12:00:00Z',
          },
        }
      : undefined,
  )
})

test.each(['', '[', 'a: 1\n'])('takes nothing else for a pin: %j', (text) => {
  expect(readPin(text)).toBeUndefined()
})
