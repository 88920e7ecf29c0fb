import { createOffsetMap } from './go-yaml-cursor.ts'
import { ALIAS, BLOCK_END, DOCUMENT_START, type GoYamlScanner } from './go-yaml-scanner.ts'

/** A range of the text as it was given, in UTF-16 offsets. */
export interface YamlRange {
  readonly start: number
  readonly end: number
}

/**
 * Where a node stands, without its anchor and tag. An alias stands where it is written; what is in it stands where the
 * anchor is.
 */
export interface YamlPlace extends YamlRange {
  /** Of a map: its entries by name, those that it merges included. */
  readonly entries?: ReadonlyMap<string, YamlEntryPlace>
  /** Of a list. */
  readonly items?: readonly YamlPlace[]
}

/** Where an entry of a map stands. */
export interface YamlEntryPlace {
  readonly key: YamlRange
  readonly value: YamlPlace
}

/** A problem of a node in a text that is well-formed; it quotes at most the name, never the value. */
export type YamlNote =
  | { readonly kind: 'tag-unknown' | 'tag-unfit' | 'not-finite' | 'merge-no-map' | 'key-no-text' | 'aliases' }
  | { readonly kind: 'anchor'; readonly name: string }
  | { readonly kind: 'duplicate-key'; readonly name: string; readonly first: YamlRange }

/** Is told what is wrong, and where. */
export type OnYamlNote = (note: YamlNote, at: YamlRange) => void

/** Notes where the nodes of a text stand while it is read. */
export class PlaceRecorder {
  /** The place of the node that was read last. */
  last: YamlPlace = { start: 0, end: 0 }
  readonly note: OnYamlNote
  private readonly offsetOf: (at: number) => number
  /** Where the token passed last ends. */
  private lastEnd = 0

  constructor({ cursor }: GoYamlScanner, note: OnYamlNote) {
    this.offsetOf = createOffsetMap(cursor)
    this.note = note
  }

  /** Call before the next token is dropped. */
  pass(scanner: GoYamlScanner): void {
    const type = scanner.peek()
    if (type === BLOCK_END) return
    const length = type === DOCUMENT_START ? '---'.length : 1
    this.lastEnd = type >= ALIAS ? scanner.end : scanner.start + length
  }

  openMap(): MapPlaces {
    return new MapPlaces(this)
  }

  openList(): ListPlaces {
    return []
  }

  /** The node read last is the token dropped last, which began at `start`. */
  endScalar(start: number): void {
    this.last = this.rangeFrom(start)
  }

  /** The node read last is not written: it stands right after what came before it. */
  endEmpty(): void {
    this.last = this.rangeFrom(this.lastEnd)
  }

  endAlias(start: number, target: YamlPlace | undefined): void {
    this.last = { ...target, ...this.rangeFrom(start) }
  }

  endMap(start: number, map: MapPlaces | undefined): void {
    this.last = { ...this.rangeFrom(start), ...(map && { entries: map.entries }) }
  }

  endList(start: number, items: ListPlaces | undefined): void {
    this.last = { ...this.rangeFrom(start), ...(items && { items }) }
  }

  private rangeFrom(start: number): YamlRange {
    return { start: this.offsetOf(start), end: this.offsetOf(this.lastEnd) }
  }
}

/** The items of a list that is being read. */
export type ListPlaces = YamlPlace[]

/** The entries of a map that is being read. */
export class MapPlaces {
  readonly entries: Map<string, YamlEntryPlace> = new Map()
  private readonly own = new Map<string, YamlRange>()
  private firstMerge: YamlRange | undefined
  private readonly recorder: PlaceRecorder
  private key: YamlRange = { start: 0, end: 0 }

  constructor(recorder: PlaceRecorder) {
    this.recorder = recorder
  }

  /** The node read last is the key of the next entry. */
  endKey(): void {
    this.key = this.recorder.last
  }

  /** The node read last is the value of an entry. */
  add(name: string): void {
    const first = this.own.get(name)
    if (first === undefined) this.own.set(name, this.key)
    else this.recorder.note({ kind: 'duplicate-key', name, first }, this.key)
    this.entries.set(name, { key: this.key, value: this.recorder.last })
  }

  /** The key of this entry is a merge key, of which the last one would have the last word. */
  addMerge(): void {
    if (this.firstMerge === undefined) this.firstMerge = this.key
    else this.recorder.note({ kind: 'duplicate-key', name: '<<', first: this.firstMerge }, this.key)
  }

  refuseKey(): void {
    this.recorder.note({ kind: 'key-no-text' }, this.key)
  }

  merge(source: YamlPlace): void {
    for (const [name, entry] of source.entries ?? []) this.entries.set(name, entry)
  }
}
