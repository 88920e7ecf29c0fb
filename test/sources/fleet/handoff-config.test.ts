import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { HandoffConfig } from '../../../src/model/handoff-config.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { type FileMap, problemsOf, readSound, soundFleet } from './fleet-fixture.ts'

const fleet = (handoff: string, output = ''): FileMap => ({
  'stackmason.yaml': `${soundFleet['stackmason.yaml'] ?? ''}${output}  handoff: ${handoff}\n`,
})
const source = 'source: {kind: GitRepository, name: fleet}'
const fluxDefaults = {
  tool: 'flux',
  source: { kind: 'GitRepository', name: 'fleet' },
  path: 'rendered',
  interval: '1h',
  retryInterval: '2m',
  timeout: '30s',
} as const

describe('spec.handoff', () => {
  const sound: readonly { readonly name: string; readonly files: FileMap; readonly want: HandoffConfig | undefined }[] =
    [
      { name: 'none', files: {}, want: undefined },
      { name: 'flux with the least', files: fleet(`{flux: {${source}}}`), want: fluxDefaults },
      {
        name: 'flux with everything',
        files: fleet(
          '{flux: {source: {kind: OCIRepository, name: fleet, namespace: flux-system}, path: ./a/rendered/, interval: 30m, retryInterval: 1m30s, ' +
            'timeout: 90s, serviceAccountName: applier, decryption: {provider: sops, secretName: keys}, shard: one}}',
        ),
        want: {
          tool: 'flux',
          source: { kind: 'OCIRepository', name: 'fleet', namespace: 'flux-system' },
          path: 'a/rendered',
          interval: '30m',
          retryInterval: '1m30s',
          timeout: '90s',
          serviceAccountName: 'applier',
          decryption: { provider: 'sops', secretName: 'keys' },
          shard: 'one',
        },
      },
      {
        name: 'decryption with keys of the cloud',
        files: fleet(`{flux: {${source}, decryption: {provider: sops}}}`),
        want: { ...fluxDefaults, decryption: { provider: 'sops' } },
      },
      {
        name: 'the path follows the output',
        files: fleet(`{flux: {${source}}}`, '  output: {path: out/tree}\n'),
        want: { ...fluxDefaults, path: 'out/tree' },
      },
      {
        name: 'argocd with the least',
        files: fleet('{argocd: {repoURL: "https://git.example/fleet.git"}}'),
        want: {
          tool: 'argocd',
          namespace: 'argocd',
          project: 'handoff',
          repoURL: 'https://git.example/fleet.git',
          targetRevision: 'HEAD',
          path: 'rendered',
        },
      },
      {
        name: 'argocd with everything',
        files: fleet(
          '{argocd: {namespace: gitops, project: blue, repoURL: "git@git.example:fleet.git", targetRevision: main, path: ./x}}',
        ),
        want: {
          tool: 'argocd',
          namespace: 'gitops',
          project: 'blue',
          repoURL: 'git@git.example:fleet.git',
          targetRevision: 'main',
          path: 'x',
        },
      },
    ]
  test.each(sound)('$name', async ({ files, want }) => {
    const { repository } = await readSound(await tempFolder(), files)
    expect(repository.fleet.handoff).toEqual(want)
  })

  const broken: readonly { readonly name: string; readonly files: FileMap; readonly want: readonly string[] }[] = [
    {
      name: 'both engines',
      files: fleet(`{flux: {${source}}, argocd: {repoURL: "https://git.example/fleet.git"}}`),
      want: ['CONFIG_CONFLICT stackmason.yaml:10:65 spec.handoff may have only one of "flux" and "argocd"'],
    },
    {
      name: 'no engine',
      files: fleet('{}'),
      want: ['CONFIG_MISSING_FIELD stackmason.yaml:10:3 spec.handoff must have one of "flux" and "argocd"'],
    },
    {
      name: 'an unknown kind of source',
      files: fleet('{flux: {source: {kind: GitRepo, name: fleet}}}'),
      want: [
        'CONFIG_INVALID_VALUE stackmason.yaml:10:35 spec.handoff.flux.source.kind must be one of "GitRepository", "OCIRepository", "ExternalArtifact" | Did you mean "GitRepository"?',
      ],
    },
    {
      name: 'times that Flux would refuse',
      files: fleet(`{flux: {${source}, interval: 1 hour, retryInterval: 1d, timeout: 5}}`),
      want: [
        'CONFIG_INVALID_VALUE stackmason.yaml:10:74 spec.handoff.flux.interval must look like "1h"',
        'CONFIG_INVALID_VALUE stackmason.yaml:10:97 spec.handoff.flux.retryInterval must look like "2m"',
        'CONFIG_WRONG_TYPE stackmason.yaml:10:110 spec.handoff.flux.timeout must be a string, but 5 is a number | Put it in quotes: "5".',
      ],
    },
    {
      name: 'times that are none',
      files: fleet(`{flux: {${source}, interval: 0s, retryInterval: 0h0m, timeout: 0.0ms}}`),
      want: [
        'CONFIG_INVALID_VALUE stackmason.yaml:10:74 spec.handoff.flux.interval: "0s" is no time at all | Write one like 10m, or leave it out for the default.',
        'CONFIG_INVALID_VALUE stackmason.yaml:10:93 spec.handoff.flux.retryInterval: "0h0m" is no time at all | Write one like 10m, or leave it out for the default.',
        'CONFIG_INVALID_VALUE stackmason.yaml:10:108 spec.handoff.flux.timeout: "0.0ms" is no time at all | Write one like 10m, or leave it out for the default.',
      ],
    },
    {
      name: 'a path out of the source',
      files: fleet(`{flux: {${source}, path: a/../../rendered}}`),
      want: [
        'CONFIG_INVALID_VALUE stackmason.yaml:10:70 spec.handoff.flux.path: "a/../../rendered" leads out of the source | Write the path from the root of the source.',
      ],
    },
    {
      name: 'an output that lies outside of the fleet, and no path',
      files: fleet(`{flux: {${source}}}`, '  output: {path: ../rendered}\n'),
      want: [
        'CONFIG_MISSING_FIELD stackmason.yaml:11:13 spec.handoff.flux.path is missing: the output folder "../rendered" lies outside of the fleet\'s folder | Write where the output folder lies in the source, from its root.',
      ],
    },
    {
      name: 'credentials in the URL of Argo CD',
      files: fleet('{argocd: {repoURL: "https://me:secret@git.example/fleet.git"}}'),
      want: [
        'CONFIG_INVALID_VALUE stackmason.yaml:10:31 spec.handoff.argocd.repoURL must look like "https://git.example.com/fleet.git"',
      ],
    },
    {
      name: 'decryption that Flux does not know',
      files: fleet(`{flux: {${source}, decryption: {provider: age}}}`),
      want: ['CONFIG_INVALID_VALUE stackmason.yaml:10:87 spec.handoff.flux.decryption.provider must be "sops"'],
    },
  ]
  test.each(broken)('$name', async ({ files, want }) => {
    expect(await problemsOf(await tempFolder(), files)).toEqual(want)
  })

  test('the examples of the documentation are sound', async () => {
    const blocks = readFileSync('docs/15-flux.md', 'utf8').match(/^spec:\n {2}handoff:\n(?: {4}.*\n)+/gm) ?? []
    expect(blocks).toHaveLength(4)
    for (const block of blocks) {
      const files = { 'stackmason.yaml': `${soundFleet['stackmason.yaml'] ?? ''}${block.replace('spec:\n', '')}` }
      expect((await readSound(await tempFolder(), files)).repository.fleet.handoff?.tool).toBe('flux')
    }
  })
})
