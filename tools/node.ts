/**
 * Brings the versions of Node that `.ci/run` tests on into the cache that the servers of tests lie in, from the
 * packages in which npm ships Node's binaries. `tsx tools/node.ts lowest|lts` prints the folder of that version's
 * program, for PATH.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bring, testCache } from './go-module.ts'

/** Processors that programs are built for, as Node calls them. */
export type Architecture = 'x64' | 'arm64'

interface NodeVersion {
  readonly version: string
  /** Of the package for Linux on x64. */
  readonly integrity: string
  /** Of the package for Linux on arm64, where one is used. */
  readonly arm64?: string
}

/** The lowest version that package.json allows, and the current one with long-term support. */
export const nodeVersions: Readonly<Record<'lowest' | 'lts', NodeVersion>> = {
  lowest: {
    version: '20.19.0',
    integrity: 'sha512-HzVYgEgabV/n3nP2F9mcxS0Nxgg99jynX9CMovakLmSYTuTdQRbbtw0yadY8+qKcqXfiDAtb2hmtR7nDPzclGA==',
  },
  lts: {
    version: '24.21.0',
    integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    arm64: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
}

/** Returns the folder with the program `node` of that version, and its licence. */
export function bringNode(node: NodeVersion, architecture: Architecture = 'x64'): string {
  const { version } = node
  const integrity = architecture === 'x64' ? node.integrity : node.arm64
  const name = `node-linux-${architecture}`
  return bring(join(testCache(), `${name}-${version}`), (partial) => {
    const folder = mkdtempSync(join(tmpdir(), 'stackmason-node-'))
    try {
      const wanted = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]
      execFileSync('npm', [...wanted, `${name}@${version}`], { stdio: ['ignore', 'ignore', 'inherit'] })
      const archive = join(folder, `${name}-${version}.tgz`)
      const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
      if (found !== integrity) throw new Error(`${name}@${version} has another digest: ${found}`)
      execFileSync('tar', ['-xzf', archive, '-C', folder, 'package/bin/node', 'package/LICENSE'])
      mkdirSync(partial)
      copyFileSync(join(folder, 'package/bin/node'), join(partial, 'node'))
      chmodSync(join(partial, 'node'), 0o755)
      copyFileSync(join(folder, 'package/LICENSE'), join(partial, 'LICENSE'))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const name = process.argv[2]
  if (name !== 'lowest' && name !== 'lts') throw new Error('usage: tsx tools/node.ts lowest|lts')
  if (`${process.platform}-${process.arch}` !== 'linux-x64') throw new Error('these binaries are for Linux on x64')
  process.stdout.write(`${bringNode(nodeVersions[name])}\n`)
}
