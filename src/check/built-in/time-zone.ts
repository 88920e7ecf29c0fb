import { nearestName } from '../../model/nearest-name.ts'

/** Names and folders that a database of zones has, and that are not meant for people. */
const special: ReadonlySet<string> = new Set(['Factory', 'localtime', 'posix', 'posixrules', 'right'])

/**
 * What a time zone has to be, where it is none; undefined for one that may be known. The server's database of zones may
 * be newer than the one here: a name that is unknown here is wrong only if it is near one that is known, or of no region.
 */
export function timeZoneProblem(zone: string): string | undefined {
  const isName = zone
    .split('/')
    .every((part) => /^[A-Za-z.\-_0-9+]{1,14}$/.test(part) && part !== '.' && part !== '..' && !part.startsWith('-'))
  if (!isName || zone.toLowerCase() === 'local') return 'a time zone such as Europe/Berlin'
  const [region = '', ...rest] = zone.split('/')
  if (special.has(zone) || special.has(region) || isKnown(zone)) return undefined
  const ofRegion = knownZones().filter((name) => name.startsWith(`${region}/`))
  if (ofRegion.length === 0) return 'a time zone such as Europe/Berlin'
  const near = nearestName(
    rest.join('/'),
    ofRegion.map((name) => name.slice(region.length + 1)),
  )
  return near === undefined ? undefined : `a time zone such as ${region}/${near}`
}

function isKnown(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

let zones: readonly string[] | undefined

function knownZones(): readonly string[] {
  zones ??= Intl.supportedValuesOf('timeZone')
  return zones
}
