import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { formatTag, matchClassName, matchReleaseTag, matchVersion } from '../../../src/model/release-name.ts'
import { applyBuildTemplate } from '../../../src/sources/release/build-template.ts'
import { parseClusterAddon } from '../../../src/sources/release/cluster-addon.ts'
import { checkHashes } from '../../../src/sources/release/hashes.ts'
import { parseMetadata } from '../../../src/sources/release/metadata.ts'
import { parseStackConfig } from '../../../src/sources/release/stack-config.ts'

const versions = { ClusterClassVersion: 'v1', ClusterAddonVersion: 'v1', NodeImageVersion: 'v1' }
const known = { addons: ['cni'], foldersWithoutChart: [] }

const readers: readonly { readonly name: string; readonly read: (bytes: Uint8Array) => unknown }[] = [
  { name: 'metadata.yaml', read: (bytes) => parseMetadata(bytes, 'x') },
  { name: 'csctl.yaml', read: (bytes) => parseStackConfig(bytes, 'x') },
  { name: 'clusteraddon.yaml', read: (bytes) => parseClusterAddon(bytes, 'x', known) },
  { name: 'hashes.json', read: (bytes) => checkHashes(bytes, 'x') },
  { name: 'build placeholders', read: (bytes) => applyBuildTemplate([{ path: 'x', bytes }], versions, (path) => path) },
]

/** Text made of the words that matter, so that structure is hit often. */
const words =
  'apiVersion|config|versions|addonStages|AfterControlPlaneInitialized|__proto__|constructor|name|action|components|kubernetes|: |\n|  |- |{|}|[|]|, |"|&a |*a|<< .|<< | >>|ClusterClassVersion|v1|1|null|---\n|>\n|\t|\0|!!binary |#'.split(
    '|',
  )
const texts = fc.array(fc.constantFrom(...words), { maxLength: 60 }).map((parts) => encodeUtf8(parts.join('')))
const bytes = fc.oneof(texts, fc.uint8Array({ maxLength: 200 }))

describe('hostile input ends in a result or a reported problem', () => {
  it.each(readers)('$name', ({ read }) => {
    fc.assert(
      fc.property(bytes, (input) => {
        expect(errorOf(() => read(input))).toSatisfy((error) => error === undefined || error instanceof StackmasonError)
      }),
      { seed: 1, numRuns: 300 },
    )
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it('names', () => {
    const parts = fc.array(fc.constantFrom('a', 'v1', '1', '0', '-', '.', 'sha', '_', '..', '/', '\n', 'é'), {
      maxLength: 16,
    })
    fc.assert(
      fc.property(parts, (list) => {
        const text = list.join('')
        for (const match of [matchReleaseTag, matchClassName]) {
          const outcome = match(text)
          const again = 'value' in outcome ? matchReleaseTag(formatTag(outcome.value)) : { value: 'not asked' }
          expect(again).toHaveProperty('value')
        }
        expect(Object.keys(matchVersion(text))).toHaveLength(1)
      }),
      { seed: 1, numRuns: 2000 },
    )
  })
})

function errorOf(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}
