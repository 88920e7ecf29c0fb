import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nodeVersions } from '../../tools/node.ts'
import { packageFolder } from '../cli/run-cli.ts'

test('the lowest Node that is tried is the lowest that package.json allows', () => {
  const { engines }: { readonly engines: { readonly node: string } } = JSON.parse(
    readFileSync(join(packageFolder, 'package.json'), 'utf8'),
  )
  const lowest = /^\^(\d+\.\d+)/.exec(engines.node)?.[1]
  expect(nodeVersions.lowest.version).toBe(`${String(lowest)}.0`)
})
