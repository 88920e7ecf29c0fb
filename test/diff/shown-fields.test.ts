import { describe, expect, test } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { MaskTexts } from '../../src/codec/text/mask-texts.ts'
import { collectSecretTexts } from '../../src/codec/text/secret-texts.ts'
import { hideInObject, hideSecrets } from '../../src/diff/hide-secrets.ts'
import { Dict, dict } from '../../src/model/value.ts'

function read(text: string): Dict {
  const value = parseGoYaml(text)
  return value instanceof Dict ? value : dict([])
}

/** Objects whose fields tell about secrets, and hold none. */
const shown: readonly (readonly [string, string])[] = [
  [
    'Pod',
    'spec: {volumes: [{projected: {sources: [{serviceAccountToken: {audience: vault, expirationSeconds: 3600, path: token}}]}}]}',
  ],
  ['Pod', 'spec: {automountServiceAccountToken: true}'],
  [
    'Pod',
    'spec: {volumes: [{name: s, secret: {secretName: web-tls, defaultMode: 420, optional: true, items: [{key: tls.crt, path: a.crt, mode: 256}]}}]}',
  ],
  ['Pod', 'spec: {volumes: [{projected: {sources: [{secret: {name: web-tls, items: [{key: password, path: pw}]}}]}}]}'],
  [
    'Pod',
    'spec: {containers: [{name: c, env: [{name: DB_PASSWORD, valueFrom: {secretKeyRef: {name: db, key: password, optional: false}}}]}]}',
  ],
  ['Pod', 'spec: {containers: [{name: c, envFrom: [{secretRef: {name: db-secret}, prefix: SECRET_}]}]}'],
  ['Pod', 'spec: {imagePullSecrets: [{name: regcred}]}'],
  [
    'Pod',
    'spec: {volumes: [{csi: {driver: d, nodePublishSecretRef: {name: creds}, volumeAttributes: {secretProviderClass: web}}}]}',
  ],
  ['Pod', 'spec: {tolerations: [{key: dedicated, operator: Equal, value: gpu}]}'],
  ['ServiceAccount', 'secrets: [{name: a-token}]\nimagePullSecrets: [{name: regcred}]'],
  ['CSIDriver', 'spec: {tokenRequests: [{audience: vault, expirationSeconds: 3600}]}'],
  ['PersistentVolume', 'spec: {csi: {nodeStageSecretRef: {name: a, namespace: b}, volumeHandle: h}}'],
  [
    'StorageClass',
    'parameters: {csi.storage.k8s.io/provisioner-secret-name: csi, csi.storage.k8s.io/provisioner-secret-namespace: kube-system}',
  ],
  ['Ingress', 'spec: {tls: [{hosts: [a.example], secretName: web-tls}]}'],
  [
    'Ingress',
    'metadata: {annotations: {nginx.ingress.kubernetes.io/auth-secret: ns/basic-auth, nginx.ingress.kubernetes.io/auth-type: basic, nginx.ingress.kubernetes.io/auth-tls-secret: ns/ca}}',
  ],
  ['Role', 'rules: [{resources: [secrets, serviceaccounts/token], resourceNames: [web-token], verbs: [get]}]'],
  [
    'Certificate',
    'spec: {secretName: web-tls, secretTemplate: {labels: {a: b}, annotations: {c: d}}, privateKey: {algorithm: ECDSA, size: 256, encoding: PKCS8, rotationPolicy: Always}}',
  ],
  ['Certificate', 'spec: {keystores: {pkcs12: {create: true, passwordSecretRef: {name: a, key: password}}}}'],
  [
    'Issuer',
    'spec: {acme: {privateKeySecretRef: {name: le-account, key: tls.key}, externalAccountBinding: {keyID: abc, keySecretRef: {name: eab, key: secret}, keyAlgorithm: HS256}}}',
  ],
  [
    'ClusterIssuer',
    'spec: {vault: {auth: {kubernetes: {role: r, mountPath: /v1/auth/kubernetes, serviceAccountRef: {name: sa}}, appRole: {path: approle, roleId: x, secretRef: {name: s, key: k}}, tokenSecretRef: {name: a, key: token}}}}',
  ],
  ['KubeadmConfig', 'spec: {initConfiguration: {bootstrapTokens: [{ttl: 24h, usages: [signing], groups: [g]}]}}'],
  [
    'KubeadmConfig',
    'spec: {joinConfiguration: {discovery: {bootstrapToken: {apiServerEndpoint: "a:6443", caCertHashes: ["sha256:ab"], unsafeSkipCAVerification: true}}}}',
  ],
  [
    'KubeadmConfig',
    'spec: {files: [{path: /etc/secret.yaml, contentFrom: {secret: {name: f, key: content}}}], users: [{name: u, lockPassword: true, passwdFrom: {secret: {name: p, key: hash}}}]}',
  ],
  [
    'KubeadmControlPlane',
    'spec: {clusterConfiguration: {apiServer: {extraArgs: {authentication-token-webhook: "true", enable-bootstrap-token-auth: "true", service-account-key-file: /etc/k}}}}',
  ],
  [
    'AWSMachineTemplate',
    'spec: {cloudInit: {secretCount: 3, secretPrefix: aws.cluster, secureSecretsBackend: ssm-parameter-store}, instanceMetadataOptions: {httpTokens: required}}',
  ],
  ['AzureClusterIdentity', 'spec: {clientID: x, clientSecret: {name: s, namespace: n}}'],
  ['HetznerCluster', 'spec: {hetznerSecretRef: {name: h, key: {hcloudToken: hcloud}}, sshKeys: {hcloud: [{name: k}]}}'],
  ['OpenStackMachineTemplate', 'spec: {sshKeyName: admin, identityRef: {name: a, cloudName: b}}'],
  [
    'Kustomization',
    'spec: {decryption: {provider: sops, secretRef: {name: age}}, kubeConfig: {secretRef: {name: k, key: value}}}',
  ],
  [
    'ExternalSecret',
    'spec: {secretStoreRef: {name: vault}, target: {name: db, creationPolicy: Owner}, data: [{secretKey: password, remoteRef: {key: kv/db, property: password, version: "1"}}], dataFrom: [{extract: {key: kv/all}}]}',
  ],
  [
    'SecretStore',
    'spec: {provider: {vault: {path: kv, auth: {kubernetes: {mountPath: kubernetes, role: r, serviceAccountRef: {name: a}}}}}}',
  ],
  [
    'ServiceMonitor',
    'spec: {endpoints: [{bearerTokenSecret: {name: a, key: token}, basicAuth: {username: {name: a, key: user}, password: {name: a, key: password}}, authorization: {type: Bearer, credentials: {name: a, key: t}}}]}',
  ],
  [
    'Thing',
    'spec: {tokenTTL: 1h, tokenLifetime: 1h, tokenExpiry: 1h, tokenMaxAge: 60, maxTokens: 100, tokenExpirationSeconds: 60, passwordPolicy: {minLength: 12}, passwordMinLength: 8, tokenAudience: a, secretType: Opaque}',
  ],
]

describe('is shown as it is:', () => {
  test.each(shown)('%s %s', (kind, text) => {
    expect(hideInObject(kind, read(text))).toEqual(read(text))
  })
})

/** `hunter2a` is a secret; everything beside it is shown. */
const hidden: readonly (readonly [string, string])[] = [
  ['Pod', 'spec: {containers: [{name: c, env: [{name: DB_PASSWORD, value: hunter2a}]}]}'],
  ['Thing', 'spec: {serviceAccountToken: hunter2a}'],
  ['Thing', 'spec: {serviceAccountToken: {value: hunter2a, audience: a}}'],
  ['Thing', 'spec: {tokenRequests: [{token: hunter2a}]}'],
  ['Thing', 'spec: {imagePullSecrets: [hunter2a]}'],
  ['Thing', 'spec: {imagePullSecrets: [{name: a, password: hunter2a}]}'],
  ['Thing', 'spec: {secrets: [{name: hunter2a}]}'],
  ['Thing', 'spec: {secret: {name: hunter2a}}'],
  ['Thing', 'spec: {privateKey: hunter2a}'],
  ['Thing', 'spec: {privateKey: {algorithm: RSA, data: hunter2a}}'],
  ['Thing', 'spec: {password: {key: hunter2a}}'],
  ['Thing', 'spec: {auth: {kubernetes: {role: hunter2a}}}'],
  ['Thing', 'data: {secretKey: hunter2a}'],
  ['Thing', 'metadata: {annotations: {example.com/auth-secret: hunter2a}}'],
  ['KubeadmConfig', 'spec: {initConfiguration: {bootstrapTokens: [{token: hunter2a, ttl: 24h}]}}'],
  [
    'KubeadmConfig',
    'spec: {joinConfiguration: {discovery: {bootstrapToken: {token: hunter2a, apiServerEndpoint: "a:1"}}}}',
  ],
  ['KubeadmConfig', 'spec: {users: [{name: u, passwd: hunter2a}]}'],
  ['Issuer', 'spec: {vault: {auth: {token: hunter2a}}}'],
  ['AzureClusterIdentity', 'spec: {clientSecret: hunter2a}'],
  ['ServiceMonitor', 'spec: {endpoints: [{basicAuth: {password: hunter2a}}]}'],
  ['EncryptionConfiguration', 'resources: [{providers: [{aescbc: {keys: [{secret: hunter2a}]}}]}]'],
]

describe('is hidden, with nothing beside it:', () => {
  test.each(hidden)('%s %s', (kind, text) => {
    expect(hideInObject(kind, read(text))).toEqual(read(text.replace('hunter2a', '"********"')))
  })
})

test('everything in a Secret is hidden, also what other kinds have by that name', () => {
  const object = read('stringData: {serviceAccountToken: {audience: hunter2a}, annotations: hunter2b, on: "no"}')
  expect(JSON.stringify([...hideInObject('Secret', object)])).not.toMatch(/hunter/)
})

test('a field is known by its path, too', () => {
  const path = [
    'spec',
    'volumes',
    { key: 'name', value: 't' },
    'projected',
    'sources',
    0,
    'serviceAccountToken',
    'path',
  ]
  const change = { path, before: 'a', after: 'b' }
  expect(hideSecrets('Pod', [change])).toEqual([change])
})

test.each([
  'volumes:\n  - projected:\n      sources:\n        - serviceAccountToken:\n            audience: vault-one\n            path: token-two\n',
  '{"sources":[{"serviceAccountToken":{"audience":"vault-one","path":"token-two"}}]}',
  'privateKey:\n  algorithm: ECDSA-one\n  rotationPolicy: Always-one\n',
  'imagePullSecrets:\n  - name: regcred-one\n',
  '{"imagePullSecrets":[{"name":"regcred-one"}]}',
])('nor does it make a word secret elsewhere: %j', (text) => {
  const masks = new MaskTexts()
  collectSecretTexts(text, (secret) => {
    masks.add(secret)
  })
  expect(masks.mask(text, 'strict')).toBe(text)
})
