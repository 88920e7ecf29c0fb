import type { Diagnostic } from '../../model/diagnostic.ts'
import { textAt } from '../../model/field.ts'
import { nearestName } from '../../model/nearest-name.ts'
import type { Value } from '../../model/value.ts'

/** What to say of a variable that a class does not have. */
export function unknownVariable(
  name: string,
  {
    declared,
    className,
    at,
  }: { readonly declared: readonly Value[]; readonly className: string; readonly at: Diagnostic['at'] },
): Diagnostic {
  const known = declared.map((variable) => textAt(variable, 'name'))
  const near = nearestName(name, known)
  return {
    code: 'CONFIG_REFERENCE',
    severity: 'error',
    message: `class ${className} has no variable "${name}" that could choose images`,
    ...(at !== undefined && { at }),
    hint: `${near === undefined ? '' : `Did you mean "${near}"? `}Write the names of its variables under spec.nodeImages[].variables, or remove findBy.`,
  }
}
