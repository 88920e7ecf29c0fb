/** The kinds of objects that the controller works on, as it is told of them. */
export const workedKinds = ['RuntimeValues', 'NodeImageGate', 'StorageMigration'] as const

/** One of {@link workedKinds}. */
export type WorkedKind = (typeof workedKinds)[number]
