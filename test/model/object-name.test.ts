import { expect, test } from 'vitest'
import { inputPath } from '../../src/model/input-path.ts'
import { objectPath, parseObjectPath } from '../../src/model/object-name.ts'

test.each([
  { path: 'team-a/web', object: { namespace: 'team-a', name: 'web' } },
  { path: '/web', object: { namespace: '', name: 'web' } },
  { path: 'team-a/', object: { namespace: 'team-a', name: '' } },
])('$path', ({ path, object }) => {
  expect(objectPath(object)).toBe(path)
  expect(parseObjectPath(path)).toEqual(object)
})

test('a name without a namespace', () => {
  expect(parseObjectPath('web')).toEqual({ namespace: '', name: 'web' })
})

test('files that people write for a cluster', () => {
  const web = { namespace: 'team-a', name: 'web' }
  expect([inputPath(web), inputPath(web, 'options.yaml')]).toEqual([
    'clusters/team-a/web',
    'clusters/team-a/web/options.yaml',
  ])
})
