/** A path as typed by the user, seen from the working folder; absolute, `/` separated, without `.` and `..`. */
export function resolveFolder(workingFolder: string, typed: string): string {
  const path = /^[A-Za-z]:/.test(workingFolder) ? typed.replaceAll('\\', '/') : typed
  const isAbsolute = path.startsWith('/') || /^[A-Za-z]:\//.test(path)
  const parts: string[] = []
  for (const part of (isAbsolute ? path : `${workingFolder}/${path}`).split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  const joined = parts.join('/')
  return /^[A-Za-z]:/.test(joined) ? joined : `/${joined}`
}
