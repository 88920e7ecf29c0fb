import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageFolder } from '../cli/run-cli.ts'

interface SourceFile {
  readonly path: string
  readonly text: string
}

const files: readonly SourceFile[] = readdirSync(join(packageFolder, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .sort()
  .map((name) => {
    const text = readFileSync(join(packageFolder, 'src', name), 'utf8')
    return { path: `src/${name.replaceAll('\\', '/')}`, text }
  })

/** The npm packages that the program consists of, besides itself. */
const packages = new Set(
  files.flatMap(({ text }) =>
    [...text.matchAll(/(?:from |import\()'(?!node:)((?:@[\w-]+\/)?\w[\w-]*)(?=[/'])/g)].map(([, name = '']) => name),
  ),
)

/** Paths of the files whose text matches. */
function matching(pattern: RegExp, among: readonly SourceFile[] = files): readonly string[] {
  return among.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
}

/** Names, digits of numbers and credentials that the user's own programs give. */
const ofShortTexts: ReadonlySet<string> = new Set([
  'src/codec/text/handlebars.ts',
  'src/handoff/binding/value-name.ts',
  'src/handoff/short-hash.ts',
  'src/pipeline/commands/adopt.ts',
  'src/render/engine/format-float.ts',
  'src/render/functions/go/go-duration.ts',
  'src/render/functions/go/go-time-layout.ts',
  'src/network/credentials/credential-document.ts',
])

describe('source files', () => {
  test('are named in kebab case after an idea', () => {
    const names = files.map(({ path }) => path.slice(path.lastIndexOf('/') + 1))
    expect(names.filter((name) => !/^[a-z0-9]+(?:-[a-z0-9]+)*\.ts$/.test(name))).toEqual([])
    expect(names.filter((name) => /\b(?:utils?|helpers?|common|misc)\b|^index\b/.test(name))).toEqual(['index.ts'])
  })

  test('are small', () => {
    // As lint counts: without blank lines and comments.
    const sizes = files
      .map(withoutComments)
      .map(({ text }) => text.split('\n').filter((line) => line.trim() !== '').length)
    sizes.sort((a, b) => a - b)
    const at = (share: number): number => sizes[Math.floor(sizes.length * share)] ?? 0
    expect(at(0.5)).toBeLessThan(80)
    expect(at(0.95)).toBeLessThan(350)
  })

  test.each([...packages].sort())('import %s in one file', (name) => {
    expect(matching(new RegExp(`(?:from |import\\()'${name}(?:/[^']*)?'`))).toHaveLength(1)
  })

  test('import other files with their ending, and re-export from one place only', () => {
    expect(matching(/from '\.[^']*(?<!\.ts)'/)).toEqual([])
    expect(matching(/^export (?:type )?(?:\*|\{[^}]*\}) from /m).filter((path) => path !== 'src/index.ts')).toEqual([])
  })

  test('cut no run of characters off an end by a pattern, which looks at the run from each of its places', () => {
    expect(matching(/replace(?:All)?\([^,\n]*\+\$\/[sgmu]*,/).filter((path) => !ofShortTexts.has(path))).toEqual([])
  })

  test('have comments that keep to 120 columns and say what a thing is, with few exceptions that become fewer', () => {
    const comments = files.flatMap(({ text }) => text.match(/^ *(?:\/\*\*|\*|\/\/) .*$/gm) ?? [])
    expect(comments.length).toBeGreaterThan(5_000)
    expect(comments.filter((line) => line.length > 120).length).toBeLessThanOrEqual(20)
    const beginnings = files.flatMap(({ text }) => text.match(/\/\*\*\s+(?:\* )?(?:What|Whether)\b/g) ?? [])
    expect(beginnings.length).toBeLessThanOrEqual(60)
  })

  test('hold nothing unfinished', () => {
    expect(matching(/\b(?:TODO|FIXME|XXX|HACK)\b/)).toEqual([])
  })

  test('cast nothing to quiet the compiler', () => {
    const withoutImports = files.map(withoutComments).map((file) => ({
      ...file,
      text: file.text.replaceAll(/^(?:import|export) (?:type )?\{[^}]*\} from.*$/gms, ''),
    }))
    expect(matching(/\bas (?!const\b)/, withoutImports)).toEqual([])
  })

  test('reach no machine where they should be pure', () => {
    const pure = files.filter(({ path }) => !/^src\/(?:system\/|program\.ts$)/.test(path))
    expect(
      matching(
        /\b(?:Buffer|Date\.now|new Date\(\)|Math\.random|localeCompare|toLocale\w+|Intl|setTimeout)\b\(?|(?<![.\w])fetch\(/,
        pure.map(withoutComments),
      ),
    ).toEqual([])
    expect(matching(/(?<![.\w])process\.(?!id|isRunning|stateOf|giveSign)/, pure.map(withoutComments))).toEqual([])
  })

  test('document every export', () => {
    const undocumented = files
      .filter(({ path }) => path !== 'src/index.ts')
      .flatMap(({ path, text }) => {
        const lines = text.split('\n')
        return lines.flatMap((line, index) => {
          const name = /^export (?:abstract |async )?(?:function\*?|const|class|interface|type) (\w+)/.exec(line)?.[1]
          // A run of constants shares one comment.
          const isDocumented = /\*\/\s*$|^export const /.test(lines[index - 1] ?? '')
          return name === undefined || isDocumented ? [] : [`${path} ${name}`]
        })
      })
    expect(undocumented).toEqual([])
  })
})

function withoutComments(file: SourceFile): SourceFile {
  return {
    ...file,
    text: file.text
      .replaceAll(/\/\*.*?\*\//gs, '')
      .replaceAll(/^\s*\/\/.*$/gm, '')
      .replaceAll(/'[^'\n]*'/g, "''"),
  }
}
