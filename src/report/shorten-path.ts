/** Shows paths below the working folder relative to it. */
export interface ShortenPath {
  (path: string): string
  /** The same for paths inside of a sentence. */
  readonly inText: (text: string) => string
}

/** Makes the function for one working folder (absolute, `/` separated). */
export function createShortenPath(workingFolder: string): ShortenPath {
  const prefix = workingFolder.endsWith('/') ? workingFolder : `${workingFolder}/`
  const shorten = (path: string): string => {
    if (path === workingFolder) return '.'
    return prefix !== '/' && path.startsWith(prefix) ? path.slice(prefix.length) : path
  }
  return Object.assign(shorten, {
    inText: (text: string): string => (prefix === '/' ? text : text.replaceAll(prefix, '')),
  })
}
