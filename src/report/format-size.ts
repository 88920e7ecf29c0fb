/** Bytes for people: `512 B`, `1.5 MiB`. */
export function formatSize(bytes: number): string {
  const units = ['KiB', 'MiB', 'GiB', 'TiB']
  let [amount, unit] = [bytes, 'B']
  for (const next of units) {
    // 1023.95 would be shown as 1024.0
    if (amount < 1023.95) break
    ;[amount, unit] = [amount / 1024, next]
  }
  return unit === 'B' ? `${String(bytes)} B` : `${amount.toFixed(1)} ${unit}`
}
