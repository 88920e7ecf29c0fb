import { encodeBase64 } from '../../codec/bytes/base64.ts'
import { formatGoYaml } from '../../codec/go-yaml/go-yaml-format.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { ChartFile } from '../../model/chart.ts'
import { Dict, GoBytes, typedList, type GoMethod, type Value } from '../../model/value.ts'
import { FunctionError } from '../engine/function.ts'
import { textArgument } from '../functions/arguments.ts'
import { compileGlob } from './glob.ts'

const nothing = new Uint8Array()

/** `.Files`: a map of paths to bytes with methods (Helm pkg/engine/files.go). */
export class ChartFiles extends Dict {
  override goType = 'engine.files'

  override get elementType(): string {
    return '[]uint8'
  }

  override zero(): Value {
    return new GoBytes(nothing)
  }

  override method(name: string): GoMethod | undefined {
    switch (name) {
      case 'Get':
        return { params: ['string'], call: (args) => decodeUtf8(this.bytes(textArgument(args, 0))) }
      case 'GetBytes':
        return { params: ['string'], call: (args) => new GoBytes(this.bytes(textArgument(args, 0))) }
      case 'Glob':
        return { params: ['string'], call: (args) => this.glob(textArgument(args, 0)) }
      case 'Lines':
        return { params: ['string'], call: (args) => this.lines(textArgument(args, 0)) }
      case 'AsConfig':
        return { params: [], call: () => this.flat(decodeUtf8) }
      case 'AsSecrets':
        return { params: [], call: () => this.flat(encodeBase64) }
      default:
        return undefined
    }
  }

  private bytes(path: string): Uint8Array {
    const file = this.get(path)
    return file instanceof GoBytes ? file.bytes : nothing
  }

  /** A pattern that does not parse matches everything. */
  private glob(pattern: string): ChartFiles {
    const matches = compileGlob(pattern)
    const found = new ChartFiles()
    for (const [path, bytes] of this) if (matches === undefined || matches(path)) found.set(path, bytes)
    return found
  }

  private lines(path: string): Value {
    if (!this.has(path)) return typedList('string', [])
    const text = decodeUtf8(this.bytes(path))
    if (text === '') throw new FunctionError('runtime error: index out of range [-1]')
    return typedList('string', (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n'))
  }

  /** Base names as keys; of two files with one base name the last by path wins (Helm: any of them). */
  private flat(format: (bytes: Uint8Array) => string): string {
    const map = new Dict()
    map.goType = 'map[string]string'
    for (const path of [...this.keys()].sort(compareBytes)) {
      map.set(path.slice(path.lastIndexOf('/') + 1), format(this.bytes(path)))
    }
    return formatGoYaml(map).replace(/\n$/, '')
  }
}

/** Makes `.Files` of a chart's files. */
export function createChartFiles(files: readonly ChartFile[]): ChartFiles {
  const result = new ChartFiles()
  for (const { path, bytes } of files) result.set(path, new GoBytes(bytes))
  return result
}
