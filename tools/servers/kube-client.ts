import { readdirSync, readFileSync, statSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Agent, request as sendRequest } from 'node:https'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseAllDocuments } from 'yaml'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { toPlain } from '../../src/codec/json/plain-value.ts'
import type { KeyPair } from '../../src/generate/certificates/x509.ts'

/** An object of Kubernetes. */
export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

/** Names an object. */
export type KubeReference = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>

/** What the server answered. */
export interface KubeAnswer {
  readonly status: number
  /** Parsed JSON, or the text when it is none. */
  readonly body: unknown
  readonly warnings: readonly string[]
}

/** What became of one object. */
export interface KubeResult extends KubeAnswer {
  /** `apps/v1 Deployment namespace/name` */
  readonly object: string
  readonly ok: boolean
  /** The server's words when it refused; empty otherwise. */
  readonly message: string
}

/** How {@link KubeClient.apply} applies. */
export interface ApplyOptions {
  /** Asks the server without keeping anything. */
  readonly dryRun?: boolean
  /** `test` without. */
  readonly fieldManager?: string
  /** Takes fields from other managers, unless false. */
  readonly force?: boolean
}

/** Talks to an API server as an administrator. */
export interface KubeClient {
  /** A string is sent as it is, anything else as JSON. */
  readonly request: (method: string, path: string, body?: unknown, contentType?: string) => Promise<KubeAnswer>
  /**
   * Server-side apply with strict validation of fields, of objects or of YAML text, in order; namespaces and custom
   * resource definitions first, unless it is a dry run. Refusals are results, not errors.
   */
  readonly apply: (objects: readonly KubeObject[] | string, options?: ApplyOptions) => Promise<readonly KubeResult[]>
  readonly get: (reference: KubeReference) => Promise<KubeObject | undefined>
  /** Of all namespaces without `namespace`. */
  readonly list: (apiVersion: string, kind: string, namespace?: string) => Promise<readonly KubeObject[]>
  /** Nothing happens when it is gone already. */
  readonly remove: (reference: KubeReference) => Promise<void>
  /** Sets the fields of `status` that are given. */
  readonly applyStatus: (object: KubeObject) => Promise<void>
  readonly createNamespaces: (names: readonly string[]) => Promise<void>
  /** Creates the custom resource definitions of files and folders, and waits until they are served. */
  readonly installCrds: (paths: readonly string[]) => Promise<void>
  /** The same with definitions that are at hand; descriptions are left out. */
  readonly createCrds: (crds: readonly KubeObject[]) => Promise<void>
  readonly closeConnections: () => void
}

interface Resource {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
}

const applyType = 'application/apply-patch+yaml'
const servedWithin = 30_000

/** Makes a client of an API server. */
export function createKubeClient(
  url: string,
  { ca, admin }: { readonly ca: string; readonly admin: KeyPair },
): KubeClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 16, ca, cert: admin.cert, key: admin.key })
  const resources = new Map<string, readonly Resource[]>()

  function request(
    method: string,
    path: string,
    body?: unknown,
    contentType = 'application/json',
  ): Promise<KubeAnswer> {
    return new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': contentType }
      const message = sendRequest(`${url}${path}`, { method, agent, headers }, (response) => {
        readAnswer(response).then(resolve, reject)
      })
      message.once('error', reject)
      message.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body))
    })
  }

  /** Asks again for kinds that are not known, for they may be new. */
  async function findResource(apiVersion: string, kind: string): Promise<Resource | undefined> {
    const known = resources.get(apiVersion)?.find((resource) => resource.kind === kind)
    if (known !== undefined) return known
    const { status, body } = await request('GET', groupPath(apiVersion))
    if (status !== 200) return undefined
    const served = listAt(body, 'resources').map((item): Resource => ({
      name: String(fieldOf(item, 'name')),
      kind: String(fieldOf(item, 'kind')),
      namespaced: fieldOf(item, 'namespaced') === true,
    }))
    resources.set(
      apiVersion,
      served.filter(({ name }) => !name.includes('/')),
    )
    return resources.get(apiVersion)?.find((resource) => resource.kind === kind)
  }

  async function findPath({ apiVersion, kind, metadata }: KubeReference): Promise<string | undefined> {
    const resource = await findResource(apiVersion, kind)
    if (resource === undefined) return undefined
    const namespace = resource.namespaced ? `/namespaces/${metadata.namespace ?? 'default'}` : ''
    return `${groupPath(apiVersion)}${namespace}/${resource.name}/${metadata.name}`
  }

  async function pathOf(reference: KubeReference): Promise<string> {
    const path = await findPath(reference)
    if (path === undefined) throw new Error(`${shown(reference)}: no such kind`)
    return path
  }

  async function applyOne(object: KubeObject, options: ApplyOptions): Promise<KubeResult> {
    const path = await findPath(object)
    if (path === undefined) {
      const message = `no matches for kind "${object.kind}" in version "${object.apiVersion}"`
      return { object: shown(object), ok: false, status: 404, message, body: undefined, warnings: [] }
    }
    const answer = await request('PATCH', `${path}?${applyQuery(options)}`, object, applyType)
    const ok = answer.status < 300
    return { object: shown(object), ok, message: ok ? '' : messageOf(answer), ...answer }
  }

  async function apply(
    given: readonly KubeObject[] | string,
    options: ApplyOptions = {},
  ): Promise<readonly KubeResult[]> {
    const objects = typeof given === 'string' ? parseObjects(given) : given
    if (options.dryRun === true) return applyAll(objects, options)
    const results = [
      ...(await applyAll(objects.filter(isNamespace), options)),
      ...(await applyAll(objects.filter(isCrd), options)),
    ]
    for (const crd of objects.filter(isCrd)) {
      if (results.some((result) => result.ok && result.object === shown(crd))) await waitUntilServed(crd)
    }
    const rest = objects.filter((object) => !isNamespace(object) && !isCrd(object))
    return [...results, ...(await applyAll(rest, options))]
  }

  async function applyAll(objects: readonly KubeObject[], options: ApplyOptions): Promise<readonly KubeResult[]> {
    const results: KubeResult[] = []
    for (const object of objects) results.push(await applyOne(object, options))
    return results
  }

  async function waitUntilServed(crd: KubeObject): Promise<void> {
    const group = String(fieldOf(crd, 'spec.group'))
    const kind = String(fieldOf(crd, 'spec.names.kind'))
    const versions = listAt(crd, 'spec.versions').filter((version) => fieldOf(version, 'served') === true)
    const end = performance.now() + servedWithin
    for (const version of versions.map((item) => `${group}/${String(fieldOf(item, 'name'))}`)) {
      while ((await findResource(version, kind)) === undefined) {
        if (performance.now() > end) throw new Error(`${version} ${kind} is not served`)
        await setTimeout(50)
      }
    }
  }

  async function createCrds(given: readonly KubeObject[]): Promise<void> {
    const crds = given.map(withoutDescriptions)
    const present: KubeObject[] = []
    for (const crd of crds) {
      // server-side apply of large definitions takes several times as long
      const answer = await request('POST', `${groupPath(crd.apiVersion)}/customresourcedefinitions`, crd)
      if (answer.status === 409) present.push(crd)
      else if (answer.status >= 300) throw new Error(`${shown(crd)}: ${messageOf(answer)}`)
    }
    throwRefusals(await applyAll(present, {}))
    for (const crd of crds) await waitUntilServed(crd)
  }

  return {
    request,
    apply,
    get: async (reference) => {
      const { status, body } = await request('GET', await pathOf(reference))
      return status === 200 && isObject(body) ? body : undefined
    },
    list: async (apiVersion, kind, namespace) => {
      const resource = await findResource(apiVersion, kind)
      if (resource === undefined) throw new Error(`${apiVersion} ${kind}: no such kind`)
      const part = namespace === undefined ? '' : `/namespaces/${namespace}`
      const answer = await request('GET', `${groupPath(apiVersion)}${part}/${resource.name}`)
      if (answer.status !== 200) throw new Error(messageOf(answer))
      // items of a list do not say what they are
      return listAt(answer.body, 'items').map((item) => Object.assign({ apiVersion, kind }, item) as KubeObject)
    },
    remove: async (reference) => {
      const answer = await request('DELETE', await pathOf(reference))
      if (answer.status >= 300 && answer.status !== 404) throw new Error(messageOf(answer))
    },
    applyStatus: async (object) => {
      const path = await pathOf(object)
      const answer = await request(
        'PATCH',
        `${path}/status?${applyQuery({ fieldManager: 'test-status' })}`,
        object,
        applyType,
      )
      if (answer.status >= 300) throw new Error(`${shown(object)}: ${messageOf(answer)}`)
    },
    createNamespaces: async (names) => {
      const objects = names.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
      throwRefusals(await apply(objects))
    },
    installCrds: (paths) => {
      const files = paths.flatMap(yamlFiles).map((file) => readFileSync(file, 'utf8'))
      return createCrds(files.flatMap(parseLarge).filter(isCrd))
    },
    createCrds,
    closeConnections: () => {
      agent.destroy()
    },
  }
}

/** What was refused, one line each. */
export function refusals(results: readonly KubeResult[]): readonly string[] {
  return results.filter(({ ok }) => !ok).map(({ object, message }) => `${object}: ${message}`)
}

/** The value at a path of dots, e.g. `status.conditions.0.type`; undefined where there is nothing. */
export function fieldOf(value: unknown, path: string): unknown {
  let at = value
  for (const key of path.split('.')) {
    if (typeof at !== 'object' || at === null) return undefined
    at = Reflect.get(at, key)
  }
  return at
}

/** The objects of a YAML text, read as YAML 1.1 like the server does. */
export function parseObjects(text: string): readonly KubeObject[] {
  const documents = parseAllDocuments(text, { version: '1.1', schema: 'yaml-1.1' })
  if (!Array.isArray(documents)) return []
  return documents
    .map((document): unknown => {
      if (document.errors[0] !== undefined) throw document.errors[0]
      return document.toJS()
    })
    .filter(isObject)
}

/** The same of large texts, in a quarter of the time. */
function parseLarge(text: string): readonly KubeObject[] {
  const documents = text.split(/^---.*\n/m).filter((document) => /^[^#\s]/m.test(document))
  return documents.map((document): unknown => toPlain(parseGoYaml(document, { integers: 'int' }))).filter(isObject)
}

/** Three quarters of a definition are descriptions, which the server copies, compares and publishes again and again, and does not read. */
function withoutDescriptions(crd: KubeObject): KubeObject {
  return JSON.parse(JSON.stringify(crd), (key, value: unknown) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  ) as KubeObject
}

function throwRefusals(results: readonly KubeResult[]): void {
  const refused = refusals(results)
  if (refused.length > 0) throw new Error(refused.join('\n'))
}

function groupPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
}

function applyQuery({ dryRun, fieldManager, force }: ApplyOptions): string {
  return new URLSearchParams({
    fieldManager: fieldManager ?? 'test',
    fieldValidation: 'Strict',
    force: String(force !== false),
    ...(dryRun === true && { dryRun: 'All' }),
  }).toString()
}

function isNamespace(object: KubeObject): boolean {
  return object.kind === 'Namespace'
}

function isCrd(object: KubeObject): boolean {
  return object.kind === 'CustomResourceDefinition'
}

function isObject(value: unknown): value is KubeObject {
  return typeof fieldOf(value, 'kind') === 'string' && typeof fieldOf(value, 'metadata.name') === 'string'
}

function listAt(value: unknown, path: string): readonly unknown[] {
  const list = fieldOf(value, path)
  return Array.isArray(list) ? list : []
}

function shown({ apiVersion, kind, metadata }: KubeReference): string {
  const namespace = metadata.namespace === undefined ? '' : `${metadata.namespace}/`
  return `${apiVersion} ${kind} ${namespace}${metadata.name}`
}

function messageOf({ status, body }: KubeAnswer): string {
  const message = fieldOf(body, 'message')
  return typeof message === 'string' ? message : `status ${String(status)}: ${JSON.stringify(body)}`
}

function yamlFiles(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(path, name))
}

async function readAnswer(response: IncomingMessage): Promise<KubeAnswer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of response) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  const isJson = response.headers['content-type']?.startsWith('application/json') === true
  const body: unknown = isJson ? JSON.parse(text) : text
  const warnings = response.rawHeaders.flatMap((name, index, all) =>
    index % 2 === 0 && name.toLowerCase() === 'warning'
      ? [(all[index + 1] ?? '').replace(/^299 - "(.*)"$/s, '$1')]
      : [],
  )
  return { status: response.statusCode ?? 0, body, warnings }
}
