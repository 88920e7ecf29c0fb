import { expect, test } from 'vitest'
import { ClusterPaths } from '../../../src/sources/committed/cluster-paths.ts'

test('paths are those of their cluster, in whatever order they come', () => {
  const paths = new ClusterPaths()
  for (const path of ['README', 'a/README', 'a/b/x', 'a/b/c/y', 'a/b-c/x', 'a/b/z', 'a/b-c/c/y', 'd/b/x'])
    paths.note(path)
  expect(['a/b', 'a/b-c', 'd/b', 'a', '', 'a/c'].map((cluster) => paths.of(cluster))).toEqual([
    ['x', 'c/y', 'z'],
    ['x', 'c/y'],
    ['x'],
    [],
    [],
    [],
  ])
})
