import { expect, it } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import type { ForgeConfig } from '../../src/model/forge.ts'
import type { BranchPush, PushResult, RemoteAccess } from '../../src/model/git-writer.ts'
import type { Ports } from '../../src/model/ports.ts'
import { noteWrites, type NotedWrites } from '../../src/pipeline/publishing/note-writes.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { fakeForge } from './fake-forge.ts'

const access: RemoteAccess = { repository: '/clone', remote: 'origin', url: 'https://forge.example/a.git', timeout: 1 }
const config: ForgeConfig = { kind: 'gitea', url: 'https://forge.example', repository: 'a/b', plainHttp: false }
const lost = new StackmasonError({ code: 'FETCH_FAILED', severity: 'error', message: 'the network is gone' })

/** Writes to a remote that answers so. */
function noting(results: readonly PushResult[] = []): NotedWrites & { readonly told: () => readonly string[] } {
  const ports = createNodePorts()
  const push: Ports['gitWriter']['push'] = () => Promise.resolve(results)
  const { forge } = fakeForge(() => '')
  const writes = noteWrites({ ...ports, gitWriter: { ...ports.gitWriter, push } }, () => Promise.resolve(forge))
  const told = (): readonly string[] => {
    const error = writes.addTo(lost)
    if (!(error instanceof StackmasonError)) throw new Error('no error for users')
    return error.diagnostics.slice(1).map(({ message }) => message)
  }
  return { ...writes, told }
}

function pushOf(branch: string, commit: string | undefined = 'fedcba9876543210'): BranchPush {
  return { branch, commit, expected: undefined, mode: 'lease' }
}

const beginning = 'this run had done a part before it ended: '
const pushed = { status: 'pushed' } as const

it('adds nothing where nothing is written', async () => {
  const writes = noting([
    { status: 'outdated', message: '' },
    { status: 'refused', message: 'no' },
  ])
  await writes.ports.gitWriter.push(access, [pushOf('a'), pushOf('b')])
  expect([writes.isNothing(), writes.addTo(lost)]).toEqual([true, lost])
})

it('leaves an error alone that is none for users', async () => {
  const writes = noting([pushed])
  await writes.ports.gitWriter.push(access, [pushOf('a')])
  const error = new Error('a defect')
  expect([writes.isNothing(), writes.addTo(error)]).toEqual([false, error])
})

it('tells of each branch and pull request how it is by now', async () => {
  const writes = noting([pushed, { status: 'refused', message: 'no' }, pushed])
  const { push } = writes.ports.gitWriter
  await push(access, [pushOf('a'), pushOf('b'), { ...pushOf('c'), commit: undefined }])
  await push(access, [pushOf('a', '0123456789abcdef')])
  const forge = await writes.openForge(config, { ports: writes.ports, offline: false })
  const wanted = { title: 't', body: 'b', base: 'main', isDraft: false }
  for (const head of ['a', 'c']) await forge.createPullRequest({ ...wanted, head })
  for (const number of [1, 2]) await forge.updatePullRequest(number, { body: 'c' })
  await forge.closePullRequest(2)
  expect(writes.told()).toEqual([
    `${beginning}branch a has commit 0123456789ab; branch c is deleted; pull request 1 is opened, https://forge.example/pulls/1; pull request 2 is closed`,
  ])
  const later = noting()
  await (
    await later.openForge(config, { ports: later.ports, offline: false })
  )
    .closePullRequest(0)
    .catch(() => undefined)
  expect(later.told()).toEqual([])
})

it('names ten, and counts the rest and artifacts', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `b${String(index)}`)
  const writes = noting(names.map(() => pushed))
  await writes.ports.gitWriter.push(
    access,
    names.map((name) => pushOf(name)),
  )
  writes.noteArtifact()
  const named = names.slice(0, 10).map((name) => `branch ${name} has commit fedcba987654; `)
  expect(writes.told()).toEqual([
    `${beginning}${named.join('')}2 more of these are written; 1 artifact in the registry`,
  ])
})
