import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { fieldOf } from './kube-client.ts'
import { makeWebCertificates } from './web-certificates.ts'

/** How a webhook behaves. */
export interface WebhookFate {
  /** It answers nothing, and closes connections. */
  readonly isDown?: boolean
  /** Milliseconds before it answers. */
  readonly delay?: number
  /** Names of objects that it refuses. */
  readonly refused?: readonly string[]
  /** With which status admission refuses them; 403 without. */
  readonly status?: number
}

/** A webhook that converts objects by their apiVersion alone, and one that admits writes. */
export interface ConversionWebhook {
  /** `spec.conversion` of a definition. */
  readonly conversion: object
  /** `clientConfig` of an admission webhook. */
  readonly admission: object
  /** From now on. */
  readonly become: (fate: WebhookFate) => void
  readonly close: () => Promise<void>
}

/** Starts one on a free port of this machine. */
export async function startConversionWebhook(): Promise<ConversionWebhook> {
  const { ca, server: pair } = makeWebCertificates()
  let fate: WebhookFate = {}
  const server = createServer({ cert: pair.cert, key: pair.key }, (request, response) => {
    const answer = async (): Promise<void> => {
      const chunks: Uint8Array[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { isDown = false, delay = 0, refused = [], status = 403 } = fate
      if (isDown) {
        request.socket.destroy()
        return
      }
      if (delay > 0) await setTimeout(delay)
      const review: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      const answered =
        request.url?.startsWith('/admit') === true ? admit(review, { refused, status }) : convert(review, refused)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answered))
    }
    answer().catch(() => {
      request.socket.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const clientConfig = (path: string): object => ({
    url: `https://localhost:${String(port)}${path}`,
    caBundle: Buffer.from(ca).toString('base64'),
  })
  return {
    conversion: {
      strategy: 'Webhook',
      webhook: { clientConfig: clientConfig('/convert'), conversionReviewVersions: ['v1'] },
    },
    admission: clientConfig('/admit'),
    become: (given) => {
      fate = given
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function convert(review: unknown, refused: readonly string[]): object {
  const objects: readonly unknown[] = [fieldOf(review, 'request.objects')].flat()
  const wanted = fieldOf(review, 'request.desiredAPIVersion')
  const bad = objects.find((object) => refused.includes(String(fieldOf(object, 'metadata.name'))))
  const result =
    bad === undefined
      ? { status: 'Success' }
      : { status: 'Failed', message: `no idea of password ${String(fieldOf(bad, 'spec.password'))}` }
  const convertedObjects = objects.map((object) => Object.assign({}, object, { apiVersion: wanted }))
  const response = { uid: fieldOf(review, 'request.uid'), result, ...(bad === undefined && { convertedObjects }) }
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response }
}

function admit(
  review: unknown,
  { refused, status: code }: { readonly refused: readonly string[]; readonly status: number },
): object {
  const name = String(fieldOf(review, 'request.name'))
  const allowed = !refused.includes(name)
  const message = `password ${String(fieldOf(review, 'request.object.spec.password'))} is weak`
  // as one passes on what a server has told it of another object of the name
  const status = { code, message, details: { name, group: fieldOf(review, 'request.resource.group'), kind: 'classes' } }
  const response = { uid: fieldOf(review, 'request.uid'), allowed, ...(!allowed && { status }) }
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }
}
