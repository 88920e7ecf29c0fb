import type { Ports } from '../../model/ports.ts'
import type { OciSourceConfig, SourceConfig } from '../../model/fleet.ts'
import { nearestName } from '../../model/nearest-name.ts'
import type { ReleaseSource } from '../../model/release-source.ts'
import type { Span } from '../../model/source.ts'
import { inputProblem } from '../../build/build-input.ts'
import { findFleet } from '../../sources/fleet/find-fleet.ts'
import { readFleet } from '../../sources/fleet/read-fleet.ts'
import { environmentRepository } from '../../network/registry/environment-repository.ts'
import { parseRepository } from '../../network/registry/repository-name.ts'
import type { Registry } from '../../network/registry/registry.ts'
import type { SourceContext } from '../../sources/source-context.ts'
import { openSource } from '../resolve/open-source.ts'

/** Where releases are looked up, and pushed to when it is a registry. */
export interface LocationOptions {
  /** Folder to search a fleet from. */
  readonly start: string
  readonly fleet?: string
  /** Name of a source of the fleet. */
  readonly source?: string | undefined
  /** `oci://host/path`; '' for what the environment names. */
  readonly registry?: string | undefined
  readonly plainHttp: boolean
  /** Absolute. */
  readonly caFile?: string | undefined
}

/** A place, opened on demand. */
export interface ReleaseLocation {
  readonly config: SourceConfig
  readonly open: () => Promise<ReleaseSource>
}

/**
 * The place that the options name: a source of the fleet, or a registry; undefined when they name none.
 * @throws StackmasonError CONFIG_*, BUILD_INPUT_INVALID
 */
export async function findLocation(
  options: LocationOptions,
  context: SourceContext,
): Promise<ReleaseLocation | undefined> {
  const config = options.source === undefined ? registryConfig(options) : await sourceConfig(options, context.ports)
  return config && { config, open: () => openSource(config, context) }
}

/** The registry of a place. @throws StackmasonError BUILD_INPUT_INVALID when it is none, CONFIG_* */
export async function openLocationRegistry({ config }: ReleaseLocation, context: SourceContext): Promise<Registry> {
  if (config.type !== 'oci') {
    throw inputProblem(`source "${config.name}" is not a registry, so nothing can be pushed to it`, { at: config.at })
  }
  const { openRegistry } = await import('../../network/registry/open-registry.ts')
  const { repository, at, plainHttp, caFile, credentials, settings } = config
  const name = repository === undefined ? environmentRepository(context.ports.environment) : parseRepository(repository)
  if ('reason' in name) {
    const hint = 'Name the registry with --registry or --source, or set OCI_REGISTRY and OCI_REPOSITORY.'
    throw inputProblem(`there is no registry to push to: ${name.reason}`, { at, hint })
  }
  return openRegistry({ ...name.value, plainHttp, at, caFile, credentials, settings }, context)
}

function registryConfig({ registry, plainHttp, caFile }: LocationOptions): OciSourceConfig | undefined {
  if (registry === undefined) return undefined
  return {
    type: 'oci',
    name: registry === '' ? 'the environment' : '--registry',
    at: placeOf(registry),
    repository: registry || undefined,
    publicKeys: [],
    plainHttp,
    caFile,
    settings: 'options',
  }
}

function placeOf(registry: string): Span {
  const source =
    registry === '' ? { name: 'environment', text: '' } : { name: 'command line', text: `--registry ${registry}` }
  return { source, start: 0, end: source.text.length }
}

async function sourceConfig({ start, fleet, source: name }: LocationOptions, ports: Ports): Promise<SourceConfig> {
  const file = await findFleet(fleet ?? start, ports)
  const { sources } = (await readFleet(file, ports)).repository.fleet
  const found = sources.find((source) => source.name === name)
  if (found !== undefined) return found
  const names = sources.map((source) => source.name)
  const near = nearestName(name ?? '', names)
  const hint = `${near === undefined ? '' : `Did you mean ${near}? `}It has ${names.join(', ')}.`
  throw inputProblem(`the fleet has no source ${JSON.stringify(name)}`, { file, hint })
}
