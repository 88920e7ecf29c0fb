import { expect, test } from 'vitest'
import { findUndecrypted } from '../../../src/handoff/secrets/find-undecrypted.ts'
import type { HandoffConfig } from '../../../src/model/handoff-config.ts'
import { manifestOf } from '../../render/stack/objects.ts'

const encrypted =
  '{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: kube-system}, stringData: {a: "ENC[AES256_GCM,data:p673w==,iv:YY=,tag:UA==,type:str]"}, sops: {mac: "ENC[x]", version: 3.9.0}}'
const flux: HandoffConfig = {
  tool: 'flux',
  source: { kind: 'GitRepository', name: 'fleet' },
  path: './rendered',
  interval: '1h',
  retryInterval: '2m',
  timeout: '5m',
}
const argocd: HandoffConfig = {
  tool: 'argocd',
  namespace: 'argocd',
  project: 'handoff',
  repoURL: 'https://git.example/fleet.git',
  targetRevision: 'main',
  path: 'rendered',
}

function find(yaml: string, handoff: HandoffConfig): readonly string[] {
  return findUndecrypted([{ path: 'clusters/a/b/addons/01-c', manifests: [manifestOf(yaml)] }], handoff).map(
    ({ code, severity, message }) => `${severity} ${code} ${message}`,
  )
}

test.each<[string, HandoffConfig, readonly string[]]>([
  ['Flux that decrypts', { ...flux, decryption: { provider: 'sops' } }, []],
  [
    'Flux that does not',
    flux,
    [
      'error SECRET_NOT_DECRYPTED Secret kube-system/s (addon/templates/x.yaml) is encrypted with SOPS, and the fleet states no decryption: Flux would apply nothing of its unit',
    ],
  ],
  [
    'Argo CD',
    argocd,
    [
      'warning SECRET_NOT_DECRYPTED Secret kube-system/s (addon/templates/x.yaml) is encrypted with SOPS, and Argo CD does not decrypt it: the encrypted text would be applied as the content',
    ],
  ],
])('a Secret of SOPS with %s', (_name, handoff, want) => {
  expect(find(encrypted, handoff)).toEqual(want)
})

test('other objects need nobody to decrypt them', () => {
  const sealed =
    '{apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, metadata: {name: s}, spec: {encryptedData: {a: AgBy}}}'
  expect(find(sealed, argocd)).toEqual([])
  expect(find('{apiVersion: v1, kind: ConfigMap, metadata: {name: s}, data: {sops: mac}}', flux)).toEqual([])
})
