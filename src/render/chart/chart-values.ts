import { formatGoYaml } from '../../codec/go-yaml/go-yaml-format.ts'
import { Dict, type GoMethod, type Value } from '../../model/value.ts'
import { FunctionError } from '../engine/function.ts'
import { textArgument } from '../functions/arguments.ts'
import type { HelmVersion } from './coalesce.ts'
import { findTable, pathValue } from './values-path.ts'
import { ofValue, say } from '../engine/error-text.ts'

/**
 * Helm's named map type with methods (`.Values`, `.Template`, `$`), as a view of a plain map: a subchart's `.Values`
 * and the map below its name in the parent's `.Values` are one map with two types in Go, and what one writes the other
 * reads.
 */
export class ChartValues extends Dict {
  override goType: string
  private readonly target: Dict
  private readonly helmVersion: HelmVersion

  constructor(target: Dict, helmVersion: HelmVersion) {
    super()
    this.target = target
    this.helmVersion = helmVersion
    this.goType = helmVersion === 4 ? 'common.Values' : 'chartutil.Values'
  }

  override get elementType(): string {
    return 'interface {}'
  }

  override zero(): Value {
    return null
  }

  override get size(): number {
    return this.target.size
  }

  override get(key: string): Value | undefined {
    return this.target.get(key)
  }

  override has(key: string): boolean {
    return this.target.has(key)
  }

  override set(key: string, value: Value): this {
    this.target.set(key, value)
    return this
  }

  override delete(key: string): boolean {
    return this.target.delete(key)
  }

  override clear(): void {
    this.target.clear()
  }

  override forEach(callback: (value: Value, key: string, map: Map<string, Value>) => void): void {
    this.target.forEach((value, key) => callback(value, key, this))
  }

  override keys(): MapIterator<string> {
    return this.target.keys()
  }

  override values(): MapIterator<Value> {
    return this.target.values()
  }

  override entries(): MapIterator<[string, Value]> {
    return this.target.entries()
  }

  override [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.target.entries()
  }

  override method(name: string): GoMethod | undefined {
    switch (name) {
      case 'AsMap':
        return { params: [], call: () => (this.target.size === 0 ? new Dict() : this.target) }
      case 'YAML':
        return { params: [], call: () => formatGoYaml(this.target) }
      case 'Table':
        return { params: ['string'], call: (args) => this.table(textArgument(args, 0)) }
      case 'PathValue':
        return { params: ['string'], call: (args) => this.pathValue(textArgument(args, 0)) }
      case 'Encode':
        return { params: ['any'], call: refuseWriter }
      default:
        return undefined
    }
  }

  private table(path: string): Value {
    const found = findTable(this.target, path)
    if (found !== undefined) return new ChartValues(found, this.helmVersion)
    const missing = path
      .split('.')
      .find((_, at, keys) => findTable(this.target, keys.slice(0, at + 1).join('.')) === undefined)
    throw new FunctionError(say`${ofValue(missing ?? path, `"${missing ?? path}"`)} is not a table`)
  }

  private pathValue(path: string): Value {
    if (path === '') throw new FunctionError('YAML path cannot be empty')
    const found = pathValue(this.target, path)
    if (found !== undefined) return found
    const last = path.slice(path.lastIndexOf('.') + 1)
    throw new FunctionError(say`${ofValue(last, `"${last}"`)} is not a value`)
  }
}

function refuseWriter(): Value {
  throw new FunctionError('templates have no writer to encode to')
}
