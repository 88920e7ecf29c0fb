import { decodeBase64, encodeBase64 } from '../../codec/bytes/base64.ts'
import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { textsField } from '../../kube/json-field.ts'
import type { KubeObject, ObjectKey } from '../../kube/kube-object.ts'
import type { ApplyRequest } from '../objects/apply-object.ts'
import { CLUSTER_NAME, MANAGED_BY, MANAGER, OWNER_LABEL } from '../objects/ownership.ts'
import type { Rotation, RotationState } from './rotate-parts.ts'

/** On a RuntimeValues object: everything that was made before this text came is to be made anew. */
export const ROTATE = 'stackmason.dev/rotate'

/**
 * The results of generators for a cluster, as they are kept beside it: a Secret with a key `<generator>.<part>` for
 * each part. It belongs to nobody by ownerReferences: a restore or a move gives its owner another uid, and then it
 * would be collected as garbage.
 */
export interface KeptParts extends RotationState {
  /** The inputs of certificates, by the names of generators: hashes. */
  readonly recipes: ReadonlyMap<string, string>
}

/** The label of objects that clusterctl takes along when it moves a cluster to another management cluster. */
const MOVED = 'clusterctl.cluster.x-k8s.io/move'
const RECIPES = 'stackmason.dev/recipes'
const ROTATION = 'stackmason.dev/rotation'
const ROTATED = 'stackmason.dev/rotated'

/** Of a cluster that has none yet. */
export const nothingKept: KeptParts = { parts: new Map(), recipes: new Map(), rotation: undefined, rotated: '' }

/** Where the parts of a RuntimeValues object are kept. */
export function keptKey({ namespace, name }: ObjectKey): ObjectKey {
  return { namespace, name: `${name}-generated-secrets` }
}

/** True if a Secret of that name is ours. */
export function isKeptFor(secret: KubeObject, { name }: ObjectKey): boolean {
  return secret.labels.get(MANAGED_BY) === MANAGER && secret.labels.get(OWNER_LABEL) === name
}

/** Reads the parts that a Secret keeps. */
export function readKept(secret: KubeObject): KeptParts {
  const parts = new Map<string, Map<string, string>>()
  for (const [key, encoded] of textsField(secret.content, 'data')) {
    const dot = key.indexOf('.')
    const bytes = decodeBase64(encoded)
    if (dot <= 0 || bytes === undefined) continue
    const name = key.slice(0, dot)
    const of = parts.get(name) ?? new Map<string, string>()
    parts.set(name, of.set(key.slice(dot + 1), decodeUtf8(bytes)))
  }
  return {
    parts,
    recipes: readRecipes(secret.annotations.get(RECIPES) ?? ''),
    rotation: readRotation(secret.annotations.get(ROTATION) ?? ''),
    rotated: secret.annotations.get(ROTATED) ?? '',
  }
}

/** `<phase> <time> <what asked for it>` */
function readRotation(text: string): Rotation | undefined {
  const [, phase, time = '', id = ''] = /^(trust|use) (\S+) (.+)$/s.exec(text) ?? []
  const since = Date.parse(time)
  if ((phase !== 'trust' && phase !== 'use') || Number.isNaN(since)) return undefined
  return { phase, since, id }
}

/** The lines `<generator> <hash>`. */
function readRecipes(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\n').flatMap((line): [string, string][] => {
      const [name = '', hash = ''] = line.split(' ')
      return hash === '' ? [] : [[name, hash]]
    }),
  )
}

function formatRotation({ phase, since, id }: Rotation): string {
  return `${phase} ${new Date(since).toISOString()} ${id}`
}

/** The Secret that keeps parts, as it should be. What is asked for no longer stays: it may be asked for again. */
export function keptSecret(
  owner: Pick<KubeObject, 'name'>,
  clusterName: string,
  { parts, recipes, rotation, rotated }: KeptParts,
): ApplyRequest['wanted'] {
  const data = [...parts].flatMap(([name, of]) =>
    Array.from(of, ([part, text]): [string, string] => [`${name}.${part}`, encodeBase64(encodeUtf8(text))]),
  )
  const lines = Array.from(recipes, ([name, hash]) => `${name} ${hash}`).toSorted()
  return {
    metadata: {
      labels: { [MANAGED_BY]: MANAGER, [OWNER_LABEL]: owner.name, [CLUSTER_NAME]: clusterName, [MOVED]: '' },
      annotations: {
        ...(lines.length > 0 && { [RECIPES]: lines.join('\n') }),
        ...(rotated !== '' && { [ROTATED]: rotated }),
        ...(rotation !== undefined && { [ROTATION]: formatRotation(rotation) }),
      },
    },
    data: Object.fromEntries(data),
  }
}
