import { request } from 'node:https'
import { createInterface } from 'node:readline'
import type { Kube } from './kube.ts'
import type { KubeObject } from './kube-client.ts'

/** What an API server told of one object. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'ERROR'
  readonly object: KubeObject
}

/**
 * Follows what a path lists (`/api/v1/namespaces/kube-system/configmaps`): first all that is there, then every change
 * in its order, none left out. Returns what ends it.
 */
export function watchKube(kube: Kube, path: string, on: (event: WatchEvent) => void): () => void {
  const sent = request(`${kube.url}${path}?watch=1&timeoutSeconds=86400`, {
    ca: kube.ca,
    cert: kube.adminCert,
    key: kube.adminKey,
    agent: false,
  })
  sent.on('response', (response) => {
    // the server may die first when a test ends
    response.on('error', () => undefined)
    createInterface({ input: response })
      .on('error', () => undefined)
      .on('line', (line) => {
        on(JSON.parse(line) as WatchEvent)
      })
  })
  sent.on('error', () => undefined)
  sent.end()
  return () => {
    sent.destroy()
  }
}
