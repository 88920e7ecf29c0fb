import { digestOf } from '../../codec/bytes/digest.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import type { HttpResponse } from '../../model/http.ts'
import type { Clock, Crypto } from '../../model/ports.ts'
import type { Span } from '../../model/source.ts'
import type { BlobStore } from '../network-context.ts'
import {
  OCI_INDEX,
  manifestTypes,
  parseManifest,
  type OciDescriptor,
  type OciIndex,
  type OciManifest,
} from './manifest.ts'
import type { RegistrySession, SessionRequest } from './registry-session.ts'
import { formatName, formatReference, isDigest, isTag, type RepositoryName } from './repository-name.ts'
import { LIST_DEADLINE } from '../transport/transport.ts'
import { collectTags } from './tag-list.ts'
import { requireStatus, uploadBlob } from './upload-blob.ts'

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
  /** The purpose of the request, in messages: `the chart cilium`. */
  readonly purpose?: string
  /** As its descriptor says; another size is an error. */
  readonly size?: number | undefined
  /** A longer one is an error; 128 MiB when absent. */
  readonly maxBytes?: number
}

/** A manifest or index to push. */
export interface ManifestContent {
  readonly bytes: Uint8Array
  readonly mediaType: string
}

/** How a manifest is pushed. */
export interface PushOptions {
  /** An existing tag stays as it is. */
  readonly ifAbsent?: boolean
}

/** The result of pushing a manifest. */
export interface PushedManifest {
  /** Of what the registry has under the reference now. */
  readonly digest: string
  /**
   * `exists`: with `ifAbsent`, something (equal or not: compare the digest) was there already and nothing was written.
   */
  readonly result: 'pushed' | 'exists'
}

const MAX_MANIFEST = 4 * 1024 * 1024
const MAX_ANSWER = 1024 * 1024
const MAX_BLOB = 128 * 1024 * 1024

/** How a registry is reached. */
export interface RegistryConnection {
  /** `https://host/v2/<repository>` */
  readonly url: string
  readonly session: RegistrySession
  readonly cache: BlobStore
  readonly crypto: Crypto
  readonly clock: Pick<Clock, 'monotonic'>
  readonly at: Span | undefined
}

/**
 * One repository of a registry (OCI distribution spec 1.1, Docker registry v2). What has a digest is taken from the
 * cache first and kept there. Everything throws StackmasonError FETCH_* and CACHE_FAILED.
 */
export class Registry {
  readonly host: string
  readonly repository: string
  readonly #connection: RegistryConnection

  constructor({ host, repository }: RepositoryName, connection: RegistryConnection) {
    this.host = host
    this.repository = repository
    this.#connection = connection
  }

  /** Every tag, as the registry orders them; undefined when it has no such repository. */
  async listTags(): Promise<readonly string[] | undefined> {
    const shown = formatName(this)
    const end = this.#connection.clock.monotonic() + LIST_DEADLINE
    const tags = await collectTags(`${this.#connection.url}/tags/list`, async (url) => {
      const answer = await this.#pull({ url, purpose: `the tags of ${shown}`, accept: [400, 404], end })
      return answer.status === 404 ? undefined : answer
    })
    if ('value' in tags) return tags.value
    throw this.#problem(tags.code ?? 'FETCH_INVALID', `the tags of ${shown} cannot be read: ${tags.reason}`)
  }

  /**
   * The image manifest of a tag or digest, undefined when there is none; an index is followed when it has one entry
   * (digest and bytes are then those of the index, so that they fit the reference) and refused otherwise.
   */
  async getManifest(reference: string): Promise<RegistryManifest | undefined> {
    const document = await this.getDocument(reference)
    if (document === undefined) return undefined
    const { digest, mediaType, manifest, index, bytes } = document
    if (manifest !== undefined) return { digest, mediaType, manifest, bytes }
    const [only, second] = index?.manifests ?? []
    const shown = formatReference(this, reference)
    if (only === undefined || second !== undefined) {
      const count = index?.manifests.length ?? 0
      throw this.#problem('FETCH_INVALID', `${shown} is an index of ${count} manifests, and one is needed`)
    }
    const entry = await this.getDocument(only.digest)
    if (entry?.manifest === undefined) {
      const message = `${shown} is an index, and its only entry is not a manifest that the registry has`
      throw this.#problem('FETCH_INVALID', message)
    }
    return { digest, mediaType, manifest: entry.manifest, bytes }
  }

  /** Like `getManifest`, for those who can use an index as well. */
  async getDocument(reference: string): Promise<RegistryDocument | undefined> {
    const { url, cache } = this.#connection
    const shown = formatReference(this, reference)
    const pinned = isDigest(reference) ? reference : undefined
    if (pinned === undefined && !isTag(reference)) {
      const message = `${JSON.stringify(reference)} is neither a tag nor a sha256 digest of a registry`
      throw this.#problem('FETCH_INVALID', message)
    }
    const known = pinned === undefined ? undefined : await cache.get(pinned)
    if (known !== undefined && pinned !== undefined) return { ...this.#parse(known, '', shown), digest: pinned }
    const answer = await this.#pull({
      url: `${url}/manifests/${reference}`,
      purpose: `the manifest of ${shown}`,
      headers: new Map([['accept', manifestTypes.join(', ')]]),
      accept: [404],
      digest: pinned,
    })
    if (answer.status === 404) return undefined
    const document = this.#parse(answer.body, mediaTypeOf(answer), shown)
    const digest = await cache.put(answer.body)
    const claimed = pinned ?? answer.headers.get('docker-content-digest') ?? digest
    if (isDigest(claimed) && claimed !== digest) {
      throw this.#otherDigest(shown, digest, { wanted: claimed })
    }
    return { ...document, digest }
  }

  /**
   * Lists the manifests that refer to a manifest: the referrers API, else its fallback tag `sha256-<hex>`; the first
   * page of it.
   */
  async getReferrers(digest: string): Promise<readonly OciDescriptor[]> {
    const shown = formatReference(this, digest)
    const answer = await this.#pull({
      url: `${this.#connection.url}/referrers/${digest}`,
      purpose: `what refers to ${shown}`,
      accept: [400, 404, 405],
    })
    const isList = answer.status === 200 && mediaTypeOf(answer) === OCI_INDEX
    const listed = isList ? this.#parse(answer.body, mediaTypeOf(answer), shown) : undefined
    return (listed ?? (await this.getDocument(digest.replace(':', '-'))))?.index?.manifests ?? []
  }

  /** The bytes of a blob, checked. */
  async getBlob(digest: string, options: BlobOptions = {}): Promise<Uint8Array> {
    const { url, cache } = this.#connection
    const { size, maxBytes = MAX_BLOB } = options
    const purpose = options.purpose ?? `the blob ${formatReference(this, digest)}`
    if (!isDigest(digest)) throw this.#problem('FETCH_INVALID', `${purpose} has no sha256 digest`)
    if (size !== undefined && size > maxBytes) {
      throw this.#problem('FETCH_TOO_LARGE', `${purpose} has ${size} bytes; at most ${maxBytes} are allowed`)
    }
    const known = await cache.get(digest)
    if (known === undefined) {
      const { body } = await this.#pull({
        challenge: 'ping',
        url: `${url}/blobs/${digest}`,
        purpose,
        maxBytes: size ?? maxBytes,
        digest,
        size,
      })
      const received = await cache.put(body)
      if (received === digest) return body
      throw this.#problem('FETCH_DIGEST_MISMATCH', `${purpose} has the digest ${received}, and should have ${digest}`)
    }
    if (size !== undefined && known.length !== size) {
      throw this.#problem('FETCH_INVALID', `${purpose} has ${known.length} bytes, and its manifest says ${size}`)
    }
    return known
  }

  /**
   * The digest that the registry has under a tag or digest; undefined when it has nothing. Where it does not tell, the
   * manifest itself is fetched.
   */
  async findDigest(reference: string): Promise<string | undefined> {
    const { url, session } = this.#connection
    const shown = formatReference(this, reference)
    const answer = await session.send({
      action: 'pull',
      challenge: 'answer',
      method: 'HEAD',
      url: `${url}/manifests/${reference}`,
      purpose: `the manifest of ${shown}`,
      headers: new Map([['accept', manifestTypes.join(', ')]]),
      maxBytes: MAX_ANSWER,
      accept: [404],
    })
    if (answer.status === 404) return undefined
    const digest = answer.headers.get('docker-content-digest') ?? ''
    if (!isDigest(digest) && isDigest(reference)) return (await this.#has(reference)) ? reference : undefined
    if (!isDigest(digest)) return (await this.getDocument(reference))?.digest
    if (isDigest(reference) && digest !== reference) throw this.#otherDigest(shown, digest, { wanted: reference })
    return digest
  }

  /** Sends a blob unless the registry has it; gives its digest. */
  async pushBlob(bytes: Uint8Array): Promise<string> {
    const { url, session, crypto } = this.#connection
    const digest = digestOf(bytes, crypto)
    await uploadBlob({ repositoryUrl: url, digest, bytes, purpose: `a blob for ${formatName(this)}` }, session)
    return digest
  }

  /**
   * Puts a manifest under a tag or digest. With `ifAbsent` an existing tag stays as it is; registries cannot do that
   * atomically, so of two that push the same new tag in the same moment the later one wins.
   */
  async pushManifest(reference: string, content: ManifestContent, options: PushOptions = {}): Promise<PushedManifest> {
    const { url, session, crypto } = this.#connection
    const existing = options.ifAbsent === true ? await this.getDocument(reference) : undefined
    if (existing !== undefined) return { digest: existing.digest, result: 'exists' }
    const shown = formatReference(this, reference)
    const purpose = `the manifest of ${shown}`
    const answer = await session.send({
      action: 'push',
      challenge: 'answer',
      method: 'PUT',
      url: `${url}/manifests/${reference}`,
      purpose,
      headers: new Map([['content-type', content.mediaType]]),
      body: content.bytes,
      maxBytes: MAX_ANSWER,
    })
    // registries from before the specification, such as older ones of Quay, answer with 202
    if (answer.status !== 202) requireStatus(201, answer, purpose)
    const digest = digestOf(content.bytes, crypto)
    const kept = answer.headers.get('docker-content-digest') ?? ''
    if (isDigest(kept) && kept !== digest) throw this.#otherDigest(shown, kept, { wanted: digest, hint: CHANGED_PUSH })
    if (!isDigest(kept) && !(await this.#has(digest))) {
      throw this.#problem('FETCH_INVALID', `the registry takes ${purpose}, and has no ${digest} then`, LOST_PUSH)
    }
    return { digest, result: 'pushed' }
  }

  /** True if the registry, not the cache, gives the manifest of a digest; for one that names no digest itself. */
  async #has(digest: string): Promise<boolean> {
    const answer = await this.#pull({
      url: `${this.#connection.url}/manifests/${digest}`,
      purpose: `the manifest of ${formatReference(this, digest)}`,
      headers: new Map([['accept', manifestTypes.join(', ')]]),
      accept: [404],
      digest,
    })
    return answer.status !== 404
  }

  #pull(request: Pull): Promise<HttpResponse> {
    return this.#connection.session.send({
      action: 'pull',
      challenge: 'answer',
      method: 'GET',
      maxBytes: MAX_MANIFEST,
      ...request,
    })
  }

  #parse(bytes: Uint8Array, contentType: string, shown: string): Omit<RegistryDocument, 'digest'> {
    const outcome = parseManifest(bytes, contentType)
    if ('value' in outcome) return { ...outcome.value, bytes }
    throw this.#problem('FETCH_INVALID', `the manifest of ${shown} is not valid: ${outcome.reason}`)
  }

  #otherDigest(
    shown: string,
    found: string,
    { wanted, hint }: { readonly wanted: string; readonly hint?: string },
  ): StackmasonError {
    const message = `the manifest of ${shown} has the digest ${found}, and should have ${wanted}`
    return this.#problem('FETCH_DIGEST_MISMATCH', message, hint)
  }

  #problem(code: Code, message: string, hint?: string): StackmasonError {
    const { at } = this.#connection
    return new StackmasonError({ code, severity: 'error', message, at, hint })
  }
}

/** The next step after a push: it is known here what was pushed, so no lock and no update accepts another. */
const CHANGED_PUSH =
  'Do not use the tag: the registry, or a proxy in front of it, changed the manifest or says a wrong digest. Remove the tag there, and push again once that is settled.'

/** The next step where a registry has not what it took. */
const LOST_PUSH = 'Push again; if that does not help, ask who runs the registry, or a proxy in front of it.'

/** A request that reads; its answer is a document unless it says more. */
type Pull = Pick<SessionRequest, 'url' | 'purpose' | 'headers' | 'accept' | 'digest' | 'size' | 'end'> &
  Partial<Pick<SessionRequest, 'challenge' | 'maxBytes'>>

function mediaTypeOf(answer: HttpResponse): string {
  return (answer.headers.get('content-type') ?? '').replace(/;.*$/, '').trim().toLowerCase()
}
