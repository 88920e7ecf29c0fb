import type { PathStep } from '../model/field.ts'
import type { Value } from '../model/value.ts'

/** Says what is wrong with a field: "must …", "may not …". */
export type DemandCheck = (found: Value | undefined) => string | undefined

/** The demand on a field: a value, or a test. Undefined: the field must not be there. */
export type Demand = readonly [path: readonly PathStep[], wanted: string | boolean | undefined | DemandCheck]

/** The demands on an object, whatever its template does: the safety of clusters depends on them. */
export type Demands = readonly Demand[]
