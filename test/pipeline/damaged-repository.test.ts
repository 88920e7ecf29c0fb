import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { handoffFleet, options } from './handoff-fleet.ts'
import { problemsOf } from './remote-fleet.ts'

const HINT =
  'Mend the repository (.git/HEAD holds `ref: refs/heads/<branch>`), or clone it anew. Without the last commit every cluster would count as new.'

/** What a shell does to `.git`, and what is said of it. */
const damages: readonly (readonly [name: string, script: string, reason: string])[] = [
  ['HEAD with other text', 'echo garbage > .git/HEAD', 'FLEET/.git/HEAD names neither a branch nor a commit'],
  ['an empty HEAD', ': > .git/HEAD', 'FLEET/.git/HEAD names neither a branch nor a commit'],
  ['HEAD that leads out', 'echo "ref: ../../x" > .git/HEAD', 'FLEET/.git/HEAD names neither a branch nor a commit'],
  ['no HEAD', 'rm .git/HEAD', 'FLEET/.git/HEAD cannot be read'],
  ['no objects', 'rm -r .git/objects', 'FLEET/.git/objects is not there'],
  ['no refs', 'rm -r .git/refs', 'FLEET/.git/refs is not there'],
  [
    'an empty branch',
    ': > ".git/$(git symbolic-ref HEAD)"',
    'the branch in FLEET/.git/refs/heads/main names no commit',
  ],
  [
    'a file that leads nowhere',
    'rm -r .git; echo "gitdir: ../gone" > .git',
    '.git leads to PARENT/gone, which is not there',
  ],
  ['a file of something else', 'rm -r .git; echo x > .git', 'FLEET/.git does not say where it lies'],
]

describe.each(damages)('a repository with %s', (_, script, reason) => {
  test('is refused: without the last commit every cluster would count as new', async () => {
    const fleet = await handoffFleet('flux')
    fleet.git('branch', '--move', '--force', 'main')
    execFileSync('sh', ['-ec', script], { cwd: fleet.folder })
    const told = (text: string): string =>
      text.replaceAll(fleet.folder, 'FLEET').replaceAll(join(fleet.folder, '..'), 'PARENT')
    const said = `the committed tree cannot be read: the repository in FLEET is damaged: ${reason}`
    for (const freeze of ['', '{freeze: true}']) {
      if (freeze !== '') fleet.write('clusters/team-a/web/options.yaml', options(freeze))
      for (const check of [false, true]) {
        const [first = ''] = await problemsOf(fleet.render({ check }), fleet.folder)
        expect(told(first)).toContain(said)
        expect(first).toContain(HINT)
      }
    }
  })
})

test('an empty .git is none, as for git', async () => {
  const fleet = await handoffFleet('flux')
  execFileSync('sh', ['-c', 'rm -r .git; mkdir .git'], { cwd: fleet.folder })
  expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([])
})

test('a repository in another, damaged, is not taken for the other', async () => {
  const fleet = await handoffFleet('flux')
  execFileSync('sh', ['-c', 'mkdir -p rendered/.git/refs; echo x > rendered/.git/HEAD'], { cwd: fleet.folder })
  const [first = ''] = await problemsOf(fleet.render(), fleet.folder)
  expect(first).toContain('rendered/.git/HEAD names neither a branch nor a commit')
})

test.each(['rendered', 'rendered/clusters'])(
  'a repository that is committed as plain files in %s is not asked in place of the fleet',
  async (place) => {
    const fleet = await handoffFleet('flux')
    execFileSync('sh', ['-ec', `cp -r .git/HEAD .git/objects .git/refs .git/index ${place}`], { cwd: fleet.folder })
    fleet.write(`${place}/config`, '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n')
    fleet.git('add', '--all')
    fleet.git('commit', '--quiet', '-m', 'files')
    for (const freeze of ['', '{freeze: true}']) {
      if (freeze !== '') fleet.write('clusters/team-a/web/options.yaml', options(freeze))
      const [first = ''] = await problemsOf(fleet.render({ check: true }), fleet.folder)
      expect(first.replaceAll(fleet.folder, 'FLEET')).toBe(
        `GIT_FAILED rendered the committed tree cannot be read: FLEET/${place} is a git directory (HEAD, objects, refs) in the repository FLEET | ` +
          'Take HEAD, objects and refs out of that folder, and look at who committed them: git would read them in place of the repository.',
      )
    }
  },
)

test('one where git is not asked is found as foreign files', async () => {
  const fleet = await handoffFleet('flux')
  execFileSync('sh', ['-ec', 'cp -r .git/HEAD .git/objects .git/refs rendered/handoff'], { cwd: fleet.folder })
  fleet.commit()
  const { findings } = await fleet.render({ check: true })
  const [first] = findings.filter(({ code }) => code === 'OUTPUT_FOREIGN')
  expect(first?.file?.slice(fleet.folder.length + 1)).toBe('rendered/handoff/HEAD')
})

test.each([
  ['beside a branch', 'echo "ref: refs/heads/gone" > .git/HEAD', 'main'],
  ['beside one that is packed', 'git pack-refs --all; echo "ref: refs/heads/gone" > .git/HEAD', 'main'],
  [
    'beside one of a remote',
    'git update-ref refs/remotes/origin/main main; git update-ref -d refs/heads/main; echo "ref: refs/heads/gone" > .git/HEAD',
    'origin/main',
  ],
  ['beside a tag', 'git tag v1; git update-ref -d refs/heads/main; echo "ref: refs/heads/gone" > .git/HEAD', 'v1'],
])('HEAD that names a branch which is not there is refused: %s', async (_, script, other) => {
  const fleet = await handoffFleet('flux')
  fleet.git('branch', '--move', '--force', 'main')
  execFileSync('sh', ['-ec', script], { cwd: fleet.folder })
  const [first = ''] = await problemsOf(fleet.render(), fleet.folder)
  expect(first.replaceAll(fleet.folder, 'FLEET')).toBe(
    `GIT_FAILED rendered the committed tree cannot be read: FLEET/.git/HEAD names the branch gone, which has no commit; others have, like ${other} | ` +
      'Switch to the branch that holds the tree (`git switch <branch>`), or commit to this one first. Without the last commit every cluster would count as new.',
  )
})

test('HEAD that names the first branch of a new repository has nothing committed', async () => {
  const fleet = await handoffFleet('flux')
  execFileSync('sh', ['-ec', 'rm -r .git; git init -q; git symbolic-ref HEAD refs/heads/other'], { cwd: fleet.folder })
  expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([])
})
