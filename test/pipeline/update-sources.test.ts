import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { FileMap } from '../../tools/fleets/stack-folder.ts'
import { answerReleases, fleetYaml, releaseFiles, stackYaml } from '../../tools/servers/release-server.ts'
import { startWebServer } from '../../tools/servers/web-server.ts'
import { problemsOf, remoteFleet, told, type RemoteFleet } from './remote-fleet.ts'

const v1 = 'docker-demo-1-34-v1'

function lockOf(folder: string): Promise<string> {
  return readFile(join(folder, 'stackmason.lock'), 'utf8')
}

/** A second web server beside that of a fleet, which has no release. */
interface Second {
  readonly url: string
  readonly offered: Map<string, FileMap>
  hasIndex: boolean
}

/** A fleet whose only release is locked from source `web`, with a second server that it does not name. */
async function lockedFleet(web: 'listed' | 'unlisted' = 'listed'): Promise<{ fleet: RemoteFleet; second: Second }> {
  const fleet = await remoteFleet()
  const offered = new Map<string, FileMap>()
  const state = { hasIndex: true }
  const server = await startWebServer(({ path }) =>
    path === '/index.json' && !state.hasIndex ? { status: 404 } : answerReleases(path, offered),
  )
  onTestFinished(server.close)
  if (web === 'unlisted') fleet.overrides.set('/index.json', { status: 404 })
  fleet.change({ 'stacks/demo.yaml': stackYaml('autoSubscribe: false, versions: [v1]') })
  fleet.offered.set(v1, releaseFiles('v1', { mark: 'one' }))
  await fleet.update()
  return { fleet, second: Object.assign(state, { url: server.url, offered }) }
}

function sourceLine(name: string, url: string): string {
  return `    - {name: ${name}, http: {url: "${url}", plainHttp: true}}\n`
}

/** Names a source for the stack. */
function stackSource(source: string): string {
  return `  stacks:\n    - {provider: docker, stack: demo, source: ${source}}\n`
}

const MESSAGE =
  `source "other" has other content for release ${v1} than source "web", from which stackmason.lock has it: ` +
  `it has <digest 1>, the lock says <digest 2>`

describe('a locked release stays with its source', () => {
  test.each<{ name: string; web?: 'unlisted'; other?: 'unlisted'; isFirst?: boolean }>([
    { name: 'where a server that lists nothing has it, and another one lists it', web: 'unlisted' },
    { name: 'where neither lists it', web: 'unlisted', other: 'unlisted' },
    {
      name: 'where neither lists it, and the other one comes first',
      web: 'unlisted',
      other: 'unlisted',
      isFirst: true,
    },
  ])('$name', async ({ web, other, isFirst = false }) => {
    const { fleet, second } = await lockedFleet(web)
    const before = await lockOf(fleet.folder)
    second.hasIndex = other !== 'unlisted'
    second.offered.set(v1, releaseFiles('v1', { mark: 'two' }))
    const own = sourceLine('web', fleet.server.url)
    const added = sourceLine('other', second.url)
    const text = fleetYaml(fleet.server.url)
    fleet.change({ 'stackmason.yaml': text.replace(own, isFirst ? added + own : own + added) })
    expect(await fleet.update()).toMatchObject({ status: 'unchanged', changes: [] })
    expect(await lockOf(fleet.folder)).toBe(before)
  })

  test('also where only another one has it now, until it is named', async () => {
    const { fleet, second } = await lockedFleet()
    const before = await lockOf(fleet.folder)
    fleet.offered.clear()
    second.offered.set(v1, releaseFiles('v1', { mark: 'two' }))
    fleet.change({ 'stackmason.yaml': fleetYaml(fleet.server.url, sourceLine('other', second.url)) })
    const { findings, changes } = await fleet.update()
    expect(findings.map((finding) => told(finding, fleet.folder))).toEqual([
      `LOCK_MISMATCH stackmason.lock:7:11 ${MESSAGE}; the locked content was kept | Find out which of the two is right; \`stackmason update --release ${v1}\` takes that of "other".`,
    ])
    expect(changes).toEqual([])
    expect(await lockOf(fleet.folder)).toBe(before)
    await fleet.update({ releases: [v1] })
    expect(await lockOf(fleet.folder)).toContain('    source: other\n')
  })

  test('and goes with its content to another one', async () => {
    const { fleet, second } = await lockedFleet()
    fleet.offered.clear()
    second.offered.set(v1, releaseFiles('v1', { mark: 'one' }))
    fleet.change({ 'stackmason.yaml': fleetYaml(fleet.server.url, sourceLine('other', second.url)) })
    const { findings, changes } = await fleet.update()
    expect(findings).toEqual([])
    expect(changes).toMatchObject([{ change: 'changed', name: v1 }])
    expect(await lockOf(fleet.folder)).toContain('    source: other\n')
  })

  test.each([
    {
      name: 'that the fleet names for the stack',
      yaml: (web: string, other: string) => fleetYaml(web, sourceLine('other', other) + stackSource('other')),
    },
    {
      name: 'that took the place of its source',
      yaml: (_: string, other: string) => fleetYaml(other).replace('name: web', 'name: other'),
    },
  ])('or is refused where another one has other content, $name', async ({ yaml }) => {
    const { fleet, second } = await lockedFleet()
    const before = await lockOf(fleet.folder)
    second.offered.set(v1, releaseFiles('v1', { mark: 'two' }))
    fleet.change({ 'stackmason.yaml': yaml(fleet.server.url, second.url) })
    expect(await problemsOf(fleet.update(), fleet.folder)).toEqual([
      `LOCK_MISMATCH stackmason.lock:7:11 ${MESSAGE} | Put source "web" back; or find out which of the two is right: \`stackmason update --release ${v1}\` takes that of "other".`,
    ])
    expect(await lockOf(fleet.folder)).toBe(before)
    await fleet.update({ releases: [v1] })
    expect(await lockOf(fleet.folder)).toContain('    source: other\n')
  })
})

test('a release that two servers have which list nothing is a conflict, whatever their order', async () => {
  const { fleet, second } = await lockedFleet('unlisted')
  second.hasIndex = false
  second.offered.set(v1, releaseFiles('v1', { mark: 'two' }))
  fleet.change({
    'stackmason.lock': null,
    'stackmason.yaml': fleetYaml(fleet.server.url, sourceLine('other', second.url)),
  })
  expect(await problemsOf(fleet.update(), fleet.folder)).toEqual([
    `CONFIG_CONFLICT stacks/demo.yaml:4:116 release ${v1} is offered by several sources: web, other | Say which one under spec.stacks of stackmason.yaml: {provider: docker, stack: demo, source: web}.`,
  ])
})

test('a folder of this machine that the fleet names for a stack may have other content', async () => {
  const { fleet } = await lockedFleet()
  const files = Object.entries(releaseFiles('v1', { mark: 'two' }))
  fleet.change({
    ...Object.fromEntries(files.map(([file, content]) => [`releases/${v1}/${file}`, content ?? ''])),
    'stackmason.yaml': fleetYaml(
      fleet.server.url,
      '    - {name: own, directory: {path: releases}}\n' + stackSource('own'),
    ),
  })
  expect(await fleet.update()).toMatchObject({ status: 'changed', findings: [] })
  expect(await lockOf(fleet.folder)).toContain('    source: own\n')
})
