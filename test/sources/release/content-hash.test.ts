import { expect, it } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { contentHash, releaseDigest } from '../../../src/sources/release/content-hash.ts'
import { openFolder, readFolderTree } from '../../../src/sources/release/read-folder.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'

const ports = createNodePorts()
const shared = sharedFolder()
if (shared === undefined)
  console.warn('SKIPPED: content hashes of real stacks need the shared data (STACKMASON_SHARED)')

const file = (path: string, text: string): { path: string; bytes: Uint8Array } => ({ path, bytes: encodeUtf8(text) })

/** What csctl prints for these folders (commit a931cdb of the cluster-stacks repository). */
const real: readonly { readonly folder: string; readonly want: string }[] = [
  { folder: 'providers/openstack/scs2', want: 'azlfam7rgn823z07ougej26xmpzsohlj0tvr4s0njis' },
  { folder: 'providers/openstack/scs2/cluster-addon', want: 'nyri1zqevggdxycpit5d14z5s9jiejevrtol6v39i' },
]

it.skipIf(shared === undefined).each(real)('gives the hash csctl gives for $folder', async ({ folder, want }) => {
  const opened = await openFolder(`${shared}/cluster-stacks/${folder}`, ports.files)
  expect(contentHash(await readFolderTree(opened, ports.files), ports.crypto)).toBe(want)
})

// computed by golang.org/x/mod/sumdb/dirhash.Hash1 and csctl's clean-up
it('matches dirhash on small trees', () => {
  expect(contentHash([], ports.crypto)).toBe('47deqpj8hbsatimw5jceuqerkm5nmpjwzg3hsufu')
  expect(contentHash([file('b.txt', 'b\n'), file('a/c.txt', ''), file('B', 'x')], ports.crypto)).toBe(
    '1dd8hyoiecf90ehnhqow0jvpvbv2txezbittfltfc',
  )
})

it('does not depend on the order of the files', () => {
  const files = [
    file('a', '1'),
    file('a/b', '2'),
    file('a.b', '3'),
    file('é', '4'),
    file('\u{1F600}', '5'),
    file('\uFFEE', '6'),
  ]
  expect(contentHash(files, ports.crypto)).toBe('fjytagm4qfc8niliwuhxg36t8s6vknizaipebhe')
  expect(contentHash(files.toReversed(), ports.crypto)).toBe(contentHash(files, ports.crypto))
  expect(releaseDigest(files.toReversed(), ports.crypto)).toBe(releaseDigest(files, ports.crypto))
})

it('changes with a path and with a byte', () => {
  const digests = [[file('a', '1')], [file('b', '1')], [file('a', '2')], [file('a', '1'), file('b', '')], []].map(
    (files) => releaseDigest(files, ports.crypto),
  )
  expect(new Set(digests).size).toBe(digests.length)
  for (const digest of digests) expect(digest).toMatch(/^[0-9a-f]{64}$/)
})
