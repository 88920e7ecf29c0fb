import type { ObjectName } from './object-name.ts'

/**
 * `clusters/<namespace>/<cluster>/<file>` of the fleet's folder: what people write for a cluster; without `file` the
 * folder that holds it.
 */
export function inputPath({ namespace, name }: ObjectName, file?: string): string {
  const folder = `clusters/${namespace}/${name}`
  return file === undefined ? folder : `${folder}/${file}`
}

/** True if a file, named from anywhere, is of one cluster alone. */
export function isOwnInput(file: string, cluster: ObjectName): boolean {
  return file.includes(`${inputPath(cluster)}/`)
}
