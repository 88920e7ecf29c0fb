import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import { template } from '../../src/pipeline/commands/template.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { corpusFolder, corpusOptions, readCorpus, type CorpusCase } from '../../tools/corpus.ts'
import { realHelm } from '../support/helm.ts'
import { helmArguments } from '../pipeline/template-probes.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'

const shared = sharedFolder()
const helm = realHelm('parity of real charts')
if (shared === undefined) console.warn('SKIPPED: parity of real charts needs the shared data')

/** Every twelfth case whose output is the same each time; all 635 are compared by tools/parity.ts. */
const cases: readonly CorpusCase[] =
  shared === undefined || helm === undefined
    ? []
    : readCorpus(shared).filter((entry, index) => index % 12 === 0 && entry.nondeterministic !== true)

const ports = createNodePorts()

async function ours(entry: CorpusCase, folder: string): Promise<string> {
  try {
    const { output } = await template({ ...corpusOptions(entry), cwd: folder }, ports)
    return Buffer.from(encodeUtf8(output)).toString('latin1')
  } catch (error) {
    if (error instanceof StackmasonError) return 'refused'
    throw error
  }
}

function helms(entry: CorpusCase, folder: string): string {
  const args = helmArguments({ name: entry.name, options: corpusOptions(entry) })
  const env = {
    HELM_CACHE_HOME: tmpdir(),
    HELM_CONFIG_HOME: tmpdir(),
    HELM_DATA_HOME: tmpdir(),
    KUBECONFIG: '/nonexistent',
  }
  const run = spawnSync(helm ?? '', args, { cwd: folder, env, encoding: 'latin1', maxBuffer: 1 << 28 })
  return run.status === 0 ? run.stdout : 'refused'
}

describe.skipIf(cases.length === 0)('real charts render byte for byte as the real helm renders them', () => {
  test.each(cases.map((entry) => [entry.name, entry] as const))('%s', async (_, entry) => {
    const folder = corpusFolder(shared ?? '')
    expect(await ours(entry, folder)).toBe(helms(entry, folder))
  })
})
