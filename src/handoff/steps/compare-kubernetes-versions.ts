/** True if a version such as v1.34.7 is lower than another. */
export function isLowerKubernetes(version: string, than: string): boolean {
  return compareKubernetesVersions(version, than) < 0
}

/** Orders versions such as v1.34.7 by their three numbers. */
export function compareKubernetesVersions(a: string, b: string): number {
  const numbers = (text: string): readonly number[] => (/^v?(\d+)\.(\d+)\.(\d+)/.exec(text) ?? []).slice(1).map(Number)
  const [left, right] = [numbers(a), numbers(b)]
  const index = left.findIndex((number, at) => number !== right[at])
  return (left[index] ?? 0) - (right[index] ?? 0)
}
