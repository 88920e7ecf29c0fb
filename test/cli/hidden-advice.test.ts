import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CONFIG, makeFleet, MAP, VALUES } from './canary-fleet.ts'
import { runCli } from './run-cli.ts'

const NAME = 'hunter2-credentials'

test('no report proposes to paste what hides a secret', async () => {
  const cwd = await makeFleet({ [VALUES]: `message: x\nadmin:\n  user: ${NAME}\n  password: ${NAME}\n` })
  await appendFile(
    join(cwd, CONFIG),
    '  handoff: {flux: {source: {kind: GitRepository, name: fleet, namespace: flux-system}}}\n',
  )
  await writeFile(
    join(cwd, MAP),
    'apiVersion: v1\nkind: Secret\nmetadata: {name: {{ .Values.admin.user }}}\nstringData: {password: {{ .Values.admin.password }}}\n',
  )
  const text = await runCli(['render', '-q'], { cwd })
  const json = await runCli(['render', '-o', 'json'], { cwd })
  const advice = / {2}→ (.*)\n/.exec(text.stderr)?.[1] ?? ''
  expect(advice.slice(advice.indexOf('target:'))).toBe(
    'target: {kind: Secret, name: (hidden), addon: welcome}, mergePatch: {metadata: {annotations: {stackmason.dev/plaintext: public}}}}}. ' +
      'For (hidden) write what stands in the file: it equals a secret, so it is not shown.',
  )
  const { findings } = JSON.parse(json.stdout) as { readonly findings: readonly { readonly hint: string }[] }
  expect(findings[0]?.hint).toBe(advice)
})
