import { fieldAt, listField, numberField, textField } from '../../kube/json-field.ts'
import type { KubeObject } from '../../kube/kube-object.ts'
import type { Definition } from './definition.ts'
import type { SweepCounts } from './sweep.ts'

const reasons = [
  'Succeeded',
  'Progressing',
  'Settling',
  'StorageVersionChanged',
  'WaitingForStorageVersion',
  'DefinitionNotFound',
  'DefinitionDeleted',
  'NotEstablished',
  'NonStructuralSchema',
  'NoServedVersion',
  'OtherMigrator',
  'InvalidSpec',
  'AdmissionDenied',
  'ConversionFailed',
  'Conflict',
  'ServerError',
  'PreflightPassed',
  'PreflightRefused',
] as const

/** Why a definition is where it is. */
export type MigrationReason = (typeof reasons)[number]

/** The verdict on removing a version from its definition. */
export interface VersionState {
  readonly name: string
  readonly removable: boolean
  readonly message: string
}

/** How far a definition is. */
export interface MigrationState {
  readonly name: string
  readonly migrated: boolean
  readonly reason: MigrationReason
  readonly message: string
  /** Of the definition that the rest speaks of; undefined: there is none. */
  readonly definition?: Pick<Definition, 'uid' | 'generation' | 'storageVersion'> & {
    /** In which objects may be stored, whatever the definition says; undefined: that was not stated. */
    readonly possibleVersions?: readonly string[]
  }
  readonly migrator?: 'Stackmason' | 'ClusterAPI' | 'Server'
  /**
   * From this state of the server on, all is written in the storage version: what is newer need not be written again.
   */
  readonly since?: string
  /**
   * `resourceVersion` of the definition for which `since` holds. Of one that has come back from a backup it is another,
   * and objects from then are newer than `since`, too.
   */
  readonly definitionVersion?: string
  readonly counts?: Omit<SweepCounts, 'fieldOwners'>
  readonly versions?: readonly VersionState[]
}

/** Failures that are stated, of all definitions together: a status must fit into an object. */
const MOST_STATED = 320
const LONGEST_MESSAGE = 512
/** Of a version; that there is another one counts, more than its name. */
const LONGEST_VERSION = 63
const MOST_VERSIONS = 64

/** The states as they stand in a status. */
export function formatStates(states: readonly MigrationState[]): readonly object[] {
  const most = Math.max(1, Math.floor(MOST_STATED / Math.max(1, states.length)))
  return states.map((state) => {
    const { name, migrated, reason, message, definition, migrator, since, definitionVersion, counts, versions } = state
    return {
      name,
      migrated,
      reason,
      message: message.slice(0, LONGEST_MESSAGE),
      ...(definition !== undefined && {
        uid: definition.uid,
        generation: definition.generation,
        storageVersion: definition.storageVersion,
        ...(definition.possibleVersions !== undefined && {
          possibleVersions: definition.possibleVersions
            .slice(0, MOST_VERSIONS)
            .map((version) => version.slice(0, LONGEST_VERSION)),
        }),
      }),
      ...(migrator !== undefined && { migrator }),
      ...(since !== undefined && since !== '' && { since }),
      ...(definitionVersion !== undefined && { definitionVersion }),
      ...(counts !== undefined && formatCounts(counts, most)),
      ...(versions !== undefined && { versions }),
    }
  })
}

function formatCounts({ failures, remaining, ...counts }: Omit<SweepCounts, 'fieldOwners'>, most: number): object {
  const stated = failures.slice(0, most).map(({ namespace, name, message }) => ({
    ...(namespace !== '' && { namespace }),
    name,
    message: message.slice(0, LONGEST_MESSAGE),
  }))
  return {
    rewritten: counts.rewritten,
    alreadyCurrent: counts.alreadyCurrent,
    failed: counts.failed,
    ...(remaining !== undefined && { remaining }),
    ...(stated.length > 0 && { failures: stated }),
  }
}

/** The stated result for a definition; undefined: none, or none that is understood. */
export function readState(object: KubeObject, name: string): MigrationState | undefined {
  const stated = listField(object.content, 'status', 'customResourceDefinitions').find(
    (entry) => textField(entry, 'name') === name,
  )
  const reason = reasons.find((known) => known === textField(stated, 'reason'))
  if (reason === undefined) return undefined
  const [uid, generation, storageVersion] = [
    textField(stated, 'uid'),
    numberField(stated, 'generation'),
    textField(stated, 'storageVersion'),
  ]
  const [since, counts, migrator] = [textField(stated, 'since'), readCounts(stated), textField(stated, 'migrator')]
  const definitionVersion = textField(stated, 'definitionVersion')
  const versions = listField(stated, 'versions').map(readVersion)
  const possible = listField(stated, 'possibleVersions').filter((version) => typeof version === 'string')
  return {
    name,
    migrated: fieldAt(stated, 'migrated') === true,
    reason,
    message: textField(stated, 'message') ?? '',
    ...(uid !== undefined &&
      generation !== undefined &&
      storageVersion !== undefined && {
        definition: { uid, generation, storageVersion, ...(possible.length > 0 && { possibleVersions: possible }) },
      }),
    ...(migrator === 'Stackmason' && { migrator }),
    ...(since !== undefined && { since }),
    ...(definitionVersion !== undefined && { definitionVersion }),
    ...(counts !== undefined && { counts }),
    ...(versions.length > 0 && { versions }),
  }
}

function readVersion(version: unknown): VersionState {
  return {
    name: textField(version, 'name') ?? '',
    removable: fieldAt(version, 'removable') === true,
    message: textField(version, 'message') ?? '',
  }
}

function readCounts(stated: unknown): MigrationState['counts'] {
  const [rewritten, alreadyCurrent, failed] = [
    numberField(stated, 'rewritten'),
    numberField(stated, 'alreadyCurrent'),
    numberField(stated, 'failed'),
  ]
  if (rewritten === undefined || alreadyCurrent === undefined || failed === undefined) return undefined
  const failures = listField(stated, 'failures').map((failure) => ({
    namespace: textField(failure, 'namespace') ?? '',
    name: textField(failure, 'name') ?? '',
    reason: 'ServerError' as const,
    message: textField(failure, 'message') ?? '',
  }))
  return { rewritten, alreadyCurrent, failed, remaining: numberField(stated, 'remaining'), failures }
}
