import { digestOf } from '../../codec/bytes/digest.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { ServerAccess } from '../../model/fleet.ts'
import type { HttpResponse } from '../../model/http.ts'
import type { Span } from '../../model/source.ts'
import { findCredentials } from '../credentials/find-credentials.ts'
import type { NetworkContext } from '../network-context.ts'
import { openTransport } from '../transport/open-transport.ts'
import {
  OCI_INDEX,
  manifestTypes,
  parseManifest,
  type OciDescriptor,
  type OciIndex,
  type OciManifest,
} from './manifest.ts'
import { createSession } from './registry-session.ts'
import {
  apiHost,
  canonicalName,
  formatReference,
  isDigest,
  isHostName,
  isRepositoryPath,
  isTag,
  type RepositoryName,
} from './repository-name.ts'
import { collectTags } from './tag-list.ts'
import { uploadBlob } from './upload-blob.ts'

/** Which repository of which registry, and how it is reached. */
export interface RegistryConfig extends ServerAccess {
  /** `host[:port]`; `docker.io` is understood. */
  readonly host: string
  /** Path without host, tag and digest: `kaas/cluster-stacks`. */
  readonly repository: string
  /** What errors point at. */
  readonly at?: Span
}

/** A manifest as the registry has it; the digest is that of `bytes`. */
export interface RegistryManifest {
  readonly digest: string
  readonly mediaType: string
  readonly manifest: OciManifest
  readonly bytes: Uint8Array
}

/** A manifest or index as the registry has it; exactly one of the two is set. */
export interface RegistryDocument {
  readonly digest: string
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly manifest?: OciManifest
  readonly index?: OciIndex
}

/** How much of a blob may come. */
export interface BlobOptions {
  /** What it is for, in messages: `the chart cilium`. */
  readonly purpose?: string
  /** As its descriptor says; another size is an error. */
  readonly size?: number
  /** A longer one is an error; 128 MiB when absent. */
  readonly maxBytes?: number
}

/** What became of a manifest that was pushed. */
export interface PushedManifest {
  /** Of what the registry has under the reference now. */
  readonly digest: string
  /** `exists`: with `ifAbsent`, something (equal or not: compare the digest) was there already and nothing was written. */
  readonly result: 'pushed' | 'exists'
}

/**
 * One repository of a registry (OCI distribution spec 1.1, Docker registry v2). What has a digest is taken from the cache first and
 * kept there. Everything throws StackmasonError FETCH_* and CACHE_FAILED.
 */
export interface Registry {
  readonly host: string
  readonly repository: string
  /** Every tag, as the registry orders them; undefined when it has no such repository. */
  readonly listTags: () => Promise<readonly string[] | undefined>
  /**
   * The image manifest of a tag or digest, undefined when there is none; an index is followed when it has one entry (digest and bytes are then those of
   * the index, so that they fit the reference) and refused otherwise.
   */
  readonly getManifest: (reference: string) => Promise<RegistryManifest | undefined>
  /** Like `getManifest`, for those who can use an index as well. */
  readonly getDocument: (reference: string) => Promise<RegistryDocument | undefined>
  /** What refers to a manifest: the referrers API, else its fallback tag `sha256-<hex>`; the first page of it. */
  readonly getReferrers: (digest: string) => Promise<readonly OciDescriptor[]>
  /** The bytes of a blob, checked. */
  readonly getBlob: (digest: string, options?: BlobOptions) => Promise<Uint8Array>
  /** Sends a blob unless the registry has it; gives its digest. */
  readonly pushBlob: (bytes: Uint8Array) => Promise<string>
  /**
   * Puts a manifest under a tag or digest. With `ifAbsent` an existing tag stays as it is; registries cannot do that atomically, so of two that push the
   * same new tag in the same moment the later one wins.
   */
  readonly pushManifest: (
    reference: string,
    bytes: Uint8Array,
    mediaType: string,
    options?: { readonly ifAbsent?: boolean },
  ) => Promise<PushedManifest>
}

const MAX_MANIFEST = 4 * 1024 * 1024
const MAX_ANSWER = 1024 * 1024
const MAX_BLOB = 128 * 1024 * 1024

/**
 * Opens a repository; nothing is asked of the registry yet. Credentials are looked up when it asks for them.
 * @throws StackmasonError FILE_UNREADABLE, FETCH_TLS for the file of certificate authorities; FETCH_INVALID for a name that is none
 */
export async function openRegistry(config: RegistryConfig, context: NetworkContext): Promise<Registry> {
  const { at } = config
  const { ports, cache, offline } = context
  const name: RepositoryName = { host: config.host, repository: config.repository }
  if (!isHostName(name.host) || !isRepositoryPath(name.repository)) {
    throw problem(
      'FETCH_INVALID',
      `${JSON.stringify(`${name.host}/${name.repository}`)} is no repository of a registry`,
    )
  }
  const server = canonicalName(name)
  const { origin } = new URL(`${config.plainHttp ? 'http' : 'https'}://${apiHost(server)}`)
  const url = `${origin}/v2/${server.repository}`
  const transport = await openTransport(config, { offline, ...(at !== undefined && { at }) }, ports)
  const session = createSession({
    name: { host: config.host, repository: server.repository },
    origin,
    at,
    transport,
    clock: ports.clock,
    findCredentials: () =>
      findCredentials(
        {
          ...name,
          kind: 'registry',
          ...(config.credentials !== undefined && { variables: config.credentials }),
          ...(at !== undefined && { at }),
        },
        ports,
      ),
  })

  function problem(code: Diagnostic['code'], message: string): StackmasonError {
    return new StackmasonError({ code, severity: 'error', message, ...(at !== undefined && { at }) })
  }

  function parse(bytes: Uint8Array, contentType: string, shown: string): Omit<RegistryDocument, 'digest'> {
    const outcome = parseManifest(bytes, contentType)
    if ('reason' in outcome) throw problem('FETCH_INVALID', `the manifest of ${shown} is not valid: ${outcome.reason}`)
    return { ...outcome.value, bytes }
  }

  async function getDocument(reference: string): Promise<RegistryDocument | undefined> {
    const shown = formatReference(name, reference)
    const pinned = isDigest(reference) ? reference : undefined
    if (pinned === undefined && !isTag(reference)) {
      throw problem('FETCH_INVALID', `${JSON.stringify(reference)} is neither a tag nor a sha256 digest of a registry`)
    }
    const known = pinned === undefined ? undefined : await cache.get(pinned)
    if (known !== undefined && pinned !== undefined) return { ...parse(known, '', shown), digest: pinned }
    const answer = await session.send({
      action: 'pull',
      challenge: 'answer',
      method: 'GET',
      url: `${url}/manifests/${reference}`,
      purpose: `the manifest of ${shown}`,
      headers: new Map([['accept', manifestTypes.join(', ')]]),
      maxBytes: MAX_MANIFEST,
      accept: [404],
      ...(pinned !== undefined && { digest: pinned }),
    })
    if (answer.status === 404) return undefined
    const document = parse(answer.body, mediaTypeOf(answer), shown)
    const digest = await cache.put(answer.body)
    const claimed = pinned ?? answer.headers.get('docker-content-digest') ?? digest
    if (isDigest(claimed) && claimed !== digest) {
      throw problem(
        'FETCH_DIGEST_MISMATCH',
        `the manifest of ${shown} has the digest ${digest}, and should have ${claimed}`,
      )
    }
    return { ...document, digest }
  }

  async function getManifest(reference: string): Promise<RegistryManifest | undefined> {
    const document = await getDocument(reference)
    if (document === undefined) return undefined
    const { digest, mediaType, manifest, index, bytes } = document
    if (manifest !== undefined) return { digest, mediaType, manifest, bytes }
    const [only, second] = index?.manifests ?? []
    const shown = formatReference(name, reference)
    if (only === undefined || second !== undefined) {
      const count = index?.manifests.length ?? 0
      throw problem('FETCH_INVALID', `${shown} is an index of ${count} manifests, and one is needed`)
    }
    const entry = await getDocument(only.digest)
    if (entry?.manifest === undefined) {
      throw problem('FETCH_INVALID', `${shown} is an index, and its only entry is no manifest that the registry has`)
    }
    return { digest, mediaType, manifest: entry.manifest, bytes }
  }

  async function getReferrers(digest: string): Promise<readonly OciDescriptor[]> {
    const shown = formatReference(name, digest)
    const answer = await session.send({
      action: 'pull',
      challenge: 'answer',
      method: 'GET',
      url: `${url}/referrers/${digest}`,
      purpose: `what refers to ${shown}`,
      maxBytes: MAX_MANIFEST,
      accept: [400, 404, 405],
    })
    const isList = answer.status === 200 && mediaTypeOf(answer) === OCI_INDEX
    const listed = isList ? parse(answer.body, mediaTypeOf(answer), shown) : undefined
    return (listed ?? (await getDocument(digest.replace(':', '-'))))?.index?.manifests ?? []
  }

  async function getBlob(digest: string, options: BlobOptions = {}): Promise<Uint8Array> {
    const { size, maxBytes = MAX_BLOB } = options
    const purpose = options.purpose ?? `the blob ${formatReference(name, digest)}`
    if (!isDigest(digest)) throw problem('FETCH_INVALID', `${purpose} has no sha256 digest`)
    if (size !== undefined && size > maxBytes) {
      throw problem('FETCH_TOO_LARGE', `${purpose} has ${size} bytes; at most ${maxBytes} are allowed`)
    }
    const known = await cache.get(digest)
    if (known === undefined) {
      const { body } = await session.send({
        action: 'pull',
        challenge: 'ping',
        method: 'GET',
        url: `${url}/blobs/${digest}`,
        purpose,
        maxBytes: size ?? maxBytes,
        digest,
        ...(size !== undefined && { size }),
      })
      const received = await cache.put(body)
      if (received === digest) return body
      throw problem('FETCH_DIGEST_MISMATCH', `${purpose} has the digest ${received}, and should have ${digest}`)
    }
    if (size !== undefined && known.length !== size) {
      throw problem('FETCH_INVALID', `${purpose} has ${known.length} bytes, and its manifest says ${size}`)
    }
    return known
  }

  async function listTags(): Promise<readonly string[] | undefined> {
    const shown = `${name.host}/${name.repository}`
    const tags = await collectTags(`${url}/tags/list`, async (page) => {
      const answer = await session.send({
        action: 'pull',
        challenge: 'answer',
        method: 'GET',
        url: page,
        purpose: `the tags of ${shown}`,
        maxBytes: MAX_MANIFEST,
        accept: [400, 404],
      })
      return answer.status === 404 ? undefined : answer
    })
    if ('value' in tags) return tags.value
    throw problem('FETCH_INVALID', `the tags of ${shown} cannot be read: ${tags.reason}`)
  }

  async function pushBlob(bytes: Uint8Array): Promise<string> {
    const digest = digestOf(bytes, ports.crypto)
    await uploadBlob(
      { repositoryUrl: url, digest, bytes, purpose: `a blob for ${name.host}/${name.repository}` },
      session,
    )
    return digest
  }

  async function pushManifest(
    reference: string,
    bytes: Uint8Array,
    mediaType: string,
    { ifAbsent = false }: { readonly ifAbsent?: boolean } = {},
  ): Promise<PushedManifest> {
    const existing = ifAbsent ? await getDocument(reference) : undefined
    if (existing !== undefined) return { digest: existing.digest, result: 'exists' }
    const digest = digestOf(bytes, ports.crypto)
    await session.send({
      action: 'push',
      challenge: 'answer',
      method: 'PUT',
      url: `${url}/manifests/${reference}`,
      purpose: `the manifest of ${formatReference(name, reference)}`,
      headers: new Map([['content-type', mediaType]]),
      body: bytes,
      maxBytes: MAX_ANSWER,
    })
    return { digest, result: 'pushed' }
  }

  return { ...name, listTags, getManifest, getDocument, getReferrers, getBlob, pushBlob, pushManifest }
}

function mediaTypeOf(answer: HttpResponse): string {
  return (answer.headers.get('content-type') ?? '').replace(/;.*$/, '').trim().toLowerCase()
}
