import type { KubernetesChange } from '../model/tree-change.ts'

/** How far it is from one version of Kubernetes to another; undefined if they are equal or no versions. */
export function compareKubernetes(before: string, after: string): KubernetesChange['step'] | undefined {
  const [old, now] = [partsOf(before), partsOf(after)]
  if (old === undefined || now === undefined) return undefined
  const [majors, minors, patches] = [0, 1, 2].map((index) => (now[index] ?? 0) - (old[index] ?? 0))
  if (majors !== 0) return (majors ?? 0) < 0 ? 'back' : 'skips'
  if (minors !== 0) return (minors ?? 0) < 0 ? 'back' : minors === 1 ? 'minor' : 'skips'
  if (patches === 0) return undefined
  return (patches ?? 0) < 0 ? 'back' : 'patch'
}

function partsOf(version: string): readonly number[] | undefined {
  const [, major, minor, patch = '0'] = /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?/.exec(version) ?? []
  return major === undefined || minor === undefined ? undefined : [major, minor, patch].map(Number)
}
