import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatGoJson } from '../../../src/codec/json/go-json.ts'
import { formatGoYaml } from '../../../src/codec/go-yaml/go-yaml-format.ts'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { parsePositionedYaml } from '../../../src/codec/yaml/positioned-yaml.ts'
import { decodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { Dict } from '../../../src/model/value.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'

const shared = sharedFolder()
if (shared === undefined) console.warn('SKIPPED: real YAML files, for want of the folder of real charts')

function filesBelow(folder: string, pattern: RegExp): readonly string[] {
  const found = readdirSync(folder, { withFileTypes: true, recursive: true })
  return found
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function textOf(file: string): string {
  return decodeUtf8(readFileSync(file))
}

describe.skipIf(shared === undefined)('real YAML', () => {
  const root = shared ?? ''
  const values = shared === undefined ? [] : filesBelow(join(root, 'charts'), /^values\.yaml$/)
  const objects = shared === undefined ? [] : filesBelow(join(root, 'crds'), /\.yaml$/)

  it('is there', () => {
    expect(values.length).toBeGreaterThan(200)
    expect(objects.length).toBeGreaterThan(3)
  })

  it('of values survives toYaml', () => {
    const changed = values.filter((file) => {
      const value = parseGoYaml(textOf(file))
      return formatGoJson(parseGoYaml(formatGoYaml(value))) !== formatGoJson(value)
    })
    expect(changed.map((file) => relative(root, file))).toEqual([])
  })

  it('of CRDs survives the canonical form, which is stable', () => {
    const changed = objects.flatMap((file) =>
      textOf(file)
        .split(/^---.*$/m)
        .filter((text) => {
          const object = parseGoYaml(text, { integers: 'int' })
          if (!(object instanceof Dict)) return false
          const written = formatManifestYaml(object)
          const again = parseGoYaml(written, { integers: 'int' })
          const isSame = again instanceof Dict && formatGoJson(again) === formatGoJson(object)
          return !isSame || formatManifestYaml(again) !== written
        })
        .map(() => relative(root, file)),
    )
    expect(changed).toEqual([])
  })

  it('of charts and stacks is read with places as without', () => {
    const files = filesBelow(root, /^(?:Chart|metadata|clusteraddon|csctl|stackmason)\.ya?ml$/)
    const changed = files.filter((file) => {
      const text = textOf(file)
      const { documents, problems } = parsePositionedYaml({ name: file, text })
      const value = parseGoYaml(text, { integers: 'int' })
      return problems.length > 0 || formatGoJson(documents[0]?.value ?? null) !== formatGoJson(value)
    })
    expect(changed.map((file) => relative(root, file))).toEqual([])
  })
})
