import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { parseChallenges } from '../../../src/network/registry/challenge.ts'
import { parseManifest } from '../../../src/network/registry/manifest.ts'
import { nextPage } from '../../../src/network/registry/next-page.ts'
import { releaseLayers } from '../../../src/sources/oci/release-layers.ts'
import { parseRepository } from '../../../src/network/registry/repository-name.ts'

const word = fc.constantFrom(
  'Bearer',
  'Basic',
  'realm',
  '"',
  '\\',
  '=',
  ',',
  ' ',
  '<',
  '>',
  ';',
  'rel',
  'next',
  '/',
  '..',
  '@',
  ':',
)
const text = fc.oneof(
  fc.string(),
  fc.array(word, { maxLength: 30 }).map((words) => words.join('')),
)
const key = fc.constantFrom(
  'schemaVersion',
  'mediaType',
  'config',
  'layers',
  'manifests',
  'digest',
  'size',
  'annotations',
  '__proto__',
  'x',
)
const json = fc.letrec<{ readonly value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(
      null,
      2,
      1,
      -1,
      1e300,
      '',
      `sha256:${'0a'.repeat(32)}`,
      'application/vnd.oci.image.manifest.v1+json',
    ),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value

/** What each reader says: something of its own, and never nothing. */
function readText(input: string): boolean {
  parseChallenges(input)
  nextPage(input, 'https://registry.example/v2/')
  const outcome = parseRepository(input)
  return 'value' in outcome ? outcome.value.repository !== '' : outcome.reason !== ''
}

function readManifest(bytes: Uint8Array): boolean {
  const outcome = parseManifest(bytes, '')
  if (!('value' in outcome)) return outcome.reason !== ''
  const { manifest, index } = outcome.value
  if (manifest !== undefined) releaseLayers(manifest)
  return (manifest === undefined) !== (index === undefined)
}

test('headers, names and manifests of any kind are read or refused, and never break', () => {
  const bytes = fc.oneof(
    json.map((value) => encodeUtf8(JSON.stringify(value) ?? '')),
    fc.uint8Array(),
  )
  expect(fc.check(fc.property(text, readText), { seed: 1, numRuns: 2000 })).toMatchObject({ failed: false })
  expect(fc.check(fc.property(bytes, readManifest), { seed: 1, numRuns: 3000 })).toMatchObject({ failed: false })
})
