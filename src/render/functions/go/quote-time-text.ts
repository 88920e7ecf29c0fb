/**
 * Quotes text as Go's package time does in its errors: everything but printable ASCII as bytes. Takes and gives one
 * character per byte.
 */
export function quoteTimeText(bytes: string): string {
  let quoted = '"'
  for (const unit of bytes) {
    const byte = unit.charCodeAt(0)
    if (byte >= 0x80 || byte < 0x20) quoted += `\\x${byte.toString(16).padStart(2, '0')}`
    else quoted += unit === '"' || unit === '\\' ? `\\${unit}` : unit
  }
  return `${quoted}"`
}
