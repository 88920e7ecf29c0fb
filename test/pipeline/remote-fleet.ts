import { execFileSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { StackmasonError, type Diagnostic } from '../../src/model/diagnostic.ts'
import type { Ports } from '../../src/model/ports.ts'
import { positionAt } from '../../src/model/source.ts'
import { render, type RenderOptions, type RenderResult } from '../../src/pipeline/render.ts'
import { update, type UpdateOptions, type UpdateResult } from '../../src/pipeline/update.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import type { FileMap } from '../../tools/fleets/stack-folder.ts'
import { answerReleases, clusterYaml, fleetYaml, stackYaml } from '../../tools/servers/release-server.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startWebServer, type WebAnswer, type WebServer } from '../../tools/servers/web-server.ts'

/** A fleet with one web source whose content a test can change. */
export interface RemoteFleet {
  readonly folder: string
  readonly server: WebServer
  readonly ports: Ports
  /** Release files by tag; what the server offers. */
  readonly offered: Map<string, FileMap>
  /** Answers that stand before the offered files, by path. */
  readonly overrides: Map<string, WebAnswer>
  readonly write: (files: Readonly<Record<string, string | null>>) => Promise<void>
  readonly update: (options?: Partial<UpdateOptions>) => Promise<UpdateResult>
  readonly render: (options?: Partial<RenderOptions>) => Promise<RenderResult>
  /** Runs git in the folder of the fleet. */
  readonly git: (...words: readonly string[]) => string
  /** Empties the cache. */
  readonly forget: () => Promise<void>
}

/** Makes a fleet that subscribes to releases of a web server, with a cluster of v1, in a folder of its own with a cache of its own. */
export async function remoteFleet(): Promise<RemoteFleet> {
  const root = await tempFolder()
  const folder = join(root, 'fleet')
  const offered = new Map<string, FileMap>()
  const overrides = new Map<string, WebAnswer>()
  const server = await startWebServer(({ path }) => overrides.get(path) ?? answerReleases(path, offered))
  onTestFinished(server.close)
  const variables = new Map([
    ['HOME', root],
    ['STACKMASON_CACHE', join(root, 'cache')],
  ])
  const ports: Ports = {
    ...createNodePorts(),
    environment: { get: (name) => variables.get(name) },
    clock: { ...createNodePorts().clock, sleep: async () => undefined },
  }
  const write = async (files: Readonly<Record<string, string | null>>): Promise<void> => {
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, path)
      if (text === null) await rm(file, { recursive: true })
      else {
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, text)
      }
    }
  }
  await write({
    'stackmason.yaml': fleetYaml(server.url),
    'stacks/demo.yaml': stackYaml('autoSubscribe: true'),
    'clusters/team-a/web/cluster.yaml': clusterYaml('v1'),
  })
  return {
    folder,
    server,
    ports,
    offered,
    overrides,
    write,
    update: (options = {}) =>
      update({ start: folder, stacks: [], releases: [], prune: false, dryRun: false, ...options }, ports),
    render: (options = {}) =>
      render(
        {
          start: folder,
          clusters: [],
          stacks: [],
          check: false,
          allowEmpty: false,
          overwriteEdited: false,
          ...options,
        },
        ports,
        () => undefined,
      ),
    git: (...words) =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...words], {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    forget: () => rm(join(root, 'cache'), { recursive: true, force: true }),
  }
}

/** `CODE file:line:column message | hint` of every problem that `running` ends with; the folder is left out of paths. */
export async function problemsOf(running: Promise<unknown>, folder: string): Promise<readonly string[]> {
  try {
    await running
  } catch (error) {
    if (error instanceof StackmasonError) return error.diagnostics.map((diagnostic) => told(diagnostic, folder))
    throw error
  }
  return []
}

/** The same for findings. */
export function told({ code, at, file, message, hint }: Diagnostic, folder: string): string {
  const short = (path: string): string => path.replace(`${folder}/`, '')
  const start = at === undefined ? undefined : positionAt(at.source, at.start)
  const place =
    at === undefined || start === undefined
      ? short(file ?? '-')
      : `${short(at.source.name)}:${start.line}:${start.column}`
  const digests = [...new Set(message.match(/sha256:[0-9a-f]{64}/g))]
  const shown = digests.reduce((text, digest, index) => text.replaceAll(digest, `<digest ${index + 1}>`), message)
  return `${code} ${place} ${shown}${hint === undefined ? '' : ` | ${hint}`}`
}
