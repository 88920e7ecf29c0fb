import { normalizePath, relativePath, resolvePath, withoutTrailingSlashes } from '../../codec/path.ts'
import { fieldAt, itemsAt, textAt, type PathStep } from '../../model/field.ts'
import type { CredentialVariables, ServerAccess } from '../../model/credentials.ts'
import type { ChartRepository, SourceConfig } from '../../model/fleet.ts'
import type { Value } from '../../model/value.ts'
import { comparedAddress } from '../../network/transport/compared-address.ts'
import type { ConfigDocument } from './config-document.ts'
import { noteDuplicates } from './note-duplicates.ts'
import type { Reading } from './reading.ts'
import { formatPath, quote } from './schema-diagnostic.ts'

/** A map of the document, and where it stands. */
export interface Place {
  readonly value: Value
  readonly path: readonly PathStep[]
  readonly document: ConfigDocument
  readonly reading: Reading
}

/** `spec.sources`, checked by the schema before; files and folders that are not there are noted as problems. */
export async function readSources(document: ConfigDocument, reading: Reading): Promise<readonly SourceConfig[]> {
  const sources: SourceConfig[] = []
  for (const [index, value] of itemsAt(document.value, 'spec', 'sources').entries()) {
    sources.push(await readSource({ value, path: ['spec', 'sources', index], document, reading }))
  }
  noteDuplicates(sources, (source) => source.name, { reading, describe: (source) => `the source "${source.name}"` })
  return sources
}

async function readSource({ value, path, document, reading }: Place): Promise<SourceConfig> {
  const identity = { name: textAt(value, 'name'), at: document.spanOf([...path, 'name']) }
  const below = (type: SourceConfig['type']): Place => ({
    value: fieldAt(value, type) ?? null,
    path: [...path, type],
    document,
    reading,
  })
  if (fieldAt(value, 'git') !== undefined) {
    const place = below('git')
    const url = textAt(place.value, 'url')
    const ref = optionalText('ref', place)
    return {
      ...identity,
      type: 'git',
      url,
      ref,
      path: readRepositoryPath(place),
      ...optionalVersion(place),
      ...(await readAccess(place, [url])),
    }
  }
  if (fieldAt(value, 'github') !== undefined) {
    const place = below('github')
    const apiUrl = withoutSlash(textAt(place.value, 'apiUrl') || 'https://api.github.com')
    return {
      ...identity,
      type: 'github',
      owner: textAt(place.value, 'owner'),
      repository: textAt(place.value, 'repository'),
      apiUrl,
      ...(await readAccess(place, [apiUrl])),
    }
  }
  if (fieldAt(value, 'oci') !== undefined) {
    const place = below('oci')
    const repository = optionalText('repository', place)
    return {
      ...identity,
      type: 'oci',
      repository,
      ...(repository !== undefined && { repositoryAt: document.spanOf([...place.path, 'repository']) }),
      publicKeys: await readPublicKeys(place),
      ...(await readAccess(place, [])),
    }
  }
  if (fieldAt(value, 'http') !== undefined) {
    const place = below('http')
    const url = withoutSlash(textAt(place.value, 'url'))
    return { ...identity, type: 'http', url, ...(await readAccess(place, [url])) }
  }
  const type = fieldAt(value, 'directory') === undefined ? 'providerDirectory' : 'directory'
  const place = below(type)
  const folder = resolvePath(reading.root, textAt(place.value, 'path'))
  await checkPath(folder, 'directory', { ...place, path: [...place.path, 'path'] })
  return type === 'directory'
    ? { ...identity, type, path: folder }
    : { ...identity, type, path: folder, ...optionalVersion(place) }
}

/** `spec.chartRepositories`, checked by the schema before. */
export async function readChartRepositories(
  document: ConfigDocument,
  reading: Reading,
): Promise<readonly ChartRepository[]> {
  const repositories: ChartRepository[] = []
  for (const [index, value] of itemsAt(document.value, 'spec', 'chartRepositories').entries()) {
    const path: readonly PathStep[] = ['spec', 'chartRepositories', index]
    const place = { value, path, document, reading }
    const mirror = optionalText('mirror', place)
    const url = withoutSlash(textAt(value, 'url'))
    const publicKeys = await readPublicKeys(place)
    if (publicKeys.length > 0 && !/^oci:/i.test(mirror ?? url)) {
      reading.problems.push({
        code: 'CONFIG_CONFLICT',
        severity: 'error',
        message: `${formatPath([...path, 'publicKeys'])}: signatures of cosign are kept in registries, and ${quote(mirror ?? url)} is none`,
        at: document.spanOf([...path, 'publicKeys'], 'key'),
        hint: 'Take the charts from an oci:// address, or leave publicKeys out: the digests in stackmason.lock keep what was reviewed.',
      })
    }
    repositories.push({
      url,
      publicKeys,
      mirror: mirror === undefined ? undefined : withoutSlash(mirror),
      ...(await readAccess(place, [mirror ?? url])),
      at: document.spanOf([...path, 'url']),
    })
  }
  noteDuplicates(repositories, ({ url, plainHttp }) => comparedAddress(url, plainHttp ? 'http' : 'https'), {
    reading,
    describe: ({ url }) => `the chart repository ${quote(url)}`,
  })
  return repositories
}

/** How a server is reached; http without TLS is noted as a problem for each URL, unless that is allowed. */
export async function readAccess(place: Place, urls: readonly string[]): Promise<ServerAccess> {
  const { value, path, document, reading } = place
  const plainHttp = fieldAt(value, 'plainHttp') === true
  const credentials = readCredentials(place)
  const caFile = await readFilePath('caFile', place)
  for (const url of urls) {
    if (plainHttp || !url.startsWith('http://')) continue
    reading.problems.push({
      code: 'FETCH_PLAIN_HTTP',
      severity: 'error',
      message: `${formatPath(path)}: ${quote(url)} uses http without TLS`,
      at: document.spanOf(path),
      hint: 'Write https, or set plainHttp: true there if the server offers nothing else.',
    })
  }
  return {
    plainHttp,
    caFile,
    credentials,
  }
}

function readCredentials(place: Place): CredentialVariables | undefined {
  const from = fieldAt(place.value, 'credentialsFrom')
  if (from === undefined) return undefined
  const token = textAt(from, 'token')
  return token === '' ? { username: textAt(from, 'username'), password: textAt(from, 'password') } : { token }
}

async function readPublicKeys(place: Place): Promise<readonly string[]> {
  const keys: string[] = []
  for (const [index, key] of itemsAt(place.value, 'publicKeys').entries()) {
    const file = resolvePath(place.reading.root, typeof key === 'string' ? key : '')
    await checkPath(file, 'file', { ...place, path: [...place.path, 'publicKeys', index] })
    keys.push(file)
  }
  return keys
}

/** A folder inside the repository, without dots; `..` would leave it. */
function readRepositoryPath(place: Place): string {
  const { path, document, reading } = place
  const written = textAt(place.value, 'path')
  const folder = normalizePath(written)
  if (folder === '..' || folder.startsWith('../')) {
    reading.problems.push({
      code: 'CONFIG_INVALID_VALUE',
      severity: 'error',
      message: `${formatPath([...path, 'path'])}: ${quote(written)} leads out of the repository`,
      at: document.spanOf([...path, 'path']),
      hint: 'Write the path from the root of the repository.',
    })
  }
  return folder === '.' ? '' : folder.replace(/\/$/, '')
}

async function readFilePath(field: string, place: Place): Promise<string | undefined> {
  const written = optionalText(field, place)
  if (written === undefined) return undefined
  const file = resolvePath(place.reading.root, written)
  await checkPath(file, 'file', { ...place, path: [...place.path, field] })
  return file
}

/**
 * Checks a path that the fleet names; it may lie outside of the repository, so links are followed wherever they lead.
 */
async function checkPath(target: string, type: 'file' | 'directory', place: Place): Promise<void> {
  const { path, document, reading } = place
  const { files, root } = reading
  const isLink = (await files.stat(target))?.type === 'link'
  const stat = await files.stat(isLink ? await files.realPath(target) : target)
  if (stat?.type === type) return
  const problem = stat === undefined ? 'is not there' : `is not a ${type === 'file' ? 'file' : 'folder'}`
  reading.problems.push({
    code: 'CONFIG_REFERENCE',
    severity: 'error',
    message: `${formatPath(path)}: ${quote(relativePath(root, target))} ${problem}`,
    at: document.spanOf(path),
    hint: 'Paths are relative to stackmason.yaml.',
  })
}

function optionalText(field: string, { value }: Place): string | undefined {
  const text = textAt(value, field)
  return text === '' ? undefined : text
}

function optionalVersion(place: Place): { readonly version?: string } {
  const version = optionalText('version', place)
  return version === undefined ? {} : { version }
}

function withoutSlash(url: string): string {
  return withoutTrailingSlashes(url)
}
