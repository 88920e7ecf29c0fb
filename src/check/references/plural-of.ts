/** The resource of a kind, as Kubernetes guesses it (apimachinery, UnsafeGuessKindToResource). */
export function pluralOf(kind: string): string {
  const singular = kind.toLowerCase()
  if (singular.endsWith('s')) return `${singular}es`
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`
}
