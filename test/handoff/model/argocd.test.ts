import { beforeAll, describe, expect, test } from 'vitest'
import { isSeq } from 'yaml'
import { tempFolderForFile } from '../../support/temp-folder.ts'
import { exploreArgo } from './argo-model.ts'
import { commitNames, writeLife, type Commit } from './fleet-life.ts'
import type { BuildFolder } from './kustomize.ts'
import { plant } from './plant.ts'
import { hasKustomize, realKustomize } from './programs.ts'

/**
 * Every order in which Argo CD may take in a commit, for each commit in the life of a cluster: nothing is applied that
 * is neither as before nor as after, no version moves before its addons, nothing that is to stay is deleted, and every
 * order ends where the commit wants it.
 */
describe.runIf(hasKustomize())('all orders of Argo CD', () => {
  const folder = tempFolderForFile()
  let commits: readonly Commit[] = []
  let build: BuildFolder

  beforeAll(async () => {
    commits = await writeLife(folder, 'argocd')
    build = realKustomize()
  }, 300_000)

  function commitNamed(name: string): { readonly before: Commit; readonly after: Commit } {
    const index = commits.findIndex((commit) => commit.name === name)
    const [before, after] = [commits[index - 1], commits[index]]
    if (before === undefined || after === undefined) throw new Error(`no commit ${name}`)
    return { before, after }
  }

  test.each(commitNames)('%s', (name) => {
    const index = commits.findIndex((commit) => commit.name === name)
    const after = commits[index]
    if (after === undefined) throw new Error('no such commit')
    const { states, faults, stuck } = exploreArgo(commits[index - 1], after, { build })
    expect({ faults: [...faults], stuck }).toEqual({ faults: [], stuck: undefined })
    expect(states).toBeGreaterThan(100)
  })

  /** The trees of earlier releases: patches that nothing ties to the content. */
  function withoutProof(commit: Commit): Commit {
    return plant(commit, (document, path) => {
      if (path.endsWith('/kustomization.yaml')) {
        document.delete('configMapGenerator')
        document.delete('replacements')
      }
      const patches: unknown = document.getIn(['spec', 'template', 'spec', 'source', 'kustomize', 'patches'])
      if (document.get('kind') !== 'ApplicationSet' || !isSeq(patches)) return
      const all = patches.toJSON() as readonly { readonly patch: string }[]
      const bare = all
        .filter(({ patch }) => !patch.includes('stackmason-holes-'))
        .map((entry) => ({ ...entry, patch: entry.patch.replaceAll(/\{"op":"test",[^\n]*\},\n/g, '') }))
      document.setIn(['spec', 'template', 'spec', 'source', 'kustomize', 'patches'], document.createNode(bare))
    })
  }

  test.each([
    {
      name: 'the first placeholder: the endpoint is no longer fixed',
      fault: /metrics-agent is applied with stackmason-placeholder-/,
    },
    { name: 'a further placeholder, in a list', fault: /dns-cache is applied with stackmason-placeholder-/ },
    {
      name: 'the placeholder moves to another index',
      fault: /dns-cache is applied as of neither tree: /,
    },
    {
      name: 'the placeholder moves back, to the place of another text',
      fault: /dns-cache is applied as of neither tree: /,
    },
  ])('without a proof that content and patches belong together: $name', ({ name, fault }) => {
    const { before, after } = commitNamed(name)
    const { faults } = exploreArgo(withoutProof(before), withoutProof(after), { build })
    expect([...faults.keys()]).toContainEqual(expect.stringMatching(fault))
  })

  /** The trees of earlier releases: an AppProject permits only what the commit has. */
  function withNarrowProjects(commit: Commit): Commit {
    return plant(commit, (document) => {
      if (document.get('kind') !== 'AppProject') return
      for (const list of ['clusterResourceWhitelist', 'destinations']) {
        const entries: unknown = document.getIn(['spec', list])
        if (!isSeq(entries)) continue
        const all = entries.toJSON() as readonly Readonly<Record<string, string>>[]
        const left = all.filter(({ kind, namespace }) => kind !== 'ClusterRole' && namespace !== 'audit')
        document.setIn(['spec', list], document.createNode(left))
      }
    })
  }

  test('an AppProject that no longer permits what leaves the tree keeps it for ever', () => {
    const { before, after } = commitNamed('they go, the last ones of that kind and of that namespace')
    const { stuck } = exploreArgo(before, withNarrowProjects(after), { build })
    expect(stuck).toContain('fleet applies management AppProject argocd/platform.management')
  })

  test('one commit for both steps of an upgrade lets the version move first', () => {
    const { before } = commitNamed('a new minor version of Kubernetes, 1 of 2')
    const { after } = commitNamed('a new minor version of Kubernetes, 2 of 2')
    const { faults } = exploreArgo(before, after, { build })
    expect([...faults.keys()]).toContainEqual(
      expect.stringMatching(/^management Cluster team-a\/edge moves to another version before workload /),
    )
  })

  test('an addon that has left the tree without a word is a deletion that nobody asked for', () => {
    const { before, after } = commitNamed('an addon of the release is switched off')
    const { faults } = exploreArgo(before, { ...after, removes: [] }, { build })
    expect([...faults.keys()]).toContain(
      'workload Deployment kube-system/metrics-agent is deleted, though nobody asked for it',
    )
  })
})
