import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { decodeUtf8, encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { cleanCache } from '../../src/pipeline/commands/cache.ts'
import { openRegistry } from '../../src/network/registry/open-registry.ts'
import { hasRegistry, startRegistry } from '../../tools/servers/registry.ts'
import { clusterYaml, fleetYaml } from '../../tools/servers/release-server.ts'
import { sourceContext } from '../support/source-context.ts'
import { packageFolder, runCli } from '../cli/run-cli.ts'
import {
  formatClaim,
  makeSigningKey,
  pushSignatures,
  signPayload,
  type SigningKey,
} from '../network/signature/sign-release.ts'
import { problemsOf, remoteFleet, told } from './remote-fleet.ts'

/**
 * A fleet whose releases come from a registry and must be signed; `publish` builds, pushes and signs one, `replace` puts
 * another manifest under its tag, `publishOther` signs a release of the stack "mine", `retag` lets a tag lead to the
 * manifest of another.
 */
async function signedFleet(): Promise<
  Awaited<ReturnType<typeof remoteFleet>> & {
    readonly trusted: SigningKey
    readonly publish: (version: string, key?: SigningKey) => Promise<void>
    readonly replace: (version: string, key?: SigningKey) => Promise<void>
    readonly publishOther: (version: string, key: SigningKey) => Promise<void>
    readonly retag: (tag: string, to: string) => Promise<void>
    readonly trust: (key: SigningKey) => void
  }
> {
  const started = await startRegistry()
  onTestFinished(started.close)
  const fleet = await remoteFleet()
  const trusted = makeSigningKey()
  const repository = `${started.host}/kaas/stacks`
  const provider = join(fleet.folder, '../demo')
  await cp(join(packageFolder, 'examples/fleet/providers/docker/demo'), provider, { recursive: true })
  const trust = (key: SigningKey): void => {
    fleet.write('key.pub', key.publicKey)
  }
  trust(trusted)
  fleet.change({
    'stackmason.yaml': fleetYaml('').replace(
      /http: \{.*?\}/,
      `oci: {repository: "${repository}", plainHttp: true, publicKeys: [key.pub]}`,
    ),
  })
  const network = '  clusterNetwork: {pods: {cidrBlocks: [10.244.0.0/16]}, services: {cidrBlocks: [10.96.0.0/16]}}\n'
  fleet.change({ 'clusters/team-a/web/cluster.yaml': clusterYaml('v1').replace('spec:\n', `spec:\n${network}`) })
  const push = async (folder: string, version: string): Promise<void> => {
    const words = ['build', folder, '--version', version, '--out', '../out', '--push', '--plain-http']
    const run = await runCli([...words, '--registry', `oci://${repository}`], { cwd: fleet.folder, ports: fleet.ports })
    if (run.status !== 0) throw new Error(run.stderr)
  }
  const publish = async (version: string, key?: SigningKey): Promise<void> => {
    await push(provider, version)
    await sign(`docker-demo-1-34-${version}`, key)
  }
  const publishOther = async (version: string, key: SigningKey): Promise<void> => {
    const other = join(fleet.folder, '../mine')
    await cp(provider, other, { recursive: true })
    for (const file of ['csctl.yaml', 'cluster-class/Chart.yaml']) {
      const text = await readFile(join(other, file), 'utf8')
      await writeFile(join(other, file), text.replace(/demo/, 'mine'))
    }
    await push(other, version)
    await sign(`docker-mine-1-34-${version}`, key)
  }
  const registry = await openRegistry(
    { host: started.host, repository: 'kaas/stacks', plainHttp: true },
    await sourceContext(),
  )
  const sign = async (tag: string, key: SigningKey | undefined): Promise<void> => {
    if (key === undefined) return
    const digest = (await registry.getManifest(tag))?.digest ?? ''
    const payload = formatClaim({ digest, repository })
    await pushSignatures(registry, digest, [{ payload, signature: signPayload(payload, key) }])
  }
  const replace = async (version: string, key?: SigningKey): Promise<void> => {
    const tag = `docker-demo-1-34-${version}`
    const text = decodeUtf8((await registry.getManifest(tag))?.bytes ?? new Uint8Array())
    const { mediaType, ...rest } = JSON.parse(text) as { readonly mediaType: string }
    const other = { ...rest, mediaType, annotations: { by: 'somebody else' } }
    await registry.pushManifest(tag, { bytes: encodeUtf8(JSON.stringify(other)), mediaType })
    await sign(tag, key)
  }
  const retag = async (tag: string, to: string): Promise<void> => {
    const found = await registry.getManifest(to)
    if (found === undefined) throw new Error(`no ${to}`)
    await registry.pushManifest(tag, { bytes: found.bytes, mediaType: found.mediaType })
  }
  return Object.assign(fleet, { trusted, publish, publishOther, replace, retag, trust })
}

describe.runIf(hasRegistry())('a fleet that asks for signatures', () => {
  test('takes what a key of it signed, also without the network, and passes the rest over', async () => {
    const fleet = await signedFleet()
    await fleet.publish('v1', fleet.trusted)
    await fleet.publish('v2')
    await fleet.publish('v3', makeSigningKey())
    const { changes, notTaken } = await fleet.update()
    expect(changes.map(({ name }) => name)).toEqual(['docker-demo-1-34-v1'])
    expect(notTaken.map(({ release, reason }) => [release, reason.replace(/sha256:\S+/g, '…').slice(0, 60)])).toEqual([
      ['docker-demo-1-34-v3', expect.stringContaining('it cannot be used')],
      ['docker-demo-1-34-v2', expect.stringContaining('it cannot be used')],
    ])
    await fleet.render()
    expect(await fleet.render({ network: 'offline' })).toMatchObject({ files: { written: 0 } })
    await cleanCache({ start: fleet.folder, maxBytes: 0 }, fleet.ports)
    expect(await fleet.render({ network: 'offline' })).toMatchObject({ files: { written: 0 } })
  })

  test('says where the repository stands that leads to nothing', async () => {
    const fleet = await signedFleet()
    await fleet.publish('v1', fleet.trusted)
    await fleet.update()
    const text = fleet.read('stackmason.yaml')
    const host = /"([^/"]+)\/kaas/.exec(text)?.[1] ?? ''
    fleet.write('stackmason.yaml', text.replace('kaas/stacks', 'kaas/stakcs'))
    fleet.forget()
    const line = text.slice(0, text.indexOf('repository: ')).split('\n')
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
      `FETCH_NOT_FOUND stackmason.yaml:${String(line.length)}:${String((line.at(-1) ?? '').length + 'repository: '.length + 1)} ${host} has no repository kaas/stakcs, or does not show it to those it does not know`,
    ])
  })

  test('refuses what is locked and cached once its key is no longer trusted', async () => {
    const fleet = await signedFleet()
    await fleet.publish('v1', fleet.trusted)
    await fleet.update()
    fleet.trust(makeSigningKey())
    const codes = async (network: 'online' | 'offline'): Promise<readonly (string | undefined)[]> =>
      (await problemsOf(fleet.render({ network }), fleet.folder)).map((problem) => problem.split(' ')[0])
    expect(await codes('offline')).toEqual(['SIGNATURE_INVALID'])
    expect(await codes('online')).toEqual(['SIGNATURE_INVALID'])
    fleet.trust(fleet.trusted)
    expect(await codes('offline')).toEqual([])
  })

  test.each(['not at all', 'by somebody else'])(
    'keeps what is locked when its tag was replaced by content that is signed %s, and tells the change first',
    async (signed) => {
      const fleet = await signedFleet()
      await fleet.publish('v1', fleet.trusted)
      await fleet.publish('v2', fleet.trusted)
      await fleet.update()
      const lock = fleet.read('stackmason.lock')
      await fleet.replace('v2', signed === 'not at all' ? undefined : makeSigningKey())
      const { findings, status, notTaken } = await fleet.update()
      const change = `source "web" now has other content under tag docker-demo-1-34-v2`
      const reason = signed === 'not at all' ? 'has no cosign signature' : 'was made by another key'
      expect(findings.map((finding) => `${finding.severity} ${told(finding, fleet.folder)}`)).toEqual([
        expect.stringMatching(
          `^warning LOCK_MISMATCH stackmason\\.lock:\\d+:\\d+ ${change}; the locked content was kept: it has <digest 1>, the lock says <digest 2>; \\S+:docker-demo-1-34-v2 \\(<digest 1>\\).* ${reason}.* \\| Find out who replaced it and why, before anybody signs it; \`stackmason update --release docker-demo-1-34-v2\` accepts it once it is signed\\.$`,
        ),
      ])
      expect({ status, notTaken }).toEqual({ status: 'unchanged', notTaken: [] })
      expect(fleet.read('stackmason.lock')).toBe(lock)
      const asked = await problemsOf(fleet.update({ releases: ['docker-demo-1-34-v2'] }), fleet.folder)
      expect(asked).toEqual([
        expect.stringMatching(
          `^SIGNATURE_\\w+ stackmason\\.yaml:\\d+:\\d+ ${change}: it has <digest 1>, the lock says <digest 2>; .* ${reason}.* \\| Find out who replaced it and why, before anybody signs it\\.$`,
        ),
      ])
      await fleet.render()
    },
  )

  test('refuses a tag that leads to a signed release of another stack, or to an older one', async () => {
    const fleet = await signedFleet()
    await fleet.publish('v1', fleet.trusted)
    await fleet.publishOther('v3', fleet.trusted)
    await fleet.retag('docker-demo-1-34-v3', 'docker-mine-1-34-v3')
    await fleet.retag('docker-demo-1-34-v4', 'docker-demo-1-34-v1')
    const { changes, notTaken } = await fleet.update()
    expect(changes.map(({ name }) => name)).toEqual(['docker-demo-1-34-v1'])
    expect(notTaken.map(({ release, reason }) => [release, reason])).toEqual([
      [
        'docker-demo-1-34-v4',
        expect.stringContaining('metadata.yaml says version v1, but the release is docker-demo-1-34-v4'),
      ],
      [
        'docker-demo-1-34-v3',
        expect.stringContaining(
          'the cluster-class chart of docker-demo-1-34-v3 is called docker-mine-1-34-cluster-class instead of docker-demo-1-34-cluster-class: what was signed is not this release',
        ),
      ],
    ])
    const asked = await problemsOf(fleet.update({ releases: ['docker-demo-1-34-v3'] }), fleet.folder)
    expect(asked.map((problem) => problem.split(' ')[0])).toEqual(['RELEASE_MISMATCH', 'RELEASE_MISMATCH'])
  })

  test('keeps what is locked when its tag leads to a signed release of another stack', async () => {
    const fleet = await signedFleet()
    await fleet.publish('v1', fleet.trusted)
    await fleet.publishOther('v1', fleet.trusted)
    await fleet.update()
    const lock = fleet.read('stackmason.lock')
    await fleet.retag('docker-demo-1-34-v1', 'docker-mine-1-34-v1')
    const { findings, status } = await fleet.update()
    expect(findings.map((finding) => `${finding.severity} ${told(finding, fleet.folder)}`)).toEqual([
      expect.stringMatching(
        /^warning LOCK_MISMATCH .* source "web" now has other content under tag docker-demo-1-34-v1; the locked content was kept: .*what was signed is not this release/,
      ),
    ])
    expect([status, fleet.read('stackmason.lock')]).toEqual(['unchanged', lock])
    expect(await fleet.render({ network: 'offline' })).toMatchObject({ findings: [] })
  })

  test('refuses a lock that was changed to other files of the registry', async () => {
    const fleet = await signedFleet()
    await fleet.publish('v1', fleet.trusted)
    await fleet.update()
    const file = join(fleet.folder, 'stackmason.lock')
    const text = await readFile(file, 'utf8')
    const [, first = ''] = /metadata\.yaml: (sha256:[0-9a-f]{64})/.exec(text) ?? []
    const [, other = ''] = /clusteraddon\.yaml: (sha256:[0-9a-f]{64})/.exec(text) ?? []
    await writeFile(file, text.replace(first, other))
    expect((await problemsOf(fleet.render(), fleet.folder))[0]).toMatch(/^LOCK_MISMATCH .*metadata\.yaml of release/)
    // nor may a file of the signed manifest be left out: then the release would be another one
    await writeFile(file, text.replace(/^ *hashes\.json: .*\n/m, ''))
    expect((await problemsOf(fleet.render(), fleet.folder))[0]).toMatch(
      /^LOCK_MISMATCH .*hashes\.json of release .* it has <digest 1>, the lock says nothing/,
    )
  })
})
