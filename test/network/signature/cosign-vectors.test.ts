import { expect, test } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { checkBundle } from '../../../src/network/signature/sigstore-bundle.ts'
import { checkSignature } from '../../../src/network/signature/simple-signing.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'

// What cosign 3.0.2 wrote for one manifest with one key: `cosign sign --key`, with --new-bundle-format=false and with
// bundles.
const digest = 'sha256:b28a613ae90944d9018f860da32e09ac92efd2f6b79b6772c0cadb34f2a6161d'
const repository = '127.0.0.1:40627/a/b'
const pem = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEExOWiEgvYXpRkE5/z5ihcs32BZ90
EmjVKBLMYmDmPTDsj015CZR2bdEP62Q1DitEayOi7pwygK8/Gr+k6jwWtw==
-----END PUBLIC KEY-----
`
const payload = `{"critical":{"identity":{"docker-reference":"${repository}"},"image":{"docker-manifest-digest":"${digest}"},"type":"cosign container image signature"},"optional":null}`
const signature = 'MEUCIQDxoaaDZDRMgvyGqQjoDiMgfLFg+Jd2YdRdOkh3i076sgIgX4DqmmCyvY6BOX27J7jli3wU51yYgJl8cOTgRrLWyAI='
const bundle =
  '{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json", "verificationMaterial":{"publicKey":{"hint":"gZ6GIho6zsmSwfLkyOusA5Kl2Jj8CofXP3ZQv6ehvCE="}}, "dsseEnvelope":{"payload":"eyJfdHlwZSI6Imh0dHBzOi8vaW4tdG90by5pby9TdGF0ZW1lbnQvdjEiLCAic3ViamVjdCI6W3siZGlnZXN0Ijp7InNoYTI1NiI6ImIyOGE2MTNhZTkwOTQ0ZDkwMThmODYwZGEzMmUwOWFjOTJlZmQyZjZiNzliNjc3MmMwY2FkYjM0ZjJhNjE2MWQifX1dLCAicHJlZGljYXRlVHlwZSI6Imh0dHBzOi8vc2lnc3RvcmUuZGV2L2Nvc2lnbi9zaWduL3YxIn0=", "payloadType":"application/vnd.in-toto+json", "signatures":[{"sig":"MEQCIHG3RN5iPdhtdDvgMDZUDiAvnVx5pFSPCdaeUt+vLyTeAiA6EzY5WDwrHOyOF9HEJk1jNLei2J71ARV5cnD2M9p/JQ=="}]}}'

const { crypto } = createNodePorts()
const reading = { keys: [{ file: 'cosign.pub', pem }], crypto }

test('what cosign signed is accepted, for that digest and repository', () => {
  const signed = { payload: encodeUtf8(payload), signature }
  const other = digest.replace('b28a', '0000')
  expect(checkSignature(signed, { digest, repository, tag: 'v1' }, reading)).toBeUndefined()
  expect(checkSignature(signed, { digest: other, repository, tag: 'v1' }, reading)).toBe('is for another digest')
  expect(checkSignature(signed, { digest, repository: 'x/y', tag: 'v1' }, reading)).toBe(`is for "${repository}"`)
  const spelled = { digest, repository: '127.0.1:040627/a/b', tag: 'v1' }
  expect(checkSignature(signed, spelled, reading)).toBeUndefined()
  expect(checkBundle(encodeUtf8(bundle), digest, reading)).toBeUndefined()
  expect(checkBundle(encodeUtf8(bundle), other, reading)).toBe('is for another digest')
})

test('no byte of what was signed can be changed', () => {
  const bytes = encodeUtf8(payload)
  const accepted = Array.from(bytes, (byte, at) => {
    const changed = Uint8Array.from(bytes)
    changed[at] = byte ^ 1
    return checkSignature({ payload: changed, signature }, { digest, repository, tag: 'v1' }, reading)
  }).filter((problem) => problem === undefined)
  expect(accepted).toEqual([])
})
