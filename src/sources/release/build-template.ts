import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { ChartFile } from '../../model/chart.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Source } from '../../model/source.ts'

/** The values for `<< .Name >>` in a provider directory; versions in dot form. */
export interface BuildVersions {
  readonly ClusterClassVersion: string
  readonly ClusterAddonVersion: string
  readonly NodeImageVersion: string
}

const PLACEHOLDERS: readonly (keyof BuildVersions)[] = [
  'ClusterClassVersion',
  'ClusterAddonVersion',
  'NodeImageVersion',
]

/** Nobody reads more of them in one go. */
const MAX_PROBLEMS = 100

/**
 * Replaces the build placeholders in every text file, as `csctl create` does (pkg/template), but for three defects of
 * it: files that are not UTF-8 text stay as they are, `<< ` that is no placeholder (a shell heredoc) stays too, and an
 * unknown placeholder is an error instead of becoming empty.
 * @param nameOf gives the path to name in messages
 * @throws StackmasonError RELEASE_BUILD_TEMPLATE, with the problems of all files, up to 100
 */
export function applyBuildTemplate(
  files: readonly ChartFile[],
  versions: BuildVersions,
  nameOf: (path: string) => string,
): readonly ChartFile[] {
  const problems: Diagnostic[] = []
  const built = files.map((file) => {
    const text = problems.length < MAX_PROBLEMS ? textWithMark(file.bytes) : undefined
    if (text === undefined) return file
    const replaced = replacePlaceholders({ name: nameOf(file.path), text }, versions, problems)
    return replaced === text ? file : { path: file.path, bytes: encodeUtf8(replaced) }
  })
  if (problems.length > 0) throw new StackmasonError(problems)
  return built
}

/** A lone low surrogate stands for a byte that is not UTF-8 (see model/value.ts). */
const escapedByte = /(?<![\uD800-\uDBFF])[\uDC80-\uDCFF]/

/** The text of the file if it is text that holds `<< `: most files end here without being decoded. */
function textWithMark(bytes: Uint8Array): string | undefined {
  let found = false
  for (let at = bytes.indexOf(0x3c); at !== -1 && !found; at = bytes.indexOf(0x3c, at + 1)) {
    found = bytes[at + 1] === 0x3c && (bytes[at + 2] === 0x20 || bytes[at + 2] === 0x09)
  }
  if (!found || bytes.includes(0)) return undefined
  const text = decodeUtf8(bytes)
  return escapedByte.test(text) ? undefined : text
}

function replacePlaceholders(source: Source, versions: BuildVersions, problems: Diagnostic[]): string {
  const mark = /<<[ \t]+(\.[A-Za-z_]\w*|(?:ClusterClass|ClusterAddon|NodeImage)Version\b)([ \t]*>>)?/g
  return source.text.replace(mark, (match: string, name: string, close: string | undefined, start: number) => {
    const known = PLACEHOLDERS.find((placeholder) => match === `<< .${placeholder} >>`)
    if (known !== undefined) return versions[known]
    if (problems.length >= MAX_PROBLEMS) return match
    problems.push({
      code: 'RELEASE_BUILD_TEMPLATE',
      severity: 'error',
      message: problemOf(match, name, close),
      at: { source, start, end: start + match.length },
      hint: `Write one of ${PLACEHOLDERS.map((placeholder) => `<< .${placeholder} >>`).join(', ')}.`,
    })
    return match
  })
}

function problemOf(match: string, name: string, close: string | undefined): string {
  const known = PLACEHOLDERS.some((placeholder) => name === `.${placeholder}`)
  if (!known && name.startsWith('.')) return `unknown build placeholder ${name}`
  if (close === undefined) return `the build placeholder ${match} is not closed by " >>" on its line`
  return `the build placeholder ${match} is not written as << .Name >>, with a dot and one space on each side`
}
