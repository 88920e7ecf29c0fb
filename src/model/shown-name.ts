import { dnsSubdomain } from './kubernetes-names.ts'
import { tokenPattern } from './token.ts'

/** Roles, API services and the like: `system:node-proxier`. */
const FREE_NAME = /^[a-z0-9](?:[-a-z0-9:._]*[a-z0-9])?$/
const KIND = /^[A-Z][A-Za-z0-9]{0,62}$/
const KEY = /^[A-Za-z0-9._/-]{1,253}$/
const API_VERSION = /^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/)?v[0-9]{1,9}(?:(?:alpha|beta)[0-9]{1,9})?$/

/**
 * A name that a template gave, as messages show it. It may come from any value, also one that ended up there by
 * mistake: a name that no API server would take is not shown. Why those that it takes are: docs/decisions/0022.
 */
export function shownName(name: string): string {
  const known = withoutTokens(name)
  return known === '' || dnsSubdomain.allows(known) || FREE_NAME.test(known) ? name : `<name of ${size(name)}>`
}

/** A kind that a template gave, as messages show it. */
export function shownKind(kind: string): string {
  return KIND.test(withoutTokens(kind)) ? kind : `<kind of ${size(kind)}>`
}

/** An apiVersion that a template gave, as messages show it. */
export function shownApiVersion(apiVersion: string): string {
  return API_VERSION.test(withoutTokens(apiVersion)) ? apiVersion : `<apiVersion of ${size(apiVersion)}>`
}

/**
 * A key of a map that a template gave, as messages show it: keys say where something stands, so that those of any
 * object are shown.
 */
export function shownKey(key: string): string {
  return KEY.test(key) ? `"${key}"` : `of ${size(key)}`
}

/** `Deployment kube-system/metrics-server` */
export function shownObject({
  kind,
  namespace,
  name,
}: {
  readonly kind: string
  readonly namespace: string | undefined
  readonly name: string
}): string {
  const place = namespace === undefined || namespace === '' ? '' : `${shownName(namespace)}/`
  return `${shownKind(kind)} ${place}${shownName(name)}`
}

/** Placeholders of values known later hold no data; they are named where the message is made. */
function withoutTokens(text: string): string {
  return text.replace(tokenPattern(), 'x')
}

function size(text: string): string {
  return `${String(text.length)} character${text.length === 1 ? '' : 's'}`
}
