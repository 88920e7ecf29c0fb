import { describe, expect, test } from 'vitest'
import { checkObjects } from './check-lab.ts'

const enc = (type: string): string => `"ENC[AES256_GCM,data:Zm9v,iv:aXY=,tag:dGFn,type:${type}]"`
const sops = `sops: {age: [{recipient: age1, enc: x}], lastmodified: "2026-01-01T00:00:00Z", mac: ${enc('str')}, version: 3.9.0}`
const secret = (fields: string): string =>
  `{apiVersion: v1, kind: Secret, metadata: {name: login, namespace: web}, ${fields}}`
const deployment = (replicas: string, more = ''): string =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: web}, spec: {replicas: ${replicas}, ${more}selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: web, image: "example.com/web:1.0.0"}]}}}, ${sops}}`

/** The codes and messages about fields. */
async function fieldsOf(objects: readonly string[]): Promise<readonly string[]> {
  const lines = await checkObjects(objects, {
    spec: ['handoff: {flux: {source: {kind: GitRepository, name: fleet}, decryption: {provider: sops}}}'],
  })
  return lines.filter((line) => line.includes(' OBJECT_FIELD_')).map((line) => line.replace(/ → .*/, ''))
}

describe('an object that is encrypted with SOPS', () => {
  test.each<readonly [string, string]>([
    [
      'a Secret with data',
      secret(`data: {a: ${enc('str')}}, stringData: {b: ${enc('str')}}, type: ${enc('str')}, ${sops}`),
    ],
    ['a number of another kind', deployment(enc('int'))],
  ])('is judged as it is after it is decrypted: %s', async (_, object) => {
    expect(await fieldsOf([object])).toEqual([])
  })

  test('is judged for what is not encrypted', async () => {
    expect(await fieldsOf([deployment('3', 'replica: 3, ')])).toEqual([
      'error OBJECT_FIELD_UNKNOWN Deployment web/web: the kind has no field spec.replica',
    ])
  })

  test('says what decrypts it: without that the field is unknown', async () => {
    expect(await fieldsOf([deployment('3').replace(/mac: "[^"]*", /, '')])).toEqual([
      'error OBJECT_FIELD_UNKNOWN Deployment web/web: the kind has no field sops',
    ])
  })
})
