import { describe, expect, test } from 'vitest'
import { lab, labCluster } from '../../tools/fleets/lab-fleet.ts'
import { checkLab } from './check-lab.ts'

const PEM = `-----BEGIN PRIVATE KEY-----\\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'.repeat(3)}\\n-----END PRIVATE KEY-----`
const beside = (object: string): string => `${labCluster()}---\n${object}\n`
const flux = ['handoff: {flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}}}']

const secret = beside('{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {token: hunter-2}}')
const key = beside(`{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {tls: "${PEM}"}}`)

const found = async (cluster: string, spec: readonly string[] = []): Promise<readonly string[]> => {
  const lines = await checkLab({ files: { [lab.cluster]: cluster }, spec }).catch((error: unknown) => [String(error)])
  return lines.flatMap((line) => (/PLAINTEXT|plaintext|private key/.test(line) ? [line.replace(/ → .*/, '')] : []))
}

describe('readable secrets in a fleet without a GitOps tool', () => {
  test('are a warning, as the tree may never be committed', async () => {
    expect(await found(secret)).toEqual([
      'warning SECRET_IN_PLAINTEXT clusters/team/one/cluster.yaml:9:73 Secret team/s of cluster team/one (clusters/team/one/cluster.yaml) holds plaintext: token [team/one]',
    ])
    expect(await found(key)).toEqual([
      'warning SECRET_IN_PLAINTEXT clusters/team/one/cluster.yaml:9:68 ConfigMap team/c of cluster team/one (clusters/team/one/cluster.yaml) holds a private key: data.tls [team/one]',
    ])
  })

  test('of a release are told by the release', async () => {
    const files = {
      [lab.template]: '{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {token: hunter-2}}\n',
      [lab.defaults]: '',
    }
    const lines = await checkLab({ files })
    expect(lines.filter((line) => line.includes('PLAINTEXT')).map((line) => line.replace(/ → .*/, ''))).toEqual([
      'warning SECRET_IN_PLAINTEXT stack/cluster-addon/web/templates/web.yaml:1:73 Secret kube-system/s of docker-lab-1-34-v1 (addon web, web/templates/web.yaml) holds plaintext of the release: token [team/one web]',
    ])
  })

  test('may be made errors', async () => {
    expect((await found(secret, ['check: {rules: {SECRET_IN_PLAINTEXT: error}}']))[0]).toMatch(
      /^error SECRET_IN_PLAINTEXT /,
    )
  })

  test.each([
    ['that everybody may read', secret.replace('name: s', 'name: s, annotations: {stackmason.dev/plaintext: public}')],
    ['that hold nothing', beside('{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {a: ""}}')],
    [
      'that only speak of keys',
      beside('{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "PRIVATE KEY"}}'),
    ],
  ])('are none %s', async (_, cluster) => {
    expect(await found(cluster)).toEqual([])
  })

  test('stop the work where there is a tool', async () => {
    expect(await found(secret, flux)).toEqual([
      'StackmasonError: Secret team/s of cluster team/one (clusters/team/one/cluster.yaml) holds plaintext: token',
    ])
  })
})
