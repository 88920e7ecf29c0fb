import { dictAt, textAt, withField } from '../../model/field.ts'
import { Dict } from '../../model/value.ts'

const KEY = 'clusterstack.x-k8s.io/instance'
const VALUE = 'owned'
const WORKLOADS: ReadonlySet<string> = new Set(['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet'])

/**
 * Returns the object with CSO's ownership label, on pod templates of apps workloads and Jobs too: taking it away would
 * restart every addon pod of an adopted cluster. Rule: CSO pkg/kube/helpers.go setLabel.
 */
export function setInstanceLabel(object: Dict): Dict {
  const labelled = withField(object, ['metadata', 'labels', KEY], VALUE)
  const apiVersion = textAt(object, 'apiVersion')
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
  const kind = textAt(object, 'kind')
  if ((group === 'apps' || group === 'extensions') && WORKLOADS.has(kind)) return labelWorkload(labelled, apiVersion)
  if (group === 'batch' && kind === 'Job') return labelPodTemplate(labelled)
  return labelled
}

function labelPodTemplate(object: Dict): Dict {
  return withField(object, ['spec', 'template', 'metadata', 'labels', KEY], VALUE)
}

/**
 * Old API versions default an absent selector to the template's labels; it must not come to hold the ownership label.
 */
function labelWorkload(object: Dict, apiVersion: string): Dict {
  const labelled = labelPodTemplate(object)
  if (apiVersion !== 'apps/v1beta1' && apiVersion !== 'extensions/v1beta1') return labelled
  if ((dictAt(object, 'spec', 'selector')?.size ?? 0) > 0) return labelled
  const labels = dictAt(object, 'spec', 'template', 'metadata', 'labels') ?? new Dict()
  return withField(labelled, ['spec', 'selector', 'matchLabels'], labels)
}
