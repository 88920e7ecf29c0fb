import { gunzipSync } from 'node:zlib'
import type { StackFolder } from '../../src/build/make-assets.ts'
import { parseReleaseTag } from '../../src/model/release-name.ts'
import { readTar } from '../../src/codec/bytes/tar.ts'
import { decodeUtf8, encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import type { ChartFile } from '../../src/model/chart.ts'
import type { FileMap } from '../../tools/fleets/stack-folder.ts'

/** A provider directory in memory; `tag` names the stack. */
export function stackFolder(files: FileMap, tag = 'docker-demo-1-30-v1'): StackFolder {
  const { provider, stack, kubernetes } = parseReleaseTag(tag)
  return {
    path: 'dir',
    configFile: 'csctl.yaml',
    kubernetesVersion: `v${kubernetes.major}.${kubernetes.minor}.4`,
    name: { provider, stack, kubernetes },
    files: Object.entries(files).map(([path, content]) => ({
      path,
      bytes: typeof content === 'string' ? encodeUtf8(content) : content,
    })),
  }
}

/** The texts of files by path. */
export function textsOf(files: readonly ChartFile[]): Readonly<Record<string, string>> {
  return Object.fromEntries(files.map(({ path, bytes }) => [path, decodeUtf8(bytes)]))
}

/** What a .tgz holds, by path. */
export function unpacked(packed: Uint8Array | undefined): Readonly<Record<string, string>> {
  if (packed === undefined) throw new Error('no such file')
  const entries = readTar(new Uint8Array(gunzipSync(packed)), { maxEntries: 1000, maxFileBytes: 1e8 })
  return Object.fromEntries(entries.map(({ path, bytes }) => [path, decodeUtf8(bytes)]))
}
