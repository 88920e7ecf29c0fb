/** A problem in words that follow "it does not answer as … does: ". */
export class ForgeShapeError extends Error {}

/** A JSON object. */
export type JsonMap = Readonly<Partial<Record<string, unknown>>>

/** True for a JSON object. */
export function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A JSON object. @throws ForgeShapeError */
export function mapOf(value: unknown, what: string): JsonMap {
  if (!isMap(value)) throw new ForgeShapeError(`${what} is not an object`)
  return value
}

/** A JSON list. @throws ForgeShapeError */
export function listOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new ForgeShapeError(`${what} is not a list`)
  return value
}

/** A text that is not empty. @throws ForgeShapeError */
export function textAt(map: JsonMap, field: string): string {
  const value = map[field]
  if (typeof value === 'string' && value !== '') return value
  throw new ForgeShapeError(`"${field}" is not text`)
}

/** A text; '' for null and for nothing. @throws ForgeShapeError */
export function optionalTextAt(map: JsonMap, field: string): string {
  const value = map[field] ?? ''
  if (typeof value === 'string') return value
  throw new ForgeShapeError(`"${field}" is not text`)
}

/** A whole number from 0 on. @throws ForgeShapeError */
export function countAt(map: JsonMap, field: string): number {
  const value = map[field]
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new ForgeShapeError(`"${field}" is not a whole number`)
}

/** The names of a list of objects, such as labels or users. @throws ForgeShapeError */
export function namesAt(map: JsonMap, field: string, name: string): readonly string[] {
  return listOf(map[field] ?? [], `"${field}"`).map((item) => textAt(mapOf(item, `an entry of "${field}"`), name))
}

/** An address of the web, for people. @throws ForgeShapeError */
export function webUrlAt(map: JsonMap, field: string): string {
  const url = textAt(map, field)
  if (/^https?:\/\/[^\s<>"]+$/.test(url) && URL.canParse(url)) return url
  throw new ForgeShapeError(`"${field}" is not an address of the web`)
}
