import { describe, expect, test } from 'vitest'
import { KubeconfigError, parseKubeconfig } from '../../../src/kube/kubeconfig/workload-kubeconfig.ts'
import { base64, kubeconfig, pems } from '../../controller/workload-cluster/kubeconfigs.ts'

const certificate = { 'client-certificate-data': base64(pems.cert), 'client-key-data': base64(pems.key) }
const authority = { 'certificate-authority-data': base64(pems.ca) }
const CANARY = 'canary-4711'

const read: readonly { readonly name: string; readonly text: string; readonly want: object }[] = [
  {
    name: 'of the kubeadm control plane: certificates inside',
    text: `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${base64(pems.ca)}
    server: https://192.0.2.1:6443
  name: web
contexts:
- context:
    cluster: web
    user: web-admin
  name: web-admin@web
current-context: web-admin@web
kind: Config
users:
- name: web-admin
  user:
    client-certificate-data: ${base64(pems.cert)}
    client-key-data: ${base64(pems.key)}
`,
    want: {
      url: 'https://192.0.2.1:6443',
      certificateAuthorities: pems.ca,
      clientCertificate: { cert: pems.cert, key: pems.key },
    },
  },
  {
    name: 'of a managed control plane: a token',
    text: kubeconfig({ cluster: authority, user: { token: 'k8s-aws-v1.aHR0cHM' } }),
    want: { url: 'https://192.0.2.1:6443', certificateAuthorities: pems.ca, token: 'k8s-aws-v1.aHR0cHM' },
  },
  {
    name: 'a token with a line feed behind it',
    text: kubeconfig({ user: { token: 'abc\n' } }),
    want: { url: 'https://192.0.2.1:6443', token: 'abc' },
  },
  {
    name: 'certificate and token',
    text: kubeconfig({ user: { token: 'abc', ...certificate } }),
    want: {
      url: 'https://192.0.2.1:6443',
      token: 'abc',
      clientCertificate: { cert: pems.cert, key: pems.key },
    },
  },
  {
    name: 'the name of the certificate',
    text: kubeconfig({ cluster: { 'tls-server-name': 'web.example' }, user: certificate }),
    want: {
      url: 'https://192.0.2.1:6443',
      serverName: 'web.example',
      clientCertificate: { cert: pems.cert, key: pems.key },
    },
  },
  {
    name: 'a proxy, and a path before all others',
    text: kubeconfig({
      cluster: { server: 'https://rancher.example/k8s/clusters/c-1', 'proxy-url': 'http://a:b@proxy.example:3128' },
      user: { token: 'abc' },
    }),
    want: { url: 'https://rancher.example/k8s/clusters/c-1', proxy: 'http://a:b@proxy.example:3128', token: 'abc' },
  },
  {
    name: 'empty fields, as some programs write them',
    text: kubeconfig({
      cluster: {
        'certificate-authority': '',
        'insecure-skip-tls-verify': false,
        'proxy-url': '',
        'tls-server-name': '',
      },
      user: { token: 'abc', exec: null, 'client-certificate-data': '', username: '' },
    }),
    want: { url: 'https://192.0.2.1:6443', token: 'abc' },
  },
]

const pod = 'would read a file of the pod of the controller'
const refused: readonly { readonly name: string; readonly text: string; readonly want: string }[] = [
  ...[
    {
      field: 'exec',
      value: { apiVersion: 'client.authentication.k8s.io/v1', command: CANARY },
      why: 'would run a program in the pod of the controller',
    },
    { field: 'auth-provider', value: { name: CANARY }, why: 'would run a plugin in the controller' },
    { field: 'tokenFile', value: `/${CANARY}`, why: pod },
    { field: 'client-certificate', value: `/${CANARY}`, why: pod },
    { field: 'client-key', value: `/${CANARY}`, why: pod },
    { field: 'password', value: CANARY, why: 'is of a login that API servers no longer have' },
    { field: 'as', value: CANARY, why: 'would act as somebody else' },
    { field: 'as-groups', value: [CANARY], why: 'would act as somebody else' },
  ].map(({ field, value, why }) => ({
    name: field,
    text: kubeconfig({ user: { ...certificate, token: 'abc', [field]: value } }),
    want: `user.${field} ${why}`,
  })),
  {
    name: 'an authority in a file',
    text: kubeconfig({ cluster: { ...authority, 'certificate-authority': `/${CANARY}` }, user: certificate }),
    want: `cluster.certificate-authority ${pod}`,
  },
  {
    name: 'no verification',
    text: kubeconfig({ cluster: { 'insecure-skip-tls-verify': true }, user: certificate }),
    want: 'cluster.insecure-skip-tls-verify would give Secrets to whoever answers',
  },
  {
    name: 'no verification, said with other words',
    text: kubeconfig({ cluster: { 'insecure-skip-tls-verify': 'true' }, user: certificate }),
    want: 'cluster.insecure-skip-tls-verify would give Secrets to whoever answers',
  },
  {
    name: 'plain HTTP',
    text: kubeconfig({ cluster: { server: `http://${CANARY}` }, user: certificate }),
    want: 'cluster.server must begin with https:// : Secrets go there',
  },
  {
    name: 'a password in the address',
    text: kubeconfig({ cluster: { server: `https://a:${CANARY}@x` }, user: certificate }),
    want: 'cluster.server must not hold a user or a password',
  },
  {
    name: 'a query in the address',
    text: kubeconfig({ cluster: { server: `https://x/?${CANARY}` }, user: certificate }),
    want: 'cluster.server must not hold a query',
  },
  {
    name: 'no server',
    text: kubeconfig({ cluster: { server: '' }, user: certificate }),
    want: 'cluster.server is missing',
  },
  {
    name: 'a server that is a list',
    text: kubeconfig({ cluster: { server: [CANARY] }, user: certificate }),
    want: 'cluster.server is no text',
  },
  {
    name: 'another kind of proxy',
    text: kubeconfig({ cluster: { 'proxy-url': `socks5://${CANARY}` }, user: certificate }),
    want: 'cluster.proxy-url must begin with http:// or https://',
  },
  {
    name: 'a proxy with a password that is none',
    text: kubeconfig({ cluster: { 'proxy-url': `http://a:%zz${CANARY}@x` }, user: certificate }),
    want: 'cluster.proxy-url holds a user or a password that cannot be read',
  },
  {
    name: 'another header in the token',
    text: kubeconfig({ user: { token: `abc\r\nx: ${CANARY}` } }),
    want: 'user.token has characters that do not belong there, or too many',
  },
  {
    name: 'a certificate without a key',
    text: kubeconfig({ user: { 'client-certificate-data': base64(pems.cert) } }),
    want: 'user.client-certificate-data and user.client-key-data belong together',
  },
  {
    name: 'a key that is none',
    text: kubeconfig({ user: { ...certificate, 'client-key-data': base64(CANARY) } }),
    want: 'user.client-key-data is no private key in PEM, in base64',
  },
  {
    name: 'an authority that is not in base64',
    text: kubeconfig({ cluster: { 'certificate-authority-data': pems.ca }, user: certificate }),
    want: 'cluster.certificate-authority-data is no certificate in PEM, in base64',
  },
  { name: 'nobody', text: kubeconfig({}), want: 'its user has neither a certificate nor a token' },
  {
    name: 'no current context',
    text: kubeconfig({}, { 'current-context': '' }),
    want: 'nothing says which of contexts is meant',
  },
  {
    name: 'another context',
    text: kubeconfig({}, { 'current-context': CANARY }),
    want: 'what it names is not among its contexts',
  },
  {
    name: 'what all objects have',
    text: kubeconfig({}, { 'current-context': 'constructor', contexts: { constructor: {} } }),
    want: 'what it names is not among its contexts',
  },
  {
    name: 'two of one name',
    text: kubeconfig(
      {},
      {
        users: [
          { name: 'web-admin', user: { token: 'a' } },
          { name: 'web-admin', user: { token: 'b' } },
        ],
      },
    ),
    want: 'what it names is among its users more than once',
  },
  { name: 'no YAML', text: `{ ${CANARY}: [`, want: 'it is no YAML' },
  { name: 'text', text: CANARY, want: 'nothing says which of contexts is meant' },
  { name: 'nothing', text: '', want: 'nothing says which of contexts is meant' },
  { name: 'too much', text: `# ${'x'.repeat(262_144)}`, want: 'it is too long' },
]

describe('a kubeconfig of Cluster API', () => {
  test.each(read)('$name', ({ text, want }) => {
    expect(parseKubeconfig(text)).toEqual(want)
  })

  test.each(refused)('is refused: $name', ({ text, want }) => {
    let found: unknown
    try {
      found = parseKubeconfig(text)
    } catch (error) {
      found = error
    }
    expect(found).toEqual(new KubeconfigError(want))
    expect(String(found)).not.toContain(CANARY)
  })
})
