import { fieldAt, textAt } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { TokenOrigin, TokenTable } from '../../model/token.ts'
import { typeOfField } from '../../model/runtime-value.ts'
import { Dict, dict, goInt64, GoInt, type Value } from '../../model/value.ts'

/** The data of runtime templates, and the fields that they read. */
export interface RuntimeData {
  readonly data: Dict
  /** Fields of a field: see `EngineOptions`. */
  readonly fieldOfToken: (token: string, name: string) => string | undefined
  /** Dotted paths of all runtime-only fields that were read, those on the way to longer ones included. */
  readonly reads: ReadonlySet<string>
  /** Paths of maps with runtime-only fields whose entries were listed, printed or passed on. */
  readonly listed: ReadonlySet<string>
  /** True if a value that the fleet supplies was read, by itself or with the map that it lies in. */
  readonly isSuppliedRead: (path: string) => boolean
}

/** Reads runtime-only fields, and notes them. */
interface Reader {
  readonly read: (path: string) => string
  /** Notes a field that is known. */
  readonly find: (path: string) => void
  readonly ask: (path: string) => void
  readonly list: (path: string) => void
}

/**
 * A map of which some or all fields are known only in the running cluster. What is known is an ordinary entry; any
 * other runtime-only key gives the token of that field.
 */
class RuntimeDict extends Dict {
  readonly #path: string
  readonly #isRuntime: (key: string) => boolean
  readonly #reader: Reader

  constructor(path: string, isRuntime: (key: string) => boolean, reader: Reader) {
    super()
    this.#path = path
    this.#isRuntime = isRuntime
    this.#reader = reader
  }

  override get(key: string): Value | undefined {
    const known = super.get(key)
    if (known !== undefined) this.#reader.find(this.#pathOf(key))
    return known !== undefined || !this.#isRuntime(key) ? known : this.#reader.read(this.#pathOf(key))
  }

  override has(key: string): boolean {
    if (super.has(key)) {
      this.#reader.find(this.#pathOf(key))
      return true
    }
    if (!this.#isRuntime(key)) return false
    this.#reader.ask(this.#pathOf(key))
    return true
  }

  /** Never empty: Cluster API writes the map in any case. */
  override get size(): number {
    return Math.max(super.size, 1)
  }

  override [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries()
  }

  override entries(): MapIterator<[string, Value]> {
    this.#reader.list(this.#path)
    return super.entries()
  }

  override keys(): MapIterator<string> {
    this.#reader.list(this.#path)
    return super.keys()
  }

  override values(): MapIterator<Value> {
    this.#reader.list(this.#path)
    return super.values()
  }

  #pathOf(key: string): string {
    return this.#path === '' ? key : `${this.#path}.${key}`
  }
}

/**
 * Creates the data that `overwrite.yaml` sees: `.Cluster` as written (with the class's variable defaults already in),
 * and tokens for runtime-only fields by the table of the design: the control plane endpoint unless cluster.yaml fixes
 * it, every status, metadata.uid, generated references, all of `.ControlPlane` and `.InfraCluster`. Values that the
 * fleet supplies count as known. Keys: CSO's data for text/template.
 */
export function createRuntimeData(
  cluster: Dict,
  supplied: Cluster['runtimeValues'],
  { tokens, originOf }: { readonly tokens: TokenTable; readonly originOf: (path: string) => TokenOrigin },
): RuntimeData {
  const reads = new Set<string>()
  const listed = new Set<string>()
  const found = new Set<string>()
  const untold = new Set<string>()
  const reader: Reader = {
    find: (path) => found.add(path),
    read(path) {
      reads.add(path)
      return tokens.add({ kind: 'runtime', type: typeOfField(path), path }, originOf(path))
    },
    ask(path) {
      reads.add(path)
      tokens.assume({ path, type: typeOfField(path) }, { isSet: true }, () => originOf(path))
    },
    list: (path) => listed.add(path),
  }
  const root = new RuntimeDict('', (key) => key === 'ControlPlane' || key === 'InfraCluster', reader)
  root.set('Cluster', clusterView(cluster, reader))
  for (const [path, entry] of supplied) {
    const parent = setSupplied(root, path.split('.'), { value: suppliedValue(path, entry.value), reader })
    if (!(parent instanceof RuntimeDict)) untold.add(path)
  }
  found.clear()
  return {
    data: root,
    fieldOfToken(token, name) {
      const spec = tokens.get(token)
      return token.length === 2 && spec?.kind === 'runtime' ? reader.read(`${spec.path}.${name}`) : undefined
    },
    reads,
    listed,
    isSuppliedRead: (path) =>
      untold.has(path) || found.has(path) || [...listed].some((map) => map === '' || path.startsWith(`${map}.`)),
  }
}

const mapNames =
  /^(?:ControlPlane|InfraCluster|Cluster)$|\.(?:status|spec|metadata|labels|annotations|controlPlaneRef|infrastructureRef|controlPlaneEndpoint|conditions|initialization|v1beta[12]|deprecated)$/

/** True if the field of this path is known to be a map or a list, which no text can stand for. */
export function isMapField(path: string): boolean {
  return mapNames.test(path)
}

/**
 * True if a field says yes or no: deciding by it is what it is there for, so there is nothing that could be assumed.
 */
export function isSwitchField(path: string): boolean {
  return /\.(?:[a-z][A-Za-z]*)?(?:[rR]eady|[iI]nitialized|[pP]rovisioned|[pP]aused|[eE]nabled|[dD]isabled)$/.test(path)
}

function clusterView(cluster: Dict, reader: Reader): Dict {
  const view = fill(new RuntimeDict('Cluster', (key) => key === 'status', reader), cluster)
  const metadata = fieldAt(cluster, 'metadata')
  view.set('metadata', fill(new RuntimeDict('Cluster.metadata', (key) => key === 'uid', reader), metadata))
  const generated = (key: string): boolean => key === 'controlPlaneRef' || key === 'infrastructureRef'
  const spec = fill(new RuntimeDict('Cluster.spec', generated, reader), fieldAt(cluster, 'spec'))
  const endpoint = new RuntimeDict(
    'Cluster.spec.controlPlaneEndpoint',
    (key) => key === 'host' || key === 'port',
    reader,
  )
  spec.set('controlPlaneEndpoint', fill(endpoint, fixedEndpoint(cluster)))
  view.set('spec', spec)
  return view
}

/** An empty host or port 0 is what Cluster API fills in later, so it does not count as fixed. */
function fixedEndpoint(cluster: Dict): Dict {
  const host = textAt(cluster, 'spec', 'controlPlaneEndpoint', 'host')
  const port = fieldAt(cluster, 'spec', 'controlPlaneEndpoint', 'port')
  const entries: [string, Value][] = []
  if (host !== '') entries.push(['host', host])
  if (port instanceof GoInt && port.value !== 0n) entries.push(['port', port])
  return dict(entries)
}

function fill(target: RuntimeDict, from: Value | undefined): RuntimeDict {
  if (from instanceof Dict) for (const [key, value] of from) target.set(key, value)
  return target
}

function suppliedValue(path: string, text: string): Value {
  return path.endsWith('.port') && /^[0-9]{1,5}$/.test(text) ? goInt64(Number(text)) : text
}

/** Returns the map that it was set in. */
function setSupplied(
  root: Dict,
  steps: readonly string[],
  entry: { readonly value: Value; readonly reader: Reader },
): Dict {
  let at = root
  for (const [index, step] of steps.slice(0, -1).entries()) {
    let child = ownEntry(at, step)
    if (!(child instanceof Dict)) {
      child = new RuntimeDict(steps.slice(0, index + 1).join('.'), () => true, entry.reader)
      at.set(step, child)
    } else if (!(child instanceof RuntimeDict)) {
      // it is a map of the document, which is rendered as it is written
      child = dict([...child])
      at.set(step, child)
    }
    at = child
  }
  const last = steps.at(-1)
  if (last !== undefined) at.set(last, entry.value)
  return at
}

function ownEntry(at: Dict, key: string): Value | undefined {
  return Map.prototype.get.call(at, key)
}
