import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { readTar } from '../../src/codec/bytes/tar.ts'
import { decodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import type { Registry, RegistryManifest } from '../../src/network/registry/registry.ts'
import { verifySignatures } from '../../src/network/signature/verify-signatures.ts'
import {
  portsWith,
  type PublishedFleet,
  publishFrom,
  runGit,
  servePublishedFleet,
} from '../../tools/fleets/published-fleet.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { lab } from '../../tools/fleets/lab-fleet.ts'
import { hasRegistry, startRegistry, type TestRegistry } from '../../tools/servers/registry.ts'
import { answerReleases, clusterYaml, fleetYaml, releaseFiles, stackYaml } from '../../tools/servers/release-server.ts'
import { startWebServer } from '../../tools/servers/web-server.ts'
import { ociContext, plainRegistry } from '../network/registry/oci-context.ts'
import { makeRolloutFleet } from '../../tools/fleets/rollout-fleet.ts'
import { setGitIdentity } from '../support/git-identity.ts'
import { MemoryForge } from '../support/memory-forge.ts'
import { tempFolder } from '../support/temp-folder.ts'

setGitIdentity()

const flux = 'handoff: {flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}, path: ./rendered}}'

describe.skipIf(!hasRegistry())('artifacts on a real registry', () => {
  let registry: TestRegistry
  let count = 0

  beforeAll(async () => {
    registry = await startRegistry()
  })
  afterAll(() => registry.close())

  /** A fleet whose artifacts go to a repository of its own. */
  async function served(
    oci: string,
    more: readonly string[] = [],
  ): Promise<{
    readonly fleet: PublishedFleet
    readonly repository: string
    readonly open: (path?: string) => Promise<Registry>
  }> {
    const repository = `platform/fleet${String(count++)}`
    const publish = `publish: {into: branch, oci: {repository: "${registry.host}/${repository}", plainHttp: true, ${oci}}}`
    const fleet = await servePublishedFleet(await tempFolder(), { spec: [publish, flux, ...more] })
    onTestFinished(() => fleet.server.close())
    const open = (path = ''): Promise<Registry> =>
      plainRegistry(registry.host, { repository: path === '' ? repository : `${repository}/${path}` })
    return { fleet, repository, open }
  }

  async function contentOf(
    from: Registry,
    manifest: RegistryManifest | undefined,
  ): Promise<Readonly<Record<string, string>>> {
    const [layer] = manifest?.manifest.layers ?? []
    const bytes = gunzipSync(await from.getBlob(layer?.digest ?? ''))
    const entries = readTar(bytes, { maxEntries: 10_000, maxFileBytes: 1 << 20 })
    return Object.fromEntries(entries.map(({ path, bytes: text }) => [path, decodeUtf8(text)]))
  }

  it('pushes one artifact of what the branch has, which its tags lead to', async () => {
    const { fleet, repository, open } = await served('artifacts: fleet')
    const clone = await fleet.clone('ci')
    const result = await publishFrom(clone)
    const commit = fleet.repository.git(['rev-parse', 'main'])
    const date = fleet.repository.git(['log', '-1', '--format=%cI', 'main'])
    const from = await open()
    const manifest = await from.getManifest('main')
    expect(result.artifacts).toEqual([
      {
        kind: 'fleet',
        repository: `oci://${registry.host}/${repository}`,
        digest: manifest?.digest,
        tags: [commit.slice(0, 12), 'main'],
        revision: `main@sha1:${commit}`,
        action: 'pushed',
      },
    ])
    expect(manifest?.manifest).toMatchObject({
      config: { mediaType: 'application/vnd.cncf.flux.config.v1+json' },
      layers: [{ mediaType: 'application/vnd.cncf.flux.content.v1.tar+gzip' }],
    })
    expect(Object.fromEntries(manifest?.manifest.annotations ?? [])).toEqual({
      'org.opencontainers.image.created': new Date(date).toISOString().replace('.000Z', 'Z'),
      'org.opencontainers.image.revision': `main@sha1:${commit}`,
      'org.opencontainers.image.source': fleet.url,
    })
    expect((await from.getManifest(commit.slice(0, 12)))?.digest).toBe(manifest?.digest)
    const content = await contentOf(from, manifest)
    const tree = fleet.repository.git(['ls-tree', '-r', '--name-only', 'main', '--', 'rendered']).split('\n')
    expect(Object.keys(content)).toEqual(tree.filter((path) => path !== 'rendered/.stackmason-tree'))
    for (const [path, text] of Object.entries(content))
      expect(text.trimEnd()).toBe(fleet.repository.git(['show', `main:${path}`]))
  })

  it('writes nothing where nothing differs, whichever commit there is, and the same bytes anew', async () => {
    const { fleet, open } = await served('artifacts: fleet')
    const clone = await fleet.clone('ci')
    const first = await publishFrom(clone)
    expect(await publishFrom(clone)).toMatchObject({ status: 'unchanged', artifacts: [{ action: 'current' }] })
    fleet.author.git('pull', '--quiet', 'origin', 'main')
    fleet.author.write('README.md', 'other')
    await fleet.push()
    const again = await publishFrom(clone, { onlyArtifacts: true })
    expect(again).toMatchObject({
      status: 'unchanged',
      artifacts: [{ ...first.artifacts[0], action: 'current', tags: ['main'] }],
    })
    fleet.author.write(lab.values, 'message: two\n')
    await fleet.push()
    const changed = await publishFrom(clone)
    expect(changed.artifacts[0]?.digest).not.toBe(first.artifacts[0]?.digest)
    expect((await (await open()).getManifest('main'))?.digest).toBe(changed.artifacts[0]?.digest)
  })

  it('brings the pins of what a wave changes along with it', { timeout: 120_000 }, async () => {
    const repository = `platform/fleet${String(count++)}`
    const fleet = await servePublishedFleet(await tempFolder())
    onTestFinished(() => fleet.server.close())
    makeRolloutFleet(fleet.author, {
      releases: ['1-34-v1', '1-34-v2'],
      clusters: [{ name: 'dev', labels: { stage: 'dev' }, release: '1-34-v1' }],
      spec: [
        `publish: {forge: {kind: gitea, plainHttp: true}, oci: {repository: "${registry.host}/${repository}", plainHttp: true, artifacts: units}}`,
        'rollouts: [{waves: [{name: all, clusters: {matchLabels: {stage: dev}}}]}]',
      ],
    })
    await fleet.author.render()
    await fleet.push()
    const clone = await fleet.clone('ci')
    const memory = new MemoryForge(await fleet.clone('people'), fleet.repository.path)
    const run = (): ReturnType<typeof publishFrom> =>
      publishFrom(clone, { openForge: () => Promise.resolve(memory.forge) })
    const first = await run()
    expect(first.proposals.map(({ group, status }) => [group, status])).toEqual([
      ['fleet', 'published'],
      ['rollout/docker-lab/all', 'published'],
    ])
    const head = 'stackmason/lab/main--rollout.docker-lab.all'
    const files = fleet.repository.git(['diff', '--name-only', 'main', head]).split('\n')
    expect(files.filter((path) => path.startsWith('rendered/artifacts/'))).toEqual(['rendered/artifacts/team/dev.yaml'])
    const [, digest = ''] =
      /digest: (\S+)/.exec(fleet.repository.git(['show', `${head}:rendered/artifacts/team/dev.yaml`])) ?? []
    const from = await plainRegistry(registry.host, { repository: `${repository}/clusters/team/dev` })
    const content = await contentOf(from, await from.getManifest(digest))
    const tree = fleet.repository
      .git(['ls-tree', '-r', '--name-only', head, '--', 'rendered/clusters/team/dev'])
      .split('\n')
    expect(Object.keys(content).toSorted()).toEqual(tree.map((path) => path.replace(/^rendered\//, '')).toSorted())
    expect((await run()).status).toBe('unchanged')
  })

  it('brings the pin of a newer release along with it', { timeout: 120_000 }, async () => {
    const repository = `platform/fleet${String(count++)}`
    const offered = new Map([['docker-demo-1-34-v1', releaseFiles('v1')]])
    const releases = await startWebServer(({ path }) => answerReleases(path, offered))
    onTestFinished(releases.close)
    const root = await tempFolder()
    const fleet = await servePublishedFleet(root)
    onTestFinished(() => fleet.server.close())
    const { author } = fleet
    for (const path of ['stack', 'stacks', 'clusters', 'crds']) author.remove(path)
    const spec = [
      `publish: {forge: {kind: gitea, plainHttp: true}, oci: {repository: "${registry.host}/${repository}", plainHttp: true, artifacts: units}}`,
      flux,
    ]
    author.change({
      'stackmason.yaml': fleetYaml(releases.url, spec.map((line) => `  ${line}\n`).join('')),
      'stacks/demo.yaml': stackYaml('channel: stable, autoSubscribe: true'),
      'clusters/team-a/web/cluster.yaml': clusterYaml('v1'),
    })
    await fleet.push()
    const clone = await fleet.clone('ci')
    const memory = new MemoryForge(await fleet.clone('people'), fleet.repository.path)
    const ports = portsWith({ STACKMASON_CACHE: `${root}/cache`, HOME: root })
    const run = (): ReturnType<typeof publishFrom> =>
      publishFrom(clone, { isUpdated: true, openForge: () => Promise.resolve(memory.forge) }, ports)
    await run()
    memory.merge(1)
    offered.set('docker-demo-1-34-v2', releaseFiles('v2'))
    await run()
    const head = 'stackmason/test/main--release.docker-demo-1-34'
    const files = fleet.repository.git(['diff', '--name-only', 'main', head]).split('\n')
    const [, digest = ''] =
      /digest: (\S+)/.exec(
        fleet.repository.git(['show', `${head}:rendered/artifacts/platform/stack-docker-demo-1-34-v2.yaml`]),
      ) ?? []
    expect(files.filter((path) => path.startsWith('rendered/artifacts/'))).toEqual([
      'rendered/artifacts/platform/stack-docker-demo-1-34-v2.yaml',
    ])
    const from = await plainRegistry(registry.host, { repository: `${repository}/stacks/platform/docker-demo-1-34-v2` })
    expect(Object.keys(await contentOf(from, await from.getManifest(digest))).toSorted()).toEqual(
      files.filter((path) => path.startsWith('rendered/stacks/')).map((path) => path.replace(/^rendered\//, '')),
    )
    expect((await run()).status).toBe('unchanged')
  })

  it('pushes what each cluster and stack pins before the commit that pins it', async () => {
    const { fleet, repository, open } = await served('artifacts: units')
    const clone = await fleet.clone('ci')
    const source = fleet.repository.git(['rev-parse', 'main'])
    const result = await publishFrom(clone)
    expect(result.artifacts.map(({ kind, of, tags, revision, action }) => [kind, of, tags, revision, action])).toEqual([
      ['cluster', 'team/one', [source.slice(0, 12), 'main'], `main@sha1:${source}`, 'pushed'],
      ['stack', 'team/docker-lab-1-34-v1', [source.slice(0, 12), 'main'], `main@sha1:${source}`, 'pushed'],
    ])
    const show = (path: string): string => fleet.repository.git(['show', `main:rendered/${path}`])
    const date = new Date(fleet.repository.git(['log', '-1', '--format=%cI', source]))
      .toISOString()
      .replace('.000Z', 'Z')
    const [cluster] = result.artifacts
    expect(show('artifacts/team/one.yaml'))
      .toBe(`# Written by \`stackmason publish\` for artifacts that it has pushed. Do not edit.
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata:
  name: one
  namespace: team
  annotations:
    org.opencontainers.image.created: "${date}"
    org.opencontainers.image.revision: main@sha1:${source}
    org.opencontainers.image.source: ${fleet.url}
spec:
  insecure: true
  interval: 1h
  ref:
    digest: ${cluster?.digest ?? ''}
  url: oci://${registry.host}/${repository}/clusters/team/one`)
    expect(fleet.repository.git(['ls-tree', '-r', '--name-only', 'main:rendered/artifacts']).split('\n')).toEqual([
      'team/one.yaml',
      'team/stack-docker-lab-1-34-v1.yaml',
    ])
    const handoff = show('handoff/team/one/flux-kustomization-one-addons.yaml')
    expect(handoff).toContain('path: ./clusters/team/one/addons\n')
    expect(handoff).toContain('sourceRef:\n    kind: OCIRepository\n    name: one\n')
    const from = await open('clusters/team/one')
    const content = await contentOf(from, await from.getManifest(cluster?.digest ?? ''))
    expect(Object.keys(content)).toContain('clusters/team/one/addons/01-web/configmap-web.yaml')
    expect(Object.keys(content).filter((path) => !path.startsWith('clusters/team/one/'))).toEqual([])

    expect(await publishFrom(clone)).toMatchObject({
      status: 'unchanged',
      files: [],
      artifacts: [{ action: 'current' }, { action: 'current' }],
    })
    fleet.author.git('pull', '--quiet', 'origin', 'main')
    fleet.author.write(lab.values, 'message: two\n')
    const second = await fleet.push()
    const next = await publishFrom(clone)
    expect(next.artifacts.map(({ of, revision, action }) => [of, revision, action])).toEqual([
      ['team/one', `main@sha1:${second}`, 'pushed'],
      ['team/docker-lab-1-34-v1', `main@sha1:${source}`, 'current'],
    ])
    expect(next.files.map(({ path }) => path)).toEqual([
      'rendered/artifacts/team/one.yaml',
      'rendered/clusters/team/one/addons/01-web/configmap-web.yaml',
    ])
  })

  it('heals a registry that has lost its content, with the digests that are pinned', async () => {
    const { fleet, open } = await served('artifacts: units')
    const clone = await fleet.clone('ci')
    const first = await publishFrom(clone)
    const commit = fleet.repository.git(['rev-parse', 'main'])
    const other = await startRegistry()
    onTestFinished(() => other.close())
    expect(await (await open('clusters/team/one')).findDigest(first.artifacts[0]?.digest ?? '')).toBe(
      first.artifacts[0]?.digest,
    )
    await nameRegistry(clone, fleet, { from: registry.host, to: other.host })
    const moved = await publishFrom(clone, { onlyArtifacts: true })
    expect(moved.artifacts.map(({ digest, action }) => [digest, action])).toEqual(
      first.artifacts.map(({ digest }) => [digest, 'pushed']),
    )
    expect(fleet.repository.git(['rev-parse', 'main'])).toBe(commit)
  })

  it('gives pins back that somebody has edited', async () => {
    const { fleet } = await served('artifacts: units')
    const clone = await fleet.clone('ci')
    const first = await publishFrom(clone)
    fleet.author.git('pull', '--quiet', 'origin', 'main')
    const path = 'rendered/artifacts/team/one.yaml'
    const good = fleet.author.read(path)
    const digest = first.artifacts[0]?.digest ?? ''
    fleet.author.write(path, good.replace(digest, `sha256:${'0'.repeat(64)}`))
    const source = await fleet.push()
    expect(await publishFrom(clone, { onlyArtifacts: true })).toMatchObject({
      findings: [{ code: 'PUBLISH_NOT_PINNED' }],
      artifacts: [{ of: 'team/docker-lab-1-34-v1' }],
    })
    const result = await publishFrom(clone)
    expect(result.files.map(({ path: name }) => name)).toEqual([path])
    expect(result.artifacts[0]).toMatchObject({ of: 'team/one', revision: `main@sha1:${source}` })
    expect(fleet.repository.git(['show', `main:${path}`])).toContain(result.artifacts[0]?.digest)
  })

  it('writes pins that a check of the tree has nothing against', async () => {
    const { fleet } = await served('artifacts: units, flux: {verifySecretName: cosign-key, secretName: registry}')
    const { author } = fleet
    const clone = await fleet.clone('ci')
    const checked = async (base: string): Promise<readonly string[]> =>
      (await author.render({ check: true, base })).findings.map(({ code, severity }) => `${severity} ${code}`)
    await publishFrom(clone)
    author.git('pull', '--quiet', 'origin', 'main')
    expect(await checked('HEAD')).toEqual([])
    expect(await checked('HEAD~1')).toEqual([])
    author.write(lab.values, 'message: two\n')
    await author.render()
    await fleet.push()
    expect(await checked('HEAD~1')).toEqual([])
    expect((await author.render({ check: true })).findings.map(({ code }) => code)).toEqual(['OUTPUT_PIN'])
    await publishFrom(clone)
    author.git('pull', '--quiet', 'origin', 'main')
    expect(await checked('HEAD~1')).toEqual([])
    author.git('revert', '--no-edit', 'HEAD', 'HEAD~1')
    expect(await checked('HEAD~2')).toEqual([])
    expect((await author.render({ check: true })).findings).toEqual([])
  })

  it('only plans where it does not act, and says the digests', async () => {
    const { fleet, open } = await served('artifacts: units')
    const clone = await fleet.clone('ci')
    const plan = await publishFrom(clone, { mode: 'plan' })
    expect(plan).toMatchObject({ status: 'planned', artifacts: [{ action: 'planned' }, { action: 'planned' }] })
    expect(await (await open('clusters/team/one')).listTags()).toBeUndefined()
    const done = await publishFrom(clone)
    expect(done.artifacts.map(({ digest }) => digest)).toEqual(plan.artifacts.map(({ digest }) => digest))
  })

  it('plans the artifact of a commit that is not made yet, whose digest nobody knows', async () => {
    const { fleet, repository, open } = await served('artifacts: fleet')
    const clone = await fleet.clone('ci')
    const plan = await publishFrom(clone, { mode: 'plan', artifactTags: ['1.0.0'] })
    const planned = { kind: 'fleet', repository: `oci://${registry.host}/${repository}`, tags: ['1.0.0', 'main'] }
    expect([plan.status, plan.artifacts]).toEqual(['planned', [{ ...planned, action: 'planned' }]])
    expect(await (await open()).listTags()).toBeUndefined()
    expect((await publishFrom(clone)).artifacts).toMatchObject([{ action: 'pushed' }])
    expect((await publishFrom(clone, { mode: 'plan' })).artifacts).toMatchObject([{ action: 'current' }])
  })

  it('plans without a registry, and says that it could not ask', async () => {
    const { fleet } = await served('artifacts: units')
    const clone = await fleet.clone('ci')
    const known = await publishFrom(clone, { mode: 'plan' })
    await nameRegistry(clone, fleet, { from: registry.host, to: '127.0.0.1:1' })
    const ports = portsWith()
    const quick = { ...ports, clock: { ...ports.clock, sleep: () => Promise.resolve() } }
    const plan = await publishFrom(clone, { mode: 'plan' }, quick)
    expect(plan.artifacts.map(({ digest, action }) => [digest, action])).toEqual(
      known.artifacts.map(({ digest }) => [digest, 'planned']),
    )
    expect(plan.findings.map(({ code, severity }) => [code, severity])).toContainEqual(['FETCH_FAILED', 'warning'])
    await expect(publishFrom(clone, {}, quick)).rejects.toThrow('127.0.0.1:1')
  })

  it('tells of the commit that it has pushed, also where its artifact cannot be', async () => {
    const { fleet } = await served('artifacts: fleet')
    const clone = await fleet.clone('ci')
    await nameRegistry(clone, fleet, { from: registry.host, to: '127.0.0.1:1' })
    const ports = portsWith()
    const quick = { ...ports, clock: { ...ports.clock, sleep: () => Promise.resolve() } }
    const { status, commit, artifacts, findings } = await publishFrom(clone, {}, quick)
    expect([status, commit, artifacts]).toEqual(['published', fleet.repository.git(['rev-parse', 'main']), []])
    expect(findings.map(({ code, severity }) => [code, severity])).toEqual([['FETCH_FAILED', 'error']])
    await expect(publishFrom(clone, { onlyArtifacts: true }, quick)).rejects.toThrow('127.0.0.1:1')
  })

  it('signs with a key, once, so that it can be verified', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    const { fleet, open } = await served('artifacts: units, signing: {keyFrom: KEY}')
    const clone = await fleet.clone('ci')
    const ports = portsWith({ KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() })
    const result = await publishFrom(clone, {}, ports)
    const context = await ociContext()
    for (const { of, kind, digest = '' } of result.artifacts) {
      const from = await open(`${kind}s/${of ?? ''}`)
      const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
      const at = { source: { name: 'test', text: '' }, start: 0, end: 0 }
      await verifySignatures({ registry: from, digest, tag: 'main', keys: [{ file: 'k', pem }], at }, context)
    }
    expect(await publishFrom(clone, {}, ports)).toMatchObject({
      status: 'unchanged',
      artifacts: [{ action: 'current' }, { action: 'current' }],
    })
    const other = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey
    const rotated = portsWith({ KEY: other.export({ type: 'pkcs8', format: 'pem' }).toString() })
    expect(await publishFrom(clone, {}, rotated)).toMatchObject({
      artifacts: [{ action: 'signed' }, { action: 'signed' }],
    })
  })

  it.each(['fleet', 'units'])('fails for want of the key in a plan of artifacts alone, too (%s)', async (artifacts) => {
    const { fleet } = await served(`artifacts: ${artifacts}`)
    await publishFrom(await fleet.clone('ci'))
    fleet.author.git('pull', '--quiet', 'origin', 'main')
    fleet.author.edit('stackmason.yaml', `artifacts: ${artifacts}`, `artifacts: ${artifacts}, signing: {keyFrom: KEY}`)
    await fleet.push()
    const clone = await fleet.clone('keyless')
    await expect(publishFrom(clone, { onlyArtifacts: true })).rejects.toThrow('the variable KEY')
    const { artifacts: planned, findings } = await publishFrom(clone, { onlyArtifacts: true, mode: 'plan' })
    expect(planned.length).toBeGreaterThan(0)
    expect(findings.map(({ code, severity }) => [code, severity])).toEqual([['PUBLISH_KEY', 'error']])
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    const ports = portsWith({ KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() })
    expect(await publishFrom(clone, { onlyArtifacts: true, mode: 'plan' }, ports)).toMatchObject({ findings: [] })
  })

  it('never takes a tag back to an older commit', async () => {
    const { fleet, open } = await served('artifacts: fleet')
    const clone = await fleet.clone('ci')
    await publishFrom(clone)
    const old = fleet.repository.git(['rev-parse', 'main'])
    fleet.author.git('pull', '--quiet', 'origin', 'main')
    fleet.author.write(lab.values, 'message: two\n')
    await fleet.push()
    const newer = await publishFrom(clone)
    fleet.repository.git(['update-ref', 'refs/heads/main', old])
    const late = await publishFrom(clone, { onlyArtifacts: true })
    expect(late).toMatchObject({ artifacts: [], findings: [{ code: 'PUBLISH_TAG_KEPT' }] })
    expect((await (await open()).getManifest('main'))?.digest).toBe(newer.artifacts[0]?.digest)
  })

  it('gives versions as tags, which never move', async () => {
    const { fleet, open } = await served('artifacts: fleet')
    const clone = await fleet.clone('ci')
    const first = await publishFrom(clone, { artifactTags: ['1.0.0'] })
    fleet.author.git('pull', '--quiet', 'origin', 'main')
    fleet.author.write(lab.values, 'message: two\n')
    await fleet.push()
    const second = await publishFrom(clone, { artifactTags: ['1.0.0', '1.1.0'] })
    expect(second.findings.map(({ code }) => code)).toEqual(['PUBLISH_TAG_KEPT'])
    const from = await open()
    expect(await from.findDigest('1.0.0')).toBe(first.artifacts[0]?.digest)
    expect(await from.findDigest('1.1.0')).toBe(second.artifacts[0]?.digest)
    await expect(publishFrom(clone, { artifactTags: ['a:b'] })).rejects.toThrow('is no tag')
  })

  it.each(['fleet', 'units'])(
    'pushes nothing where somebody else has put a file into the tree (%s)',
    async (artifacts) => {
      const { fleet, open } = await served(`artifacts: ${artifacts}`)
      const { author } = fleet
      await publishFrom(await fleet.clone('first'))
      author.git('pull', '--quiet', 'origin', 'main')
      const folder = 'rendered/clusters/team/one/addons/01-web'
      const before = await (await open(artifacts === 'fleet' ? '' : 'clusters/team/one')).listTags()
      // these are nobody's, and nothing applies them
      for (const name of ['README.md', 'CODEOWNERS', '.gitkeep']) author.write(`${folder}/${name}`, 'x\n')
      author.write(`${folder}/evil.yaml`, 'kind: ConfigMap\n')
      author.write(`${folder}/.argocd-source.yaml`, '{}\n')
      author.write('rendered/clusters/team/one/kustomization.yml', 'resources: [https://evil.example]\n')
      await fleet.push()
      const clone = await fleet.clone('ci')
      const want = [
        `${folder}/.argocd-source.yaml`,
        `${folder}/evil.yaml`,
        'rendered/clusters/team/one/kustomization.yml',
      ]
      const plan = await publishFrom(clone, { onlyArtifacts: true, mode: 'plan' })
      expect(plan.findings.map(({ code, severity }) => [code, severity])).toEqual(
        want.map(() => ['OUTPUT_FOREIGN', 'error']),
      )
      const refused = await publishFrom(clone, { onlyArtifacts: true }).catch((error: unknown) => error)
      expect(refused).toMatchObject({
        diagnostics: want.map((path) => ({ code: 'OUTPUT_FOREIGN', severity: 'error', file: clone.path(path) })),
      })
      expect(await (await open(artifacts === 'fleet' ? '' : 'clusters/team/one')).listTags()).toEqual(before)
      for (const path of want) author.remove(path)
      await fleet.push()
      const result = await publishFrom(await fleet.clone('again'))
      expect(result.artifacts.map(({ action }) => action)).toContain('pushed')
    },
  )

  it('refuses to write pins through a link', async () => {
    const { fleet } = await served('artifacts: units')
    const clone = await fleet.clone('ci')
    await publishFrom(clone)
    fleet.author.git('pull', '--quiet', 'origin', 'main')
    fleet.author.git('rm', '-r', '--quiet', 'rendered/artifacts')
    const outside = await tempFolder()
    const { symlinkSync, readdirSync } = await import('node:fs')
    symlinkSync(outside, join(fleet.author.folder, 'rendered/artifacts'))
    await fleet.push()
    await expect(publishFrom(clone)).rejects.toThrow('something else is in the way')
    expect(readdirSync(outside)).toEqual([])
  })
})

/** Settings of a clone that name another registry: a commit on a branch of its own, so the fleet stays as it is. */
async function nameRegistry(
  clone: FleetFolder,
  { repository }: PublishedFleet,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  clone.write('stackmason.yaml', clone.read('stackmason.yaml').replaceAll(from, to))
  clone.commit('Name another registry')
  await runGit(clone.folder, ['push', '--quiet', repository.path, 'HEAD:refs/heads/settings'])
}
