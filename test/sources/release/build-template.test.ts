import { describe, expect, it } from 'vitest'
import { decodeUtf8, encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { positionAt } from '../../../src/model/source.ts'
import { applyBuildTemplate } from '../../../src/sources/release/build-template.ts'

const versions = { ClusterClassVersion: 'v3', ClusterAddonVersion: 'v2', NodeImageVersion: 'v1' }
const build = (...texts: readonly string[]): readonly string[] =>
  applyBuildTemplate(
    texts.map((text, index) => ({ path: `${index}.yaml`, bytes: encodeUtf8(text) })),
    versions,
    (path) => `stack/${path}`,
  ).map(({ bytes }) => decodeUtf8(bytes))

describe('applyBuildTemplate', () => {
  const rows: readonly { readonly name: string; readonly input: string; readonly want: string }[] = [
    { name: 'class version', input: 'version: << .ClusterClassVersion >>\n', want: 'version: v3\n' },
    { name: 'addon version', input: '"<< .ClusterAddonVersion >>"', want: '"v2"' },
    { name: 'node image version', input: 'x-<< .NodeImageVersion >>.qcow2', want: 'x-v1.qcow2' },
    {
      name: 'several on one line',
      input: '<< .ClusterClassVersion >><< .ClusterAddonVersion >>',
      want: 'v3v2',
    },
    { name: 'a heredoc', input: 'cat << EOF > /x\nhello\nEOF\n', want: 'cat << EOF > /x\nhello\nEOF\n' },
    { name: 'a heredoc that appends', input: 'cat << EOF >> /x\n', want: 'cat << EOF >> /x\n' },
    { name: 'a shift', input: 'x = 1 << 3', want: 'x = 1 << 3' },
    { name: 'no space after the mark', input: '<<.ClusterClassVersion>>', want: '<<.ClusterClassVersion>>' },
    { name: 'a merge key', input: '<<: *base\n', want: '<<: *base\n' },
    { name: 'nothing', input: '', want: '' },
  ]
  it.each(rows)('$name', ({ input, want }) => {
    expect(build(input)).toEqual([want])
  })

  it('leaves files alone that are not text', () => {
    const binary = Uint8Array.from([...encodeUtf8('<< .Unknown >> << .ClusterClassVersion >>'), 0])
    const latin1 = Uint8Array.from([...encodeUtf8('<< .ClusterClassVersion >> '), 0xe9])
    const files = [
      { path: 'a.tgz', bytes: binary },
      { path: 'b.txt', bytes: latin1 },
    ]
    expect(applyBuildTemplate(files, versions, (path) => path)).toEqual(files)
  })

  it('keeps characters outside of the basic plane', () => {
    expect(build('\u{1F600} << .ClusterClassVersion >> \u{10DC80}')).toEqual(['\u{1F600} v3 \u{10DC80}'])
  })

  const hint = 'Write one of << .ClusterClassVersion >>, << .ClusterAddonVersion >>, << .NodeImageVersion >>.'
  const broken: readonly {
    readonly name: string
    readonly input: string
    readonly message: string
    readonly at: string
  }[] = [
    { name: 'unknown', input: 'a\n  << .KubeVersion >>', message: 'unknown build placeholder .KubeVersion', at: '2:3' },
    { name: 'unknown and unclosed', input: '<< .Foo', message: 'unknown build placeholder .Foo', at: '1:1' },
    {
      name: 'unknown by its case',
      input: '<< .clusterClassVersion >>',
      message: 'unknown build placeholder .clusterClassVersion',
      at: '1:1',
    },
    {
      name: 'unclosed',
      input: 'version: << .ClusterClassVersion\nname: x >>',
      message: 'the build placeholder << .ClusterClassVersion is not closed by " >>" on its line',
      at: '1:10',
    },
    {
      name: 'half closed',
      input: 'version: << .ClusterClassVersion >',
      message: 'the build placeholder << .ClusterClassVersion is not closed by " >>" on its line',
      at: '1:10',
    },
    {
      name: 'no space before the end',
      input: '<< .ClusterClassVersion>>',
      message:
        'the build placeholder << .ClusterClassVersion>> is not written as << .Name >>, with a dot and one space on each side',
      at: '1:1',
    },
    {
      name: 'two spaces',
      input: '<<  .ClusterClassVersion >>',
      message:
        'the build placeholder <<  .ClusterClassVersion >> is not written as << .Name >>, with a dot and one space on each side',
      at: '1:1',
    },
    {
      name: 'no dot',
      input: '<< NodeImageVersion >>',
      message:
        'the build placeholder << NodeImageVersion >> is not written as << .Name >>, with a dot and one space on each side',
      at: '1:1',
    },
  ]
  it.each(broken)('refuses: $name', ({ input, message, at }) => {
    const error = errorOf(() => build(input))
    expect(error.diagnostics).toMatchObject([{ code: 'RELEASE_BUILD_TEMPLATE', severity: 'error', message, hint }])
    expect(placesOf(error)).toEqual([`stack/0.yaml:${at}`])
  })

  it('looks for a hundred problems, and tells twenty of a file', () => {
    const error = errorOf(() => build('<< .A >>'.repeat(80), '<< .B >>'.repeat(80), '<< .C >>'))
    expect(error.diagnostics).toHaveLength(20 + 1 + 20)
  })

  it('reports every problem of every file', () => {
    const error = errorOf(() => build('<< .A >> << .B >>', 'fine', '\n<< .C'))
    expect(placesOf(error)).toEqual(['stack/0.yaml:1:1', 'stack/0.yaml:1:10', 'stack/2.yaml:2:1'])
  })
})

function errorOf(run: () => unknown): StackmasonError {
  try {
    run()
  } catch (error) {
    if (error instanceof StackmasonError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

function placesOf(error: StackmasonError): readonly string[] {
  return error.diagnostics.map(({ at }) => {
    if (at === undefined) return 'nowhere'
    const { line, column } = positionAt(at.source, at.start)
    return `${at.source.name}:${line}:${column}`
  })
}
