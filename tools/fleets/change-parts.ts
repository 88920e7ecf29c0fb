export const at = (apiVersion: string, kind: string): string =>
  `apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: x, namespace: default}`
export const whole = (apiVersion: string, kind: string): string =>
  `apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: x}`
export const template = (label: string, image = 'i:1'): string =>
  `template: {metadata: {labels: {a: ${label}}}, spec: {containers: [{name: c, image: "${image}"}]}}`
export const selector = (label: string): string => `selector: {matchLabels: {a: ${label}}}`
export const claim = (size: string): string => `accessModes: [ReadWriteOnce], resources: {requests: {storage: ${size}}}`

/** Changes as `[what, head, before, after]`; the server refuses those of `refused` and takes those of `taken`. */
export type Row = readonly [name: string, head: string, before: string, after: string]

/** The same change in both directions. */
export function both(name: string, head: string, [one, other]: readonly [one: string, other: string]): readonly Row[] {
  return [
    [`${name}: written`, head, one, other],
    [`${name}: left out`, head, other, one],
  ]
}

/** A StatefulSet with a template of claims. */
export function claimed(metadata: string, spec: string): string {
  return `spec: {serviceName: s, ${selector('b')}, ${template('b')}, volumeClaimTemplates: [{metadata: {name: d${metadata}}, spec: {${spec}}}]}`
}

export function job(image: string, fields = '', more = ''): string {
  return `template: {spec: {restartPolicy: Never, ${fields}containers: [{name: c, image: "${image}"${more}}]}}`
}

export function volume(fields: string): string {
  return `spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], ${fields}}`
}

export function onNode(name: string): string {
  return `nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [${name}]}]}]}}`
}
