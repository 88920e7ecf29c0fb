import type { Dict } from '../model/value.ts'
import { formatGoYaml } from './go-yaml-format.ts'

/** Writes a Kubernetes object as canonical YAML. */
export function formatManifestYaml(object: Dict): string {
  return formatGoYaml(object)
}
