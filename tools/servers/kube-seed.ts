import { statSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { hashOfInputs, testCache } from '../go-module.ts'
import type { ChildServer } from './child-server.ts'

/** A key of etcd and its value, in base64. */
interface Stored {
  readonly key: string
  readonly value: string
}

/**
 * What an API server writes into an empty store whenever it starts: some 300 objects one by one, a third of what its
 * start takes. It only looks at them where they are there, as it does when it is started again. Namespaces are not among
 * them: their uid tells clusters apart.
 */
const prefixes = [
  'apiregistration.k8s.io/apiservices',
  'clusterrolebindings',
  'clusterroles',
  'flowschemas',
  'priorityclasses',
  'prioritylevelconfigurations',
  'rolebindings',
  'roles',
].map((name) => `/registry/${name}/`)

/** etcd refuses more in one transaction. */
const MOST_AT_ONCE = 128

/** Where what a program writes first is kept. */
export function seedFile(kubeApiserver: string): string {
  const { size, mtimeMs } = statSync(kubeApiserver)
  const hash = hashOfInputs([kubeApiserver, String(size), String(mtimeMs), ...prefixes])
  return join(testCache(), `kube-seed-${hash}.json`)
}

/**
 * Writes what the file holds into an etcd that starts; false if there is no such file yet.
 * @throws Error with what etcd said, when it ended instead
 */
export async function plantSeed(
  port: number,
  file: string,
  etcd: Pick<ChildServer, 'log' | 'status'>,
): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return false
  const all = JSON.parse(text) as readonly Stored[]
  for (let at = 0; at < all.length; at += MOST_AT_ONCE) {
    const success = all.slice(at, at + MOST_AT_ONCE).map((stored) => ({ requestPut: stored }))
    // refused connections are how it starts
    while (!(await ask(port, 'txn', { success }).then(() => true, isRefused))) {
      if (etcd.status() !== undefined) throw new Error(`etcd ended:\n${etcd.log()}`)
      await setTimeout(20)
    }
  }
  return true
}

/** Keeps what an API server has written that was just started on an empty etcd. */
export async function keepSeed(port: number, file: string): Promise<void> {
  const answers = await Promise.all(
    prefixes.map((prefix) => {
      // the character after the slash ends the range
      const key = Buffer.from(prefix).toString('base64')
      const end = Buffer.from(`${prefix.slice(0, -1)}0`).toString('base64')
      return ask(port, 'range', { key, range_end: end })
    }),
  )
  const all = answers.flatMap(({ kvs = [] }) => kvs.map(({ key, value }): Stored => ({ key, value })))
  try {
    await mkdir(dirname(file), { recursive: true })
    const folder = await mkdtemp(join(dirname(file), '.seed-'))
    // what another process kept meanwhile is the same
    await writeFile(join(folder, 'seed'), JSON.stringify(all))
    await rename(join(folder, 'seed'), file)
    await rm(folder, { recursive: true })
  } catch (error) {
    // where nothing may be kept, the next start takes as long
    if (codeOf(error) !== 'EACCES' && codeOf(error) !== 'EROFS') throw error
  }
}

/** Asks etcd over its gateway for JSON. */
async function ask(port: number, what: 'range' | 'txn', body: unknown): Promise<{ readonly kvs?: readonly Stored[] }> {
  const answer = await fetch(`http://127.0.0.1:${String(port)}/v3/kv/${what}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`etcd: ${await answer.text()}`)
  return (await answer.json()) as { readonly kvs?: readonly Stored[] }
}

/** @throws the error, when it is another */
function isRefused(error: unknown): false {
  if (error instanceof Error && codeOf(error.cause) === 'ECONNREFUSED') return false
  throw error
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined
}
