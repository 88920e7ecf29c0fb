/**
 * How deeply values may be nested in any format. Go allows 10,000 levels; readers and writers here use the stack, part
 * of which the caller has used already. The deepest real documents (JSON Schemas in CRDs) stay below 70.
 */
export const MAX_NESTING = 250
