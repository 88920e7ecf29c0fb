import { symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { bothClusters, type HandoffFleet, handoffFleet, renderedCluster, wantNext } from './handoff-fleet.ts'
import { told } from './remote-fleet.ts'

const CONFIG = 'rendered/clusters/team-a/web/addons/01-dns-cache/configmap-dns-cache.yaml'
const advice =
  'Move it out of the output folder; what is to be applied belongs into an own addon, a patch or another folder.'

/** The findings of `render --check` that are errors. */
async function says(
  fleet: HandoffFleet,
  options: Parameters<HandoffFleet['render']>[0] = {},
): Promise<readonly string[]> {
  const { findings } = await fleet.render({ check: true, ...options })
  return findings
    .filter(({ severity }) => severity === 'error')
    .map((finding) => told(finding, fleet.folder).replaceAll(fleet.folder, 'FLEET'))
}

const foreign = (path: string, effect = ', where a GitOps tool may apply it'): string =>
  `OUTPUT_FOREIGN rendered/${path} a file that stackmason did not write lies in the rendered tree${effect} | ${advice}`
const settings = ': Argo CD takes settings of an Application from it'

test.each([
  ['handoff/.argocd-source.yaml', [foreign('handoff/.argocd-source.yaml', settings)]],
  [
    'clusters/team-a/web/addons/.argocd-source-web-addons.yaml',
    [foreign('clusters/team-a/web/addons/.argocd-source-web-addons.yaml', settings)],
  ],
  ['handoff/evil.yaml', [foreign('handoff/evil.yaml')]],
  ['handoff/evil.json', [foreign('handoff/evil.json')]],
  ['clusters/team-a/other/cluster/x.yaml', [foreign('clusters/team-a/other/cluster/x.yaml')]],
  ['evil.yaml', [foreign('evil.yaml')]],
  [
    'handoff/kustomization.yml',
    [foreign('handoff/kustomization.yml', ': beside a kustomization.yaml the build fails')],
  ],
  ['handoff/Kustomization', [foreign('handoff/Kustomization', ': beside a kustomization.yaml the build fails')]],
  ['clusters/.sourceignore', [foreign('clusters/.sourceignore', ': Flux leaves files out by it')]],
  [
    '.stackmason/lock.json',
    [
      'OUTPUT_FOREIGN rendered/.stackmason/lock.json the commit holds a file of .stackmason, which each run keeps for itself: it could stop or mislead the next one | ' +
        '`git rm -r --cached -- FLEET/rendered/.stackmason/lock.json`, and commit.',
    ],
  ],
  ['README.md', []],
  ['clusters/team-a/OWNERS', []],
  ['.gitattributes', []],
])('a check refuses what lies in the committed tree and is not ours: %s', async (path, wanted) => {
  const fleet = await handoffFleet('flux')
  fleet.write(`rendered/${path}`, '{}\n')
  fleet.git('add', '-Af')
  fleet.git(
    'rm',
    '-q',
    '--cached',
    '--ignore-unmatch',
    'rendered/.stackmason/written.sha256',
    'rendered/.stackmason/.gitignore',
  )
  fleet.git('commit', '-qm', 'more')
  if (path.startsWith('.stackmason')) fleet.remove(`rendered/${path}`)
  expect(await says(fleet)).toEqual(wanted)
})

test('a link in the tree is none of ours, and a submodule neither', async () => {
  const fleet = await handoffFleet('argocd')
  symlinkSync('../stackmason.yaml', fleet.path('rendered/handoff/link.yaml'))
  const commit = fleet.git('rev-parse', 'HEAD').trim()
  fleet.git('update-index', '--add', '--cacheinfo', `160000,${commit},rendered/handoff/sub`)
  fleet.git('add', '-A', 'rendered/handoff/link.yaml')
  fleet.git('commit', '-qm', 'more')
  expect(await says(fleet)).toEqual([
    foreign('handoff/link.yaml'),
    `OUTPUT_FOREIGN rendered/handoff/sub a submodule lies in the rendered tree, where a GitOps tool may apply it | ${advice}`,
  ])
})

test('only what a run is about is judged; and what nobody has committed is applied by nobody', async () => {
  const fleet = await handoffFleet('flux', bothClusters)
  fleet.write('rendered/clusters/team-a/web/x.yaml', 'a: b\n')
  expect(await says(fleet)).toEqual([])
  fleet.commit()
  expect(await says(fleet)).toEqual([foreign('clusters/team-a/web/x.yaml')])
  expect(await says(fleet, { clusters: ['team-a/web'] })).toEqual([foreign('clusters/team-a/web/x.yaml')])
  expect(await says(fleet, { clusters: ['team-b/batch'] })).toEqual([])
  // a run that writes leaves it alone
  await fleet.render()
  expect(fleet.read('rendered/clusters/team-a/web/x.yaml')).toBe('a: b\n')
})

test('what is gone from the disk goes with the next commit; a name that is no text cannot be looked for', async () => {
  const fleet = await handoffFleet('flux')
  const odd = Buffer.concat([Buffer.from(`${fleet.folder}/rendered/odd-`), Buffer.from([0xff]), Buffer.from('.yaml')])
  writeFileSync(odd, '{}\n')
  fleet.write('rendered/gone.yaml', '{}\n')
  fleet.commit()
  unlinkSync(odd)
  fleet.remove('rendered/gone.yaml')
  expect(await says(fleet)).toEqual([foreign('odd-\u{fffd}.yaml')])
})

test('outside of a repository the disk is judged', async () => {
  const fleet = await handoffFleet('flux')
  fleet.remove('.git')
  fleet.write('rendered/handoff/evil.yaml', 'a: b\n')
  expect(await says(fleet)).toEqual([foreign('handoff/evil.yaml')])
})

test('what is stale is to be removed, and not foreign', async () => {
  const fleet = await handoffFleet('flux')
  fleet.write('rendered/clusters/team-a/web/addons/01-dns-cache/configmap-old.yaml', fleet.read(CONFIG))
  fleet.commit()
  const { findings, changes } = await fleet.render({ check: true })
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
  expect([...changes]).toEqual([
    { path: 'clusters/team-a/web/addons/01-dns-cache/configmap-old.yaml', change: 'removed' },
  ])
})

const missing = 'what is missing is not applied, or applied in another way'

test.each([
  ['/*\n!/rendered\n', []],
  ['*.md\ndocs/\n', []],
  [
    '/*\n!/rendered\n/rendered/handoff/kustomization.yaml\n',
    [
      `OUTPUT_HIDDEN .sourceignore:3:1 Flux does not get FLEET/rendered/handoff/kustomization.yaml: this line leaves it out, and ${missing} | Take the line out, or add \`!/rendered/**\` below it.`,
    ],
  ],
  [
    '# mine\nweb/\n*.yaml\n!/rendered/handoff/**\n!/rendered/stacks/**\n',
    [
      `OUTPUT_HIDDEN .sourceignore:3:1 Flux does not get FLEET/rendered/clusters/team-a/web/cluster/cluster-web.yaml and 12 more: this line leaves it out, and ${missing} | Take the line out, or add \`!/rendered/**\` below it.`,
    ],
  ],
])('a check refuses a .sourceignore that hides what is rendered: %j', async (text, wanted) => {
  const fleet = await handoffFleet('flux')
  fleet.write('.sourceignore', text)
  expect(await says(fleet)).toEqual(wanted)
})

const altered = (line: number): string =>
  `OUTPUT_ALTERED .gitattributes:${String(line)}:1 the last commit has other content of FLEET/${CONFIG} than the disk, and git alters such files by this line: a GitOps tool may apply what nobody has seen | ` +
  'Take the line out, check the files out anew (`git rm --cached -r -q . && git reset --hard`), and render again.'

test.each([
  ['/rendered/** text working-tree-encoding=ASCII//TRANSLIT\n', [altered(1)]],
  ['# mine\n[attr]odd working-tree-encoding=ASCII//TRANSLIT\nrendered/** odd\n', [altered(3)]],
  ['configmap-*.yaml ident\n', [altered(1)]],
  ['*.png filter=lfs\n*.ps1 text working-tree-encoding=UTF-16\n', []],
  ['* text=auto eol=lf\n*.yaml working-tree-encoding=UTF-8 -filter !ident\n', []],
])('a check refuses a commit that git gives out altered: %j', async (attributes, wanted) => {
  const fleet = await handoffFleet('flux')
  const text = fleet.read(CONFIG)
  fleet.write(CONFIG, text.replace('kind: ConfigMap', 'kind: Ｃonfigmap'))
  fleet.commit()
  // as a checkout with the attribute gives it
  fleet.write(CONFIG, text)
  fleet.write('.gitattributes', attributes)
  expect(await says(fleet)).toEqual(wanted)
})

test('line endings may differ between a commit and the disk', async () => {
  const fleet = await handoffFleet('flux')
  const text = fleet.read(CONFIG)
  fleet.write('.gitattributes', '*.yaml ident\n')
  fleet.write(CONFIG, text.replaceAll('\n', '\r\n'))
  fleet.commit()
  fleet.write(CONFIG, text)
  expect(await says(fleet)).toEqual([])
})

test('an edit of what is frozen is stale against a base that lacks it', async () => {
  const fleet = await handoffFleet('flux')
  fleet.write(
    'clusters/team-a/web/options.yaml',
    'apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {freeze: true}\n',
  )
  await fleet.render()
  fleet.commit()
  const base = fleet.git('rev-parse', 'HEAD').trim()
  fleet.edit(CONFIG, 'kind: ConfigMap', 'kind: ConfigMap\nimmutable: true')
  fleet.commit()
  const stale = async (options: Parameters<HandoffFleet['render']>[0]): Promise<readonly string[]> =>
    Array.from((await fleet.render({ check: true, ...options })).changes, ({ path }) => `rendered/${path}`)
  expect(await stale({ base })).toEqual([CONFIG])
  // by itself a commit does not tell it from what was frozen
  expect(await stale({})).toEqual([])
})

test('a change of what is believed between two steps has to be what a render from its base makes', async () => {
  const fleet = await handoffFleet('flux')
  wantNext(fleet)
  const base = fleet.git('rev-parse', 'HEAD').trim()
  await fleet.render()
  fleet.commit()
  expect(await says(fleet, { base })).toEqual([])
  const first = fleet.git('rev-parse', 'HEAD').trim()
  fleet.edit(renderedCluster, '10.244.', '10.99.')
  fleet.commit()
  const edited = (from: string): string =>
    `OUTPUT_EDITED ${renderedCluster} the change edits this file, and no render from ${from} makes it so: what stays as it is committed is believed | ` +
    `Let it be as the base has it, or as \`stackmason render --base ${from}\` writes it.`
  // alone, and together with the step
  for (const from of [first, base]) expect(await says(fleet, { base: from })).toEqual([edited(from)])
  fleet.git('revert', '--no-edit', 'HEAD')
  for (const from of [first, base]) expect(await says(fleet, { base: from })).toEqual([])
  await fleet.render()
  fleet.commit()
  expect(await says(fleet, { base: first })).toEqual([])
})

test('a tree that moves leaves nothing behind', async () => {
  const fleet = await handoffFleet('flux')
  const base = fleet.git('rev-parse', 'HEAD').trim()
  fleet.git('mv', 'rendered', 'deploy')
  fleet.edit('stackmason.yaml', 'spec:\n', 'spec:\n  output: {path: deploy}\n')
  await fleet.render()
  fleet.commit()
  const { findings } = await fleet.render({ check: true, base })
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
  fleet.write('rendered/handoff/evil.yaml', 'a: b\n')
  fleet.commit()
  await expect(fleet.render({ check: true, base })).rejects.toMatchObject({
    diagnostics: [
      {
        code: 'OUTPUT_MOVED',
        message:
          'spec.output.path is "deploy", and the tree of the base is in "rendered", where files are left: nothing renders or checks them, and Flux goes on with them until it is told of the new folder',
      },
    ],
  })
})

const untold = 'nobody can say which rendered files Flux leaves out by this .sourceignore'

test.each([
  ['a long line', `# ${'x'.repeat(70_000)}\n!/rendered/**\n`, 'it has a line of 64 KiB or more'],
  ['other bytes', new Uint8Array([0x21, 0x61, 0xff, 0x0a]), 'it holds bytes that are no UTF-8'],
  ['a link', undefined, 'it is no file'],
])('a check refuses a .sourceignore that Flux may read in another way: %s', async (_, content, reason) => {
  const fleet = await handoffFleet('flux')
  if (content === undefined) symlinkSync('docs/ignore.txt', fleet.path('.sourceignore'))
  else writeFileSync(fleet.path('.sourceignore'), content)
  fleet.commit()
  expect(await says(fleet)).toEqual([
    `OUTPUT_HIDDEN .sourceignore ${untold}: ${reason} | Make it a plain file of short lines of text, or remove it.`,
  ])
})

test('a .sourceignore that hides pins is refused, too', async () => {
  const fleet = await handoffFleet('flux')
  fleet.write('rendered/artifacts/team-a/web.yaml', 'a: b\n')
  fleet.write('.sourceignore', '/rendered/artifacts/\n')
  fleet.commit()
  expect((await says(fleet)).filter((text) => text.startsWith('OUTPUT_HIDDEN'))).toEqual([
    `OUTPUT_HIDDEN .sourceignore:1:1 Flux does not get FLEET/rendered/artifacts/team-a/web.yaml: this line leaves it out, and ${missing} | Take the line out, or add \`!/rendered/**\` below it.`,
  ])
})

test('a .sourceignore counts as the commit has it', async () => {
  const fleet = await handoffFleet('flux')
  fleet.write('.sourceignore', '/rendered/handoff/kustomization.yaml\n')
  fleet.commit()
  fleet.write('.sourceignore', '')
  expect((await says(fleet)).map((text) => text.split(' ', 2))).toEqual([['OUTPUT_HIDDEN', '.sourceignore:1:1']])
})

test('a link of a name that nothing applies is none the less one', async () => {
  const fleet = await handoffFleet('argocd')
  symlinkSync('/etc/hostname', fleet.path('rendered/handoff/x.txt'))
  fleet.commit()
  expect(await says(fleet)).toEqual([foreign('handoff/x.txt')])
})
