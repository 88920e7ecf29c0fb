import { Dict, dict, GoObject, type GoMethod, type ObjectKind, type Value } from '../../model/value.ts'
import { formatValue } from '../engine/format.ts'

/** A field of a Go struct: its Go name, its name in JSON, its value. */
export interface StructField {
  readonly name: string
  readonly json: string
  readonly value: Value
}

/** The options of a {@link GoStruct}. */
export interface StructOptions {
  readonly goType: string
  readonly kind: ObjectKind & ('struct' | 'ptr')
  readonly fields: readonly StructField[]
  readonly methods?: ReadonlyMap<string, GoMethod>
  /** The output of `%v`; made from the fields when absent. */
  readonly text?: string
  /** The output of a template action if it differs from `%v`: a struct with a String method on its pointer. */
  readonly display?: string
  /** True if JSON leaves out empty fields. */
  readonly omitEmpty?: boolean
}

/** A Go struct as templates see it: exported fields, methods, and its printed form. */
export class GoStruct extends GoObject {
  readonly goType: string
  readonly kind: ObjectKind
  private readonly options: StructOptions

  constructor(options: StructOptions) {
    super()
    this.goType = options.goType
    this.kind = options.kind
    this.options = options
  }

  field(name: string): Value | undefined {
    return this.options.fields.find((field) => field.name === name)?.value
  }

  override method(name: string): GoMethod | undefined {
    return this.options.methods?.get(name)
  }

  toText(): string {
    const { kind, text, fields } = this.options
    if (text !== undefined) return text
    return `${kind === 'ptr' ? '&' : ''}{${fields.map(({ value }) => formatValue(value)).join(' ')}}`
  }

  override toDisplay(): string {
    return this.options.display ?? this.toText().replace(/^&/, '')
  }

  override copied(): GoObject {
    const { display, ...options } = this.options
    return display === undefined ? this : new GoStruct(options)
  }

  override toValue(): Value {
    const { fields, omitEmpty } = this.options
    return dict(
      fields.filter(({ value }) => omitEmpty !== true || !isEmpty(value)).map(({ json, value }) => [json, value]),
    )
  }
}

function isEmpty(value: Value): boolean {
  if (value === '' || value === false || value === null) return true
  return Array.isArray(value) ? value.length === 0 : value instanceof Dict && value.size === 0
}
