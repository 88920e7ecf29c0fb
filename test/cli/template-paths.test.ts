import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { archiveOf, writeFiles, type FileMap } from '../../tools/fleets/stack-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { runCli } from './run-cli.ts'

/**
 * A chart in which charts share the paths of their templates, its files (those of an archive by path), and what Helm
 * 4.1.4 prints for it. Helm reads charts/ in an order that differs from run to run: of its `outcomes` this is the one
 * where it reads by name.
 */
type Row = readonly [name: string, outcomes: number, files: Readonly<Record<string, string | FileMap>>, want: string]

const rows: readonly Row[] = readFileSync(new URL('./template-paths.rows.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))

describe('charts that share the paths of their templates render as with Helm', () => {
  test.each(rows)('%s (one of %i outcomes)', async (_name, _outcomes, files, want) => {
    const folder = await tempFolder()
    const entries = Object.entries(files).map(([path, content]) => [
      path,
      typeof content === 'string' ? content : archiveOf(content),
    ])
    await writeFiles(folder, Object.fromEntries(entries))
    // helm 3 keeps templates by path in the same way (pkg/engine, recAllTpls)
    for (const version of ['3', '4']) {
      const run = await runCli(['template', 'r', folder, '--include-crds', '--helm-version', version])
      expect([run.status, run.stdout]).toEqual([0, want])
    }
  })
})
