import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { generateDefinitions, gitopsDefinitions } from '../../tools/gitops-definitions.ts'
import { packageFolder } from '../cli/run-cli.ts'

const shared = sharedFolder()
if (shared === undefined) console.warn('SKIPPED, definitions of GitOps tools: no shared data')

test.skipIf(shared === undefined).each(Object.entries(gitopsDefinitions))('%s is up to date', (file, from) => {
  const text = readFileSync(join(packageFolder, file), 'utf8')
  expect(text, 'run `npx tsx tools/gitops-definitions.ts`').toBe(generateDefinitions(from, join(shared ?? '', 'crds')))
})
