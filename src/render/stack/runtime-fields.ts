import { fieldAt, textAt } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import { Dict, dict, goInt64, GoInt, type Value } from '../../model/value.ts'

/** Called with the dotted path of every runtime-only field that a template reads, e.g. `Cluster.spec.controlPlaneEndpoint.host`. */
export type OnRuntimeRead = (path: string) => void

/**
 * A map of which some or all fields are known only in the running cluster. What is known is an ordinary entry; reading any other
 * runtime-only key is reported, and gives a map of the same kind so that a longer path can be followed to its end.
 */
class RuntimeDict extends Dict {
  readonly #path: string
  readonly #isRuntime: (key: string) => boolean
  readonly #onRead: OnRuntimeRead

  constructor(path: string, isRuntime: (key: string) => boolean, onRead: OnRuntimeRead) {
    super()
    this.#path = path
    this.#isRuntime = isRuntime
    this.#onRead = onRead
  }

  override get(key: string): Value | undefined {
    const known = super.get(key)
    if (known !== undefined || !this.#isRuntime(key)) return known
    const path = this.#path === '' ? key : `${this.#path}.${key}`
    this.#onRead(path)
    return new RuntimeDict(path, () => true, this.#onRead)
  }

  override has(key: string): boolean {
    return super.has(key) || (this.#isRuntime(key) && this.get(key) !== undefined)
  }
}

/**
 * What `overwrite.yaml` sees: `.Cluster` as written (with the class's variable defaults already in), and runtime-only fields by the table of the
 * design: the control plane endpoint unless cluster.yaml fixes it, every status, metadata.uid, generated references, all of `.ControlPlane` and
 * `.InfraCluster`. Values that the fleet supplies count as known. Keys: CSO's data for text/template.
 */
export function createRuntimeData(cluster: Dict, supplied: Cluster['runtimeValues'], onRead: OnRuntimeRead): Dict {
  const root = new RuntimeDict('', (key) => key === 'ControlPlane' || key === 'InfraCluster', onRead)
  root.set('Cluster', clusterView(cluster, onRead))
  for (const [path, entry] of supplied)
    setSupplied(root, path.split('.'), { value: suppliedValue(path, entry.value), onRead })
  return root
}

function clusterView(cluster: Dict, onRead: OnRuntimeRead): Dict {
  const view = fill(new RuntimeDict('Cluster', (key) => key === 'status', onRead), cluster)
  const metadata = fieldAt(cluster, 'metadata')
  view.set('metadata', fill(new RuntimeDict('Cluster.metadata', (key) => key === 'uid', onRead), metadata))
  const generated = (key: string): boolean => key === 'controlPlaneRef' || key === 'infrastructureRef'
  const spec = fill(new RuntimeDict('Cluster.spec', generated, onRead), fieldAt(cluster, 'spec'))
  const endpoint = new RuntimeDict(
    'Cluster.spec.controlPlaneEndpoint',
    (key) => key === 'host' || key === 'port',
    onRead,
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

function setSupplied(
  root: Dict,
  steps: readonly string[],
  entry: { readonly value: Value; readonly onRead: OnRuntimeRead },
): void {
  let at = root
  for (const [index, step] of steps.slice(0, -1).entries()) {
    let child = ownEntry(at, step)
    if (!(child instanceof Dict)) {
      child = new RuntimeDict(steps.slice(0, index + 1).join('.'), () => true, entry.onRead)
      at.set(step, child)
    }
    at = child
  }
  const last = steps.at(-1)
  if (last !== undefined) at.set(last, entry.value)
}

function ownEntry(at: Dict, key: string): Value | undefined {
  return Map.prototype.get.call(at, key)
}
