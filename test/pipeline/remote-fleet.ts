import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { StackmasonError, type Diagnostic } from '../../src/model/diagnostic.ts'
import type { Ports } from '../../src/model/ports.ts'
import { positionAt } from '../../src/model/source.ts'
import { update, type UpdateOptions, type UpdateResult } from '../../src/pipeline/commands/update.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import type { FileMap } from '../../tools/fleets/stack-folder.ts'
import { answerReleases, clusterYaml, fleetYaml, stackYaml } from '../../tools/servers/release-server.ts'
import { startWebServer, type WebAnswer, type WebServer } from '../../tools/servers/web-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A fleet with one web source whose content a test can change. */
export class RemoteFleet extends FleetFolder {
  readonly server: WebServer
  /** Release files by tag; what the server offers. */
  readonly offered: Map<string, FileMap>
  /** Answers that stand before the offered files, by path. */
  readonly overrides: Map<string, WebAnswer>
  readonly #cache: string

  constructor(root: string, served: Pick<RemoteFleet, 'server' | 'offered' | 'overrides'>) {
    const cache = join(root, 'cache')
    const variables = new Map([
      ['HOME', root],
      ['STACKMASON_CACHE', cache],
    ])
    const ports: Ports = createNodePorts()
    super(join(root, 'fleet'), {
      ...ports,
      environment: { get: (name) => variables.get(name) },
      clock: { ...ports.clock, sleep: async () => undefined },
    })
    this.server = served.server
    this.offered = served.offered
    this.overrides = served.overrides
    this.#cache = cache
  }

  update(options: Partial<UpdateOptions> = {}): Promise<UpdateResult> {
    return update({ start: this.folder, stacks: [], releases: [], prune: false, dryRun: false, ...options }, this.ports)
  }

  /** Empties the cache. */
  forget(): void {
    rmSync(this.#cache, { recursive: true, force: true })
  }
}

/**
 * Makes a fleet that subscribes to releases of a web server, with a cluster of v1, in a folder of its own with a cache
 * of its own.
 */
export async function remoteFleet(): Promise<RemoteFleet> {
  const offered = new Map<string, FileMap>()
  const overrides = new Map<string, WebAnswer>()
  const server = await startWebServer(({ path }) => overrides.get(path) ?? answerReleases(path, offered))
  onTestFinished(server.close)
  const fleet = new RemoteFleet(await tempFolder(), { server, offered, overrides })
  fleet.change({
    'stackmason.yaml': fleetYaml(server.url),
    'stacks/demo.yaml': stackYaml('autoSubscribe: true'),
    'clusters/team-a/web/cluster.yaml': clusterYaml('v1'),
  })
  return fleet
}

/**
 * `CODE file:line:column message | hint` of every problem that `running` ends with; the folder is left out of paths.
 */
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
