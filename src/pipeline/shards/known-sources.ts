import type { FleetRepository } from '../../model/fleet.ts'
import type { Source } from '../../model/source.ts'

/**
 * The files of a fleet that findings about its clusters point into, by path: whoever joins shards has them, and a shard
 * shows nothing else of this machine.
 */
export function knownSources({ clusters }: FleetRepository): ReadonlyMap<string, Source> {
  const sources = new Map<string, Source>()
  const note = (source: Source): void => {
    if (source.path !== undefined && source.revision === undefined) sources.set(source.path, source)
  }
  for (const { source, classAt, versionAt, values, patches, addons, beside, options } of clusters) {
    for (const span of [classAt, versionAt]) note(span.source)
    note(source)
    for (const files of values.values()) for (const file of files) note(file.source)
    for (const { at } of [...patches, ...addons]) note(at.source)
    for (const { span } of beside) note(span.source)
    if (options?.frozenAt !== undefined) note(options.frozenAt.source)
  }
  return sources
}
