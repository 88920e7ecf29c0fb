import { dnsSubdomain } from '../../model/kubernetes-names.ts'
import type { ValueRule } from '../schema/schema-node.ts'
import { ofText } from './rule-parts.ts'

/** True for a URL at which API servers ask a webhook. */
export function isWebhookUrl(url: string): boolean {
  const [, host = '', rest = ''] = /^https:\/\/([^/?#]*)(.*)$/is.exec(url) ?? []
  return host !== '' && !host.includes('@') && !/[?#]./s.test(rest) && !/[\s"<>\\^`{|}]/.test(host)
}

/** A path behind a Service: parts that could be names of objects. */
export const servicePath: ValueRule = ofText('a path such as /validate, its parts a-z, 0-9, - and .', (path) => {
  if (path === '' || path === '/') return true
  return (
    path.startsWith('/') &&
    path !== '//' &&
    path
      .slice(1)
      .replace(/\/$/, '')
      .split('/')
      .every((step) => dnsSubdomain.allows(step))
  )
})
