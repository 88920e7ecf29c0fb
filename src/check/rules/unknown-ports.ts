import { dictAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { containersOf, podOf } from '../../model/pods.ts'
import { shownName, shownObject } from '../../model/shown-name.ts'
import type { Dict } from '../../model/value.ts'
import type { CheckedUnit, Destination } from '../checked-unit.ts'
import { isLate } from '../references/missing-target.ts'
import { manifestsAt, workloadsOf } from '../references/object-index.ts'
import { labelsOf, podLabelsOf } from '../references/pod-labels.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'

/** Names of ports that no container has. */
export const unknownPorts: Rule = unitRule(
  {
    code: 'PORT_UNKNOWN',
    severity: 'error',
    explanation: [
      'A port may be named instead of numbered, and no API server looks whether a container has it. A Service whose `targetPort` none of its pods has answers nothing; a probe of such a port fails, so that the pod is restarted or never ready.',
      'Looked at are Services in workload clusters whose selector matches pods that objects of the tree run, and the probes and hooks of containers, which know the ports of their own container only. A headless Service is not: it answers with the addresses of its pods, whatever their ports.',
      'A warning where the Service has other ports that answer, and no name is near: charts leave such ports for options that are off. Where another program may add containers to the pods, acknowledge the finding.',
    ],
  },
  (unit) =>
    unit.isKept
      ? []
      : workloadsOf(unit).flatMap((destination) => [
          ...manifestsAt(unit, destination).flatMap(probedPorts),
          ...servedPorts(unit, destination),
        ]),
)

/** Where a container may ask a port of its own. */
const asking: readonly (readonly string[])[] = [
  ...['startupProbe', 'livenessProbe', 'readinessProbe'].flatMap((probe) => [
    [probe, 'httpGet', 'port'],
    [probe, 'tcpSocket', 'port'],
  ]),
  ...['postStart', 'preStop'].flatMap((hook) => [
    ['lifecycle', hook, 'httpGet', 'port'],
    ['lifecycle', hook, 'tcpSocket', 'port'],
  ]),
]

function probedPorts(manifest: Manifest): readonly RuleFinding[] {
  const pod = podOf(manifest)
  if (pod === undefined) return []
  return containersOf(pod).flatMap(({ spec, path }) =>
    asking.flatMap((steps): readonly RuleFinding[] => {
      const port = textAt(spec, ...steps)
      const place = [...path, ...steps]
      if (!isName(port) || isLate(manifest, place)) return []
      const names = portNames(spec)
      if (names.includes(port)) return []
      const effect = `${steps[0] === 'lifecycle' ? 'the hook' : 'the probe'} fails`
      return [findingOf({ manifest, place, port, names }, `which its container does not have: ${effect}`)]
    }),
  )
}

function servedPorts(unit: CheckedUnit, destination: Destination): readonly RuleFinding[] {
  const manifests = manifestsAt(unit, destination)
  const services = manifests.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Service')
  if (!services.some(({ object }) => itemsAt(object, 'spec', 'ports').some((port) => isName(targetOf(port))))) return []
  const running = manifests.flatMap((manifest) => {
    const pod = podOf(manifest)
    return pod === undefined ? [] : [{ namespace: manifest.namespace, labels: podLabelsOf(manifest), pod }]
  })
  return services.flatMap((service) => {
    const selector = [...labelsOf(dictAt(service.object, 'spec', 'selector'))]
    // a headless one answers with the addresses of its pods, whatever their ports
    if (selector.length === 0 || textAt(service.object, 'spec', 'clusterIP') === 'None') return []
    const pods = running.filter(
      ({ namespace, labels }) =>
        namespace === service.namespace && selector.every(([key, value]) => labels?.get(key) === value),
    )
    if (pods.length === 0) return []
    const names = [...new Set(pods.flatMap(({ pod }) => containersOf(pod).flatMap(({ spec }) => portNames(spec))))]
    const ports = itemsAt(service.object, 'spec', 'ports')
    const unknown = ports.flatMap((item, index) => {
      const port = targetOf(item)
      const place = ['spec', 'ports', index, 'targetPort']
      return !isName(port) || names.includes(port) || isLate(service, place) ? [] : [{ port, place }]
    })
    const isDead = unknown.length === ports.length
    return unknown.map(({ port, place }): RuleFinding => {
      const effect = `which no container of its pods has: ${isDead ? 'it answers nothing' : 'that port answers nothing'}`
      const finding = findingOf({ manifest: service, place, port, names }, effect)
      return isDead || nearestName(port, names) !== undefined ? finding : { ...finding, severity: 'warning' }
    })
  })
}

const targetOf = (port: Parameters<typeof textAt>[0]): string => textAt(port, 'targetPort')

/** True for a name; a number may be written as a text, and API servers refuse what is neither. */
function isName(port: string): boolean {
  return /^[a-z0-9-]{1,15}$/.test(port) && /[a-z]/.test(port)
}

function portNames(container: Dict): readonly string[] {
  return itemsAt(container, 'ports').flatMap((port) => {
    const name = textAt(port, 'name')
    return name === '' ? [] : [name]
  })
}

interface NamedPort {
  readonly manifest: Manifest
  readonly place: readonly PathStep[]
  readonly port: string
  readonly names: readonly string[]
}

function findingOf({ manifest, place, port, names }: NamedPort, effect: string): RuleFinding {
  const near = nearestName(port, names)
  const known = names.length === 0 ? 'no port has a name' : `the names are: ${names.map(shownName).join(', ')}`
  return {
    message: `${shownObject({ ...manifest, namespace: manifest.namespace })} names the port ${shownName(port)}, ${effect}`,
    ...placeIn(manifest, ...place),
    hint: near === undefined ? `Name a port of the container; ${known}.` : `Did you mean ${shownName(near)}?`,
  }
}
