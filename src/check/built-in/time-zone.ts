/** The regions of zones, as their database names them, and two folders of it. */
const regions: ReadonlySet<string> = new Set(
  'Africa America Antarctica Arctic Asia Atlantic Australia Brazil Canada Chile Etc Europe Indian Mexico Pacific SystemV US posix right'.split(
    ' ',
  ),
)

/** Zones of no region; new ones are of a region. */
const zones: ReadonlySet<string> = new Set(
  'CET CST6CDT Cuba EET EST EST5EDT Egypt Eire Factory GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey UCT UTC Universal W-SU WET Zulu localtime posixrules'.split(
    ' ',
  ),
)

/**
 * What a time zone has to be, where it is none; undefined for one that may be known. The places of a region are not
 * compared: the server's database may be newer than any list.
 */
export function timeZoneProblem(zone: string): string | undefined {
  const parts = zone.split('/')
  const isName = parts.every(
    (part) => /^[A-Za-z.\-_0-9+]{1,14}$/.test(part) && part !== '.' && part !== '..' && !part.startsWith('-'),
  )
  const [region = ''] = parts
  const isKnown = parts.length === 1 ? zones.has(zone) : regions.has(region)
  return isName && isKnown ? undefined : 'a time zone such as Europe/Berlin'
}
