import { nodeImageGateReconciler } from './node-image-gate/reconcile.ts'
import type { MakeReconciler } from './reconciler.ts'
import { runtimeValuesReconciler } from './runtime-values/reconcile.ts'
import { storageMigrationReconciler } from './storage-migration/reconcile.ts'
import type { WorkedKind } from './worked-kinds.ts'

/** Who works on which kind. */
export const reconcilers: Readonly<Record<WorkedKind, MakeReconciler>> = {
  RuntimeValues: runtimeValuesReconciler,
  NodeImageGate: nodeImageGateReconciler,
  StorageMigration: storageMigrationReconciler,
}
