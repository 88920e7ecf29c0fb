#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TextOutput } from './cli/cli-io.ts'
import { run } from './cli/run.ts'
import { createNodePorts } from './system/node-ports.ts'

const packageFolder = slashed(dirname(dirname(fileURLToPath(import.meta.url))))

for (const stream of [process.stdout, process.stderr]) stream.on('error', endWhenNobodyReads)

process.exitCode = await run(process.argv.slice(2), {
  stdout: textOutput(process.stdout),
  stderr: textOutput(process.stderr),
  readStdin,
  environment: process.env,
  workingFolder: slashed(process.cwd()),
  packageFolder,
  version: readVersion(),
  ports: createNodePorts(),
})

/** `stackmason template … | head` is no failure. */
function endWhenNobodyReads(error: Error): void {
  if (!('code' in error) || error.code !== 'EPIPE') throw error
  process.exitCode = 0
}

function textOutput(stream: NodeJS.WriteStream): TextOutput {
  return {
    write: (text) => {
      stream.write(text)
    },
    isTerminal: stream.isTTY === true,
    columns: stream.columns ?? 80,
  }
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return new Uint8Array(Buffer.concat(chunks))
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(`${packageFolder}/package.json`, 'utf8'))
  const isNamed = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return isNamed && typeof manifest.version === 'string' ? manifest.version : 'unknown'
}

function slashed(path: string): string {
  return process.platform === 'win32' ? path.replaceAll('\\', '/') : path
}
