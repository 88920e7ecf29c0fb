import { describe, expect, it } from 'vitest'
import type { ClusterOptions } from '../../../src/model/steps.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { type FileMap, problemsOf, readSound, soundFleet } from './fleet-fixture.ts'

/** The fleet of these tests has a GitOps tool, for without one options have no effect. */
const withoutTool = soundFleet['stackmason.yaml'] ?? ''
const path = 'clusters/team-a/web/options.yaml'
const options = (spec: string): FileMap => ({
  'stackmason.yaml': `${withoutTool}  handoff: {flux: {source: {kind: GitRepository, name: fleet}}}\n`,
  [path]: `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec:\n${spec}`,
})

const removeLine =
  'Remove the line. Where no commit tells that a step was applied, say so: `upgrade: {addonsApplied: <release>}` once the addons of that release are applied and checked.'

describe('options.yaml', () => {
  it.each<{ readonly name: string; readonly files: FileMap; readonly want: unknown }>([
    { name: 'is optional', files: {}, want: undefined },
    {
      name: 'has defaults',
      files: options('  suspend: false\n'),
      want: { isSuspended: false, isFrozen: false } satisfies ClusterOptions,
    },
    ...['spec: {}\n', 'spec:\n', 'spec: null\n', 'spec:\n  # freeze: true\n', ''].map((spec) => ({
      name: `sets nothing with ${JSON.stringify(spec)}`,
      files: { ...options(''), [path]: `apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\n${spec}` },
      want: { isSuspended: false, isFrozen: false } satisfies ClusterOptions,
    })),
    {
      name: 'suspends and freezes',
      files: options('  suspend: true\n  freeze: true\n'),
      want: { isSuspended: true, isFrozen: true } satisfies ClusterOptions,
    },
    {
      name: 'acknowledges addons',
      files: options('  upgrade:\n    addonsApplied: docker-scs-1-34-v1\n'),
      want: { acknowledged: { step: 'addons', release: 'docker-scs-1-34-v1', at: { start: 93, end: 111 } } },
    },
    {
      name: 'acknowledges machines',
      files: options('  upgrade: {clusterRolledOut: docker-scs-1-34-v1}\n'),
      want: { acknowledged: { step: 'class', release: 'docker-scs-1-34-v1' } },
    },
    {
      name: 'denies a release',
      files: options('  upgrade: {neverApplied: docker-scs-1-34-v1}\n'),
      want: { neverApplied: { release: 'docker-scs-1-34-v1', at: { start: 89, end: 107 } } },
    },
    {
      name: 'begins a decommission with its first step',
      files: options('  decommission: {}\n'),
      want: { isSuspended: false, isFrozen: false, decommission: { step: 'prepare' } },
    },
    {
      name: 'names the step of a decommission',
      files: options('  decommission:\n    step: finish\n'),
      want: { isSuspended: false, isFrozen: false, decommission: { step: 'finish' } },
    },
  ])('$name', async ({ files, want }) => {
    const { repository, findings } = await readSound(await tempFolder(), files)
    const found = repository.clusters[0]?.options
    expect([found]).toMatchObject([want])
    expect(findings).toEqual([])
  })

  it.each<{ readonly name: string; readonly files: FileMap; readonly want: readonly string[] }>([
    {
      name: 'an unknown field',
      files: options('  suspended: true\n'),
      want: [
        `CONFIG_UNKNOWN_FIELD ${path}:4:3 unknown field "suspended" in spec | Did you mean "suspend"? Possible here: decommission, freeze, hold, startOver, suspend, upgrade.`,
      ],
    },
    {
      name: 'an upgrade in one commit',
      files: options('  upgrade: at-once\n'),
      want: [
        `CONFIG_INVALID_VALUE ${path}:4:12 spec.upgrade: at-once is gone: nothing orders the changes of one commit, so a version could move before its addons | ${removeLine}`,
      ],
    },
    {
      name: 'the name of the only way of upgrading',
      files: options('  upgrade: two-commits\n'),
      want: [
        `CONFIG_INVALID_VALUE ${path}:4:12 spec.upgrade: two-commits is gone: every upgrade is two commits | ${removeLine}`,
      ],
    },
    {
      name: 'an unknown way of upgrading',
      files: options('  upgrade: fast\n'),
      want: [
        `CONFIG_WRONG_TYPE ${path}:4:12 spec.upgrade must be a map, but is a string | Write it as a map: \`name: value\`.`,
      ],
    },
    ...['suspend', 'freeze', 'decommission'].map((field) => ({
      name: `nothing behind ${field}, which could mean either`,
      files: options(`  ${field}:\n`),
      want: [
        `CONFIG_WRONG_TYPE ${path}:4:${String(field.length + 4)} spec.${field} must be ${field === 'decommission' ? 'a map' : 'true or false'}, but has no value | Give it a value, or remove the field.`,
      ],
    })),
    {
      name: 'an acknowledgement of nothing',
      files: options('  upgrade: {}\n'),
      want: [
        `CONFIG_INVALID_VALUE ${path}:4:12 spec.upgrade must not be empty | Write something there, or remove the field where it is optional.`,
      ],
    },
    {
      name: 'acknowledgements of two steps',
      files: options('  upgrade:\n    addonsApplied: a-b-1-34-v1\n    clusterRolledOut: a-b-1-33-v1\n'),
      want: [
        `CONFIG_CONFLICT ${path}:6:23 spec.upgrade.addonsApplied and spec.upgrade.clusterRolledOut exclude each other: one step is under way | Leave the one that was applied last, or neither.`,
      ],
    },
    {
      name: 'a decommission that nothing could carry out',
      files: options('  suspend: true\n  freeze: true\n  decommission: {}\n'),
      want: [
        `CONFIG_CONFLICT ${path}:4:3 spec.suspend and spec.decommission exclude each other: nothing would be deleted | Remove suspend to delete the cluster, or decommission to keep it.`,
        `CONFIG_CONFLICT ${path}:5:3 spec.freeze and spec.decommission exclude each other: nothing would be deleted | Remove freeze to delete the cluster, or decommission to keep it.`,
      ],
    },
    {
      name: 'an acknowledgement of a frozen cluster, which nothing asks for,',
      files: options('  freeze: true\n  upgrade: {addonsApplied: a-b-1-34-v1}\n'),
      want: [
        `warning CONFIG_CONFLICT ${path}:5:28 spec.upgrade has no effect beside spec.freeze: no step of an upgrade is written | Remove spec.upgrade, or freeze: the upgrade goes on only without it.`,
      ],
    },
    {
      name: 'an acknowledgement of a cluster that goes, which nothing asks for,',
      files: options('  upgrade: {clusterRolledOut: a-b-1-34-v1}\n  decommission: {}\n'),
      want: [
        `warning CONFIG_CONFLICT ${path}:4:31 spec.upgrade has no effect beside spec.decommission: no step of an upgrade is written | Remove spec.upgrade: a cluster that goes is not upgraded any more.`,
      ],
    },
    {
      name: 'what nothing carries out without a GitOps tool',
      files: { ...options('  suspend: true\n  freeze: true\n'), 'stackmason.yaml': withoutTool },
      want: [
        `CONFIG_CONFLICT ${path}:5:3 spec.freeze has no effect: the fleet has no spec.handoff, and without a GitOps tool every run writes the cluster again | Remove spec.freeze, or add spec.handoff to stackmason.yaml.`,
      ],
    },
    {
      name: 'what is only without effect where there is no GitOps tool',
      files: {
        ...options('  suspend: true\n  upgrade: {addonsApplied: a-b-1-34-v1}\n'),
        'clusters/team-a/old/cluster.yaml': (soundFleet['clusters/team-a/web/cluster.yaml'] ?? '').replace(
          'web',
          'old',
        ),
        'clusters/team-a/old/options.yaml':
          'apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {decommission: {}}\n',
        'stackmason.yaml': withoutTool,
      },
      want: [
        `warning CONFIG_CONFLICT clusters/team-a/old/options.yaml:3:8 spec.decommission has no effect: the fleet has no spec.handoff, and nothing that this run writes deletes a cluster | Remove spec.decommission, or add spec.handoff to stackmason.yaml.`,
        `warning CONFIG_CONFLICT ${path}:4:3 spec.suspend has no effect: the fleet has no spec.handoff, and nothing that this run writes tells a GitOps tool to stop | Remove spec.suspend, or add spec.handoff to stackmason.yaml.`,
        `warning CONFIG_CONFLICT ${path}:5:3 spec.upgrade has no effect: the fleet has no spec.handoff, and without a GitOps tool an upgrade has no steps | Remove spec.upgrade, or add spec.handoff to stackmason.yaml.`,
      ],
    },
    {
      name: 'another kind',
      files: { [path]: 'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {}\n' },
      want: [
        `CONFIG_INVALID_VALUE ${path}:2:7 kind must be "ClusterOptions" in this file | A document of kind Addons belongs in addons.yaml.`,
      ],
    },
    {
      name: 'options for a whole namespace',
      files: { 'clusters/team-a/options.yaml': 'kind: ClusterOptions\n' },
      want: [
        'CONFIG_UNKNOWN_FILE clusters/team-a/options.yaml nothing reads clusters/team-a/options.yaml | It holds for one cluster: put it beside a cluster.yaml.',
      ],
    },
    {
      name: 'a misspelt name',
      files: { 'clusters/team-a/web/option.yaml': 'kind: ClusterOptions\n' },
      want: [
        'CONFIG_UNKNOWN_FILE clusters/team-a/web/option.yaml nothing reads clusters/team-a/web/option.yaml | Did you mean options.yaml?',
      ],
    },
  ])('refuses or warns of $name', async ({ files, want }) => {
    expect(await problemsOf(await tempFolder(), files)).toEqual(want)
  })
})
