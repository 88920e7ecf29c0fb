import { isAbsolutePath, joinPath, normalizePath } from '../../codec/path.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Environment } from '../../model/ports.ts'

/**
 * The absolute folder of the cache: `STACKMASON_CACHE`, else `stackmason` in `XDG_CACHE_HOME` (which counts only when
 * absolute: XDG Base Directory Specification), else `.cache/stackmason` in the home folder. Empty variables count as
 * unset.
 * @throws StackmasonError CACHE_FAILED when none of them says where
 */
export function cacheFolder(environment: Environment): string {
  const variable = (name: string): string | undefined => {
    const value = environment.get(name) ?? ''
    // Windows spells absolute paths with backslashes.
    const path = /^[A-Za-z]:\\/.test(value) ? value.replaceAll('\\', '/') : value
    return path === '' ? undefined : path
  }
  const own = variable('STACKMASON_CACHE')
  if (own !== undefined) {
    if (isAbsolutePath(own)) return normalizePath(own)
    throw noFolder('STACKMASON_CACHE is not an absolute path')
  }
  const shared = variable('XDG_CACHE_HOME')
  if (shared !== undefined && isAbsolutePath(shared)) return joinPath(shared, 'stackmason')
  const home = variable('HOME') ?? variable('USERPROFILE')
  if (home !== undefined && isAbsolutePath(home)) return joinPath(home, '.cache/stackmason')
  throw noFolder('there is no home folder to keep the cache in')
}

function noFolder(message: string): StackmasonError {
  const hint = 'Set STACKMASON_CACHE to the absolute path of a folder.'
  return new StackmasonError({ code: 'CACHE_FAILED', severity: 'error', message, hint })
}
