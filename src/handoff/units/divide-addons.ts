import { dirName } from '../../codec/path.ts'
import { addonUnitKey, isOwn } from '../../model/addon-unit-key.ts'
import type { HandoffCluster } from '../../model/handoff.ts'
import { isConditional } from './read-conditions.ts'

/**
 * Divides the addons of a cluster among units, by the path of their folder: those of the release are one unit and the
 * cluster's own another, so that a mistake in these holds back no others; or each is one. From the first addon of the
 * release with a condition on, each of the release is a unit, because the operator went through its stages one by one.
 */
export function divideAddons(
  input: Pick<HandoffCluster, 'release' | 'cluster' | 'addons' | 'addonUnits'>,
): ReadonlyMap<string, string> {
  const { addons, addonUnits = 'perOwner' } = input
  let isAlone = addonUnits === 'perAddon'
  const ofRelease = addons
    .filter(({ path }) => !isOwn(path))
    .map((folder): [string, string] => {
      isAlone ||= isConditional(folder, input)
      return [folder.path, addonUnitKey(folder.path, isAlone)]
    })
  const own = addons
    .filter(({ path }) => isOwn(path))
    .map(({ path }): [string, string] => [path, addonUnits === 'perAddon' ? path : dirName(path)])
  return new Map([...ofRelease, ...own])
}
