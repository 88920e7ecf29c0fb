import { describe, expect, it } from 'vitest'
import { cacheFolder } from '../../../src/sources/cache/cache-folder.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'

type Variables = Readonly<Record<string, string>>

async function folderOf(variables: Variables): Promise<string> {
  return cacheFolder({ get: (name) => variables[name] })
}

describe('cacheFolder', () => {
  it.each<{ readonly name: string; readonly variables: Variables; readonly want: string }>([
    {
      name: 'its own variable',
      variables: { STACKMASON_CACHE: '/a/../b/', XDG_CACHE_HOME: '/x', HOME: '/h' },
      want: '/b',
    },
    {
      name: 'the folder for caches',
      variables: { STACKMASON_CACHE: '', XDG_CACHE_HOME: '/x', HOME: '/h' },
      want: '/x/stackmason',
    },
    { name: 'the home folder', variables: { XDG_CACHE_HOME: '', HOME: '/h' }, want: '/h/.cache/stackmason' },
    {
      name: 'the home folder for a relative one',
      variables: { XDG_CACHE_HOME: 'x', HOME: '/h' },
      want: '/h/.cache/stackmason',
    },
    {
      name: 'the home folder of Windows',
      variables: { USERPROFILE: 'C:\\Users\\me' },
      want: 'C:/Users/me/.cache/stackmason',
    },
    { name: 'a folder of Windows', variables: { STACKMASON_CACHE: 'D:\\cache' }, want: 'D:/cache' },
    { name: 'a name with a backslash', variables: { STACKMASON_CACHE: '/a\\b' }, want: '/a\\b' },
  ])('takes $name', async ({ variables, want }) => {
    expect(await folderOf(variables)).toBe(want)
  })

  it.each<{ readonly variables: Variables; readonly message: string }>([
    { variables: { STACKMASON_CACHE: 'cache', HOME: '/h' }, message: 'STACKMASON_CACHE is not an absolute path' },
    { variables: {}, message: 'there is no home folder to keep the cache in' },
  ])('refuses $variables', async ({ variables, message }) => {
    const hint = 'Set STACKMASON_CACHE to the absolute path of a folder.'
    expect(await diagnosticsOf(folderOf(variables))).toEqual([
      { code: 'CACHE_FAILED', severity: 'error', message, hint },
    ])
  })
})
