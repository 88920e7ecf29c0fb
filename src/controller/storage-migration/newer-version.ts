const decimal = /^[1-9][0-9]{0,38}$/

/**
 * True if a resourceVersion is later than another one of the same collection; false where they are not numbers.
 * Kubernetes 1.35 promises that they can be compared so, and with etcd they always could.
 */
export function isNewerVersion(version: string, than: string): boolean {
  if (!decimal.test(version) || !decimal.test(than)) return false
  return version.length === than.length ? version > than : version.length > than.length
}
