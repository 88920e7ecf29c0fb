import { describe, expect, test } from 'vitest'
import { joinRecords } from '../../src/replay/join-records.ts'
import { noObservations, type Observations } from '../../src/replay/observations.ts'
import { recordOf, type RunRecord } from '../../src/replay/run-record.ts'
import { youngPaths } from '../../src/replay/young-paths.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'

const { crypto } = createNodePorts()
const FILE = 0o100644

function recorded(started: number, note: (observations: Observations) => void): RunRecord {
  const observations = noObservations()
  note(observations)
  const parts = new Map<string, string>()
  const identities = new Float64Array(observations.places.size * 6).fill(started)
  const known = { key: 'k', salt: 's', started, settled: new Map<string, string>(), result: String(started), parts }
  return recordOf(observations, { ...known, identities }, { before: undefined, crypto })
}

/** What a run finds at two paths, in a repository and of a link, where each answer tells the run. */
function found(tag: string, changed: number): (observations: Observations) => void {
  return (observations) => {
    for (const path of ['/f/fleet.yaml', '/f/part/a']) {
      const observed = observations.paths.add(path, Float64Array.from([FILE, 12, changed, changed, 7, 1]))
      Object.assign(observed, { isRead: true, digest: tag, hash: tag })
    }
    observations.places.add('/f')
    observations.links.set('/f/link', tag)
    observations.states.set('s', { folder: '/f', state: tag })
    observations.untracked.set('u', { folder: '/f', kind: 'new', digest: tag })
    observations.packaged.set('read a', tag)
  }
}

describe('the record of a run of a part', () => {
  const before = recorded(10_000, found('before', 9000))
  const own = recorded(10_500, found('own', 10_400))
  const joined = joinRecords(before, own, (path) => path.startsWith('/f/part/'))

  test('says of the part what that run found', () => {
    expect(joined).toMatchObject({ started: 10_500, result: '10500' })
    expect([...joined.paths]).toEqual(['/f/fleet.yaml', '/f/part/a'])
    expect(joined.hashes.get('/f/part/a')).toBe('own')
    expect(new Map(youngPaths(joined)).get('/f/part/a')).toBe('own')
    expect(joined.signatures[8]).toBe(10_400)
  })

  test('says of all else what the run before found, whatever has become of it meanwhile', () => {
    expect(joined.signatures[2]).toBe(9000)
    expect(joined.hashes.get('/f/fleet.yaml')).toBe('before')
    expect(new Map(youngPaths(joined)).get('/f/fleet.yaml')).toBe('before')
    expect(joined.identities[0]).toBe(10_000)
    expect(joined.links.get('/f/link')).toBe('before')
    expect(joined.packaged.get('read a')).toBe('before')
    expect(joined.states).toEqual([{ folder: '/f', state: 'before' }])
    expect(joined.untracked).toEqual([{ folder: '/f', kind: 'new', digest: 'before' }])
  })

  test('has what only one of the two looked at', () => {
    const more = recorded(10_500, (observations) => {
      for (const path of ['/f/a', '/f/part/b', '/f/z'])
        observations.paths.add(path, Float64Array.from([FILE, 1, 2, 3, 4, 5])).isRead = true
    })
    const { paths } = joinRecords(before, more, (path) => path.startsWith('/f/part/'))
    expect([...paths]).toEqual(['/f/a', '/f/fleet.yaml', '/f/part/b', '/f/z'])
  })
})
