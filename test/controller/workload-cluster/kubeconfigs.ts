import { makeWebCertificates } from '../../../tools/servers/web-certificates.ts'

const { ca, server } = makeWebCertificates()

/** What kubeconfigs of the tests hold, in PEM. */
export const pems: { readonly ca: string; readonly cert: string; readonly key: string } = {
  ca,
  cert: server.cert,
  key: server.key,
}

/** Text in base64. */
export function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** A kubeconfig with these fields of its cluster and user, and with what else it says. */
export function kubeconfig(
  { cluster = {}, user = {} }: { readonly cluster?: object; readonly user?: object },
  more: object = {},
): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    preferences: {},
    clusters: [
      { name: 'other', cluster: { server: 'https://other.example' } },
      { name: 'web', cluster: { server: 'https://192.0.2.1:6443', ...cluster } },
    ],
    users: [{ name: 'web-admin', user }],
    contexts: [{ name: 'web-admin@web', context: { cluster: 'web', user: 'web-admin' } }],
    'current-context': 'web-admin@web',
    ...more,
  })
}

/**
 * How a kubeconfig names an API server of the tests, which listens on this machine alone, by an address that the
 * controller tells Argo CD of: through a proxy that leads there.
 */
export function throughProxy({ host }: { readonly host: string }, server: string): object {
  return { server, 'proxy-url': `http://${host}`, 'tls-server-name': 'localhost' }
}
