import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../../src/model/diagnostic.ts'
import { formatTag, parseReleaseTag } from '../../../src/model/release-name.ts'
import type { ReleaseSource } from '../../../src/model/release-source.ts'
import { readPublicKeys } from '../../../src/network/signature/public-keys.ts'
import { openOciSource } from '../../../src/sources/oci/source.ts'
import { nodeCrypto } from '../../../src/system/node-crypto.ts'
import { createNodeFiles } from '../../../src/system/node-files.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { hasRegistry, startRegistry, type TestRegistry } from '../../../tools/servers/registry.ts'
import { tempFolder, tempFolderForFile } from '../../support/temp-folder.ts'
import { ociContext, plainRegistry, type TestContextOptions } from '../registry/oci-context.ts'
import { pushRelease } from '../../sources/oci/push-release.ts'
import {
  formatClaim,
  makeBundle,
  makeSigningKey,
  pushBundles,
  pushSignatures,
  signPayload,
  type PushedSignature,
  type SignaturePlace,
} from './sign-release.ts'

const at = { source: { name: 'stackmason.yaml', text: 'oci: {}' }, start: 0, end: 3 }
const name = parseReleaseTag('openstack-scs2-1-34-v2')
const tag = formatTag(name)
const keyFolder = tempFolderForFile()
const own = makeSigningKey()
const second = makeSigningKey('ed25519')
const third = makeSigningKey('rsa')
const stranger = makeSigningKey()
const keyFile = writeKey('own.pub', own.publicKey)
const secondFile = writeKey('second.pub', second.publicKey)
const thirdFile = writeKey('third.pub', third.publicKey)

function writeKey(file: string, text: string): string {
  const path = join(keyFolder, file)
  writeFileSync(path, text)
  return path
}

async function open(
  repository: string,
  { keys = [keyFile], ...options }: TestContextOptions & { readonly keys?: readonly string[] } = {},
): Promise<ReleaseSource> {
  const config = { name: 'releases', type: 'oci', plainHttp: true, publicKeys: keys, at, repository } as const
  return openOciSource(config, await ociContext(options))
}

describe.skipIf(!hasRegistry())('a release of a source with public keys', () => {
  let server: TestRegistry
  let count = 0
  beforeAll(async () => {
    server = await startRegistry()
  })
  afterAll(() => server.close())

  interface Signed {
    readonly repository: string
    readonly digest: string
    /** The digest of the manifest with the signatures. */
    readonly signed: string
  }

  /** Pushes a release to a new repository, with the signatures that `make` gives. */
  async function push(
    make: (release: { readonly repository: string; readonly digest: string }) => readonly PushedSignature[],
    options: { readonly place?: SignaturePlace } = {},
  ): Promise<Signed> {
    const path = `signed/${count++}`
    const registry = await plainRegistry(server.host, { repository: path })
    const digest = await pushRelease(registry, tag, { form: 'csctl', files: { a: String(count) } })
    const repository = `${server.host}/${path}`
    const signatures = make({ repository, digest })
    const signed = signatures.length === 0 ? '' : await pushSignatures(registry, digest, signatures, options)
    return { repository, digest, signed }
  }

  function signatureOf(payload: string, key = own): PushedSignature {
    return { payload, signature: signPayload(payload, key) }
  }

  /** More than are looked at. */
  function many(release: Parameters<typeof formatClaim>[0], key: typeof own): readonly PushedSignature[] {
    return Array.from({ length: 60 }, (_, index) => signatureOf(`${formatClaim(release)}${' '.repeat(index)}`, key))
  }

  const good: readonly {
    readonly name: string
    readonly make: Parameters<typeof push>[0]
    readonly place?: SignaturePlace
    readonly keys?: readonly string[]
  }[] = [
    { name: 'signed', make: (release) => [signatureOf(formatClaim(release))] },
    { name: 'signed as a referrer', make: (release) => [signatureOf(formatClaim(release))], place: 'referrer' },
    { name: 'signed with Ed25519', make: (release) => [signatureOf(formatClaim(release), second)], keys: [secondFile] },
    { name: 'signed with RSA', make: (release) => [signatureOf(formatClaim(release), third)], keys: [thirdFile] },
    {
      name: 'signed with one key of several',
      make: (release) => [signatureOf(formatClaim(release), third)],
      keys: [keyFile, secondFile, thirdFile],
    },
    {
      name: 'signed with the last key of a file with several',
      make: (release) => [signatureOf(formatClaim(release), second)],
      keys: [writeKey('rotation.pub', `# old\n${own.publicKey}# new\r\n${second.publicKey.replaceAll('\n', '\r\n')}`)],
    },
    {
      name: 'signed by strangers and then by us',
      make: (release) => [
        signatureOf(formatClaim(release), stranger),
        signatureOf(`${formatClaim(release)}\n`, stranger),
        signatureOf(formatClaim(release)),
      ],
    },
    {
      name: 'signed beside garbage',
      make: (release) => [
        { payload: 'x', signature: 'not base64!' },
        { payload: 'y', signature: undefined },
        { payload: 'z'.repeat(100_000), signature: 'AAAA' },
        signatureOf(formatClaim(release)),
      ],
    },
    {
      name: 'signed after many others',
      make: (release) => [...many(release, stranger), signatureOf(formatClaim(release))],
    },
    {
      name: 'signed under its tag',
      make: ({ repository, digest }) => [signatureOf(formatClaim({ repository: `${repository}:${tag}`, digest }))],
    },
  ]
  test.each(good)('is accepted: $name', async ({ make, place, keys }) => {
    const { repository, digest } = await push(make, { ...(place && { place }) })
    const source = await open(repository, { ...(keys && { keys }) })
    expect((await source.locate(name))?.revision).toBe(digest)
    expect((await source.locate(name, digest))?.revision).toBe(digest)
  })

  const other = `sha256:${'1'.repeat(64)}`
  const bad: readonly {
    readonly name: string
    readonly make: Parameters<typeof push>[0]
    readonly code: string
    /** After the release's name and digest; `KEY` stands for the key's file. */
    readonly message: string
  }[] = [
    { name: 'not signed', make: () => [], code: 'SIGNATURE_MISSING', message: ' has no cosign signature' },
    {
      name: 'a signature manifest without signatures',
      make: () => [{ payload: 'x', signature: undefined }],
      code: 'SIGNATURE_MISSING',
      message: ' has no cosign signature',
    },
    {
      name: 'signed by another key',
      make: (release) => [signatureOf(formatClaim(release), stranger)],
      code: 'SIGNATURE_INVALID',
      message: ': its only signature was made by another key, or over other content (accepted: KEY)',
    },
    {
      name: 'a changed payload',
      make: (release) => [
        { payload: formatClaim(release), signature: signPayload(formatClaim({ ...release, digest: other }), own) },
      ],
      code: 'SIGNATURE_INVALID',
      message: ': its only signature was made by another key, or over other content (accepted: KEY)',
    },
    {
      name: 'signed for another digest',
      make: ({ repository }) => [signatureOf(formatClaim({ repository, digest: other }))],
      code: 'SIGNATURE_INVALID',
      message: ': its only signature is for another digest (accepted: KEY)',
    },
    {
      name: 'signed in another repository',
      make: ({ digest }) => [signatureOf(formatClaim({ repository: 'registry.example/other', digest }))],
      code: 'SIGNATURE_INVALID',
      message: ': its only signature is for "registry.example/other" (accepted: KEY)',
    },
    {
      name: 'signed under another tag',
      make: ({ repository, digest }) => [signatureOf(formatClaim({ repository: `${repository}:${tag}x`, digest }))],
      code: 'SIGNATURE_INVALID',
      message: `: its only signature is for "REPOSITORY:${tag}x" (accepted: KEY)`,
    },
    {
      name: 'signed without a repository',
      make: ({ digest }) => [signatureOf(formatClaim({ repository: '', digest }))],
      code: 'SIGNATURE_INVALID',
      message: ': its only signature is for "" (accepted: KEY)',
    },
    {
      name: 'a signature of another type',
      make: (release) => [signatureOf(formatClaim({ ...release, type: 'atomic container signature' }))],
      code: 'SIGNATURE_INVALID',
      message:
        ': its only signature is of the type "atomic container signature" instead of "cosign container image signature" (accepted: KEY)',
    },
    {
      name: 'signed garbage',
      make: () => [signatureOf('garbage')],
      code: 'SIGNATURE_INVALID',
      message:
        ": its only signature is over something else than a claim: it is not JSON: invalid character 'g' looking for beginning of value (accepted: KEY)",
    },
    {
      name: 'a signature that is none',
      make: (release) => [{ payload: formatClaim(release), signature: '%%%' }],
      code: 'SIGNATURE_INVALID',
      message: ': its only signature is not written in base64 (accepted: KEY)',
    },
    {
      name: 'several for several reasons',
      make: (release) => [
        signatureOf(formatClaim(release), stranger),
        signatureOf(`${formatClaim(release)} `, stranger),
        signatureOf(formatClaim({ ...release, digest: other })),
      ],
      code: 'SIGNATURE_INVALID',
      message:
        ': none of its 3 signatures is good (accepted: KEY): one is for another digest; one was made by another key, or over other content',
    },
    {
      name: 'more than are looked at',
      make: (release) => many(release, stranger),
      code: 'SIGNATURE_INVALID',
      message:
        ': none of the 50 that were looked at of its 60 signatures is good (accepted: KEY): one was made by another key, or over other content',
    },
  ]
  test.each(bad)('is refused: $name', async ({ make, code, message }) => {
    const { repository, digest } = await push(make)
    const source = await open(repository)
    const expected = message.replace('KEY', keyFile).replace('REPOSITORY', repository)
    const want: Diagnostic = {
      code: code as Diagnostic['code'],
      severity: 'error',
      message: `${repository}:${tag} (${digest})${expected}`,
      at,
    }
    expect(await diagnosticsOf(source.locate(name))).toEqual([want])
    expect(await diagnosticsOf(source.locate(name, digest))).toEqual([want])
  })

  async function pushWithBundles(
    make: (digest: string) => readonly { readonly text: string; readonly predicateType?: string }[],
    index: 'cosign' | 'specification' = 'cosign',
  ): Promise<Signed> {
    const release = await push(() => [])
    const registry = await plainRegistry(server.host, { repository: pathOf(release) })
    await pushBundles(registry, release.digest, make(release.digest), { index })
    return release
  }

  function pathOf({ repository }: Signed): string {
    return repository.slice(repository.indexOf('/') + 1)
  }

  const indexes = ['cosign', 'specification'] as const
  test.each(indexes)(
    'is accepted with a bundle of cosign 3 beside what others state, indexed by the %s',
    async (index) => {
      const predicateType = 'https://slsa.dev/provenance/v1'
      const { repository, digest } = await pushWithBundles(
        (of) => [
          { text: 'not even JSON', predicateType },
          { text: makeBundle({ digest: of }, stranger) },
          { text: makeBundle({ digest: of }, own) },
        ],
        index,
      )
      const cacheFolder = await tempFolder()
      expect((await (await open(repository, { cacheFolder })).locate(name))?.revision).toBe(digest)
      const offline = await open(repository, { cacheFolder, offline: true })
      expect((await offline.locate(name, digest))?.revision).toBe(digest)
    },
  )

  test('is accepted with a bundle beside many others under its tag', async () => {
    const release = await push((of) => many(of, stranger))
    const registry = await plainRegistry(server.host, { repository: pathOf(release) })
    const { digest } = release
    await pushBundles(registry, digest, [{ text: makeBundle({ digest }, own) }], { index: 'cosign' })
    expect((await (await open(release.repository)).locate(name))?.revision).toBe(digest)
  })

  test.each(['first', 'last'])('is accepted with a bundle beside many others, the newest %s', async (place) => {
    const { repository, digest } = await pushWithBundles((of) => {
      const others = Array.from({ length: 60 }, () => ({ text: makeBundle({ digest: of }, stranger) }))
      const good = { text: makeBundle({ digest: of }, own) }
      return place === 'first' ? [good, ...others] : [...others, good]
    })
    expect((await (await open(repository)).locate(name))?.revision).toBe(digest)
  })

  const badBundles: readonly {
    readonly name: string
    readonly make: (digest: string) => string
    readonly message: string
  }[] = [
    {
      name: 'of another key',
      make: (digest) => makeBundle({ digest }, stranger),
      message: 'was made by another key, or over other content',
    },
    {
      name: 'of another type than it says',
      make: (digest) =>
        makeBundle({ digest, payloadType: 'application/vnd.in-toto+json ' }, own).replace('json "', 'json"'),
      message: 'was made by another key, or over other content',
    },
    { name: 'for another digest', make: () => makeBundle({ digest: other }, own), message: 'is for another digest' },
    {
      name: 'that states something else',
      make: (digest) => makeBundle({ digest, predicateType: 'https://slsa.dev/provenance/v1' }, own),
      message: 'states "https://slsa.dev/provenance/v1", which is not a signature',
    },
    { name: 'without an envelope', make: () => '{"messageSignature":{}}', message: 'is a bundle without a statement' },
    {
      name: 'of garbage',
      make: () => 'x',
      message: "is not a bundle: it is not JSON: invalid character 'x' looking for beginning of value",
    },
  ]
  test.each(badBundles)('is refused with a bundle $name', async ({ make, message }) => {
    const { repository, digest } = await pushWithBundles((of) => [{ text: make(of) }])
    const [problem] = await diagnosticsOf((await open(repository)).locate(name))
    expect(problem).toEqual({
      code: 'SIGNATURE_INVALID',
      severity: 'error',
      message: `${repository}:${tag} (${digest}): its only signature ${message} (accepted: ${keyFile})`,
      at,
    })
  })

  test.each(indexes)('is not signed by what only states its provenance, indexed by the %s', async (index) => {
    const predicateType = 'https://slsa.dev/provenance/v1'
    const { repository } = await pushWithBundles(
      (of) => [{ text: makeBundle({ digest: of, predicateType }, own), predicateType }],
      index,
    )
    expect((await diagnosticsOf((await open(repository)).locate(name)))[0]?.code).toBe('SIGNATURE_MISSING')
  })

  test('is not verified when the source has no keys', async () => {
    const { repository, digest } = await push(() => [])
    expect((await (await open(repository, { keys: [] })).locate(name))?.revision).toBe(digest)
  })

  test('is verified again without the network, with what the cache has', async () => {
    const cacheFolder = await tempFolder()
    const { repository, digest } = await push((release) => [signatureOf(formatClaim(release))])
    await (await open(repository, { cacheFolder })).locate(name)
    const offline = await open(repository, { cacheFolder, offline: true })
    expect((await offline.locate(name, digest))?.revision).toBe(digest)
    // the keys that count now decide, not what was found good once
    const changed = await open(repository, { cacheFolder, offline: true, keys: [secondFile] })
    expect((await diagnosticsOf(changed.locate(name, digest)))[0]?.code).toBe('SIGNATURE_INVALID')
  })

  test('that was never verified here is refused without the network', async () => {
    const cacheFolder = await tempFolder()
    const { repository, digest } = await push((release) => [signatureOf(formatClaim(release))])
    await (await open(repository, { cacheFolder, keys: [] })).locate(name)
    const offline = await open(repository, { cacheFolder, offline: true })
    expect((await diagnosticsOf(offline.locate(name, digest)))[0]?.code).toBe('FETCH_OFFLINE')
  })

  test('whose record in the cache was changed gains nothing by it', async () => {
    const cacheFolder = await tempFolder()
    const honest = await push((release) => [signatureOf(formatClaim(release))])
    const forged = await push((release) => [signatureOf(formatClaim(release), stranger)])
    await (await open(honest.repository, { cacheFolder })).locate(name)
    await (await open(forged.repository, { cacheFolder, keys: [] })).locate(name)
    const records = join(cacheFolder, 'v1/signatures')
    expect(readdirSync(records)).toEqual([honest.digest.slice('sha256:'.length)])
    expect(readFileSync(join(records, honest.digest.slice('sha256:'.length)), 'utf8')).toBe(`${honest.signed}\n`)
    // the forged release is said to be signed by the honest one's signature
    writeFileSync(join(records, forged.digest.slice('sha256:'.length)), honest.signed)
    const offline = await open(forged.repository, { cacheFolder, offline: true })
    expect((await diagnosticsOf(offline.locate(name, forged.digest)))[0]?.code).toBe('SIGNATURE_INVALID')
    const online = await open(forged.repository, { cacheFolder })
    expect((await diagnosticsOf(online.locate(name, forged.digest)))[0]?.code).toBe('SIGNATURE_INVALID')
    writeFileSync(join(records, honest.digest.slice('sha256:'.length)), '../../etc/passwd')
    expect((await (await open(honest.repository, { cacheFolder })).locate(name))?.revision).toBe(honest.digest)
  })

  test('whose signature was signed anew with another key is accepted when the network is there', async () => {
    const cacheFolder = await tempFolder()
    const { repository, digest } = await push((release) => [signatureOf(formatClaim(release))])
    await (await open(repository, { cacheFolder })).locate(name)
    const registry = await plainRegistry(server.host, { repository: pathOf({ repository, digest, signed: '' }) })
    await pushSignatures(registry, digest, [signatureOf(formatClaim({ repository, digest }), second)])
    const source = await open(repository, { cacheFolder, keys: [secondFile] })
    expect((await source.locate(name))?.revision).toBe(digest)
  })

  test('whose signature the registry lost is refused', async () => {
    const { repository, signed } = await push((release) => [signatureOf(formatClaim(release))])
    const hex = signed.slice('sha256:'.length)
    await rm(join(server.folder, 'docker/registry/v2/blobs/sha256', hex.slice(0, 2), hex), { recursive: true })
    expect((await diagnosticsOf((await open(repository)).locate(name)))[0]?.code).toBe('SIGNATURE_MISSING')
  })
})

describe('public keys', () => {
  test.each([
    { name: 'nothing', text: '', message: 'holds no public key in PEM that signatures can be checked with' },
    {
      name: 'garbage',
      text: '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n',
      message: 'holds no public key in PEM that signatures can be checked with',
    },
    {
      name: 'a key beside a damaged one',
      text: `${own.publicKey}-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n`,
      message: 'holds something beside its public key in PEM that signatures can be checked with',
    },
    {
      name: 'a key and a part of one',
      text: `${own.publicKey}${second.publicKey.slice(0, 60)}`,
      message: 'holds something beside its public key in PEM that signatures can be checked with',
    },
    {
      name: 'a key and one that is indented',
      text: `${own.publicKey}${second.publicKey.replaceAll(/^/gm, '  ')}`,
      message: 'holds something beside its public key in PEM that signatures can be checked with',
    },
    {
      name: 'a key, and one with lines commented out',
      text: `${own.publicKey}${second.publicKey.replace('\n', '\n# ')}`,
      message: 'holds something beside its public key in PEM that signatures can be checked with',
    },
    {
      name: 'a key in a comment beside another one',
      text: `<!-- retired:\n${second.publicKey}-->\n${own.publicKey}`,
      message: 'holds a public key in a comment that PEM does not know; remove the key, or the comment',
    },
    {
      name: 'a key in a comment without an end',
      text: `${own.publicKey}/*\n${second.publicKey}`,
      message: 'holds a public key in a comment that PEM does not know; remove the key, or the comment',
    },
    {
      name: 'only a key behind other text on its line',
      text: `RETIRED ${own.publicKey}`,
      message: 'holds no public key in PEM that signatures can be checked with',
    },
    {
      name: 'a private key',
      text: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      message: 'holds a private key; verifying takes the public one',
    },
  ])('are refused when the file holds $name', async ({ text, message }) => {
    const file = writeKey('bad.pub', text)
    const [problem] = await diagnosticsOf(open('registry.example/a', { keys: [keyFile, file] }))
    expect(problem).toMatchObject({ code: 'CONFIG_INVALID_VALUE', message: `${file} ${message}`, at })
  })

  const besides: readonly { readonly name: string; readonly text: string }[] = [
    { name: 'commented out', text: second.publicKey.replaceAll(/^(?=.)/gm, '# ') },
    { name: 'in a comment', text: `<!-- retired: ${second.publicKey.trimEnd()} -->\n` },
    { name: 'behind other text', text: `RETIRED ${second.publicKey}` },
    { name: 'that a comment mentions', text: '# what -----BEGIN PUBLIC KEY----- begins is our key\n' },
  ]
  test.each(besides)('do not count when they are $name', async ({ text }) => {
    for (const whole of [`${text}${own.publicKey}`, `\uFEFF${own.publicKey}${text}`]) {
      const file = writeKey('beside.pub', whole)
      const keys = await readPublicKeys([file], { files: createNodeFiles(), crypto: nodeCrypto, at })
      expect(keys).toEqual([{ file, pem: own.publicKey.trimEnd() }])
    }
  })

  test('are refused when the file is not there', async () => {
    const file = join(keyFolder, 'missing.pub')
    const [problem] = await diagnosticsOf(open('registry.example/a', { keys: [file] }))
    expect(problem).toMatchObject({ code: 'FILE_UNREADABLE', at })
  })
})
