import { StackmasonError } from '../../model/diagnostic.ts'
import type { Credentials } from '../../model/credentials.ts'
import { fileProblem } from '../../model/file-problem.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import type { Span } from '../../model/source.ts'
import type { Dict } from '../../model/value.ts'
import {
  findKey,
  helperServer,
  parseCredentialDocument,
  readEntry,
  textOf,
  type ServerNames,
} from './credential-document.ts'
import { credentialFiles, type CredentialFile } from './credential-files.ts'
import { credentialsProblem } from './credentials-problem.ts'

/** For which registry. */
export interface StoredRequest extends ServerNames {
  readonly at: Span | undefined
}

type StoredPorts = Pick<Ports, 'files' | 'environment' | 'credentialHelpers'>

/**
 * Looks into the files of credentials, and asks the helpers that they name.
 * @throws StackmasonError FETCH_CREDENTIALS
 */
export async function readStoredCredentials(
  request: StoredRequest,
  ports: StoredPorts,
): Promise<Credentials | undefined> {
  for (const file of credentialFiles(ports.environment)) {
    const document = await readDocument(file, request, ports)
    const found = document === undefined ? undefined : await searchDocument(document, { file, request, ports })
    if (found !== undefined) return found
  }
  return undefined
}

async function readDocument(
  { path, isNamed }: CredentialFile,
  { at }: StoredRequest,
  { files }: StoredPorts,
): Promise<Dict | undefined> {
  let bytes: Uint8Array
  try {
    bytes = await files.read(path)
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    if (error.reason === 'not-found' && !isNamed) return undefined
    const message = `the file with credentials for registries cannot be read: ${fileProblem(error).reason}`
    const hint = isNamed
      ? 'Check the variable REGISTRY_AUTH_FILE, which names it.'
      : 'Check its permissions, or name another folder with DOCKER_CONFIG.'
    throw credentialsProblem({ message, hint, at, file: path, cause: error })
  }
  const document = parseCredentialDocument(bytes)
  if (document !== undefined) return document
  throw credentialsProblem({
    message: 'the file with credentials for registries is not a JSON object',
    hint: 'Repair or remove it, and log in again.',
    at,
    file: path,
  })
}

interface Search {
  readonly file: CredentialFile
  readonly request: StoredRequest
  readonly ports: StoredPorts
}

/** A helper for this server, then the helper for all, then what the file itself holds. */
async function searchDocument(document: Dict, { file, request, ports }: Search): Promise<Credentials | undefined> {
  const helpers = document.get('credHelpers')
  const helperKey = findKey(helpers, request)
  const names = [helperKey === undefined ? '' : textOf(helpers, helperKey), textOf(document, 'credsStore')]
  for (const helper of new Set(names)) {
    const found = helper === '' ? undefined : await askHelper(helper, { file, request, ports })
    if (found !== undefined) return found
  }
  const entries = document.get('auths')
  const key = findKey(entries, request)
  const entry = key === undefined || !(entries instanceof Map) ? undefined : readEntry(entries.get(key))
  if (entry !== 'damaged') return entry
  throw credentialsProblem({
    message: `the entry for ${request.host} in the file with credentials cannot be read: "auth" is not user:password in base64`,
    hint: `Log in to ${request.host} again.`,
    at: request.at,
    file: file.path,
  })
}

async function askHelper(helper: string, { file, request, ports }: Search): Promise<Credentials | undefined> {
  const server = helperServer(request)
  let answer: Awaited<ReturnType<StoredPorts['credentialHelpers']['get']>>
  try {
    answer = await ports.credentialHelpers.get(helper, server)
  } catch (error) {
    if (!(error instanceof Error) || error instanceof StackmasonError) throw error
    throw credentialsProblem({
      message: `the credential helper for ${request.host} failed: ${error.message}`,
      hint: 'Install or repair the helper, or take it out of the file, which names it under credHelpers or credsStore.',
      at: request.at,
      file: file.path,
      cause: error,
    })
  }
  if (answer === undefined || answer.secret.reveal() === '') return undefined
  // Docker's protocol for what is a token and not a password (docker/docker-credential-helpers, README)
  return answer.username === '<token>'
    ? { type: 'identityToken', token: answer.secret }
    : { type: 'basic', username: answer.username, password: answer.secret }
}
