import { printableLines } from './printable.ts'

/**
 * Rows in columns, two spaces between them; the first row has the titles. Ends with a newline. With a `width` cells
 * that list things are broken after commas; where that is not enough every row becomes a block with a line for each
 * column.
 */
export function formatTable(rows: readonly (readonly string[])[], width?: number): string {
  const widths = columnWidths(rows)
  if (width === undefined || lineWidth(widths) <= width)
    return printableLines(rows.map((row) => formatRow(row, widths)))
  const fitted = shrink(widths, { least: columnWidths(rows.map((row) => row.flatMap(longestItem))), width })
  if (lineWidth(fitted) > width) return formatBlocks(rows, width)
  const lines = rows.flatMap((row) => {
    const cells = row.map((cell, column) => breakList(cell, fitted[column] ?? 0))
    const height = Math.max(...cells.map((parts) => parts.length))
    return Array.from({ length: height }, (_, line) => cells.map((parts) => parts[line] ?? ''))
  })
  const needed = columnWidths(lines)
  return printableLines(lines.map((line) => formatRow(line, needed)))
}

function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  return rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 2 * (widths.length - 1))
}

function formatRow(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd()
}

/** Takes from the widest column that can give, until the line fits or none can. */
function shrink(
  widths: readonly number[],
  { least, width }: { readonly least: readonly number[]; readonly width: number },
): readonly number[] {
  const fitted = [...widths]
  while (lineWidth(fitted) > width) {
    const spare = fitted.map((own, column) => (own > (least[column] ?? 0) ? own : 0))
    const widest = spare.indexOf(Math.max(...spare))
    if ((spare[widest] ?? 0) === 0) return fitted
    fitted[widest] = (fitted[widest] ?? 0) - 1
  }
  return fitted
}

/** The items of a cell with their commas. */
function itemsOf(cell: string): readonly string[] {
  return cell.split(/(?<=,) /)
}

function longestItem(cell: string): string {
  return itemsOf(cell).reduce((longest, item) => (item.length > longest.length ? item : longest), '')
}

function breakList(cell: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const item of itemsOf(cell)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + item.length <= width) lines[lines.length - 1] = `${last} ${item}`
    else lines.push(item)
  }
  return lines
}

function formatBlocks([titles = [], ...rows]: readonly (readonly string[])[], width: number): string {
  const indent = Math.max(...titles.map((title) => title.length)) + 2
  const block = (row: readonly string[]): readonly string[] =>
    row.flatMap((cell, column) =>
      breakList(cell, width - indent).map(
        (line, index) => (index === 0 ? (titles[column] ?? '') : '').padEnd(indent) + line,
      ),
    )
  return printableLines(rows.flatMap((row, index) => (index === 0 ? block(row) : ['', ...block(row)])))
}
