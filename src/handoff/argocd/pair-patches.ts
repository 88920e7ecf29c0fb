import { formatGoJson } from '../../codec/json/go-json.ts'
import { textAt } from '../../model/field.ts'
import { dict, type Value } from '../../model/value.ts'
import type { Pairing } from '../pairing.ts'
import { shortHash } from '../short-hash.ts'

/** Patches with the one before them that ties them to the content which they fill. */
export interface PairedPatches {
  readonly patches: readonly Value[]
  /** Of the folder. */
  readonly pairing: Pairing
}

const PREFIX = 'stackmason-holes-'
const FILLED = 'filled'

/** Ties patches to the content that they fill: neither builds without the other, nor with another one. */
export function pairPatches(patches: readonly Value[]): PairedPatches {
  const own = patches.filter((patch) => !textAt(patch, 'patch').includes(`name: ${PREFIX}`))
  const pairing = { name: nameOf(formatGoJson([...own])), field: FILLED, isRequired: true }
  const proof = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${pairing.name}}\ndata: {${pairing.field}: 'true'}\n`
  return { patches: [dict([['patch', proof]]), ...own], pairing }
}

/** 64 bits in two halves: nobody has a reason to attack it, but other patches must never have the same. */
function nameOf(patches: string): string {
  const first = shortHash(patches)
  return `${PREFIX}${first}${shortHash(`${first}\n${patches}`)}`
}
