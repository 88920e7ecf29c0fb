import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { cleanCache } from '../../src/pipeline/commands/cache.ts'
import { fetchLock } from '../../src/pipeline/commands/fetch-lock.ts'
import { openRegistry } from '../../src/network/registry/open-registry.ts'
import type { Registry } from '../../src/network/registry/registry.ts'
import { dependencyContext } from '../sources/dependency/dependency-fixture.ts'
import { formatClaim, makeSigningKey, pushSignatures, signPayload } from '../network/signature/sign-release.ts'
import { fixtureFiles, indexOf, packChart } from '../../tools/servers/chart-repository.ts'
import { hasRegistry, startRegistry } from '../../tools/servers/registry.ts'
import { fleetYaml, releaseFiles } from '../../tools/servers/release-server.ts'
import { requireBasic, startWebServer, type WebAnswer } from '../../tools/servers/web-server.ts'
import { problemsOf, remoteFleet, type RemoteFleet, told } from './remote-fleet.ts'

const ADDONS = 'clusters/team-a/web/addons.yaml'
const CONFIG = 'stackmason.yaml'

function addonsYaml(repository: string): string {
  return `apiVersion: stackmason.dev/v1alpha1
kind: Addons
spec:
  addons:
    - name: watcher
      namespace: default
      chart: {repository: "${repository}", name: agent, version: 1.2.0}
`
}

async function pushChart(registry: Registry, files: ReadonlyMap<string, string>): Promise<string> {
  const describeBlob = async (mediaType: string, bytes: Uint8Array): Promise<object> => ({
    mediaType,
    digest: await registry.pushBlob(bytes),
    size: bytes.length,
  })
  const { archive } = packChart('agent', '1.2.0', files)
  const manifest = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: await describeBlob('application/vnd.cncf.helm.config.v1+json', encodeUtf8('{"name":"agent"}')),
    layers: [await describeBlob('application/vnd.cncf.helm.chart.content.v1.tar+gzip', archive)],
  }
  return (
    await registry.pushManifest('1.2.0', { bytes: encodeUtf8(JSON.stringify(manifest)), mediaType: manifest.mediaType })
  ).digest
}

const trusted = makeSigningKey()
const files = new Map(fixtureFiles('agent', '1.2.0'))

async function sign(registry: Registry, digest: string, repository: string, key = trusted): Promise<void> {
  const payload = formatClaim({ digest, repository })
  await pushSignatures(registry, digest, [{ payload, signature: signPayload(payload, key) }])
}

interface Signed extends RemoteFleet {
  readonly registry: Registry
  readonly url: string
  readonly repository: string
  readonly digest: string
  /** Writes stackmason.yaml, with these fields of the repository. */
  readonly configure: (fields: string) => void
}

async function signedFleet(): Promise<Signed> {
  const server = await startRegistry()
  onTestFinished(server.close)
  const registry = await openRegistry(
    { host: server.host, repository: 'charts/agent', plainHttp: true },
    await dependencyContext(),
  )
  const fleet = await remoteFleet()
  fleet.offered.set('docker-demo-1-34-v1', releaseFiles('v1'))
  const url = `oci://${server.host}/charts`
  const configure = (fields: string): void => {
    fleet.change({
      [CONFIG]: fleetYaml(fleet.server.url, `  chartRepositories:\n    - {url: "${url}", plainHttp: true${fields}}\n`),
    })
  }
  fleet.change({ [ADDONS]: addonsYaml(url), 'key.pub': trusted.publicKey })
  configure(', publicKeys: [key.pub]')
  const digest = await pushChart(registry, files)
  return Object.assign(fleet, { registry, url, repository: `${server.host}/charts/agent`, digest, configure })
}

describe.skipIf(!hasRegistry())('a chart of a registry that must be signed', () => {
  test('is verified by update, by fetch and whenever it is read, without network too', async () => {
    const fleet = await signedFleet()
    expect(await problemsOf(fleet.update(), fleet.folder)).toEqual([
      expect.stringMatching(
        /^SIGNATURE_MISSING stackmason\.yaml:\d+:\d+ .*charts\/agent:1\.2\.0 .* has no cosign signature \| Sign the chart with cosign, or remove the public keys from its repository in `spec\.chartRepositories`\.$/,
      ),
    ])
    await sign(fleet.registry, fleet.digest, fleet.repository, makeSigningKey())
    expect(await problemsOf(fleet.update(), fleet.folder)).toEqual([
      expect.stringMatching(
        /^SIGNATURE_INVALID .* was made by another key.* \| Do not use the chart until you know who signed it; check the public keys of its repository in `spec\.chartRepositories`\.$/,
      ),
    ])
    await sign(fleet.registry, fleet.digest, fleet.repository)
    await fleet.update()
    const lock = join(fleet.folder, 'stackmason.lock')
    expect(await readFile(lock, 'utf8')).toContain(
      `    version: 1.2.0\n    revision: ${fleet.digest}\n    digest: sha256:`,
    )
    await fleet.render({ network: 'offline' })
    expect((await fleet.update()).status).toBe('unchanged')

    fleet.forget()
    const start = { start: fleet.folder }
    await fetchLock(start, fleet.ports, () => undefined)
    await cleanCache({ ...start, maxBytes: 0 }, fleet.ports)
    await fleet.render({ network: 'offline' })

    fleet.write('key.pub', makeSigningKey().publicKey)
    const another = [expect.stringMatching(/^SIGNATURE_INVALID stackmason\.yaml:.* was made by another key/)]
    expect(await problemsOf(fleet.render({ network: 'offline' }), fleet.folder)).toEqual(another)
    expect(await problemsOf(fleet.update(), fleet.folder)).toEqual(another)
    expect(
      await problemsOf(
        fetchLock(start, fleet.ports, () => undefined),
        fleet.folder,
      ),
    ).toEqual(another)
  })

  test('is asked for its signature in another spelling of its address, too', async () => {
    const fleet = await signedFleet()
    const spelling = fleet.url.replace('127.0.0.1', '127.0.1')
    expect(spelling).not.toBe(fleet.url)
    fleet.change({ [ADDONS]: addonsYaml(spelling) })
    expect(await problemsOf(fleet.update(), fleet.folder)).toEqual([expect.stringMatching(/^SIGNATURE_MISSING /)])
    await sign(fleet.registry, fleet.digest, fleet.repository)
    await fleet.update()
    await fleet.render({ network: 'offline' })
  })

  test('keeps its version when keys are new to the fleet, and cannot be another archive', async () => {
    const fleet = await signedFleet()
    fleet.configure('')
    await fleet.update()
    await fleet.render({ network: 'offline' })
    const lock = join(fleet.folder, 'stackmason.lock')
    const unsigned = await readFile(lock, 'utf8')
    expect(unsigned).not.toContain(fleet.digest)
    fleet.configure(', publicKeys: [key.pub]')
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
      expect.stringMatching(
        /^LOCK_MISMATCH stackmason\.lock:\d+:\d+ chart agent 1\.2\.0 of \S+ must be signed, and stackmason\.lock names no signed manifest of it \| Run `stackmason update`/,
      ),
    ])
    await sign(fleet.registry, fleet.digest, fleet.repository)
    await fleet.update()
    await fleet.render({ network: 'offline' })

    // another archive in the place of the signed one, as an edit of the lock could have it
    const signed = await readFile(lock, 'utf8')
    const cached = packChart('agent', '1.2.0', new Map([...files, ['note.txt', 'other']]))
    await pushChart(fleet.registry, new Map([...files, ['note.txt', 'other']]))
    const own = /revision: \S+\n {4}digest: (\S+)/.exec(signed)?.[1] ?? 'none'
    await writeFile(lock, signed.replaceAll(own, cached.digest))
    const other = [expect.stringMatching(/^LOCK_MISMATCH .* which is not that of the signed manifest \|/)]
    expect(await problemsOf(fleet.update(), fleet.folder)).toEqual(other)
    expect(await problemsOf(fleet.render({ network: 'offline' }), fleet.folder)).toEqual(other)
  })
})

test.skipIf(!hasRegistry())('a signed chart that was replaced is told before the signature that it lacks', async () => {
  const fleet = await signedFleet()
  fleet.write(ADDONS, addonsYaml(fleet.url).replace('version: 1.2.0', 'version: "^1.2.0"'))
  await sign(fleet.registry, fleet.digest, fleet.repository)
  await fleet.update()
  const lock = fleet.read('stackmason.lock')
  await pushChart(fleet.registry, new Map([...files, ['note.txt', 'other']]))
  const { findings, status } = await fleet.update()
  const change = String.raw`chart agent 1\.2\.0 in \S+ was replaced`
  const lacking = String.raw`it has <digest 1>, the lock says <digest 2>; \S+:1\.2\.0 \(<digest 1>\) has no cosign signature`
  expect(findings.map((finding) => `${finding.severity} ${told(finding, fleet.folder)}`)).toEqual([
    expect.stringMatching(
      String.raw`^warning LOCK_MISMATCH stackmason\.lock:\d+:\d+ ${change}; the locked one was kept: ${lacking} \| Find out who replaced it and why, before anybody signs it;`,
    ),
  ])
  expect(status).toBe('unchanged')
  expect(fleet.read('stackmason.lock')).toBe(lock)
  await fleet.render({ network: 'offline' })
  expect(await problemsOf(fleet.update({ releases: ['docker-demo-1-34-v1'] }), fleet.folder)).toEqual([
    expect.stringMatching(
      String.raw`^SIGNATURE_MISSING stackmason\.yaml:\d+:\d+ ${change}: ${lacking} \| Find out who replaced it and why, before anybody signs it\.$`,
    ),
  ])
})

test.skipIf(!hasRegistry())(
  'a chart that was replaced before it had to be signed is told with the signature',
  async () => {
    const fleet = await signedFleet()
    fleet.configure('')
    await fleet.update()
    fleet.configure(', publicKeys: [key.pub]')
    expect(await problemsOf(fleet.update(), fleet.folder)).toEqual([
      expect.stringMatching(/^SIGNATURE_MISSING .* has no cosign signature \| Sign the chart with cosign/),
    ])
    await pushChart(fleet.registry, new Map([...files, ['note.txt', 'other']]))
    expect(await problemsOf(fleet.update(), fleet.folder)).toEqual([
      expect.stringMatching(
        /^SIGNATURE_MISSING stackmason\.yaml:\d+:\d+ chart agent 1\.2\.0 in \S+ was replaced: it has <digest 1>, the lock says <digest 2>; .* has no cosign signature \| Find out who replaced it/,
      ),
    ])
  },
)

test('keys for a repository that keeps no signatures are refused', async () => {
  const fleet = await remoteFleet()
  fleet.change({
    'key.pub': trusted.publicKey,
    [CONFIG]: fleetYaml(
      fleet.server.url,
      '  chartRepositories:\n    - {url: "https://charts.example.org", publicKeys: [key.pub]}\n',
    ),
  })
  expect((await problemsOf(fleet.update(), fleet.folder))[0]).toMatch(
    /^CONFIG_CONFLICT stackmason\.yaml:\d+:\d+ spec\.chartRepositories\[0\]\.publicKeys: signatures of cosign are kept in registries/,
  )
})

test('a chart that is redirected to another host comes without the credentials of its repository', async () => {
  const packed = packChart('agent', '1.2.0', files)
  const name = '/agent-1.2.0.tgz'
  const elsewhere = await startWebServer({ [`/elsewhere${name}`]: { body: packed.archive } }, { tls: true })
  onTestFinished(elsewhere.close)
  const routes: Record<string, WebAnswer> = {
    '/index.yaml': { body: indexOf([packed]) },
    [`/charts${name}`]: { status: 302, headers: { location: `${elsewhere.otherUrl}/elsewhere${name}` } },
  }
  const own = await startWebServer(
    Object.fromEntries(
      Object.entries(routes).map(([path, answer]) => [path, requireBasic('mason', 'hunter2', answer)] as const),
    ),
    { tls: true },
  )
  onTestFinished(own.close)
  const fleet = await remoteFleet()
  fleet.offered.set('docker-demo-1-34-v1', releaseFiles('v1'))
  const variables = new Map(Object.entries({ CHARTS_USER: 'mason', CHARTS_PASSWORD: 'hunter2' }))
  const { environment } = fleet.ports
  Object.assign(fleet.ports, {
    environment: { get: (variable: string) => variables.get(variable) ?? environment.get(variable) },
  })
  fleet.change({
    'ca.pem': `${own.ca ?? ''}\n${elsewhere.ca ?? ''}`,
    [CONFIG]: fleetYaml(
      fleet.server.url,
      `  chartRepositories:\n    - {url: "${own.url}", caFile: ca.pem, credentialsFrom: {username: CHARTS_USER, password: CHARTS_PASSWORD}}\n`,
    ),
    [ADDONS]: addonsYaml(own.url),
  })
  await fleet.update()
  await fleet.render({ network: 'offline' })
  expect(own.requests.map(({ headers }) => headers.has('authorization'))).toEqual([true, true])
  expect(elsewhere.requests.map(({ path, headers }) => [path, headers.has('authorization')])).toEqual([
    [`/elsewhere${name}`, false],
  ])
  const lock = fleet.read('stackmason.lock')
  expect(lock).toContain(packed.digest)
  expect(lock).not.toMatch(/elsewhere|hunter2/)
})
