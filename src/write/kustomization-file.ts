import { hasGeneratedHead, formatGeneratedHead } from '../codec/text/generated-head.ts'
import { formatManifestYaml } from '../codec/yaml/manifest-yaml.ts'
import { dict, type Value } from '../model/value.ts'

/**
 * Writes a kustomization.yaml, which lists what of a folder is applied, our files and the folders that belong to it:
 * one resource a line, so that git merges lists, then what `more` adds.
 */
export function formatKustomization(
  resources: readonly string[],
  more: Iterable<readonly [string, Value]> = [],
): string {
  return (
    formatGeneratedHead() +
    formatManifestYaml(
      dict([
        ['apiVersion', 'kustomize.config.k8s.io/v1beta1'],
        ['kind', 'Kustomization'],
        ['resources', [...resources]],
        ...more,
      ]),
    )
  )
}

/**
 * The files that a kustomization.yaml of ours lists; none of anybody else's. Read by lines: one with conflict markers
 * counts too.
 */
export function listedFiles(text: string): ReadonlySet<string> {
  if (!hasGeneratedHead(text)) return new Set()
  return new Set([...text.matchAll(/^- "?([^\s"/\\]+\.yaml)"?\r?$/gm)].map(([, name = '']) => name))
}
