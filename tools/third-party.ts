/** The npm packages that are bundled into the program, their licences, and the text that has to go with them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package of which something is in the bundle. */
export interface ThirdParty {
  /** From the project's root. */
  readonly folder: string
  readonly name: string
  readonly version: string
  /** As an expression of SPDX. */
  readonly licence: string
  /** Digest of the package, as the lock has it. */
  readonly integrity: string
  /** Licence and notices, as the package brings them. */
  readonly text: string
}

/** Licences that let their work be part of one under Apache-2.0, if their text goes with it. */
const allowed: ReadonlySet<string> = new Set(['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'])

/** Files that packages keep their licences and notices in. */
const LEGAL = /^(?:licen[cs]e|copying|notice|copyright)(?:[-.][\w-]+)*$/i

/** Files of packages that bring no text of their licence, but name it at the head of each source; all under Apache-2.0. */
const headed: ReadonlyMap<string, readonly string[]> = new Map([
  ['@bufbuild/cel', ['dist/cjs/index.js']],
  ['@bufbuild/cel-spec', ['dist/cjs/gen/cel/expr/syntax_pb.js']],
  ['@bufbuild/protobuf', ['dist/cjs/index.js', 'dist/cjs/wire/varint.js']],
])

/** The comment at the head of a file. */
function headOf(file: string): string {
  const lines = readFileSync(file, 'utf8').split('\n').slice(1)
  const end = lines.findIndex((line) => !line.startsWith('//'))
  if (end <= 0) throw new Error(`${file} has no comment at its head`)
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/ ?/, ''))
    .join('\n')
}

/** The texts that a package brings; empty where there is none. */
function legalTexts(root: string, folder: string, name: string): readonly string[] {
  const own = readdirSync(join(root, folder)).filter((each) => LEGAL.test(each))
  const texts = own.toSorted().map((each) => readFileSync(join(root, folder, each), 'utf8'))
  const heads = headed.get(name)
  if (texts.length > 0 || heads === undefined) return texts
  return [...heads.map((file) => headOf(join(root, folder, file))), readFileSync(join(root, 'LICENSE'), 'utf8')]
}

/**
 * Reads packages from their folders below `root`, sorted by name and version.
 * @throws Error where one has another licence than those allowed, brings no text of it, or is not in the lock
 */
export function readPackages(root: string, folders: readonly string[]): readonly ThirdParty[] {
  const lock: { readonly packages: Readonly<Record<string, { readonly integrity?: string }>> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  )
  const read = folders.map((folder): ThirdParty => {
    const manifest: { readonly name: string; readonly version: string; readonly license?: string } = JSON.parse(
      readFileSync(join(root, folder, 'package.json'), 'utf8'),
    )
    const { name, version, license: licence = 'none' } = manifest
    const words = licence.split(/[() ]+/).filter((word) => !['', 'OR', 'AND'].includes(word))
    if (!words.every((word) => allowed.has(word)))
      throw new Error(`${name} ${version} has the licence ${licence}: see whether it may be bundled`)
    const texts = legalTexts(root, folder, name).map((text) => text.replaceAll('\r\n', '\n').trim())
    if (texts.length === 0) throw new Error(`${name} ${version} brings no text of its licence`)
    const integrity = lock.packages[folder]?.integrity
    if (integrity === undefined) throw new Error(`${folder} is not in the lock`)
    return { folder, name, version, licence, integrity, text: texts.join('\n\n') }
  })
  const keyOf = ({ name, version }: ThirdParty): string => `${name} ${version}`
  return read.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** The text that goes with the bundle: each text of a licence once, with the packages that it is of. */
export function noticesOf(packages: readonly ThirdParty[]): string {
  const byText = new Map<string, readonly ThirdParty[]>()
  for (const each of packages) byText.set(each.text, [...(byText.get(each.text) ?? []), each])
  const parts = [...byText].map(([text, of]) => {
    const names = of.map(({ name, version, licence }) => `${name} ${version} (${licence})`)
    return `${'-'.repeat(80)}\n${[...new Set(names)].join('\n')}\n\n${text}\n`
  })
  return `The program holds work of others, under these licences.\n\n${parts.join('\n')}`
}
