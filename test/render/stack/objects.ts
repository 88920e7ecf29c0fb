import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import type { Manifest } from '../../../src/model/manifest.ts'
import { Dict } from '../../../src/model/value.ts'
import { toManifest } from '../../../src/render/stack/parse-manifests.ts'

/** Reads one map of YAML as Kubernetes objects are read. */
export function objectOf(yaml: string): Dict {
  const value = parseGoYaml(yaml, { integers: 'int' })
  if (!(value instanceof Dict)) throw new Error('not a map')
  return value
}

/** A manifest as a chart named `unit` would have rendered it. */
export function manifestOf(yaml: string, unit = 'addon'): Manifest {
  return toManifest(objectOf(yaml), { from: 'release', unit, template: `${unit}/templates/x.yaml` })
}
