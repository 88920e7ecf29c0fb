import type { Condition } from '../objects/conditions.ts'
import type { MigrationReason, MigrationState } from './migration-state.ts'

/** Reasons that pass by themselves; all others need a person, though they are tried again. */
const passing: ReadonlySet<MigrationReason> = new Set<MigrationReason>([
  'Progressing',
  'Settling',
  'StorageVersionChanged',
  'WaitingForStorageVersion',
  'DefinitionNotFound',
  'DefinitionDeleted',
  'NotEstablished',
  'OtherMigrator',
  'Conflict',
  'ServerError',
])

/** Names that a message has room for. */
const MOST_NAMED = 8

/** The conditions of an object after a pass; `Ready` comes first, and sums up. */
export function conclude(states: readonly MigrationState[]): readonly Condition[] {
  const open = states.filter(({ migrated, reason }) => !migrated && reason !== 'PreflightPassed')
  // what needs a person comes first
  const sorted = [
    ...open.filter(({ reason }) => !passing.has(reason)),
    ...open.filter(({ reason }) => passing.has(reason)),
  ]
  const [first] = sorted
  if (first !== undefined) {
    const { reason } = first
    const message = listed(sorted)
    return [
      { type: 'Ready', status: 'False', reason, message },
      { type: 'StorageMigrated', status: 'False', reason, message },
      { type: passing.has(reason) ? 'Reconciling' : 'Stalled', status: 'True', reason, message },
    ]
  }
  const preflights = states.filter(({ migrated }) => !migrated)
  const message = listed(states)
  const ready: Condition = { type: 'Ready', status: 'True', reason: 'Succeeded', message }
  if (preflights.length === 0) return [ready, { ...ready, type: 'StorageMigrated' }]
  const reason = 'PreflightPassed'
  return [ready, { type: 'StorageMigrated', status: 'False', reason, message: `Nothing was written; ${message}` }]
}

/** The conditions while something is missing that comes by itself. */
export function waiting(reason: string, message: string): readonly Condition[] {
  return [
    { type: 'Ready', status: 'False', reason, message },
    { type: 'StorageMigrated', status: 'False', reason, message },
    { type: 'Reconciling', status: 'True', reason, message },
  ]
}

function listed(states: readonly MigrationState[]): string {
  const named = states.slice(0, MOST_NAMED).map(({ name, message }) => `${name}: ${message}`)
  const rest = states.length > MOST_NAMED ? [`and ${String(states.length - MOST_NAMED)} more`] : []
  return [...named, ...rest].join('; ')
}
