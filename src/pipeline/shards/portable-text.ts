import { StackmasonError } from '../../model/diagnostic.ts'
import type { Environment } from '../../model/ports.ts'
import { cacheFolder } from '../../sources/cache/cache-folder.ts'

/** Plain values as text that names files as another machine may have them in other folders. */
export interface PortableText {
  readonly leave: (text: string) => string
  readonly arrive: (text: string) => string
}

/** Makes a {@link PortableText}: the folders of the fleet and of the cache go by marks. */
export function createPortableText(root: string, environment: Environment): PortableText {
  const folders = [
    { path: root, mark: String.raw`\u0000fleet` },
    { path: ownCache(environment), mark: String.raw`\u0000cache` },
  ]
    // nothing can be told apart by the root of all files
    .filter((folder): folder is { path: string; mark: string } => folder.path !== undefined && folder.path !== '/')
    .map(({ path, mark }) => ({ path: JSON.stringify(path).slice(1, -1), mark }))
    // one may lie in the other
    .sort((one, other) => other.path.length - one.path.length)
  const replace = (text: string, from: 'path' | 'mark', to: 'path' | 'mark'): string => {
    let replaced = text
    for (const folder of folders)
      replaced = replaced
        .replaceAll(`${folder[from]}/`, `${folder[to]}/`)
        .replaceAll(`"${folder[from]}"`, `"${folder[to]}"`)
    return replaced
  }
  return { leave: (text) => replace(text, 'path', 'mark'), arrive: (text) => replace(text, 'mark', 'path') }
}

function ownCache(environment: Environment): string | undefined {
  try {
    return cacheFolder(environment)
  } catch (error) {
    if (error instanceof StackmasonError) return undefined
    throw error
  }
}
