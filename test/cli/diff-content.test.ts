import { appendFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { tempFolderForFile } from '../support/temp-folder.ts'
import { runCli } from './run-cli.ts'

describe('new objects', () => {
  const cwd = tempFolderForFile()

  /** Adds an object to the addon of a cluster, as a render would. */
  const add = async (cluster: string, name: string, text: string): Promise<void> => {
    const folder = join(cwd, `new/clusters/team-a/${cluster}/addons/01-welcome`)
    await writeFile(join(folder, `${name}.yaml`), text)
    await appendFile(join(folder, 'kustomization.yaml'), `- ${name}.yaml\n`)
  }
  const diff = async (...words: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await runCli(['diff', './old', './new', ...words], { cwd })
    expect([status, stderr]).toEqual([0, ''])
    return stdout
  }

  beforeAll(async () => {
    await runCli(['init', 'fleet'], { cwd })
    await runCli(['new', 'cluster', 'team-a/two', '--like', 'team-a/web'], { cwd: join(cwd, 'fleet') })
    await runCli(['render', '-q'], { cwd: join(cwd, 'fleet') })
    await mkdir(join(cwd, 'old'))
    for (const folder of ['old', 'new']) await cp(join(cwd, 'fleet/rendered'), join(cwd, folder), { recursive: true })
    const map = (data: string): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: limits, namespace: default}\ndata:\n${data}`
    await add('web', 'limits', map('  pods: "50"\n  token: hunter2\n'))
    await add('two', 'limits', map('  pods: "60"\n'))
    await add(
      'web',
      'door',
      'apiVersion: v1\nkind: Secret\nmetadata: {name: door, namespace: default}\nstringData: {knock: three times}\n',
    )
    const long = Array.from({ length: 200 }, (_, index) => `  k${String(index).padStart(3, '0')}: v\n`).join('')
    for (const cluster of ['two', 'web']) {
      const motd = map(`  password: ${cluster}-quokka7\n  motd: log in with ${cluster}-quokka7\n`)
      await add(cluster, 'motd', motd.replace('name: limits', `name: ${cluster}-motd`))
    }
    await add('two', 'long', map(long).replace('name: limits', 'name: long'))
  })

  test('show no secret in which the name of the cluster stands', async () => {
    const all = await diff('--all')
    expect(all).toContain('  + ConfigMap default/<cluster>-motd\n')
    expect(all).toContain("        +   motd: '********'\n        +   password: '********'\n")
  })

  test('are named, and with --all shown without secrets', async () => {
    const all = await diff('--all')
    expect(all).toContain(
      [
        '  + ConfigMap default/limits',
        '      as in the first of them; it is not the same everywhere',
        '        + apiVersion: v1',
        '        + kind: ConfigMap',
        '        + metadata:',
        '        +   name: limits',
        '        +   namespace: default',
        '        + data:',
        '        +   pods: "60"',
        '',
      ].join('\n'),
    )
    expect(all).toContain("        + stringData:\n        +   knock: '********'\n")
    expect(all).toContain('        +   k093: v\n        … 106 more lines\n')
    const short = await diff()
    expect(short).toContain('  + ConfigMap default/limits\n')
    for (const text of [all, short, await diff('-o', 'json')]) {
      expect(text).not.toContain('hunter2')
      expect(text).not.toContain('three times')
    }
    expect([short, await diff('-o', 'json')].filter((text) => text.includes('k093'))).toEqual([])
  })

  test('are shown in Markdown and on a page', async () => {
    const markdown = await diff('-o', 'markdown')
    expect(markdown).toContain("+         stringData:\n+           knock: '********'\n")
    await diff('-o', 'html=page.html')
    const page = await readFile(join(cwd, 'page.html'), 'utf8')
    expect(page).toContain('<ins>+   knock: &#39;********&#39;</ins>')
    expect(page).toContain('<ins>+   k053: v</ins></pre>')
    expect(page).toContain('and 146 more lines')
    for (const text of [markdown, page]) expect(text.includes('hunter2') || text.includes('three times')).toBe(false)
  })
})

describe('a new cluster that is like another', () => {
  const cwd = tempFolderForFile()

  test('shows no secret in which its name or that of the other stands', async () => {
    await runCli(['init', 'fleet'], { cwd })
    const fleet = join(cwd, 'fleet')
    await runCli(['render', '-q'], { cwd: fleet })
    await cp(join(fleet, 'rendered'), join(cwd, 'old'), { recursive: true })
    await runCli(['new', 'cluster', 'team-a/two', '--like', 'team-a/web'], { cwd: fleet })
    await runCli(['render', '-q'], { cwd: fleet })
    await cp(join(fleet, 'rendered'), join(cwd, 'new'), { recursive: true })
    const data = {
      old: { web: '  password: web-quokka7\n  motd: log in with web-quokka7\n' },
      new: {
        web: '  password: web-quokka7\n  motd: log in with web-quokka7\n',
        two: '  password: two-quokka8\n  motd: sign in to two with two-quokka8\n  site: two.example.com\n',
      },
    }
    for (const [tree, clusters] of Object.entries(data))
      for (const [cluster, text] of Object.entries(clusters)) {
        const folder = join(cwd, tree, `clusters/team-a/${cluster}/addons/01-welcome`)
        const map = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: motd, namespace: default}\ndata:\n${text}`
        await writeFile(join(folder, 'motd.yaml'), map)
        await writeFile(join(folder, 'same.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: same}\n')
        await appendFile(join(folder, 'kustomization.yaml'), '- motd.yaml\n- same.yaml\n')
      }
    const { status, stdout, stderr } = await runCli(['diff', './old', './new'], { cwd })
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain('ConfigMap default/motd data.motd: changed (hidden); ')
    for (const words of [[], ['-o', 'markdown'], ['-o', 'html'], ['-o', 'json']])
      expect((await runCli(['diff', './old', './new', ...words], { cwd })).stdout).not.toContain('quokka')
  })
})
