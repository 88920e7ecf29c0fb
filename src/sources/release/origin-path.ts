import { joinPath, normalizePath, withoutTrailingSlashes } from '../../codec/path.ts'

/**
 * The path of a file below a release's origin, for messages; the origin may be a path or an address (`oci://…`), whose
 * slashes stay.
 */
export function originPath(origin: string, path: string): string {
  const [scheme] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(origin) ?? []
  return scheme === undefined ? joinPath(origin, path) : `${withoutTrailingSlashes(origin)}/${normalizePath(path)}`
}
