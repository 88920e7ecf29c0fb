import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { openYaml } from '../../edit/open-yaml.ts'
import { classNamePath, isCapiCluster, topologyVersionPath } from '../../model/class-reference.ts'
import { textAt } from '../../model/field.ts'
import type { Source } from '../../model/source.ts'

/** The release that a cluster is to ask for. */
export interface WantedRelease {
  readonly className: string
  /** Of Kubernetes. */
  readonly version: string
}

/**
 * The text of a cluster.yaml that asks for another release; every other character stays.
 * @throws StackmasonError PUBLISH_WAVE_EDIT where class or version cannot be changed by itself
 */
export function editCluster({ name, text }: Source, { className, version }: WantedRelease): string {
  const file = openYaml({ name, bytes: encodeUtf8(text) }, 'PUBLISH_WAVE_EDIT')
  const document = file.documents.findIndex(({ value }) =>
    isCapiCluster({ apiVersion: textAt(value, 'apiVersion'), kind: textAt(value, 'kind') }),
  )
  const cluster = file.documents[document]
  if (cluster === undefined) return text
  return decodeUtf8(
    file.edit([
      { how: 'replace', path: classNamePath(cluster.value), value: className, document },
      { how: 'replace', path: topologyVersionPath, value: version, document },
    ]),
  )
}
