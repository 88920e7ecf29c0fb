/** An object as acknowledgements name it: `Kind/namespace/name`. */
export function acknowledgedName({
  kind,
  namespace = '',
  name,
}: {
  readonly kind: string
  readonly namespace?: string | undefined
  readonly name: string
}): string {
  return [kind, namespace, name].filter((part) => part !== '').join('/')
}
