import type { Fleet, SourceConfig } from '../../model/fleet.ts'
import type { OfferedReleases } from '../../model/release-source.ts'
import type { SourceContext } from '../../sources/source-context.ts'
import { isLocal, type OpenedSource } from './fetch-release.ts'
import { openSource } from './open-source.ts'
import type { Offers } from './stack-sources.ts'

/** The sources of a fleet, each opened and listed once per run and only when something asks. */
export interface Catalogue {
  /** @throws StackmasonError FETCH_*, GIT_FAILED, FILE_* */
  readonly open: (config: SourceConfig) => Promise<OpenedSource>
  /** @throws StackmasonError FETCH_*, GIT_FAILED, FILE_*, RELEASE_* */
  readonly list: (config: SourceConfig) => Promise<OfferedReleases>
  /** The offers that have been listed so far. */
  readonly offers: () => Offers
}

/** How far a source is that is asked for its list; `source` is its name in the fleet. */
export interface AskEvent {
  readonly source: string
  readonly state: 'asked' | 'answered' | 'failed'
  /** Set when it answered: how many releases it offers. */
  readonly releases?: number
}

/** Told of each source that is not on this machine, so that waiting for one hides no other. */
export type OnAsk = (event: AskEvent) => void

/** Makes the catalogue of a fleet's sources. */
export function createCatalogue(fleet: Fleet, context: SourceContext, onAsk: OnAsk = () => undefined): Catalogue {
  const opened = new Map<SourceConfig, Promise<OpenedSource>>()
  const listed = new Map<SourceConfig, Promise<OfferedReleases>>()
  const offers = new Map<SourceConfig, OfferedReleases>()
  const open = (config: SourceConfig): Promise<OpenedSource> =>
    once(opened, config, async () => ({ config, source: await openSource(config, context) }))
  return {
    open,
    list: (config) =>
      once(listed, config, async () => {
        const source = config.name
        const tell = isLocal(config) || context.offline ? () => undefined : onAsk
        tell({ source, state: 'asked' })
        try {
          const found = await (await open(config)).source.list()
          offers.set(config, found)
          tell({ source, state: 'answered', releases: found.releases.length })
          return found
        } catch (error) {
          tell({ source, state: 'failed' })
          throw error
        }
      }),
    offers: () =>
      new Map(
        fleet.sources.flatMap((config) => {
          const found = offers.get(config)
          return found === undefined ? [] : [[config, found.releases.map(({ name }) => name)]]
        }),
      ),
  }
}

function once<Key, Result>(known: Map<Key, Promise<Result>>, key: Key, make: () => Promise<Result>): Promise<Result> {
  const found = known.get(key) ?? make()
  known.set(key, found)
  return found
}
