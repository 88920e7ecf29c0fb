import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { runCli } from './run-cli.ts'

const overwrite = 'providers/docker/starter/cluster-addon/welcome/overwrite.yaml'
const said = [
  'The tree now holds RuntimeValues objects. The management cluster needs their definitions first.',
  '  Install the controller, which brings them and does what they ask for: docs/22-controller.md, "Install it".',
  '  Without it, apply them alone, once, and do its work by hand: docs/14-late-bound-values.md, "Without the controller".',
  '    stackmason controller definitions | kubectl apply --server-side -f -',
]

/** A fleet whose addon reads the endpoint of the cluster. */
async function fleetWithPlaceholder(tool: string): Promise<string> {
  const cwd = await tempFolder()
  await runCli(['init', '--engine', tool], { cwd })
  await writeFile(join(cwd, overwrite), 'values: |\n  cluster: "{{ .Cluster.spec.controlPlaneEndpoint.host }}"\n')
  return cwd
}

describe('the definitions that a tree needs', () => {
  test.each(['flux', 'argocd'])('%s: render says it when it writes the first object, and never again', async (tool) => {
    const cwd = await fleetWithPlaceholder(tool)
    const first = await runCli(['render'], { cwd })
    expect([first.status, first.stdout.split('\n').slice(0, 4)]).toEqual([0, said])
    expect((await runCli(['render'], { cwd })).stdout).not.toContain('definitions')
    const report = JSON.parse((await runCli(['render', '-o', 'json'], { cwd })).stdout) as { definitions: unknown }
    expect(report.definitions).toEqual(['RuntimeValues'])
  })

  test.each(['flux', 'argocd'])('%s: nothing is said of a tree that needs none', async (tool) => {
    const cwd = await tempFolder()
    await runCli(['init', '--engine', tool], { cwd })
    expect((await runCli(['render'], { cwd })).stdout).toMatch(/^Rendered /)
    // what init writes says it for later
    const bootstrap = await readFile(join(cwd, `bootstrap/${tool}.yaml`), 'utf8')
    expect(bootstrap).toContain('#   stackmason controller definitions | kubectl apply --server-side -f -\n')
  })
})
