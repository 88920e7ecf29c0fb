/** True if the path starts at the root; drive letters (`C:/`) count as roots. */
export function isAbsolutePath(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:\//.test(path)
}

/**
 * The path without `.`, `..` where they can be resolved, doubled and trailing slashes; `''` becomes `.`. Purely
 * textual: links are not followed.
 */
export function normalizePath(path: string): string {
  if (path !== '' && !untidy.test(path)) return path
  const drive = /^[A-Za-z]:(?=\/)/.exec(path)?.[0] ?? ''
  const rest = path.slice(drive.length)
  const absolute = rest.startsWith('/')
  const parts: string[] = []
  for (const part of rest.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (part !== '..' || !absolute) parts.push(part)
  }
  if (absolute) return `${drive}/${parts.join('/')}`
  return parts.length === 0 ? '.' : parts.join('/')
}

/** True if there may be something to normalize: almost never. */
const untidy = /(?:^|\/)\.{1,2}(?:\/|$)|\/\/|.\/$/

/** Joins and normalizes; unlike `resolvePath`, a later part that starts with `/` does not replace the earlier ones. */
export function joinPath(...parts: readonly string[]): string {
  return normalizePath(parts.filter((part) => part !== '').join('/'))
}

/** `path` seen from `folder`: joined when relative, normalized when absolute. */
export function resolvePath(folder: string, path: string): string {
  return isAbsolutePath(path) ? normalizePath(path) : joinPath(folder, path)
}

/** The folder that holds the path; `.` for a bare name, the root for the root. */
export function dirName(path: string): string {
  const normal = normalizePath(path)
  const slash = normal.lastIndexOf('/')
  if (slash === -1) return '.'
  const root = isAbsolutePath(normal) ? normal.indexOf('/') + 1 : 0
  return normal.slice(0, Math.max(slash, root))
}

/** The last part of the path; `''` for the root. */
export function baseName(path: string): string {
  const normal = normalizePath(path)
  return normal.slice(normal.lastIndexOf('/') + 1)
}

/** The path that leads from the folder `from` to `to`; both absolute or both relative to one place. `.` when equal. */
export function relativePath(from: string, to: string): string {
  const start = partsOf(from)
  const end = partsOf(to)
  let common = 0
  while (common < start.length && common < end.length && start[common] === end[common]) common++
  const up = start.slice(common).map(() => '..')
  return [...up, ...end.slice(common)].join('/') || '.'
}

/** True if `path` is `folder` itself or lies below it, by text alone; resolve links first where they matter. */
export function isInside(folder: string, path: string): boolean {
  const outer = normalizePath(folder)
  const inner = normalizePath(path)
  if (outer === inner) return true
  if (outer === '.') return !isAbsolutePath(inner) && inner !== '..' && !inner.startsWith('../')
  return inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`)
}

function partsOf(path: string): readonly string[] {
  return normalizePath(path)
    .split('/')
    .filter((part) => part !== '' && part !== '.')
}

/**
 * The text without the slashes at its end. Not by a pattern: that would look at every run of slashes from each of its
 * places.
 */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length
  while (end > 0 && text.charAt(end - 1) === '/') end--
  return text.slice(0, end)
}
