import { formatGoJson } from '../../codec/json/go-json.ts'
import { textAt } from '../../model/field.ts'
import { dict, type Dict, type Value } from '../../model/value.ts'
import { shortHash } from '../short-hash.ts'

/** Patches, and what the kustomization.yaml of the folder that they are for says besides. */
export interface ProvenPatches {
  readonly patches: readonly Value[]
  readonly kustomization: Dict
}

const PREFIX = 'stackmason-holes-'

/** Kustomize drops an object with it when the build is done. */
const LOCAL = 'config.kubernetes.io/local-config'

/**
 * Ties patches to the content that they fill, which Argo CD fetches at another moment: neither builds without the other. The folder makes a ConfigMap that
 * exists during the build only and has a hash of the patches in its name. The first patch gives it a field; without a target, it fails where no object has
 * that name. The folder asks for the field. So nothing is applied of content without its patches or with those of other content, and what runs stays.
 */
export function provePatches(patches: readonly Value[]): ProvenPatches {
  const own = patches.filter((patch) => !textAt(patch, 'patch').includes(`name: ${PREFIX}`))
  const name = proofName(formatGoJson([...own]))
  const proof = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {filled: 'true'}\n`
  const isProof = dict([
    ['kind', 'ConfigMap'],
    ['name', name],
  ])
  return {
    patches: [dict([['patch', proof]]), ...own],
    kustomization: dict([
      ['configMapGenerator', [generator(name)]],
      [
        'replacements',
        [
          dict([
            ['source', dict([...isProof, ['fieldPath', 'data.filled']])],
            [
              'targets',
              [
                dict([
                  ['select', isProof],
                  ['fieldPaths', ['data.filled']],
                ]),
              ],
            ],
          ]),
        ],
      ],
    ]),
  }
}

/** 64 bits in two halves: nobody has a reason to attack it, but other patches must never have the same. */
function proofName(text: string): string {
  const first = shortHash(text)
  return `${PREFIX}${first}${shortHash(`${first}\n${text}`)}`
}

function generator(name: string): Dict {
  return dict([
    ['name', name],
    [
      'options',
      dict([
        ['annotations', dict([[LOCAL, 'true']])],
        ['disableNameSuffixHash', true],
      ]),
    ],
  ])
}
