import { encodeBase64 } from '../../codec/bytes/base64.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { Credentials } from '../../model/credentials.ts'
import type { Environment } from '../../model/ports.ts'
import { Secret } from '../../model/secret.ts'
import type { Span } from '../../model/source.ts'
import { comparedHost, type Reached } from '../transport/compared-address.ts'
import { credentialsProblem } from './credentials-problem.ts'

/** For which server. */
export interface OperatorRequest {
  /** `host[:port]`, as hosts are compared. */
  readonly host: string
  readonly reached: Reached
  readonly kind: 'registry' | 'github'
  readonly at: Span | undefined
}

/**
 * Reads the variables that the cluster stack operator and csctl read (cluster-stack-operator, pkg/assetsclient), and
 * for GitHub those of its own programs. They say for which server they are, and are shown to no other: OCI_* to the
 * host of OCI_REGISTRY or OCI_REPOSITORY, the others to github.com.
 * @throws StackmasonError FETCH_CREDENTIALS when half a pair is set
 */
export function readOperatorVariables(request: OperatorRequest, environment: Environment): Credentials | undefined {
  const get = (name: string): string => environment.get(name)?.trim() ?? ''
  if (request.kind === 'github') {
    const isGitHub = request.host === 'github.com' || request.host === 'api.github.com'
    // where CI runs on another forge, this one is the token of that forge
    const isOther = get('GITHUB_SERVER_URL') !== '' && hostOf(get('GITHUB_SERVER_URL')) !== 'github.com'
    const names = ['GIT_ACCESS_TOKEN', ...(isOther ? [] : ['GITHUB_TOKEN']), 'GH_TOKEN']
    const token = names.map(get).find((value) => value !== '')
    return isGitHub && token !== undefined ? { type: 'bearer', token: new Secret(token) } : undefined
  }
  const hosts = ['OCI_REGISTRY', 'OCI_REPOSITORY'].map((name) => comparedHost(hostOf(get(name)), request.reached))
  if (!hosts.includes(request.host)) return undefined
  const token = get('OCI_ACCESS_TOKEN')
  // as the operator sends it
  if (token !== '') return { type: 'bearer', token: new Secret(encodeBase64(encodeUtf8(token))) }
  const username = get('OCI_USERNAME')
  const password = get('OCI_PASSWORD')
  if ((username === '') !== (password === '')) {
    const [set, unset] = username === '' ? ['OCI_PASSWORD', 'OCI_USERNAME'] : ['OCI_USERNAME', 'OCI_PASSWORD']
    throw credentialsProblem({
      message: `the variable ${set} is set, but ${unset} is not`,
      hint: `Set ${unset} too, or unset ${set}.`,
      at: request.at,
    })
  }
  return username === '' ? undefined : { type: 'basic', username, password: new Secret(password) }
}

/** The host of `[scheme://]host[:port][/path]`; '' for a path alone, which starts with no host name. */
function hostOf(address: string): string {
  const [first = ''] = address.replace(/^[a-z+]+:\/\//i, '').split('/')
  return /[.:]|^localhost$/.test(first) ? first.toLowerCase() : ''
}
