import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { textAt } from '../../src/model/field.ts'
import type { Ports } from '../../src/model/ports.ts'
import { verifySignatures } from '../../src/network/signature/verify-signatures.ts'
import { lab, labCluster } from '../../tools/fleets/lab-fleet.ts'
import { portsWith, publishFrom, type PublishedFleet, servePublishedFleet } from '../../tools/fleets/published-fleet.ts'
import { hasRegistry, startRegistry, type TestRegistry } from '../../tools/servers/registry.ts'
import { ociContext, plainRegistry } from '../network/registry/oci-context.ts'
import { setGitIdentity } from '../support/git-identity.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { fakeForge } from './fake-forge.ts'

setGitIdentity()

const flux = 'handoff: {flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}, path: ./rendered}}'
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const key = { KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }

/** A run that is killed before its request of that number to a registry; and how many there were. */
function killedAt(last: number): {
  readonly ports: Ports
  readonly count: () => number
  readonly writes: () => number
} {
  const ports = portsWith(key)
  let count = 0
  let writes = 0
  return {
    ports: {
      ...ports,
      http: {
        exchange: async (request) => {
          count++
          if (count > last) throw new Error('killed')
          if (request.method !== 'GET' && request.method !== 'HEAD') writes++
          return ports.http.exchange(request)
        },
      },
    },
    count: () => count,
    writes: () => writes,
  }
}

describe.skipIf(!hasRegistry())('artifacts and what comes between', () => {
  let registry: TestRegistry

  beforeAll(async () => {
    registry = await startRegistry()
  })
  afterAll(() => registry.close())

  async function served(name: string, publish: string): Promise<PublishedFleet> {
    const oci = `oci: {repository: "${registry.host}/${name}", plainHttp: true, artifacts: units, signing: {keyFrom: KEY}}`
    const fleet = await servePublishedFleet(await tempFolder(), { spec: [`publish: {${publish}, ${oci}}`, flux] })
    onTestFinished(() => fleet.server.close())
    return fleet
  }

  /** Pulls and verifies what a commit pins. */
  async function checkPins(fleet: PublishedFleet, commit: string): Promise<void> {
    const context = await ociContext()
    const listed = fleet.repository.git(['ls-tree', '-r', '--name-only', commit, '--', 'rendered/artifacts/team'])
    for (const path of listed.split('\n').filter((name) => !name.endsWith('kustomization.yaml'))) {
      const pin = parseGoYaml(fleet.repository.git(['show', `${commit}:${path}`]))
      const digest = textAt(pin, 'spec', 'ref', 'digest')
      const [, repository = ''] = textAt(pin, 'spec', 'url').split(`${registry.host}/`)
      const from = await plainRegistry(registry.host, { repository })
      const manifest = await from.getManifest(digest)
      const [layer] = manifest?.manifest.layers ?? []
      expect((await from.getBlob(layer?.digest ?? '')).length).toBe(layer?.size)
      const at = { source: { name: 'test', text: '' }, start: 0, end: 0 }
      await verifySignatures({ registry: from, digest, tag: 'main', keys: [{ file: 'k', pem }], at }, context)
    }
  }

  it(
    'a run that is killed at any request leaves nothing that the next one does not mend',
    { timeout: 600_000 },
    async () => {
      const fleet = await served('killed', 'into: branch')
      const clone = await fleet.clone('ci')
      await publishFrom(clone, {}, portsWith(key))
      fleet.author.git('pull', '--quiet', 'origin', 'main')
      let round = 0
      const change = async (): Promise<string> => {
        fleet.author.write(lab.values, `message: round ${String(round++)}\n`)
        fleet.author.git('pull', '--quiet', '--rebase=false', '--no-edit', 'origin', 'main')
        return fleet.push()
      }
      await change()
      const whole = killedAt(Number.POSITIVE_INFINITY)
      await publishFrom(clone, {}, whole.ports)
      const requests = whole.count()
      expect(requests).toBeGreaterThan(10)
      const step = process.env['STACKMASON_LONG'] === undefined ? Math.ceil(requests / 3) : 1
      for (let last = 0; last < requests; last += step) {
        const pushed = await change()
        const killed = killedAt(last)
        await expect(publishFrom(clone, {}, killed.ports)).rejects.toThrow('killed')
        const standing = fleet.repository.git(['rev-parse', 'main'])
        // whatever the branch pins is there, before and after
        if (standing !== pushed) await checkPins(fleet, standing)
        await publishFrom(clone, {}, portsWith(key))
        await checkPins(fleet, 'main')
        expect(await publishFrom(clone, { onlyArtifacts: true }, portsWith(key))).toMatchObject({ status: 'unchanged' })
      }
    },
  )

  it('a run with nothing to do writes nothing, and asks twice for each artifact', async () => {
    const fleet = await served('idle', 'into: branch')
    const clone = await fleet.clone('ci')
    await publishFrom(clone, {}, portsWith(key))
    const idle = killedAt(Number.POSITIVE_INFINITY)
    expect(await publishFrom(clone, {}, idle.ports)).toMatchObject({ status: 'unchanged' })
    expect([idle.count(), idle.writes()]).toEqual([4, 0])
  })

  it('a pull request keeps its pins while the base moves on, and is signed by runs on the base alone', async () => {
    const fleet = await served('proposed', 'forge: {kind: gitea, plainHttp: true}')
    const clone = await fleet.clone('ci')
    const forge = fakeForge((branch) => fleet.repository.git(['rev-parse', branch]))
    const run = (ports = portsWith(key)): ReturnType<typeof publishFrom> =>
      publishFrom(clone, { openForge: () => Promise.resolve(forge.forge) }, ports)
    const opened = await run()
    expect(opened.artifacts.map(({ of, action }) => [of, action])).toEqual([
      ['team/one', 'pushed'],
      ['team/docker-lab-1-34-v1', 'pushed'],
    ])
    const head = 'stackmason/lab/main'
    const pins = (): string => fleet.repository.git(['rev-parse', `${head}:rendered/artifacts`])
    const before = pins()
    await checkPins(fleet, head)
    fleet.author.write('README.md', 'the base moves on')
    await fleet.push()
    const quiet = killedAt(Number.POSITIVE_INFINITY)
    await run(quiet.ports)
    expect(pins()).toBe(before)
    expect(quiet.writes()).toBe(0)
    fleet.author.git('fetch', '--quiet', 'origin')
    fleet.author.git('merge', '--quiet', '--no-edit', `origin/${head}`)
    fleet.author.git('push', '--quiet', 'origin', 'HEAD:main')
    const merged = await run()
    expect(merged).toMatchObject({ files: [], artifacts: [{ action: 'tagged' }, { action: 'tagged' }] })
    const from = await plainRegistry(registry.host, { repository: 'proposed/clusters/team/one' })
    expect(await from.findDigest('main')).toBe(opened.artifacts[0]?.digest)

    fleet.author.write(lab.values, 'message: from an author\n')
    await fleet.push('feature')
    const authored = await publishFrom(clone, { branch: 'feature' }, portsWith())
    expect(authored.artifacts.map(({ of, tags, action }) => [of, tags.length, action])).toEqual([
      ['team/one', 1, 'pushed'],
    ])
    const { digest = '' } = authored.artifacts[0] ?? {}
    expect(await from.findDigest(`${digest.replace(':', '-')}.sig`)).toBeUndefined()
    expect(await from.findDigest('main')).toBe(opened.artifacts[0]?.digest)
    fleet.author.git('pull', '--quiet', 'origin', 'feature')
    fleet.author.git('push', '--quiet', 'origin', 'HEAD:main')
    expect((await run()).artifacts[0]).toMatchObject({ digest, action: 'tagged' })
    await checkPins(fleet, 'main')
  })

  it('a pull request of one cluster pins that cluster alone', async () => {
    const fleet = await served('grouped', 'forge: {kind: gitea, plainHttp: true}, pullRequest: {grouping: cluster}')
    fleet.author.write('clusters/team/two/cluster.yaml', labCluster().replace('name: one', 'name: two'))
    await fleet.push()
    const clone = await fleet.clone('ci')
    const forge = fakeForge((branch) => fleet.repository.git(['rev-parse', branch]))
    const run = (): ReturnType<typeof publishFrom> =>
      publishFrom(clone, { openForge: () => Promise.resolve(forge.forge) }, portsWith(key))
    const merge = (heads: readonly string[]): void => {
      fleet.author.git('fetch', '--quiet', 'origin')
      for (const head of heads) fleet.author.git('merge', '--quiet', '--no-edit', `origin/${head}`)
      fleet.author.git('push', '--quiet', 'origin', 'HEAD:main')
      for (const head of heads) fleet.repository.git(['update-ref', '-d', `refs/heads/${head}`])
    }
    const pinsOf = (branch: string): readonly string[] =>
      fleet.repository.git(['ls-tree', '-r', '--name-only', branch, '--', 'rendered/artifacts']).split('\n')
    // what all need first, then each
    let opened = await run()
    merge(opened.proposals.map(({ head }) => head))
    opened = await run()
    expect(opened.proposals).toMatchObject([{ group: 'fleet', status: 'current', files: [] }])
    expect(pinsOf('main').filter((path) => path.includes('/team/')).length).toBe(3)
    await checkPins(fleet, 'main')
    for (const name of ['one', 'two'])
      fleet.author.write(`clusters/team/${name}/values/web.yaml`, `message: ${name} changes\n`)
    await fleet.push()
    const changed = await run()
    expect(changed.proposals.map(({ group, files }) => [group, files.map(({ path }) => path)])).toEqual(
      ['one', 'two'].map((name) => [
        `cluster/team/${name}`,
        [`rendered/artifacts/team/${name}.yaml`, `rendered/clusters/team/${name}/addons/01-web/configmap-web.yaml`],
      ]),
    )
    expect(changed.artifacts.filter(({ action }) => action === 'pushed').map(({ of }) => of)).toEqual([
      'team/one',
      'team/two',
    ])
    merge(changed.proposals.slice(0, 1).map(({ head }) => head))
    await checkPins(fleet, 'main')
    const rest = await run()
    expect(rest.proposals.map(({ group, status }) => [group, status])).toEqual([['cluster/team/two', 'current']])
  })
})
